#include "emulator/topology/count_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "emulator/topology/topology_kind.h"

namespace morgana::topology {
namespace {

constexpr std::size_t most_counts = 16;

unsigned count_in(std::string_view word, const std::string& key) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  unsigned value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || problem != std::errc() || end != word.data() + word.size() || value < 1 ||
      value > SwitchGraph::most_switches) {
    throw TopologyError(key,
                        fmt::format("\"{}\" is not a number from 1 to {}: write a list such as \"4, 4, 2\" "
                                    "or \"4x4x2\"",
                                    word, SwitchGraph::most_switches));
  }
  return value;
}

}  // namespace

Key count_list_key(std::string_view name, std::string_view fallback, std::string_view items,
                   std::string_view meaning) {
  return {"network." + std::string(name), ValueForm::list, std::string(fallback),
          std::string(meaning),           {.unit = items}, {}};
}

std::vector<unsigned> count_list(const Settings& settings, const Key& key) {
  const auto set = settings.find(key.name);
  const Value& value = set == settings.end() ? key.fallback : set->second;
  std::vector<unsigned> counts;
  for (const std::string& item : items_of(std::get<std::string>(value))) {
    std::string_view text = item;
    while (true) {
      const std::size_t end = std::min(text.find('x'), text.size());
      counts.push_back(count_in(text.substr(0, end), key.name));
      if (end == text.size()) break;
      text.remove_prefix(end + 1);
    }
  }
  if (counts.size() > most_counts)
    throw TopologyError(key.name, fmt::format("{} numbers are more than {}", counts.size(), most_counts));
  return counts;
}

Key parallel_cables_key() {
  return count_list_key(
      "parallel-cables", "", "cables",
      "between two switches that are joined in a leaf-spine, an xgft, a pod-tree or a hyperx: "
      "one number for all, or one for each level from the lowest up or for each dimension; "
      "without: 1");
}

std::vector<unsigned> parallel_cables(const Settings& settings, std::size_t count, std::string_view places) {
  const Key key = parallel_cables_key();
  std::vector<unsigned> cables = count_list(settings, key);
  if (cables.empty()) cables.assign(1, 1);
  if (cables.size() == 1) cables.resize(count, cables.front());
  if (cables.size() != count) {
    throw TopologyError(key.name, fmt::format("{} numbers for {} {}{}: write one for each, or one for all",
                                              cables.size(), count, places, count == 1 ? "" : "s"));
  }
  return cables;
}

}  // namespace morgana::topology
