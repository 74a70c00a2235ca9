// Process groups: ASTRA-sim's file of them, and PyTorch's own account.

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "emulator/core/bounded_file.h"
#include "emulator/core/error.h"
#include "traces/import/chakra_form.h"

namespace morgana::chakra {
namespace {

constexpr std::size_t longest_group_file = std::size_t{1} << 28;

std::vector<std::int32_t> members_in(const std::string& group, const nlohmann::json& list) {
  const auto refuse_members = [&group] {
    throw Error(fmt::format("group \"{}\" has no list of ranks, such as [0, 1]", group));
  };
  if (!list.is_array()) refuse_members();
  std::vector<std::int32_t> members;
  for (const nlohmann::json& one : list) {
    if (!one.is_number_integer() || one < 0 || one > std::numeric_limits<std::int32_t>::max())
      refuse_members();
    members.push_back(one.get<std::int32_t>());
  }
  return members;
}

}  // namespace

Groups read_group_file(const std::filesystem::path& file) {
  const std::string text = read_at_most(file, longest_group_file);
  try {
    const nlohmann::json all = nlohmann::json::parse(text);
    if (!all.is_object()) throw Error("there is no object, such as {\"0\": [0, 1]}");
    Groups groups;
    for (const auto& [name, list] : all.items()) {
      groups[name] = members_in(name, list);
      if (groups[name].empty()) throw Error(fmt::format("group \"{}\" has no ranks", name));
    }
    return groups;
  } catch (const nlohmann::json::exception& refused) {
    throw Error(fmt::format("{}: process groups: {}", file.string(), refused.what()));
  } catch (const Error& refused) {
    throw Error(fmt::format("{}: process groups: {}", file.string(), refused.what()));
  }
}

Groups groups_in(std::string_view values) {
  const std::size_t begin = values.find("[{"), end = values.rfind("}]");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  std::string text(values.substr(begin, end + 2 - begin));
  // Within the text of a list quotes have backslashes.
  if (text.find("\\\"") != std::string::npos) std::erase(text, '\\');
  try {
    Groups groups;
    for (const nlohmann::json& one : nlohmann::json::parse(text)) {
      if (!one.is_object() || !one.contains("pg_name")) continue;
      const nlohmann::json& name = one.at("pg_name");
      const std::string group = name.is_string() ? name.get<std::string>() : name.dump();
      groups[group] = members_in(group, one.value("ranks", nlohmann::json::array()));
    }
    return groups;
  } catch (const nlohmann::json::exception& refused) {
    throw Error(fmt::format("its process groups: {}", refused.what()));
  }
}

}  // namespace morgana::chakra
