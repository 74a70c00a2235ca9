#pragma once

#include <string>

#include "traces/import/dependency_graph.h"

namespace morgana {

/// A schedule in GOAL's text form, as LogGOPSim's txt2bin and read_goal_graph() read it: node i of a rank is
/// the line labelled l(i + 1). Calculations are whole nanoseconds; what a node has beyond them is left out.
/// @param graph  a stored one (without a rule)
std::string goal_text(const DependencyGraph& graph);

/// The same in the binary form that LogGOPSim's txt2bin writes: little-endian, packed; after the number 4223
/// (8 bytes), from where places are counted: ranks (4), the largest CPU and NIC (1 each), for each rank where
/// its nodes start and end (8 each); for each rank how many nodes and roots (4 each), the roots' numbers (4
/// each), the nodes (39 each), and the numbers of those that wait for one of them (4 each).
std::string goal_binary(const DependencyGraph& graph);

}  // namespace morgana
