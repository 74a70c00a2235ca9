#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace morgana::test {

/// One program of the conformance suite, as its comments describe it.
struct Conforming {
  std::string name;
  int ranks = 0;
  bool one_host = false;  ///< the ranks share one; else each has its own
  std::string no_replay;  ///< why its trace can't be replayed to the same time; empty if it can
  std::string refused;    ///< a call that ends an emulated run, which must then name it; empty if none does
  std::vector<std::string> differing;  ///< cases that emulation is known not to pass yet; run natively only
  std::vector<std::string> not_natively;  ///< cases that this MPICH does not pass; emulated only
  /// Cases whose simulated times differ from run to run on one machine, too; the source says why.
  std::vector<std::string> varying;
  bool has_threads = false;  ///< several of a rank call MPI at once
  bool needs_mpi_4 = false;
  bool in_c = false;
};

void PrintTo(const Conforming& program, std::ostream* out);

/// All of the suite, by their names.
std::vector<Conforming> all_programs();

std::vector<std::string> lines_of(const std::string& text);

/// The names of the cases whose outcome a program has printed.
std::vector<std::string> cases_in(const std::vector<std::string>& lines);

}  // namespace morgana::test
