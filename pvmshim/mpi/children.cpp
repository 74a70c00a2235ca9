#include "pvmshim/mpi/children.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/told.h"
#include "pvmshim/start/rank_start.h"

namespace morgana::mpi {
namespace {

constexpr std::string_view preload_name = "LD_PRELOAD=";

bool rank_has_begun = false;  // in this process, or in the one that forked it

/// Where this library was loaded from, as LD_PRELOAD names it.
std::string_view own_file() {
  static const char* const file = [] {
    Dl_info own{};
    return dladdr(reinterpret_cast<const void*>(&own_file), &own) != 0 ? own.dli_fname : "";
  }();
  return file;
}

bool is_variable(std::string_view entry, std::string_view name) {
  return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
}

bool is_for_morgana_alone(std::string_view entry) {
  return is_variable(entry, line_variable) || is_variable(entry, added_variable) ||
         entry.starts_with(before_prefix);
}

const ToldVariable* told_by(std::string_view entry) {
  for (const ToldVariable& variable : told_variables())
    if (entry == variable.entry) return &variable;
  return nullptr;
}

/// Whether a list of libraries, as LD_PRELOAD has it, holds this one; a list ends at the first of "end".
std::size_t place_in(std::string_view list) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find_first_of(": ", at), list.size());
    if (!own_file().empty() && list.substr(at, end - at) == own_file()) return at;
    at = end + 1;
  }
  return std::string_view::npos;
}

/// Writes into a room of as many bytes as it needs.
class Writer {
 public:
  explicit Writer(char* room) : start_(room), next_(room) {}
  void add(std::string_view text) { next_ = std::copy(text.begin(), text.end(), next_); }
  char* finish() {
    *next_ = '\0';
    return start_;
  }

 private:
  char *start_, *next_;
};

/// The libraries without this one. @return nothing left: null
char* without_own(std::string_view list, char* room) {
  const std::size_t at = place_in(list);
  std::string_view before = list.substr(0, at), after;
  if (at != std::string_view::npos) after = list.substr(std::min(at + own_file().size() + 1, list.size()));
  if (at != std::string_view::npos && after.empty() && !before.empty()) before.remove_suffix(1);
  if (before.empty() && after.empty()) return nullptr;
  Writer writer(room);
  writer.add(preload_name);
  writer.add(before);
  writer.add(after);
  return writer.finish();
}

char* with_own(std::string_view list, char* room) {
  Writer writer(room);
  writer.add(preload_name);
  writer.add(list);
  if (!list.empty()) writer.add(":");
  writer.add(own_file());
  return writer.finish();
}

std::size_t entries_in(char* const* environment) {
  std::size_t entries = 0;
  while (environment != nullptr && environment[entries] != nullptr) ++entries;
  return entries;
}

std::string_view preloaded_in(char* const* environment) {
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (std::string_view(*environment).starts_with(preload_name)) return *environment + preload_name.size();
  return {};
}

/// For a program that may become the rank. What it preloads (`env LD_PRELOAD=tool.so`) comes before this
/// library and not instead of it, unless it is to see nothing of the run (`env -i`).
void as_rank(char* const* environment, char** kept, char* text) {
  const bool knows_run =
      std::any_of(environment, environment + entries_in(environment), [](const char* entry) {
        const ToldVariable* const variable = told_by(entry);
        return variable != nullptr && !std::string_view(entry).starts_with(preload_name);
      });
  const std::string_view list = preloaded_in(environment);
  const bool lacks_own = knows_run && place_in(list) == std::string_view::npos;
  for (; *environment != nullptr; ++environment)
    if (!lacks_own || !std::string_view(*environment).starts_with(preload_name)) *kept++ = *environment;
  if (lacks_own) *kept++ = with_own(list, text);
  *kept = nullptr;
}

void as_another_program(char* const* environment, char** kept, char* text) {
  bool has_preload = false;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const ToldVariable* const variable = told_by(entry);
    if (entry.starts_with(preload_name)) {
      if (std::exchange(has_preload, true)) continue;  // the first one counts
      if (char* const rest = without_own(entry.substr(preload_name.size()), text)) *kept++ = rest;
    } else if (variable != nullptr) {
      if (variable->before) *kept++ = const_cast<char*>(variable->before->c_str());
    } else if (!is_for_morgana_alone(entry)) {
      *kept++ = *environment;
    }
  }
  *kept = nullptr;
}

}  // namespace

std::size_t room_for_child(char* const* environment) {
  return (entries_in(environment) + 2) * sizeof(char*) + preload_name.size() +
         preloaded_in(environment).size() + own_file().size() + 2;
}

char* const* environment_of_child(char* const* environment, void* room) {
  if (environment == nullptr || told_variables().empty() || (!rank_has_begun && mode() == Mode::pass))
    return environment;
  const auto kept = static_cast<char**>(room);
  char* const text = reinterpret_cast<char*>(kept + entries_in(environment) + 2);
  (rank_has_begun ? as_another_program : as_rank)(environment, kept, text);
  return kept;
}

void keep_run_from_children() {
  rank_has_begun = true;
  for (const ToldVariable& variable : told_variables()) {
    const char* const now = std::getenv(variable.name.c_str());
    if (now == nullptr || variable.name + "=" == preload_name) continue;
    if (variable.entry != variable.name + "=" + now) continue;  // the program's own by now
    if (variable.before)
      setenv(variable.name.c_str(), variable.before->c_str() + variable.name.size() + 1, 1);
    else
      unsetenv(variable.name.c_str());
    unsetenv((before_prefix + variable.name).c_str());
  }
  unsetenv(line_variable);
  unsetenv(added_variable);
  unsetenv("MORGANA_BEFORE_LD_PRELOAD");
  const char* const libraries = std::getenv("LD_PRELOAD");
  if (libraries == nullptr || place_in(libraries) == std::string_view::npos) return;
  std::string text(std::strlen(libraries) + preload_name.size() + 1, '\0');
  if (without_own(libraries, text.data()) != nullptr)
    setenv("LD_PRELOAD", text.c_str() + preload_name.size(), 1);
  else
    unsetenv("LD_PRELOAD");
}

}  // namespace morgana::mpi
