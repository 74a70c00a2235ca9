#include "tests/conformance/described.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <regex>
#include <sstream>

namespace morgana::test {
namespace {

namespace fs = std::filesystem;

Conforming described(const fs::path& source) {
  Conforming program;
  program.name = source.stem();
  program.in_c = source.extension() == ".c";
  static const std::regex ranks("(?://|!) ranks: ([2-8])"), no_replay("(?://|!) no replay: (.+)");
  static const std::regex refused("(?://|!) refused: (\\w+)"), differs("(?://|!) differs: (\\w+)"),
      not_natively("(?://|!) not natively from MPICH (\\d)\\.(\\d+) on: (\\w+).*"),
      varies("(?://|!) varies: (\\w+): .+");
  std::ifstream file(source);
  std::smatch found;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, found, ranks)) program.ranks = std::stoi(found[1]);
    if (line == "// one host") program.one_host = true;
    if (line == "// needs MPI 4") program.needs_mpi_4 = true;
    if (line == "#include \"several_threads.h\"") program.has_threads = true;
    if (std::regex_match(line, found, no_replay)) program.no_replay = found[1];
    if (std::regex_match(line, found, refused)) program.refused = found[1];
    if (std::regex_match(line, found, differs)) program.differing.push_back(found[1]);
    if (std::regex_match(line, found, varies)) program.varying.push_back(found[1]);
    // As MPICH counts: 40002300 is 4.0.2.
    if (std::regex_match(line, found, not_natively) &&
        MPICH_NUMBER >= 10'000'000L * std::stol(found[1]) + 100'000L * std::stol(found[2]))
      program.not_natively.push_back(found[3]);
  }
  return program;
}

}  // namespace

void PrintTo(const Conforming& program, std::ostream* out) {
  *out << program.name << " on " << program.ranks << " ranks";
}

std::vector<Conforming> all_programs() {
  std::vector<Conforming> programs;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(MORGANA_SOURCE "/tests/conformance")) {
    const fs::path& source = entry.path();
    const bool fortran = source.extension() == ".f90" && source.stem() != "conformance";
    if (source.extension() == ".c" || source.extension() == ".cc" || fortran)
      programs.push_back(described(source));
  }
  std::sort(programs.begin(), programs.end(),
            [](const Conforming& a, const Conforming& b) { return a.name < b.name; });
  return programs;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> cases_in(const std::vector<std::string>& lines) {
  static const std::regex line("case (\\w+): .*");
  std::vector<std::string> names;
  std::smatch found;
  for (const std::string& text : lines)
    if (std::regex_match(text, found, line)) names.push_back(found[1]);
  return names;
}

}  // namespace morgana::test
