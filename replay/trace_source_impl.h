#pragma once

#include <unordered_map>

#include "replay/call_plan.h"
#include "replay/trace_source.h"
#include "traces/request_table.h"
#include "traces/trace_reader.h"

namespace morgana {

class TraceSource::Impl {
 public:
  Impl(const std::filesystem::path& trace, double compute_scale)
      : reader_(trace),
        definitions_(reader_.definitions()),
        scale_(compute_scale / definitions_.properties.compute_scale),
        ranks_(reader_.ranks()) {
    find_world();
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      ranks_[i].rank = Rank(static_cast<std::int32_t>(i));
      ranks_[i].location = &reader_.location(ranks_[i].rank);
    }
  }

  std::size_t ranks() const { return ranks_.size(); }
  std::size_t hosts() const;
  void place_on(std::size_t hosts) { hosts_ = hosts; }
  const TraceProperties& properties() const { return definitions_.properties; }
  bool runs_at_start(Rank rank) const {
    const std::size_t early = properties().ranks_at_start;
    return early == 0 || index(rank) < early;
  }
  void next(Rank rank, Operation& operation);
  void answer(Rank rank, const Answer& answer);
  std::vector<std::string> notices() const;
  double progress() const { return reader_.progress(); }

 private:
  struct RankState {
    Rank rank{};
    LocationReader* location = nullptr;
    std::size_t place = 0;  // of the first record after the current call
    CallPlan plan;
    std::size_t step = 0;                               // of the current call
    SimTime last_end;                                   // of the last call
    std::vector<const TraceCommunicator*> unannounced;  // what the current call needs first
    std::vector<bool> announced;                        // by the communicator's reference
    RequestTable<char> pending;                         // the trace's requests that the engine knows
    std::uint64_t never_awaited = 0;
  };

  void find_world();
  bool plan_call(RankState& state);
  bool leave_out(RankState& state, const PlannedStep& step);
  void resolve(RankState& state, std::size_t place);
  void need(RankState& state, const PlannedStep& step);
  void announce(RankState& state, Operation& operation);
  void set_elapsed(RankState& state, Operation& operation);
  void exit(RankState& state, Operation& operation);
  void fill(RankState& state, const PlannedStep& step, Operation& operation);
  void fill_message(RankState& state, const PlannedStep& step, Operation& operation);
  void fill_parts(const RankState& state, const TraceRecord& record, std::int64_t text,
                  std::vector<MessagePart>& parts) const;
  void fill_collective(RankState& state, const PlannedStep& step, Operation& operation);
  void fill_part(const RankState& state, const TraceRecord& record, const TraceExtras& extras,
                 CollectivePart& part) const;
  void fill_requests(RankState& state, const PlannedStep& step, Operation& operation);
  void fill_marked(RankState& state, const PlannedStep& step, Operation& operation);
  template <typename Element>
  void read_list(const RankState& state, const TraceRecord& record, const TraceExtras& extras,
                 Attribute attribute, std::vector<Element>& list) const;
  SimTime scaled(SimTime elapsed) const;
  Context context_of(const TraceCommunicator& communicator, Rank rank) const;
  RequestId request_of(RankState& state, const PlannedStep& step, const TraceRecord& record) const;

  TraceReader reader_;
  const TraceDefinitions& definitions_;
  double scale_;
  std::vector<RankState> ranks_;
  const TraceCommunicator* world_ = nullptr;
  std::size_t hosts_ = std::size_t{1} << 31;  // that ranks may begin on
  std::uint64_t receives_left_out_ = 0;
  mutable std::unordered_map<std::int64_t, std::vector<std::int64_t>> lists_;  // looked up only
  mutable std::unordered_map<std::int64_t, std::vector<MessagePart>> parts_;   // looked up only
};

}  // namespace morgana
