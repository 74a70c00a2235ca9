#include "emulator/engine/deadlock_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace morgana {
namespace {

constexpr std::size_t named_ranks = 8;

/// One rank can't go on before another one does.
struct WaitsFor {
  Rank rank;
  const Request* request = nullptr;  ///< by which; null: a probe
};

class Analysis {
 public:
  Analysis(std::span<const RankState> ranks, std::span<const Request> requests, const ContextTable& contexts,
           const CollectiveRunner& collectives, const Machine& machine, const Losses& losses)
      : ranks_(ranks),
        requests_(requests),
        contexts_(contexts),
        collectives_(collectives),
        machine_(machine),
        losses_(losses),
        waits_(ranks.size()) {
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (waits(ranks_[i])) waits_[i] = waits_of(ranks_[i]);
  }

  DeadlockAnalysis result() const {
    DeadlockAnalysis all;
    all.at = losses_.latest();
    for (const RankState& state : ranks_) {
      if (waits(state)) all.at = std::max(all.at, state.begin);
      if (state.phase == RankState::Phase::ended) all.at = std::max(all.at, state.clock);
    }
    all.cycle = cycle();
    if (!all.cycle.empty()) {
      all.findings.push_back(cycle_text(all.cycle));
      std::string hint = losses_.count() == 0 ? eager_hint(all.cycle) : "";
      if (!hint.empty()) all.findings.push_back(std::move(hint));
    }
    add_missing(all.findings);
    return all;
  }

 private:
  static bool waits(const RankState& state) {
    return state.phase == RankState::Phase::waiting && state.operation.call != Call::pvmd;
  }

  /// What is one of several that would do is not counted.
  std::vector<WaitsFor> waits_of(const RankState& state) const {
    std::vector<WaitsFor> all;
    const Operation& operation = state.operation;
    if (operation.kind == OperationKind::probe) {
      if (operation.peer != any_rank) all.push_back({operation.peer});
      return all;
    }
    std::size_t open = 0;
    for (const std::uint32_t slot : state.awaited) {
      const Request& request = requests_[slot];
      if (request.ready) continue;
      ++open;
      if (request.kind == OperationKind::collective) {
        for (const Rank missing : missing_of(request)) all.push_back({missing, &request});
      } else if ((request.kind == OperationKind::send || request.kind == OperationKind::receive) &&
                 request.envelope.source != any_rank && request.envelope.context != nowhere_context) {
        all.push_back({request.envelope.source, &request});
      }
    }
    if (open > 1 && operation.completion != Completion::all) all.clear();
    std::erase_if(
        all, [this](const WaitsFor& one) { return one.rank < Rank{0} || index(one.rank) >= ranks_.size(); });
    return all;
  }

  std::vector<Rank> missing_of(const Request& request) const {
    if (request.under_way == CollectiveRunner::no_part) return {};
    return collectives_.entered().missing(collectives_.collective_of(request.under_way), request.owner);
  }

  /// The first one from the lowest rank on, depth first.
  std::vector<Rank> cycle() const {
    enum class Seen : std::uint8_t { no, on_path, done };
    std::vector<Seen> seen(ranks_.size(), Seen::no);
    struct Place {
      std::size_t rank, next;
    };
    for (std::size_t first = 0; first < ranks_.size(); ++first) {
      if (seen[first] != Seen::no) continue;
      std::vector<Place> path{{first, 0}};
      seen[first] = Seen::on_path;
      while (!path.empty()) {
        Place& place = path.back();
        if (place.next == waits_[place.rank].size()) {
          seen[place.rank] = Seen::done;
          path.pop_back();
          continue;
        }
        const std::size_t next = index(waits_[place.rank][place.next++].rank);
        if (seen[next] == Seen::on_path) return closed_at(next, path);
        if (seen[next] != Seen::no) continue;
        seen[next] = Seen::on_path;
        path.push_back({next, 0});
      }
    }
    return {};
  }

  template <typename Path>
  static std::vector<Rank> closed_at(std::size_t rank, const Path& path) {
    std::vector<Rank> found;
    bool within = false;
    for (const auto& place : path) {
      within = within || place.rank == rank;
      if (within) found.push_back(Rank{static_cast<std::int32_t>(place.rank)});
    }
    std::rotate(found.begin(), std::min_element(found.begin(), found.end()), found.end());
    return found;
  }

  std::string_view call_of(Rank rank) const { return name_of(ranks_[index(rank)].operation.call); }

  std::string cycle_text(const std::vector<Rank>& cycle) const {
    if (cycle.size() == 1)
      return fmt::format("cycle: rank {} ({}) waits for itself", index(cycle[0]), call_of(cycle[0]));
    std::string text =
        fmt::format("cycle: rank {} ({}) waits for ", index(cycle.front()), call_of(cycle.front()));
    const std::size_t shown = std::min(cycle.size(), named_ranks);
    for (std::size_t i = 1; i < shown; ++i)
      text += fmt::format("rank {} ({}), which waits for ", index(cycle[i]), call_of(cycle[i]));
    if (cycle.size() > shown) text += fmt::format("the next one of {} in all, ", cycle.size());
    if (cycle.size() > shown) text += "the last of which waits for ";
    return text + fmt::format("rank {}", index(cycle.front()));
  }

  /// A send of the cycle that waits for its receive only because it is longer than the eager limit.
  std::string eager_hint(const std::vector<Rank>& cycle) const {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const Rank from = cycle[i], to = cycle[(i + 1) % cycle.size()];
      for (const WaitsFor& one : waits_[index(from)]) {
        if (one.rank != to || one.request == nullptr || one.request->kind != OperationKind::send ||
            one.request->synchronous)
          continue;
        const bool local = machine_.share_host(from, to);
        const MessageLayer& layer = machine_.messages;
        const Bytes limit = local ? layer.local_eager_limit : layer.eager_limit;
        if (one.request->bytes <= limit) continue;
        return fmt::format(
            "eager hint: the send of {} bytes from rank {} to rank {} waits for its receive, as it is longer "
            "than messages.{} ({} bytes). A message of at most that size is sent without waiting, so that "
            "this deadlock does not show with short messages; MPI_Sendrecv, or receives that are posted "
            "before the sends, are right at every size",
            one.request->bytes.count(), index(from), index(to), local ? "local-eager-limit" : "eager-limit",
            limit.count());
      }
    }
    return "";
  }

  std::string state_of(Rank rank) const {
    const RankState& state = ranks_[index(rank)];
    if (state.phase == RankState::Phase::ended) return "has ended";
    if (state.phase == RankState::Phase::absent) return "does not run yet";
    return fmt::format("waits in {}", name_of(state.operation.call));
  }

  /// Of each collective that somebody waits in, the members that have not called it.
  void add_missing(std::vector<std::string>& findings) const {
    std::map<std::uint32_t, const Request*> open;  // by collective: what a member waits by
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (!waits(ranks_[i])) continue;
      for (const std::uint32_t slot : ranks_[i].awaited) {
        const Request& request = requests_[slot];
        if (request.kind == OperationKind::collective && !request.ready &&
            request.under_way != CollectiveRunner::no_part)
          open.try_emplace(collectives_.collective_of(request.under_way), &request);
      }
    }
    for (const auto& [number, request] : open) {
      const std::vector<Rank> missing = missing_of(*request);
      if (missing.empty()) continue;
      const std::size_t members = contexts_.members(request->envelope.context, request->owner).size();
      std::string text = fmt::format("missing: {} of the {} members of {} {} not called {}: ", missing.size(),
                                     members, contexts_.describe(request->envelope.context),
                                     missing.size() == 1 ? "has" : "have", name_of(request->call));
      for (std::size_t i = 0; i < std::min(missing.size(), named_ranks); ++i)
        text += fmt::format("{}rank {} ({})", i == 0 ? "" : ", ", index(missing[i]), state_of(missing[i]));
      if (missing.size() > named_ranks) text += fmt::format(" and {} more", missing.size() - named_ranks);
      findings.push_back(std::move(text));
    }
  }

  std::span<const RankState> ranks_;
  std::span<const Request> requests_;
  const ContextTable& contexts_;
  const CollectiveRunner& collectives_;
  const Machine& machine_;
  const Losses& losses_;
  std::vector<std::vector<WaitsFor>> waits_;  // by rank
};

}  // namespace

DeadlockAnalysis analyse_deadlock(std::span<const RankState> ranks, std::span<const Request> requests,
                                  const ContextTable& contexts, const CollectiveRunner& collectives,
                                  const Machine& machine, const Losses& losses) {
  return Analysis(ranks, requests, contexts, collectives, machine, losses).result();
}

}  // namespace morgana
