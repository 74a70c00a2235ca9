#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "experiments/experiment.h"

// What the paper's benchmarks do, each rank on a host of its own: as lists of sends and receives, or live.
namespace morgana::am2_paper {

/// Names of workloads. `requests`: clients of one server with so many requests outstanding each, which the
/// server answers in the order of arrival; figures rate (requests/s that are answered) and trip_us (of a
/// request and its reply, in the mean).
std::string ping();  ///< two ranks, 16 bytes: figure us, there and back
std::string requests(int clients, int outstanding);
std::string stream(int bytes);  ///< messages one after the other: figure mb_per_s, at the receiver

/// am2.clients, live, for so long: one endpoint for all clients, or one each, polled by one thread or each
/// slept on by a thread of its own; requests have four words, and so many bytes. Figures rate (requests/s),
/// least and most (of clients' shares, of an equal one).
enum class Serving : std::uint8_t { one, each, threads };
Condition live_clients(Serving serving, int clients, int milliseconds, int bytes = 0);

/// am2.exchange, live, on the paper's network: both of each pair, (0, 1), (2, 3)..., send to each other, or
/// those that are half of all apart, or each sends to the next one. Figures mb_per_s (what a host sends), us
/// (for each of its requests); of 16 bytes one is outstanding, of longer ones as many as there are credits.
enum class ExchangePattern : std::uint8_t { neighbours, bisection, shift };
Condition live_exchange(ExchangePattern pattern, int nodes, int bytes);

Condition on_am2(std::string workload, std::vector<std::string> overrides = {});
Condition on_gam(std::string workload);
/// Messages of four words, for which myrinet-gam has no costs of its own: the paper's o_s and o_r, and no
/// copies; the interfaces' events and the network are myrinet-gam's.
Condition on_gam_by_words(std::string workload);

void define_programs(Laboratory& laboratory);
/// @param programs  the folder of am2.clients and am2.exchange
void define_live_programs(Laboratory& laboratory, const ExperimentOptions& options,
                          const std::set<std::string>& workloads);

}  // namespace morgana::am2_paper
