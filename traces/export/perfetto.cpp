// A timeline as Perfetto's protocol buffers: a trace is a sequence of packets, each the description of a
// track or an event on one.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <protozero/pbf_builder.hpp>
#include <protozero/types.hpp>
#include <string>
#include <utility>
#include <vector>

#include "traces/export/timeline.h"

namespace morgana {
namespace perfetto {
namespace {

// Fields of Perfetto's published schema (protos/perfetto/trace) with their numbers, and the values of its
// enumerations.

enum class Trace : protozero::pbf_tag_type { packet = 1 };

enum class Packet : protozero::pbf_tag_type {
  timestamp = 8,
  sequence = 10,
  event = 11,
  interned = 12,
  flags = 13,
  descriptor = 60
};
constexpr std::uint32_t nothing_before = 1, needs_what_came_before = 2;  // flags

enum class Interned : protozero::pbf_tag_type { event_name = 2 };
enum class EventName : protozero::pbf_tag_type { id = 1, text = 2 };

enum class Descriptor : protozero::pbf_tag_type {
  id = 1,
  name = 2,
  parent = 5,
  counter = 8,
  child_ordering = 11,
  place_among_siblings = 12,
  sibling_merging = 15
};
constexpr std::int32_t ordered_explicitly = 3, never_merged = 2;

enum class Counter : protozero::pbf_tag_type { unit = 6 };

enum class Event : protozero::pbf_tag_type {
  annotation = 4,
  type = 9,
  name_id = 10,
  track = 11,
  name = 23,
  counter_value = 44,
  flow = 47,
  flow_that_ends = 48
};
enum Type : std::int32_t { begin = 1, end = 2, instant = 3, counter = 4 };

enum class Annotation : protozero::pbf_tag_type { number = 4, name = 10 };

/// A message of one of these kinds while it is written.
template <typename Fields>
class Message {
 public:
  Message() : fields_(bytes_) {}
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  protozero::pbf_builder<Fields>* operator->() { return &fields_; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  protozero::pbf_builder<Fields> fields_;
};

// Tracks' numbers: the program's, the network's, then the ranks' and the metrics'.
constexpr std::uint64_t program_track = 1, network_track = 2, first_track = 3;

std::uint64_t track_of(Rank rank) {
  return first_track + index(rank);
}
std::uint64_t track_of_metric(const Timeline& timeline, std::size_t metric) {
  return first_track + timeline.ranks + metric;
}

/// What happens at one time on one track.
struct Moment {
  enum class What : std::uint8_t { call_begins, call_ends, message_sent, message_received, value, rank_ends };
  SimTime at;
  /// Of what happens at the same time. A call ends before the next one begins; messages lie within the calls
  /// that send and receive them, and arrive after they have been sent.
  std::uint8_t order;
  What what;
  std::uint32_t series;  ///< of a value
  std::size_t index;     ///< of the call, message, value or rank
};

std::vector<Moment> moments_of(const Timeline& timeline) {
  using What = Moment::What;
  std::vector<Moment> moments;
  moments.reserve(2 * (timeline.calls.size() + timeline.messages.size()));
  for (std::size_t i = 0; i < timeline.calls.size(); ++i) {
    const Timeline::Call& call = timeline.calls[i];
    moments.push_back({call.begin, 2, What::call_begins, 0, i});
    moments.push_back({call.end, std::uint8_t(call.end == call.begin ? 4 : 1), What::call_ends, 0, i});
  }
  for (std::size_t i = 0; i < timeline.messages.size(); ++i) {
    const Timeline::Message& message = timeline.messages[i];
    const bool at_once = message.sent == message.received;
    moments.push_back({message.sent, std::uint8_t(at_once ? 0 : 3), What::message_sent, 0, i});
    moments.push_back({message.received, 0, What::message_received, 0, i});
  }
  for (std::size_t rank = timeline.services; rank < timeline.ranks; ++rank)
    moments.push_back({timeline.ends[rank], 6, What::rank_ends, 0, rank});
  for (std::size_t s = 0; s < timeline.metrics.series.size(); ++s)
    for (std::size_t i = 0; i < timeline.metrics.series[s].points.size(); ++i)
      moments.push_back(
          {timeline.metrics.series[s].points[i].first, 5, What::value, static_cast<std::uint32_t>(s), i});
  std::ranges::stable_sort(moments, [](const Moment& a, const Moment& b) {
    return std::pair(a.at, a.order) < std::pair(b.at, b.order);
  });
  return moments;
}

class Writer {
 public:
  explicit Writer(const Timeline& timeline) : timeline_(timeline) {}

  std::string text() {
    describe_names();
    describe_tracks();
    for (const Moment& moment : moments_of(timeline_)) add(moment);
    return trace_.bytes();
  }

 private:
  void add(Message<Packet>& packet) {
    packet->add_uint32(Packet::sequence, 1);
    trace_->add_message(Trace::packet, packet.bytes());
  }

  void describe_names() {
    Message<Interned> names;
    for (std::size_t i = 0; i < timeline_.names.size(); ++i) {
      Message<EventName> name;
      name->add_uint64(EventName::id, i + 1);
      name->add_string(EventName::text, timeline_.names[i]);
      names->add_message(Interned::event_name, name.bytes());
    }
    Message<Packet> packet;
    packet->add_uint32(Packet::flags, nothing_before);
    packet->add_message(Packet::interned, names.bytes());
    add(packet);
  }

  /// @param place  among those of the same parent; -1: a track without a parent
  /// @param unit  of the numbers that it shows; null: it shows calls
  void describe(std::uint64_t track, const std::string& name, std::uint64_t parent, std::int32_t place,
                const std::string* unit = nullptr) {
    Message<Descriptor> described;
    described->add_uint64(Descriptor::id, track);
    described->add_string(Descriptor::name, name);
    described->add_enum(Descriptor::child_ordering, ordered_explicitly);
    described->add_enum(Descriptor::sibling_merging, never_merged);
    if (place >= 0) {
      described->add_uint64(Descriptor::parent, parent);
      described->add_int32(Descriptor::place_among_siblings, place);
    }
    if (unit != nullptr) {
      Message<Counter> numbers;
      numbers->add_string(Counter::unit, *unit);
      described->add_message(Descriptor::counter, numbers.bytes());
    }
    Message<Packet> packet;
    packet->add_message(Packet::descriptor, described.bytes());
    add(packet);
  }

  void describe_tracks() {
    describe(program_track, timeline_.program + " on " + timeline_.platform, 0, -1);
    for (std::size_t i = timeline_.services; i < timeline_.ranks; ++i) {
      const auto rank = static_cast<std::int32_t>(i);
      describe(track_of(Rank{rank}), fmt::format("rank {}", rank), program_track, rank);
    }
    if (timeline_.metrics.series.empty()) return;
    describe(network_track, "network", 0, -1);
    for (std::size_t i = 0; i < timeline_.metrics.series.size(); ++i)
      describe(track_of_metric(timeline_, i), timeline_.metrics.series[i].name, network_track,
               static_cast<std::int32_t>(i), &timeline_.metrics.series[i].unit);
  }

  static void annotate(Message<Event>& event, const std::string& name, std::int64_t value) {
    Message<Annotation> annotation;
    annotation->add_string(Annotation::name, name);
    annotation->add_int64(Annotation::number, value);
    event->add_message(Event::annotation, annotation.bytes());
  }

  void tell_value(const Moment& moment, Message<Event>& event) const {
    event->add_enum(Event::type, Type::counter);
    event->add_uint64(Event::track, track_of_metric(timeline_, moment.series));
    event->add_double(Event::counter_value,
                      timeline_.metrics.series[moment.series].points[moment.index].second);
  }

  void tell_call(const Moment& moment, Message<Event>& event) const {
    const Timeline::Call& call = timeline_.calls[moment.index];
    event->add_uint64(Event::track, track_of(call.rank));
    if (moment.what == Moment::What::call_ends) return event->add_enum(Event::type, Type::end);
    event->add_enum(Event::type, Type::begin);
    event->add_uint64(Event::name_id, call.name + 1);
    annotate(event, "bytes", call.bytes.count());
  }

  void tell_message(const Moment& moment, Message<Event>& event) const {
    const Timeline::Message& message = timeline_.messages[moment.index];
    const bool sent = moment.what == Moment::What::message_sent;
    event->add_enum(Event::type, Type::instant);
    event->add_uint64(Event::track, track_of(sent ? message.from : message.to));
    event->add_string(Event::name, sent ? fmt::format("to rank {}", index(message.to))
                                        : fmt::format("from rank {}", index(message.from)));
    annotate(event, "bytes", message.bytes.count());
    annotate(event, "tag", static_cast<std::int32_t>(message.tag));
    event->add_fixed64(sent ? Event::flow : Event::flow_that_ends, moment.index + 1);
  }

  static void tell_end(const Moment& moment, Message<Event>& event) {
    event->add_enum(Event::type, Type::instant);
    event->add_uint64(Event::track, track_of(Rank{static_cast<std::int32_t>(moment.index)}));
    event->add_string(Event::name, "end");
  }

  void add(const Moment& moment) {
    Message<Event> event;
    switch (moment.what) {
      case Moment::What::call_begins:
      case Moment::What::call_ends:
        tell_call(moment, event);
        break;
      case Moment::What::message_sent:
      case Moment::What::message_received:
        tell_message(moment, event);
        break;
      case Moment::What::value:
        tell_value(moment, event);
        break;
      case Moment::What::rank_ends:
        tell_end(moment, event);
        break;
    }
    Message<Packet> packet;
    packet->add_uint64(Packet::timestamp, static_cast<std::uint64_t>(moment.at.ps() / 1000));
    packet->add_uint32(Packet::flags, needs_what_came_before);
    packet->add_message(Packet::event, event.bytes());
    add(packet);
  }

  const Timeline& timeline_;
  Message<Trace> trace_;
};

}  // namespace
}  // namespace perfetto

std::string perfetto_trace(const Timeline& timeline) {
  return perfetto::Writer(timeline).text();
}

}  // namespace morgana
