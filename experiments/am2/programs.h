#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
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
/// Both of each pair, (0, 1), (2, 3)..., send to each other at once, or those that are half of all apart, or
/// each sends to the next one.
enum class Pattern : std::uint8_t { neighbours, bisection, shift };
std::string exchange(Pattern pattern, int nodes, int bytes);  ///< figures mb_per_s (a host's), us (a round)

/// am2.clients, live, for so long: one endpoint for all clients, or one each. Figures rate (requests/s),
/// least and most (of clients' shares, of an equal one).
enum class Serving : std::uint8_t { one, each };
Condition live_clients(Serving serving, int clients, int milliseconds);

Condition on_am2(std::string workload, std::vector<std::string> overrides = {});
Condition on_gam(std::string workload);

/// On the paper's network.
Condition on_now(std::string workload);

void define_programs(Laboratory& laboratory);
/// @param programs  the folder of am2.clients
void define_live_programs(Laboratory& laboratory, const std::filesystem::path& programs,
                          const std::set<std::string>& workloads);

}  // namespace morgana::am2_paper
