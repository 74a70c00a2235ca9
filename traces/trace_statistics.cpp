#include "traces/trace_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "traces/own_polls.h"
#include "traces/trace_reader.h"

namespace morgana {
namespace {

using Kind = TraceRecord::Kind;

/// What a message must agree in with the receive that takes it.
struct Channel {
  Rank from, to;
  std::uint32_t communicator;
  Tag tag;
  bool operator==(const Channel&) const = default;
};
struct HashChannel {
  std::size_t operator()(const Channel& channel) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(channel.from), static_cast<std::uint64_t>(channel.to),
          std::uint64_t{channel.communicator}, static_cast<std::uint64_t>(channel.tag)})
      hash = (hash ^ (part & 0xFFFFFFFFU)) * 0x9E3779B97F4A7C15U, hash ^= hash >> 32;
    return static_cast<std::size_t>(hash);
  }
};

class Gatherer {
 public:
  explicit Gatherer(const std::filesystem::path& trace) : reader_(trace) {
    const TraceProperties& properties = reader_.definitions().properties;
    statistics_.program = properties.program;
    statistics_.platform = properties.platform;
    statistics_.ranks.resize(reader_.ranks());
    statistics_.calls.resize(reader_.ranks());
    statistics_.services = std::min(properties.services, reader_.ranks());
  }

  TraceStatistics gather(const std::function<void(double)>& progress);

 private:
  void read(Rank rank, const std::function<void(double)>& progress);
  void take(Rank rank, const TraceRecord& record);
  void add_own_polls(Rank rank, const OwnPolls::Before& polls);
  void sent(Rank rank, const TraceRecord& record);
  void received(Rank rank, const TraceRecord& record);
  void collective(Rank rank, const TraceRecord& record, const TraceRegion* called);

  /// Only serves the others: what it does is not the program's.
  bool is_service(Rank rank) const { return index(rank) < reader_.definitions().properties.services; }

  /// PVM's receives may ask for messages of any context.
  std::uint32_t compared(std::uint32_t communicator) const {
    return statistics_.services > 0 ? 0 : communicator;
  }

  TraceReader reader_;
  TraceStatistics statistics_;
  std::vector<TraceStatistics::Pair> to_;                               // of the rank being read, by receiver
  std::unordered_map<Channel, std::int64_t, HashChannel> outstanding_;  // sent less received; only summed up
  std::size_t depth_ = 0;
  const TraceRegion* region_ = nullptr;     // the outermost call
  TraceStatistics::Call* call_ = nullptr;   // of the rank being read: what is known of that
  RequestTable<const TraceRegion*> begun_;  // nonblocking collectives by request: the call that began them
  SimTime entered_;
};

TraceStatistics Gatherer::gather(const std::function<void(double)>& progress) {
  for (std::size_t i = 0; i < reader_.ranks(); ++i) read(Rank(static_cast<std::int32_t>(i)), progress);
  for (const auto& [channel, count] : outstanding_)
    (count > 0 ? statistics_.unmatched_sends : statistics_.unmatched_receives) +=
        static_cast<std::uint64_t>(count > 0 ? count : -count);
  statistics_.notices = reader_.notices();
  if (statistics_.unmatched_sends > 0)
    statistics_.notices.push_back(
        fmt::format("{} messages were sent and never received", statistics_.unmatched_sends));
  if (statistics_.unmatched_receives > 0)
    statistics_.notices.push_back(
        fmt::format("{} messages were received that nobody sent", statistics_.unmatched_receives));
  return std::move(statistics_);
}

void Gatherer::read(Rank rank, const std::function<void(double)>& progress) {
  constexpr std::size_t records_between_reports = 1 << 16;
  LocationReader& location = reader_.location(rank);
  to_.assign(reader_.ranks(), {});
  depth_ = 0;
  region_ = nullptr;
  call_ = nullptr;
  begun_ = {};
  OwnPolls own_polls;
  for (std::size_t place = 0; const TraceRecord* record = location.at(place);) {
    add_own_polls(rank, own_polls.before(*record, location.extras(*record)));
    if (record->kind == Kind::leave && depth_ == 0)
      location.fail(record->number, "leaves a call that it has not entered");
    take(rank, *record);
    location.release(++place);
    if (progress && place % records_between_reports == 0) progress(reader_.progress());
  }
  const std::size_t early = reader_.definitions().properties.ranks_at_start;
  if (early > 0 && index(rank) >= early) statistics_.ranks[index(rank)].begin = location.begin_time();
  statistics_.ranks[index(rank)].end = location.last_time();
  if (!is_service(rank)) statistics_.duration = std::max(statistics_.duration, location.last_time());
  for (std::size_t peer = 0; peer < to_.size(); ++peer) {
    if (to_[peer].messages == 0) continue;
    to_[peer].from = rank;
    to_[peer].to = Rank(static_cast<std::int32_t>(peer));
    statistics_.pairs.push_back(to_[peer]);
  }
}

void Gatherer::add_own_polls(Rank rank, const OwnPolls::Before& polls) {
  if (polls.time == SimTime()) return;
  const TraceRegion* region = reader_.definitions().regions.find(polls.region);
  TraceStatistics::Call& call = statistics_.calls[index(rank)][region == nullptr ? "unknown" : region->name];
  call.count += polls.count;
  call.time += polls.time;
  statistics_.ranks[index(rank)].communication += polls.time;
}

void Gatherer::take(Rank rank, const TraceRecord& record) {
  TraceStatistics::PerRank& of_rank = statistics_.ranks[index(rank)];
  switch (record.kind) {
    case Kind::enter:
      if (depth_++ > 0) return;
      entered_ = record.time;
      region_ = reader_.definitions().regions.find(record.region);
      call_ = &statistics_.calls[index(rank)][region_ == nullptr ? "unknown" : region_->name];
      ++call_->count;
      return;
    case Kind::leave:
      if (--depth_ > 0) return;
      of_rank.communication += record.time - entered_;
      call_->time += record.time - entered_;
      region_ = nullptr;
      call_ = nullptr;
      return;
    case Kind::send:
    case Kind::isend:
      return sent(rank, record);
    case Kind::receive:
    case Kind::ireceive:
      return received(rank, record);
    case Kind::icollective_begun:
      begun_.insert(record.request, region_);
      return;
    case Kind::collective:
      return collective(rank, record, region_);
    case Kind::icollective: {
      const TraceRegion* const* begun = begun_.find(record.request);
      collective(rank, record, begun == nullptr ? region_ : *begun);
      begun_.erase(record.request);
      return;
    }
    default:
      return;
  }
}

void Gatherer::collective(Rank rank, const TraceRecord& record, const TraceRegion* called) {
  ++statistics_.ranks[index(rank)].collectives;
  TraceStatistics::Collective& collective =
      statistics_.collectives[called == nullptr ? "outside of any call" : called->name];
  ++collective.calls;
  collective.sent += record.bytes;
  if (call_ != nullptr) call_->bytes += record.bytes;
  collective.received += record.room;
}

void Gatherer::sent(Rank rank, const TraceRecord& record) {
  if (is_service(rank) || is_service(record.peer)) return;
  TraceStatistics::PerRank& of_rank = statistics_.ranks[index(rank)];
  ++of_rank.messages_sent;
  of_rank.bytes_sent += record.bytes;
  if (call_ != nullptr) call_->bytes += record.bytes;
  statistics_.bytes += record.bytes;
  statistics_.lengths.add(static_cast<double>(record.bytes.count()));
  TraceStatistics::Pair& pair = to_[index(record.peer)];
  ++pair.messages;
  pair.bytes += record.bytes;
  ++outstanding_[{rank, record.peer, compared(record.communicator), record.tag}];
}

void Gatherer::received(Rank rank, const TraceRecord& record) {
  if (is_service(rank) || is_service(record.peer)) return;
  TraceStatistics::PerRank& of_rank = statistics_.ranks[index(rank)];
  ++of_rank.messages_received;
  of_rank.bytes_received += record.bytes;
  if (call_ != nullptr) call_->bytes += record.bytes;
  --outstanding_[{record.peer, rank, compared(record.communicator), record.tag}];
}

}  // namespace

double TraceStatistics::communication_share() const {
  SimTime inside, all;
  for (const PerRank& rank : program_ranks()) {
    inside += rank.communication;
    all += rank.end - rank.begin;
  }
  return all > SimTime() ? inside.seconds() / all.seconds() : 0.0;
}

TraceStatistics::Calls TraceStatistics::all_calls() const {
  Calls sum;
  for (std::size_t rank = services; rank < calls.size(); ++rank)
    for (const auto& [name, call] : calls[rank]) {
      Call& all = sum[name];
      all.count += call.count;
      all.time += call.time;
      all.bytes += call.bytes;
    }
  return sum;
}

TraceStatistics read_trace_statistics(const std::filesystem::path& trace,
                                      const std::function<void(double)>& progress) {
  return Gatherer(trace).gather(progress);
}

}  // namespace morgana
