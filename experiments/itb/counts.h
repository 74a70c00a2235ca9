#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace morgana::itb_paper {

/// What graph and routes alone give for a pattern (one that a random draw isn't part of), over all ordered
/// pairs of different switches for uniform traffic, else over the pairs of hosts that send to each other:
/// - minimal: mean number of cables between switches on the shortest path
/// - legal: the same on the shortest legal up*/down* path
/// - share: of pairs for which both are equal
/// - in_transit: hosts a message, with minimal routes; over pairs of hosts, also for uniform traffic
/// - fixed: hosts that send nothing
std::map<std::string, double> counts(const std::string& network, const std::string& pattern,
                                     std::uint64_t seed);

/// How long an in-transit host keeps a packet's head, in ns: from what the network takes to deliver a packet
/// through one, without what the cables and switches on its way take.
double in_transit_delay();

}  // namespace morgana::itb_paper
