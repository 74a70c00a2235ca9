#pragma once

#include <string>
#include <vector>

#include "experiments/laboratory.h"

// What is measured where: the paper's three mechanisms and its tests as conditions.
namespace morgana::push_pull_paper {

/// One of the mechanisms that the paper compares, as a platform.
struct Mechanism {
  const char* name;      ///< as in the figures
  const char* platform;  ///< in platforms/
};
extern const Mechanism push_pull, push_zero, push_all;

/// A program of benchmarks/pushpull, where its two ranks are, and what it measures. Figures of a run are
/// named as figure_of() says.
struct Test {
  const char* workload;  ///< its name in the laboratory
  const char* program;   ///< "pushpull.trip"
  std::vector<std::string> arguments;
  bool within = false;  ///< both ranks on one node, with its pushed buffer of 12 KB
  std::vector<int> sizes;
};
extern const Test trip_between, trip_within, bandwidth_between, bandwidth_within, early, late, search;
/// Of trip_between: what longer messages there are is looked at one by one.
constexpr int longest_of_curves = 4400;
/// All tests of the paper that are emulated, the search included.
std::vector<const Test*> tests();

/// A figure's name: the message of so many bytes.
std::string figure_of(int bytes);

Condition condition(const Test& test, const Mechanism& mechanism, std::vector<std::string> overrides = {});

/// Push-Pull with less than its full optimisation (section 3.2.1): the pushed bytes in one piece, so that no
/// push overlaps with the acknowledgement; and addresses translated before anything is sent.
struct Optimisation {
  const char* name;
  std::vector<std::string> overrides;
};
/// Full, overlapping only, masking only, none.
extern const std::vector<Optimisation> optimisations;

/// BTP1 and BTP2 of the internode tests.
constexpr int first_push = 80, second_push = 680;
/// Settings of the searches for the second and for the first push, and the values tried (section 3.2).
std::vector<int> second_pushes();
std::vector<int> first_pushes();
Condition search_for_second(int bytes);
Condition search_for_first(int bytes);

}  // namespace morgana::push_pull_paper
