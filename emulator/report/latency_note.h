#pragma once

namespace morgana {

/// Below tables of runs with a column "mean latency".
inline constexpr const char* latency_note =
    "mean latency  of messages point to point; what collectives send is in total and communication alone\n";

}  // namespace morgana
