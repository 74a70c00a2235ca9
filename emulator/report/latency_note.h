#pragma once

namespace morgana {

/// Below tables of runs with a column "mean latency".
/// @param executions  they are of execution traces, whose collectives are made of messages
constexpr const char* latency_note(bool executions) {
  return executions ? "mean latency  of messages, those of collectives included\n"
                    : "mean latency  of messages point to point; what collectives send is in total and "
                      "communication alone\n";
}

}  // namespace morgana
