#include "pvmshim/launch/mpi/capture_to_trace.h"

#include <fmt/format.h>

#include <deque>
#include <queue>

#include "pvmshim/channel/capture_log.h"

namespace morgana {
namespace {

struct RankLog {
  RankLog(const std::filesystem::path& folder, Rank of) : rank(of), reader(folder, of) {}
  Rank rank;
  CaptureLogReader reader;
  CapturedOperation next;
};

/// For a queue whose top begins first; the lower rank, if two begin at the same time.
struct BeginsLater {
  bool operator()(const RankLog* a, const RankLog* b) const {
    return a->next.begin != b->next.begin ? a->next.begin > b->next.begin : a->rank > b->rank;
  }
};

}  // namespace

std::vector<std::string> read_capture(const std::filesystem::path& folder, std::size_t ranks,
                                      std::span<OperationObserver* const> observers) {
  std::deque<RankLog> logs;
  std::priority_queue<RankLog*, std::vector<RankLog*>, BeginsLater> by_begin;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    RankLog& log = logs.emplace_back(folder, Rank{static_cast<std::int32_t>(rank)});
    if (log.reader.read(log.next)) by_begin.push(&log);
  }
  while (!by_begin.empty()) {
    RankLog& log = *by_begin.top();
    by_begin.pop();
    const CapturedOperation& captured = log.next;
    for (OperationObserver* observer : observers)
      observer->operation_ended(log.rank, captured.operation, captured.begin, captured.end,
                                captured.completed);
    const SimTime end = captured.end;
    if (!log.reader.read(log.next)) continue;
    if (log.next.begin < end)
      throw Error(fmt::format(
          "the capture log of rank {} goes back in time from {} to {} ps: capture the program again",
          static_cast<int>(log.rank), end.ps(), log.next.begin.ps()));
    by_begin.push(&log);
  }
  std::vector<std::string> notices;
  for (const RankLog& log : logs)
    if (!log.reader.complete())
      notices.push_back(
          fmt::format("the recording of rank {} ends early: its process didn't reach MPI_Finalize",
                      static_cast<int>(log.rank)));
  return notices;
}

}  // namespace morgana
