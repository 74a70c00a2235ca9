#include "traces/otf2/location_reader.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "traces/otf2/location_callbacks.h"
#include "traces/otf2/otf2_error.h"

namespace morgana {

namespace {

constexpr std::uint64_t records_at_once = 512;
constexpr std::uint64_t longest = std::uint64_t{1} << 62;  // picoseconds, and bytes

}  // namespace

LocationReader::LocationReader(OTF2_Reader* reader, const TraceDefinitions& definitions, Rank rank,
                               std::uint64_t bytes, std::optional<std::uint64_t> held,
                               MiscountedLocations& miscounted)
    : reader_(reader),
      definitions_(definitions),
      rank_(rank),
      bytes_(bytes),
      held_(held),
      miscounted_(miscounted) {
  const std::string opening =
      fmt::format("open the records of location {}", definitions.ranks[index(rank)].reference);
  events_ =
      check_otf2(OTF2_Reader_GetEvtReader(reader, definitions.ranks[index(rank)].reference), opening.c_str());
  OTF2_EvtReaderCallbacks* callbacks = new_location_callbacks();
  const OTF2_ErrorCode registered = OTF2_Reader_RegisterEvtCallbacks(reader, events_, callbacks, this);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  if (registered != OTF2_SUCCESS) OTF2_Reader_CloseEvtReader(reader, events_);
  check_otf2(registered, opening.c_str());
}

LocationReader::~LocationReader() {
  OTF2_Reader_CloseEvtReader(reader_, events_);
}

void LocationReader::fail(std::uint64_t record, const std::string& what) const {
  const TraceDefinitions::Location& location = definitions_.ranks[index(rank_)];
  throw Error(fmt::format("the trace's location {} (rank {}), record {}: {}", location.reference,
                          index(rank_), record, what));
}

bool LocationReader::complain(std::string what) {
  complaint_ = std::move(what);
  return false;
}

bool LocationReader::read_on() {
  if (ended_) return false;
  const std::size_t before = first_ + records_.size();
  // One chunk may hold only records that say nothing to us.
  while (first_ + records_.size() == before && !ended_) {
    std::uint64_t count = 0;
    const OTF2_ErrorCode result = OTF2_Reader_ReadLocalEvents(reader_, events_, records_at_once, &count);
    if (!complaint_.empty()) fail(last_number_, complaint_);
    if (result != OTF2_SUCCESS) {
      const std::string message = take_otf2_message();
      fail(last_number_ + 1, message.empty() ? OTF2_Error_GetDescription(result) : message);
    }
    ended_ = count < records_at_once;
    read_ += count;
    if (read_ > bytes_)
      fail(read_,
           fmt::format("that are more records than its file of {} bytes can hold: it is damaged", bytes_));
    if (ended_) check_count();
  }
  return first_ + records_.size() > before;
}

/// Where the records end before their announced number, the file's own account tells a wrong announcement
/// from records that are missing.
void LocationReader::check_count() {
  const std::uint64_t announced = definitions_.ranks[index(rank_)].records;
  if (read_ == announced) return;
  if (read_ < announced && read_ != held_)
    fail(read_,
         fmt::format("the records end here, of {} that there should be: the trace is cut off", announced));
  miscounted_.ranks[rank_] = {announced, read_};
}

void LocationReader::release(std::size_t place) {
  // Seldom, so that moving the rest to the front costs nothing much per record.
  const std::size_t gone = place - first_;
  if (gone < 4 * records_at_once && gone != records_.size()) return;
  if (gone < records_.size() / 2) return;
  std::size_t gone_extras = extras_.size();
  for (std::size_t i = gone; i < records_.size(); ++i) {
    if (records_[i].extras == 0) continue;
    gone_extras = records_[i].extras - 1 - first_extras_;
    break;
  }
  records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(gone));
  extras_.erase(extras_.begin(), extras_.begin() + static_cast<std::ptrdiff_t>(gone_extras));
  first_ += gone;
  first_extras_ += gone_extras;
}

bool LocationReader::advance(std::uint64_t ticks, std::uint64_t number) {
  if (last_number_ == 0) {
    // A trace whose clock has no sensible begin begins with each rank's first record.
    const TraceDefinitions& d = definitions_;
    const bool sensible = ticks >= d.begin && (d.ours || d.length == 0 || ticks - d.begin <= d.length);
    origin_ = sensible ? d.begin : ticks;
    last_ticks_ = origin_;
  }
  last_number_ = number;
  if (ticks < last_ticks_) return complain(fmt::format("time goes back from {} to {}", last_ticks_, ticks));
  last_ticks_ = ticks;
  const std::uint64_t per_second = definitions_.ticks_per_second;
  constexpr std::uint64_t ps_per_second = 1'000'000'000'000;
  const unsigned __int128 scaled = static_cast<unsigned __int128>(ticks - origin_) * ps_per_second;
  const unsigned __int128 ps =
      per_second == ps_per_second ? ticks - origin_ : (scaled + per_second / 2) / per_second;
  if (ps > longest) return complain("lies more than 50 days after the trace's begin");
  last_time_ = SimTime::from_ps(static_cast<std::int64_t>(ps));
  return true;
}

bool LocationReader::new_record(TraceRecord::Kind kind, std::uint64_t ticks, std::uint64_t number,
                                OTF2_AttributeList* list) {
  if (!advance(ticks, number)) return false;
  TraceRecord& record = records_.emplace_back();
  record.kind = kind;
  record.time = last_time_;
  record.number = number;
  if (list != nullptr && !definitions_.attribute_of.empty()) read_attributes(list);
  return true;
}

void LocationReader::read_attributes(OTF2_AttributeList* list) {
  const std::uint32_t count = OTF2_AttributeList_GetNumberOfElements(list);
  if (count == 0) return;
  std::array<std::int64_t, static_cast<std::size_t>(Attribute::count_)> values;  // those that are present
  std::uint32_t present = 0;
  const auto set = [&values, &present](Attribute attribute, std::int64_t value) {
    present |= 1U << static_cast<unsigned>(attribute);
    values[static_cast<std::size_t>(attribute)] = value;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    OTF2_AttributeRef reference = 0;
    OTF2_Type type = OTF2_TYPE_NONE;
    OTF2_AttributeValue value{};
    if (OTF2_AttributeList_GetAttributeByIndex(list, i, &reference, &type, &value) != OTF2_SUCCESS) continue;
    if (reference >= definitions_.attribute_of.size() || !definitions_.attribute_of[reference]) continue;
    const Attribute attribute = *definitions_.attribute_of[reference];
    if (type != attributes[static_cast<std::size_t>(attribute)].type) continue;
    switch (type) {
      case OTF2_TYPE_UINT8:
        set(attribute, value.uint8);
        break;
      case OTF2_TYPE_INT32:
        set(attribute, value.int32);
        break;
      case OTF2_TYPE_STRING:
        set(attribute, value.stringRef);
        break;
      case OTF2_TYPE_COMM:
        set(attribute, value.commRef);
        break;
      default:
        set(attribute, static_cast<std::int64_t>(value.uint64));
    }
  }
  if (present == 0) return;
  records_.back().present = present;
  records_.back().extras = first_extras_ + extras_.size() + 1;
  for (std::uint32_t rest = present; rest != 0; rest &= rest - 1)
    extras_.push_back(values[static_cast<std::size_t>(std::countr_zero(rest))]);
}

bool LocationReader::set_peer(std::uint32_t place, OTF2_CommRef communicator, std::uint32_t tag,
                              std::uint64_t length) {
  TraceRecord& record = records_.back();
  const TraceCommunicator* found = definitions_.communicators.find(communicator);
  if (found == nullptr || found->kind == TraceCommunicator::Kind::other)
    return complain(fmt::format("names communicator {}, which the trace does not define", communicator));
  if (found->place_of(rank_) < 0)
    return complain(
        fmt::format("names communicator {}, of which rank {} is not a member", communicator, index(rank_)));
  const std::optional<Rank> peer = found->peer(rank_, place);
  if (!peer) return complain(fmt::format("names member {} of communicator {}", place, communicator));
  if (length > longest) return complain(fmt::format("is a message of {} bytes", length));
  record.peer = *peer;
  record.communicator = communicator;
  record.tag = Tag(static_cast<std::int32_t>(tag));
  if (record.tag < Tag{0}) return complain(fmt::format("is a message with tag {}", tag));
  record.bytes = Bytes(static_cast<std::int64_t>(length));
  return true;
}

bool LocationReader::set_collective(OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                                    std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
  TraceRecord& record = records_.back();
  const TraceCommunicator* found = definitions_.communicators.find(communicator);
  if (found == nullptr || found->kind == TraceCommunicator::Kind::other)
    return complain(fmt::format("names communicator {}, which the trace does not define", communicator));
  if (found->place_of(rank_) < 0)
    return complain(
        fmt::format("names communicator {}, of which rank {} is not a member", communicator, index(rank_)));
  if (sent > longest || received > longest) return complain("is a collective of too many bytes");
  record.collective = operation;
  record.communicator = communicator;
  record.root = root;
  record.bytes = Bytes(static_cast<std::int64_t>(sent));
  record.room = Bytes(static_cast<std::int64_t>(received));
  return true;
}

/// Of an access to another rank's memory, in another tool's trace.
bool LocationReader::set_access(std::uint64_t there, std::uint64_t back) {
  if (there > longest || back > longest) return complain("is an access of too many bytes");
  records_.back().bytes = Bytes(static_cast<std::int64_t>(there));
  records_.back().room = Bytes(static_cast<std::int64_t>(back));
  return true;
}

bool LocationReader::start_request(std::uint64_t request) {
  TraceRecord& record = records_.back();
  record.request = request;
  if (request >> 63 != 0) return complain(fmt::format("starts request {}, which is out of range", request));
  const std::uint64_t place = first_ + records_.size() - 1;
  return open_.insert(request, {place, record.kind}) ||
         complain(fmt::format("starts request {} while it is pending", request));
}

/// What the completion says goes into the record that started the request, if that is still there.
bool LocationReader::end_request(TraceRecord::Kind started_by, std::uint64_t request) {
  TraceRecord& record = records_.back();
  record.request = request;
  const Open* open = open_.find(request);
  const bool cancels = started_by == TraceRecord::Kind::request_cancelled;
  if (open == nullptr || (!cancels && open->kind != started_by))
    return complain(fmt::format("completes request {}, which was not started so", request));
  if (open->place >= first_) {
    TraceRecord& start = records_[open->place - first_];
    start.cancelled = cancels;
    if (start.kind == TraceRecord::Kind::ireceive_posted && !cancels) {
      start.peer = record.peer;
      start.tag = record.tag;
      start.communicator = record.communicator;
      if (!definitions_.ours) start.room = record.bytes;
    } else if (start.kind == TraceRecord::Kind::icollective_begun && !cancels && !definitions_.ours) {
      start.collective = record.collective;
      start.communicator = record.communicator;
      start.root = record.root;
      start.bytes = record.bytes;
      start.room = record.room;
    }
    start.resolved = true;
  }
  open_.erase(request);
  return true;
}

/// What our own traces say of a receive, probe or collective already where it begins.
bool LocationReader::take_posted_attributes() {
  TraceRecord& record = records_.back();
  if (!definitions_.ours) return true;
  const TraceExtras extras = this->extras(record);
  if (extras.has(Attribute::communicator))
    record.communicator = static_cast<std::uint32_t>(extras[Attribute::communicator]);
  const TraceCommunicator* communicator = definitions_.communicators.find(record.communicator);
  if (communicator == nullptr || communicator->place_of(rank_) < 0)
    return complain(fmt::format("names communicator {}, of which rank {} is not a member",
                                record.communicator, index(rank_)));
  if (extras.has(Attribute::source) && extras[Attribute::source] >= 0) {
    const auto peer = communicator->peer(rank_, static_cast<std::uint32_t>(extras[Attribute::source]));
    if (!peer)
      return complain(
          fmt::format("names member {} of communicator {}", extras[Attribute::source], record.communicator));
    record.peer = *peer;
  }
  if (extras.has(Attribute::tag)) {
    record.tag = Tag(static_cast<std::int32_t>(extras[Attribute::tag]));
    if (record.tag < any_tag) return complain("asks for a negative tag");
  }
  if (extras.has(Attribute::target)) {
    const auto target = static_cast<std::int32_t>(extras[Attribute::target]);
    if (target < 0 || static_cast<std::size_t>(target) >= definitions_.ranks.size())
      return complain(fmt::format("accesses the memory of rank {}", target));
    record.peer = Rank(target);
  }
  if (extras.has(Attribute::room)) {
    record.room = Bytes(extras[Attribute::room]);
    if (record.room < Bytes(0)) return complain("has negative room");
  }
  if (extras.has(Attribute::request)) record.request = static_cast<std::uint64_t>(extras[Attribute::request]);
  return true;
}

}  // namespace morgana
