#include "pvmshim/launch/process/progress_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace morgana {
namespace {

using Where = RankStanding::Where;
using Does = ThreadActivity::Does;

/// Looks after the last movement at which nobody is looked at: most ranks say something sooner.
constexpr int free_looks = 2;
constexpr std::size_t groups_listed = 8, ranks_detailed = 16, threads_detailed = 8;

/// "rank 3", "ranks 0-2, 5"
std::string names_of(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[i]);
    if (last > i) text += fmt::format("{}{}", last > i + 1 ? "-" : ", ", ranks[last]);
    i = last + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

/// Of one rank or several.
std::string text_of_standing(const RankStanding& rank) {
  const std::string after = rank.call.empty() ? "" : " after " + rank.call;
  switch (rank.where) {
    case Where::not_begun:
      return "before MPI_Init";
    case Where::in_call:
      return "in " + rank.call;
    case Where::in_program:
      return "between calls" + after;
    case Where::ended:
      return "after MPI_Finalize";
  }
  return "";
}

std::string text_of_thread(const ThreadActivity& thread) {
  switch (thread.does) {
    case Does::runs:
      return "running";
    case Does::sleeps:
      return thread.in.empty() ? "asleep" : "asleep in " + thread.in;
    case Does::stopped:
      return "stopped";
    case Does::ended:
      return "ended";
  }
  return "";
}

}  // namespace

std::vector<ProgressWatch::Seen> ProgressWatch::look_at(const std::vector<RankStanding>& ranks) {
  std::vector<Seen> seen;
  for (const RankStanding& rank : ranks) {
    Seen one{rank, {}, {}, {}};
    if (rank.process > 0) one.process = look_at_process_(rank.process);
    if (rank.where == Where::ended && one.process.threads.empty()) continue;
    const auto [used, fresh] = used_.try_emplace(rank.rank, Used{one.process.used, one.process.used});
    one.used_since_last_look = one.process.used - std::exchange(used->second.last, one.process.used);
    one.used_in_standstill = one.process.used - used->second.first;
    seen.push_back(std::move(one));
  }
  return seen;
}

/// Whether the rank may do something without another one, or somebody keeps it from that who has been told of
/// already (a rank that is stopped). A rank in a call only looks now and then whether its answer has come.
bool ProgressWatch::goes_on(const Seen& rank) const {
  if (rank.standing.where == Where::in_call) return rank.process.has(Does::stopped);
  if (rank.standing.process == 0) return true;  // nobody knows
  if (rank.process.has(Does::runs) || rank.process.has(Does::stopped) || rank.process.child_runs) return true;
  constexpr int share = 50;  // of the interval: who wakes a few times a second only looks at something
  return rank.used_since_last_look > std::chrono::nanoseconds(interval_) / share;
}

std::string ProgressWatch::look(Clock::time_point now, const LookAtRanks& ranks) {
  if (looked_ && now - *looked_ < interval_) return "";
  looked_ = now;
  if (std::exchange(moved_, false)) {
    if (said_line_) looks_until_line_ *= 2;
    still_ = 0;
    said_line_ = said_details_ = false;
    used_.clear();
    return "";
  }
  if (still_ < free_looks) {
    ++still_;
    return "";
  }
  const std::vector<Seen> seen = look_at(ranks());
  if (std::ranges::any_of(seen, [this](const Seen& rank) { return goes_on(rank); })) {
    still_ = free_looks;
    return computing_line(seen);
  }
  ++still_;
  if (!said_line_ && still_ >= looks_until_line_) {
    said_line_ = true;
    return fmt::format("note: for {} s no rank has gone on: {}. The run waits; Ctrl-C ends it",
                       (interval_ * still_).count() / 1000, describe(seen));
  }
  if (said_line_ && !said_details_ && still_ >= looks_until_line_ + looks_until_details) {
    said_details_ = true;
    return fmt::format("note: still no rank has gone on, for {} s:{}", (interval_ * still_).count() / 1000,
                       details(seen));
  }
  return "";
}

/// Where computing takes no simulated time.
std::string ProgressWatch::computing_line(const std::vector<Seen>& ranks) {
  if (computing_takes_time_ || said_computing_) return "";
  const auto waits = [](const Seen& rank) { return rank.standing.where == Where::in_call; };
  const auto computes = [](const Seen& rank) {
    return rank.standing.where == Where::in_program && rank.used_in_standstill >= longest_computing;
  };
  const auto longest = std::ranges::find_if(ranks, computes);
  if (longest == ranks.end() || std::ranges::none_of(ranks, waits)) return "";
  said_computing_ = true;
  return fmt::format(
      "note: rank {} has used {} s of CPU time without a call of MPI, and the others wait for it: it "
      "computes "
      "or spins, and with --compute none neither takes simulated time ({}). If it never calls, run it with "
      "measured computing",
      index(longest->standing.rank),
      std::chrono::duration_cast<std::chrono::seconds>(longest->used_in_standstill).count(), describe(ranks));
}

/// Ranks that do the same stand together.
std::string ProgressWatch::describe(const std::vector<Seen>& ranks) const {
  std::vector<std::pair<std::string, std::vector<int>>> groups;
  for (const Seen& rank : ranks) {
    std::string text = text_of_standing(rank.standing);
    const bool in_shim = rank.standing.where == Where::in_call;
    if (!in_shim && !rank.process.threads.empty())
      text += ", " + text_of_thread(rank.process.threads.front());
    const auto group = std::ranges::find(groups, text, &decltype(groups)::value_type::first);
    auto& numbers =
        group == groups.end() ? groups.emplace_back(text, std::vector<int>()).second : group->second;
    numbers.push_back(static_cast<int>(rank.standing.rank));
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), groups_listed); ++i)
    text += fmt::format("{}{}: {}", i > 0 ? "; " : "", names_of(groups[i].second), groups[i].first);
  if (groups.size() > groups_listed) text += fmt::format("; and {} more", groups.size() - groups_listed);
  return text;
}

std::string ProgressWatch::details(const std::vector<Seen>& ranks) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(ranks.size(), ranks_detailed); ++i) {
    const Seen& rank = ranks[i];
    text += fmt::format("\n  rank {} (process {}): {}", index(rank.standing.rank), rank.standing.process,
                        text_of_standing(rank.standing));
    const auto& threads = rank.process.threads;
    for (std::size_t j = 0; j < std::min(threads.size(), threads_detailed); ++j)
      text +=
          fmt::format("{}thread {} {}", j == 0 ? "; " : ", ", threads[j].number, text_of_thread(threads[j]));
    if (threads.size() > threads_detailed)
      text += fmt::format(" and {} more threads", threads.size() - threads_detailed);
  }
  if (ranks.size() > ranks_detailed)
    text += fmt::format("\n  and {} more ranks", ranks.size() - ranks_detailed);
  return text;
}

}  // namespace morgana
