#include "traces/otf2/trace_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "traces/otf2/own_polls.h"
#include "traces/otf2/recorded_collective.h"
#include "traces/otf2/trace_reader.h"

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
  void take(Rank rank, const LocationReader& location, const TraceRecord& record);
  void add_own_polls(Rank rank, const OwnPolls::Before& polls);
  void sent(Rank rank, const TraceRecord& record);
  void received(Rank rank, const TraceRecord& record);
  /// A call that begins collectives.
  struct Caller {
    const TraceRegion* region = nullptr;
    TraceStatistics::Call* call = nullptr;
    bool is_counted = false;  ///< the collective that it has begun in the background
  };
  void collective(Rank rank, const LocationReader& location, const TraceRecord& record, const Caller& caller);

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
  Caller caller_;                // the outermost call of the rank being read
  TraceRequests<Caller> begun_;  // nonblocking collectives by request: the call that began them
  RecordedCollectives collectives_;
  SimTime entered_;
};

TraceStatistics Gatherer::gather(const std::function<void(double)>& progress) {
  for (std::size_t i = 0; i < reader_.ranks(); ++i) read(Rank(static_cast<std::int32_t>(i)), progress);
  for (const auto& [channel, count] : outstanding_)
    (count > 0 ? statistics_.unmatched_sends : statistics_.unmatched_receives) +=
        static_cast<std::uint64_t>(count > 0 ? count : -count);
  statistics_.notices = reader_.notices();
  const auto notice = [&](std::uint64_t count, const char* what) {
    if (count > 0)
      statistics_.notices.push_back(
          fmt::format("{} {} {}", count, count == 1 ? "message was" : "messages were", what));
  };
  notice(statistics_.unmatched_sends, "sent and never received");
  notice(statistics_.unmatched_receives, "received and never sent");
  return std::move(statistics_);
}

void Gatherer::read(Rank rank, const std::function<void(double)>& progress) {
  constexpr std::size_t records_between_reports = 1 << 16;
  LocationReader& location = reader_.location(rank);
  to_.assign(reader_.ranks(), {});
  depth_ = 0;
  caller_ = {};
  begun_ = {};
  OwnPolls own_polls;
  for (std::size_t place = 0; const TraceRecord* record = location.at(place);) {
    add_own_polls(rank, own_polls.before(*record, location.extras(*record)));
    if (record->kind == Kind::leave && depth_ == 0)
      location.fail(record->number, "leaves a call that it has not entered");
    take(rank, location, *record);
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

void Gatherer::take(Rank rank, const LocationReader& location, const TraceRecord& record) {
  TraceStatistics::PerRank& of_rank = statistics_.ranks[index(rank)];
  switch (record.kind) {
    case Kind::enter:
      if (depth_++ > 0) return;
      entered_ = record.time;
      caller_.region = reader_.definitions().regions.find(record.region);
      caller_.call =
          &statistics_.calls[index(rank)][caller_.region == nullptr ? "unknown" : caller_.region->name];
      ++caller_.call->count;
      return;
    case Kind::leave:
      if (--depth_ > 0) return;
      of_rank.communication += record.time - entered_;
      caller_.call->time += record.time - entered_;
      caller_ = {};
      return;
    case Kind::send:
    case Kind::isend:
      return sent(rank, record);
    case Kind::receive:
    case Kind::ireceive:
      return received(rank, record);
    case Kind::icollective_begun: {
      // What another tool's trace says of it stands where it completes.
      Caller caller = caller_;
      caller.is_counted = reader_.definitions().ours;
      begun_.insert(record.request, caller);
      if (caller.is_counted) collective(rank, location, record, caller);
      return;
    }
    case Kind::collective:
      return collective(rank, location, record, caller_);
    case Kind::icollective: {
      const Caller* begun = begun_.find(record.request);
      const Caller caller = begun == nullptr ? caller_ : *begun;
      begun_.erase(record.request);
      if (!caller.is_counted) collective(rank, location, record, caller);
      return;
    }
    case Kind::operation:
      if (record.operation != OperationKind::access || caller_.call == nullptr) return;
      caller_.call->bytes += accessed_bytes(location.extras(record));
      return;
    case Kind::one_sided:
      if (caller_.call != nullptr) caller_.call->bytes += record.bytes + record.room;
      return;
    default:
      return;
  }
}

void Gatherer::collective(Rank rank, const LocationReader& location, const TraceRecord& record,
                          const Caller& caller) {
  const bool neighbourhood = caller.region != nullptr && caller.region->traits.neighbourhood;
  const CollectivePayload payload = collectives_.payload(location, record, neighbourhood);
  ++statistics_.ranks[index(rank)].collectives;
  TraceStatistics::Collective& collective =
      statistics_.collectives[caller.region == nullptr ? "outside of any call" : caller.region->name];
  ++collective.calls;
  collective.payload.given += payload.given;
  collective.payload.received += payload.received;
  if (caller.call != nullptr) caller.call->bytes += payload.given;
}

void Gatherer::sent(Rank rank, const TraceRecord& record) {
  if (is_service(rank) || is_service(record.peer) ||
      reader_.definitions().is_of_services(record.communicator))
    return;
  TraceStatistics::PerRank& of_rank = statistics_.ranks[index(rank)];
  ++of_rank.messages_sent;
  of_rank.bytes_sent += record.bytes;
  if (caller_.call != nullptr) caller_.call->bytes += record.bytes;
  statistics_.bytes += record.bytes;
  statistics_.lengths.add(static_cast<double>(record.bytes.count()));
  TraceStatistics::Pair& pair = to_[index(record.peer)];
  ++pair.messages;
  pair.bytes += record.bytes;
  ++outstanding_[{rank, record.peer, compared(record.communicator), record.tag}];
}

void Gatherer::received(Rank rank, const TraceRecord& record) {
  if (is_service(rank) || is_service(record.peer) ||
      reader_.definitions().is_of_services(record.communicator))
    return;
  TraceStatistics::PerRank& of_rank = statistics_.ranks[index(rank)];
  ++of_rank.messages_received;
  of_rank.bytes_received += record.bytes;
  if (caller_.call != nullptr) caller_.call->bytes += record.bytes;
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
