#include "pvmshim/mpi/told.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/card_table.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/start/rank_start.h"

namespace morgana::mpi {
namespace {

constexpr std::array always{RankChannel::path_variable, CaptureLogWriter::folder_variable,
                            CaptureLogWriter::origin_variable, CardTable::path_variable};

std::optional<std::string> entry_of(const std::string& name, const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value == nullptr ? std::nullopt : std::optional(name + "=" + value);
}

std::vector<ToldVariable> read_variables() {
  std::vector<std::string> names(always.begin(), always.end());
  const char* added = std::getenv(added_variable);
  for (std::string_view rest = added == nullptr ? "" : added; !rest.empty();) {
    const std::string name(rest.substr(0, rest.find(':')));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  std::vector<ToldVariable> variables;
  for (const std::string& name : names)
    if (auto entry = entry_of(name, name))
      variables.push_back({name, std::move(*entry), entry_of(name, before_prefix + name)});
  return variables;
}

bool compare_lines() {
  const char *run = std::getenv(line_variable), *descriptor = std::getenv("PMI_FD");
  if (run == nullptr) return true;
  struct stat line {};
  if (descriptor == nullptr || fstat(std::atoi(descriptor), &line) != 0) return false;
  return run == std::to_string(line.st_dev) + "." + std::to_string(line.st_ino);
}

/// Before anything of the program's runs.
[[gnu::constructor]] void read_when_loaded() {
  told_variables();
  is_on_the_runs_line();
}

}  // namespace

const std::vector<ToldVariable>& told_variables() {
  static const auto& variables = *new std::vector<ToldVariable>(read_variables());
  return variables;
}

const char* told(const char* name) {
  for (const ToldVariable& variable : told_variables())
    if (variable.name == name) return variable.entry.c_str() + variable.name.size() + 1;
  return nullptr;
}

bool is_on_the_runs_line() {
  static const bool is = compare_lines();
  return is;
}

}  // namespace morgana::mpi
