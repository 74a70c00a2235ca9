#pragma once

#include <string>

#include "experiments/laboratory.h"

// What the paper's benchmarks do, as lists of sends and receives, each rank on a host of its own.
namespace morgana::am2_paper {

/// Names of workloads. `requests`: clients of one server with so many requests outstanding each, which the
/// server answers in turn; figures rate (requests/s that are answered) and trip_us (of a
/// request and its reply, in the mean).
std::string ping();  ///< two ranks, 16 bytes: figure us, there and back
std::string requests(int clients, int outstanding, int bytes = 16);
std::string stream(int bytes);  ///< messages one after the other: figure mb_per_s, at the receiver
/// Both of each pair, (0, 1), (2, 3)..., send to each other at once, or each sends to the next one.
enum class Pattern : bool { neighbours, shift };
std::string exchange(Pattern pattern, int nodes, int bytes);  ///< figures mb_per_s (a host's), us (a round)

Condition on_am2(std::string workload, std::vector<std::string> overrides = {});
Condition on_gam(std::string workload);

void define_programs(Laboratory& laboratory);

}  // namespace morgana::am2_paper
