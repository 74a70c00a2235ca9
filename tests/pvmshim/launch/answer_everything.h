#pragma once

#include <functional>
#include <map>
#include <vector>

#include "pvmshim/launch/mpi/mpi_program.h"

namespace morgana::testing {

/// As an emulator to which all calls are barriers: when every rank waits for an answer, all get it, until all
/// have exited, or it is enough.
inline void answer_everything(
    MpiProgram& program, const std::function<bool()>& enough = [] { return false; }) {
  std::vector<OperationSource::AwaitedRank> running;
  for (std::size_t rank = 0; rank < program.ranks(); ++rank)
    running.push_back({Rank{static_cast<std::int32_t>(rank)}, SimTime(), SimTime::max()});
  std::map<Rank, Answer> waiting;
  Operation operation;
  const auto stops_running = [&](const OperationSource::AwaitedRank& awaited_rank) {
    while (program.next(awaited_rank.rank, operation)) {
      if (operation.kind == OperationKind::exit) return true;
      if (!operation.wants_answer) continue;
      Answer& answer = waiting[awaited_rank.rank];
      for (const RequestId request : operation.requests) answer.completed.emplace_back().request = request;
      return true;
    }
    return false;
  };
  while (true) {
    std::erase_if(running, stops_running);
    if (!running.empty()) {
      program.wait(running);
      if (enough()) return;
      continue;
    }
    if (waiting.empty()) return;
    for (const auto& [rank, answer] : waiting) {
      program.answer(rank, answer);
      running.push_back({rank, SimTime(), SimTime::max()});
    }
    waiting.clear();
  }
}

}  // namespace morgana::testing
