#include "traces/export/timeline.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "traces/export/collective_matcher.h"
#include "traces/otf2/own_polls.h"
#include "traces/otf2/recorded_collective.h"
#include "traces/otf2/trace_reader.h"

namespace morgana {
namespace {

/// What a message must agree in with the receive that takes it.
using MessageChannel = std::tuple<Rank, Rank, std::uint32_t, Tag>;

class TimelineReader {
 public:
  explicit TimelineReader(const std::filesystem::path& trace) : reader_(trace) {
    const TraceProperties& properties = reader_.definitions().properties;
    timeline_.program = properties.program;
    timeline_.platform = properties.platform;
    timeline_.ranks = reader_.ranks();
    timeline_.services = std::min(properties.services, reader_.ranks());
  }

  Timeline read(const std::function<void(double)>& progress);

 private:
  struct Sent {
    SimTime at;
    Bytes bytes;
  };
  struct Ends {
    std::vector<Sent> sent;
    std::vector<SimTime> received;  ///< in the order in which the receives were posted
  };

  void read(Rank rank, const std::function<void(double)>& progress);
  void take(Rank rank, LocationReader& location, std::size_t place);
  bool was_ended_in_last_call(Rank rank, SimTime end) const;
  std::uint32_t number_of_name(std::uint32_t region);
  void add_own_polls(Rank rank, const OwnPolls::Before& polls, SimTime end);
  void begin_call(const TraceRecord& record);
  void count_collective(const LocationReader& location, const TraceRecord& record);
  void end_call(Rank rank, SimTime at);
  std::size_t expect(const TraceRecord& receive, Rank rank);
  void match();
  bool is_service(Rank rank) const { return index(rank) < timeline_.services; }
  /// Of a message: no part of the program's traffic.
  bool is_of_services(Rank rank, const TraceRecord& record) const {
    return is_service(rank) || is_service(record.peer) ||
           reader_.definitions().is_of_services(record.communicator);
  }
  Ends& ends_of(Rank from, Rank to, const TraceRecord& record) {
    // PVM's receives may ask for messages of any context.
    return ends_[{from, to, timeline_.services > 0 ? 0 : record.communicator, record.tag}];
  }

  TraceReader reader_;
  Timeline timeline_;
  std::map<MessageChannel, Ends> ends_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  // Of the rank that is being read:
  std::size_t depth_ = 0;
  const TraceRegion* region_ = nullptr;  ///< of the outermost call
  std::uint32_t name_ = 0;
  SimTime entered_;
  Bytes bytes_;
  TraceRequests<std::pair<Ends*, std::size_t>> posted_;  ///< receives by request: where their message belongs
  TraceRequests<std::size_t> begun_;                     ///< collectives in the background by request
  CollectiveMatcher collectives_;
  RecordedCollectives recorded_;
};

Timeline TimelineReader::read(const std::function<void(double)>& progress) {
  for (std::size_t i = 0; i < reader_.ranks(); ++i) read(Rank(static_cast<std::int32_t>(i)), progress);
  match();
  collectives_.finish(timeline_);
  timeline_.notices = reader_.notices();
  return std::move(timeline_);
}

void TimelineReader::read(Rank rank, const std::function<void(double)>& progress) {
  constexpr std::size_t records_between_reports = 1 << 16;
  LocationReader& location = reader_.location(rank);
  depth_ = 0;
  region_ = nullptr;
  posted_ = {};
  begun_ = {};
  collectives_.next_rank();
  OwnPolls own_polls;
  for (std::size_t place = 0; const TraceRecord* record = location.at(place);) {
    add_own_polls(rank, own_polls.before(*record, location.extras(*record)), record->time);
    take(rank, location, place);
    location.release(++place);
    if (progress && place % records_between_reports == 0) progress(reader_.progress());
  }
  // A run that was broken off, or a recording that ended within a call.
  const bool within_call = depth_ > 0;
  if (within_call) end_call(rank, location.last_time());
  if (!is_service(rank) && (within_call || was_ended_in_last_call(rank, location.last_time())))
    timeline_.unfinished.push_back(timeline_.calls.size() - 1);
  timeline_.begins.push_back(location.begin_time());
  timeline_.ends.push_back(location.last_time());
  if (!is_service(rank)) timeline_.end = std::max(timeline_.end, location.last_time());
}

/// A run that was broken off has its ranks end where they wait: in the last call, unless that is what ends a
/// rank. (A task of PVM that ends without pvm_exit says goodbye in no call.)
bool TimelineReader::was_ended_in_last_call(Rank rank, SimTime end) const {
  if (reader_.definitions().properties.broken_off.empty() || timeline_.calls.empty()) return false;
  const Timeline::Call& last = timeline_.calls.back();
  const std::string& name = timeline_.names[last.name];
  return last.rank == rank && last.end == end && name != "MPI_Finalize" && name != "pvm_exit" &&
         name != "unknown";
}

std::uint32_t TimelineReader::number_of_name(std::uint32_t region_number) {
  const TraceRegion* region = reader_.definitions().regions.find(region_number);
  const std::string name = region == nullptr ? "unknown" : region->name;
  const auto [found, fresh] =
      name_numbers_.try_emplace(name, static_cast<std::uint32_t>(timeline_.names.size()));
  if (fresh) timeline_.names.push_back(name);
  return found->second;
}

void TimelineReader::add_own_polls(Rank rank, const OwnPolls::Before& polls, SimTime end) {
  if (polls.time == SimTime() || is_service(rank)) return;
  timeline_.polls.push_back({rank, number_of_name(polls.region), polls.begin, end, polls.time, polls.count});
}

void TimelineReader::begin_call(const TraceRecord& record) {
  region_ = reader_.definitions().regions.find(record.region);
  name_ = number_of_name(record.region);
  entered_ = record.time;
  bytes_ = Bytes();
}

void TimelineReader::end_call(Rank rank, SimTime at) {
  if (!is_service(rank)) timeline_.calls.push_back({rank, name_, entered_, at, bytes_});
}

void TimelineReader::count_collective(const LocationReader& location, const TraceRecord& record) {
  const bool neighbourhood = region_ != nullptr && region_->traits.neighbourhood;
  bytes_ += recorded_.payload(location, record, neighbourhood).given;
}

/// @return the place of the receive's message among its channel's
std::size_t TimelineReader::expect(const TraceRecord& receive, Rank rank) {
  std::vector<SimTime>& received = ends_of(receive.peer, rank, receive).received;
  received.push_back(SimTime::from_ps(-1));
  return received.size() - 1;
}

void TimelineReader::take(Rank rank, LocationReader& location, std::size_t place) {
  using Kind = TraceRecord::Kind;
  const TraceRecord record = *location.at(place);
  switch (record.kind) {
    case Kind::enter:
      if (depth_++ == 0) begin_call(record);
      return;
    case Kind::leave:
      if (depth_ == 0) location.fail(record.number, "leaves a call that it has not entered");
      if (--depth_ > 0) return;
      end_call(rank, record.time);
      region_ = nullptr;
      return;
    case Kind::send:
    case Kind::isend:
      if (is_of_services(rank, record)) return;
      bytes_ += record.bytes;
      ends_of(rank, record.peer, record).sent.push_back({record.time, record.bytes});
      return;
    case Kind::receive:
      if (is_of_services(rank, record)) return;
      bytes_ += record.bytes;
      ends_of(record.peer, rank, record).received[expect(record, rank)] = record.time;
      return;
    case Kind::ireceive_posted: {
      while (!location.at(place)->resolved && location.read_on()) {
      }
      const TraceRecord& posted = *location.at(place);
      if (!posted.resolved || posted.cancelled || is_of_services(rank, posted)) return;
      Ends& ends = ends_of(posted.peer, rank, posted);
      posted_.insert(posted.request, {&ends, expect(posted, rank)});
      return;
    }
    case Kind::ireceive:
      if (const auto* waiting = posted_.find(record.request)) {
        bytes_ += record.bytes;
        waiting->first->received[waiting->second] = record.time;
        posted_.erase(record.request);
      }
      return;
    case Kind::collective:
      count_collective(location, record);
      if (!is_service(rank))
        collectives_.end(collectives_.begin(record.communicator, rank, name_, entered_), record.time);
      return;
    case Kind::icollective_begun: {
      while (!location.at(place)->resolved && location.read_on()) {
      }
      const TraceRecord& begun = *location.at(place);
      count_collective(location, begun);
      if (begun.resolved && !is_service(rank))
        begun_.insert(begun.request, collectives_.begin(begun.communicator, rank, name_, entered_));
      return;
    }
    case Kind::icollective:
      if (const std::size_t* part = begun_.find(record.request)) {
        collectives_.end(*part, record.time);
        begun_.erase(record.request);
      }
      return;
    case Kind::operation:
      if (record.operation == OperationKind::access)
        bytes_ += accessed_bytes(location.extras(*location.at(place)));
      return;
    case Kind::one_sided:
      bytes_ += record.bytes + record.room;
      return;
    default:
      return;
  }
}

void TimelineReader::match() {
  for (const auto& [channel, ends] : ends_) {
    const auto& [from, to, communicator, tag] = channel;
    for (std::size_t i = 0; i < std::min(ends.sent.size(), ends.received.size()); ++i)
      if (ends.received[i] >= SimTime())
        timeline_.messages.push_back({from, to, tag, ends.sent[i].bytes, ends.sent[i].at, ends.received[i]});
  }
  std::ranges::stable_sort(timeline_.messages, [](const Timeline::Message& a, const Timeline::Message& b) {
    return std::pair(a.sent, a.from) < std::pair(b.sent, b.from);
  });
}

}  // namespace

void wait_until_end(Timeline& timeline) {
  for (const std::size_t number : timeline.unfinished) {
    Timeline::Call& call = timeline.calls[number];
    call.end = timeline.ends[index(call.rank)] = timeline.end;
  }
}

Timeline read_timeline(const std::filesystem::path& trace, const std::function<void(double)>& progress) {
  Timeline timeline = TimelineReader(trace).read(progress);
  timeline.metrics = read_network_metrics(trace);
  return timeline;
}

}  // namespace morgana
