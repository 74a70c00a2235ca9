// Precompiled headers would hide that a file doesn't include what it uses.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace {

namespace fs = std::filesystem;

/// Names of the standard library whose header can't be mistaken, by that header.
constexpr const char* names_by_header[][2] = {
    {"algorithm",
     "sort stable_sort find find_if find_if_not any_of all_of none_of count count_if max_element min_element "
     "minmax_element clamp reverse lower_bound upper_bound equal_range copy copy_n fill fill_n transform "
     "remove_if "
     "unique is_sorted stable_partition partition nth_element rotate shuffle binary_search min max"},
    {"array", "array"},
    {"atomic",
     "atomic atomic_ref atomic_thread_fence memory_order_relaxed memory_order_acquire memory_order_release"},
    {"bit", "bit_cast popcount countr_zero bit_width bit_ceil has_single_bit countl_zero"},
    {"charconv", "from_chars to_chars"},
    {"chrono", "chrono"},
    {"cmath", "sqrt log exp pow ceil floor isfinite isnan lround llround round log2 hypot expm1 log1p"},
    {"cstdint", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t"},
    {"cstdlib", "getenv strtol strtoul strtod quick_exit _Exit"},
    {"cstring", "memcpy memset memmove strerror strlen strcmp memcmp"},
    {"deque", "deque"},
    {"filesystem", "filesystem"},
    {"fstream", "ifstream ofstream fstream"},
    {"functional", "function hash greater less invoke reference_wrapper"},
    {"iomanip", "setw setprecision setfill"},
    {"iostream", "cout cerr cin"},
    {"iterator", "back_inserter istreambuf_iterator inserter"},
    {"limits", "numeric_limits"},
    {"list", "list"},
    {"map", "map multimap"},
    {"memory", "unique_ptr shared_ptr weak_ptr make_unique make_shared"},
    {"mutex", "mutex lock_guard unique_lock scoped_lock"},
    {"numeric", "accumulate iota gcd lcm reduce inner_product partial_sum"},
    {"optional", "optional nullopt make_optional"},
    {"queue", "queue priority_queue"},
    {"random",
     "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution exponential_distribution"},
    {"set", "set multiset"},
    {"span", "span"},
    {"sstream", "ostringstream istringstream stringstream"},
    {"stdexcept", "runtime_error logic_error out_of_range invalid_argument"},
    {"string", "string to_string stoi stod getline"},
    {"string_view", "string_view"},
    {"system_error", "error_code errc system_error system_category generic_category"},
    {"thread", "thread this_thread"},
    {"tuple", "tuple tie make_tuple"},
    {"unordered_map", "unordered_map"},
    {"unordered_set", "unordered_set"},
    {"variant", "variant visit get_if holds_alternative monostate"},
    {"vector", "vector"},
};

std::map<std::string, std::string> header_of_each_name() {
  std::map<std::string, std::string> headers;
  for (const auto& [header, names] : names_by_header) {
    std::istringstream words(names);
    for (std::string name; words >> name;) headers[name] = header;
  }
  return headers;
}

struct Source {
  std::set<std::string> standard, own;  ///< what it includes: <...> and "..."
  std::set<std::string> names;          ///< every X of a std::X outside of comments
};

Source read(const fs::path& path) {
  Source source;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#include ")) {
      const std::size_t end = line.find_first_of(">\"", 10);
      (line[9] == '<' ? source.standard : source.own).insert(line.substr(10, end - 10));
      continue;
    }
    line.resize(std::min(line.size(), line.find("//")));
    for (std::size_t at = line.find("std::"); at != std::string::npos; at = line.find("std::", at)) {
      const std::size_t begin = at += 5;
      while (at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_'))
        ++at;
      source.names.insert(line.substr(begin, at - begin));
    }
  }
  return source;
}

std::map<std::string, Source> all_sources() {
  std::map<std::string, Source> sources;
  const fs::path top = MORGANA_SOURCE;
  for (const char* folder : {"benchmarks/kernels", "benchmarks/micro", "cli", "emulator", "experiments",
                             "pvmshim", "replay", "report", "runs", "tests", "traces"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string ending = entry.path().extension();
      if (ending == ".h" || ending == ".cpp") sources[fs::relative(entry.path(), top)] = read(entry.path());
    }
  }
  return sources;
}

/// What a file gets by its own includes and those of our headers that it includes.
const std::set<std::string>& reached(const std::string& file, const std::map<std::string, Source>& sources,
                                     std::map<std::string, std::set<std::string>>& known) {
  const auto [entry, is_new] = known.try_emplace(file);
  if (const auto source = sources.find(file); is_new && source != sources.end()) {
    std::set<std::string> all = source->second.standard;
    for (const std::string& header : source->second.own) all.merge(std::set(reached(header, sources, known)));
    known[file] = std::move(all);
  }
  return known[file];
}

TEST(House, EveryFileIncludesTheStandardHeadersThatItUses) {
  const auto headers = header_of_each_name();
  const auto sources = all_sources();
  ASSERT_GT(sources.size(), 500u);  // the tree was really read
  std::map<std::string, std::set<std::string>> known;
  for (const auto& [file, source] : sources) {
    const std::set<std::string>& includes = reached(file, sources, known);
    for (const std::string& name : source.names) {
      const auto header = headers.find(name);
      EXPECT_TRUE(header == headers.end() || includes.contains(header->second))
          << file << " uses std::" << name << ", but does not include <"
          << (header == headers.end() ? "" : header->second) << ">";
    }
  }
}

}  // namespace
