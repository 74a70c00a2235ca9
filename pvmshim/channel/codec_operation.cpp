#include <limits>

#include "pvmshim/channel/codec.h"
#include "pvmshim/channel/word_stream.h"

namespace morgana {
namespace {

// First word:  length:32 kind:8 mode:4 completion:4 part:4 wants_answer:1 exclusive:1 streamed:1
// Second word: call:16 groups:16. What a group holds is left out of the record where it has its default.
enum Group : unsigned {
  has_elapsed = 1U << 0,
  has_peer_and_tag = 1U << 1,
  has_context = 1U << 2,
  has_request = 1U << 3,
  has_bytes = 1U << 4,
  has_duration = 1U << 5,
  has_payload = 1U << 6,
  has_requests = 1U << 7,
  has_members = 1U << 8,
  has_collective = 1U << 9,
  has_polled = 1U << 10,
  has_taken = 1U << 11,
  has_reply = 1U << 12,
  has_parts = 1U << 13,
  all_groups = (1U << 14) - 1,
};

const Operation defaults;

// Doesn't compile when a field is added: then this file has to carry it.
[[maybe_unused]] void all_fields_of(const Operation& operation) {
  [[maybe_unused]] const auto& [kind, mode, completion, part, call, wants_answer, peer, tag, context, request,
                                bytes, elapsed, polled, interrupted, duration, taken, reply, exclusive,
                                streamed, host, payload, requests, members, parts, collective] = operation;
  [[maybe_unused]] const auto& [collective_kind, root, first_group, commutative, in_place, blocking, element,
                                size, send_sizes, receive_sizes, sources, destinations] = collective;
}

unsigned groups_of(const Operation& operation) {
  unsigned groups = 0;
  const auto add = [&groups](bool present, Group group) { groups |= present ? group : 0U; };
  add(operation.elapsed != defaults.elapsed, has_elapsed);
  add(operation.peer != defaults.peer || operation.tag != defaults.tag, has_peer_and_tag);
  add(operation.context != defaults.context, has_context);
  add(operation.request != defaults.request, has_request);
  add(operation.bytes != defaults.bytes, has_bytes);
  add(operation.duration != defaults.duration, has_duration);
  add(operation.payload != defaults.payload, has_payload);
  add(operation.polled != defaults.polled, has_polled);
  add(operation.taken != defaults.taken, has_taken);
  add(operation.reply != defaults.reply, has_reply);
  add(!operation.requests.empty(), has_requests);
  add(!operation.members.empty(), has_members);
  add(!operation.parts.empty(), has_parts);
  // Its comparison is dear, and only one kind has it.
  add(operation.kind == OperationKind::collective || operation.collective != defaults.collective,
      has_collective);
  return groups;
}

void put_parts(RecordWriter& record, const std::vector<MessagePart>& parts) {
  record.put(parts.size());
  for (const MessagePart& part : parts) {
    record.put(pair_of(static_cast<std::uint32_t>(part.type), static_cast<std::uint32_t>(part.count)));
    record.put_signed(part.end);
  }
}

void put_sizes(RecordWriter& record, const std::vector<Bytes>& sizes) {
  for (const Bytes size : sizes) record.put_signed(size.count());
}

void put_collective(RecordWriter& record, const CollectivePart& part) {
  const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  const std::uint32_t flags = static_cast<std::uint32_t>(part.kind) | (part.commutative ? 1U << 8 : 0U) |
                              (part.in_place ? 1U << 9 : 0U) | (part.blocking ? 1U << 10 : 0U);
  record.put(pair_of(flags, static_cast<std::uint32_t>(part.root)));
  record.put_signed(part.first_group);
  record.put_signed(part.element.count());
  record.put_signed(part.bytes.count());
  record.put(pair_of(count(part.send_sizes), count(part.receive_sizes)));
  record.put(pair_of(count(part.sources), count(part.destinations)));
  put_sizes(record, part.send_sizes);
  put_sizes(record, part.receive_sizes);
  record.put_halves(part.sources);
  record.put_halves(part.destinations);
}

/// @throws MalformedRecord if `value` is no enumerator up to `last`
template <typename Enum>
Enum checked(Word value, Enum last, const char* what) {
  RecordReader::require(value <= static_cast<Word>(last), what);
  return static_cast<Enum>(value);
}

Bytes get_size(RecordReader& record) {
  return Bytes(record.get_between(0, largest_size, "a size out of range"));
}
SimTime get_time(RecordReader& record) {
  return SimTime::from_ps(record.get_between(0, longest_time, "a time out of range"));
}

void get_parts(RecordReader& record, std::vector<MessagePart>& parts) {
  const Word count = record.get();
  RecordReader::require(count <= most_message_parts, "too many parts of a message");
  parts.reserve(record.checked_count(count));
  std::int64_t end = 0;
  for (Word i = 0; i < count; ++i) {
    const Word both = record.get();
    MessagePart part;
    part.type = RecordReader::half_at_least(low_half(both), 0, "a part of unknown type");
    RecordReader::require(part.type <= last_part_type, "a part of unknown type");
    part.count = RecordReader::half_at_least(high_half(both), 0, "a part of negative size");
    part.end = end = record.get_between(end, largest_size, "parts that do not follow each other");
    parts.push_back(part);
  }
}

void get_sizes(RecordReader& record, std::size_t count, std::vector<Bytes>& sizes) {
  sizes.clear();
  sizes.reserve(record.checked_count(count));
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(get_size(record));
}

void get_collective(RecordReader& record, CollectivePart& part) {
  const Word first = record.get();
  const std::uint32_t flags = low_half(first);
  RecordReader::require(flags < 1U << 11, "unknown flags of a collective");
  part.kind = checked(flags & 0xff, CollectiveKind::create_context, "no such collective");
  part.commutative = (flags >> 8 & 1) != 0;
  part.in_place = (flags >> 9 & 1) != 0;
  part.blocking = (flags >> 10 & 1) != 0;
  part.root = RecordReader::half_at_least(high_half(first), 0, "a root out of range");
  constexpr std::int64_t most_members = std::numeric_limits<std::int32_t>::max();
  part.first_group = static_cast<std::int32_t>(record.get_between(0, most_members, "a group out of range"));
  part.element = Bytes(record.get_between(1, largest_size, "an element's size out of range"));
  part.bytes = get_size(record);
  const Word sizes = record.get();
  const Word neighbours = record.get();
  get_sizes(record, low_half(sizes), part.send_sizes);
  get_sizes(record, high_half(sizes), part.receive_sizes);
  record.get_halves(part.sources, low_half(neighbours), 0, "a neighbour out of range");
  record.get_halves(part.destinations, high_half(neighbours), 0, "a neighbour out of range");
}

void clear(CollectivePart& part) {
  part.kind = defaults.collective.kind;
  part.root = defaults.collective.root;
  part.first_group = defaults.collective.first_group;
  part.commutative = defaults.collective.commutative;
  part.in_place = defaults.collective.in_place;
  part.blocking = defaults.collective.blocking;
  part.element = defaults.collective.element;
  part.bytes = defaults.collective.bytes;
  part.send_sizes.clear();
  part.receive_sizes.clear();
  part.sources.clear();
  part.destinations.clear();
}

}  // namespace

void encode(const Operation& operation, std::vector<Word>& words) {
  RecordWriter record(words);
  const unsigned groups = groups_of(operation);
  record.put(Word{static_cast<std::uint8_t>(operation.kind)} << 32 |
             Word{static_cast<std::uint8_t>(operation.mode)} << 40 |
             Word{static_cast<std::uint8_t>(operation.completion)} << 44 |
             Word{static_cast<std::uint8_t>(operation.part)} << 48 | Word{operation.wants_answer} << 52 |
             Word{operation.exclusive} << 53 | Word{operation.streamed} << 54);
  record.put(Word{static_cast<std::uint16_t>(operation.call)} | Word{groups} << 16);
  if (groups & has_elapsed) record.put_signed(operation.elapsed.ps());
  if (groups & has_peer_and_tag)
    record.put(
        pair_of(static_cast<std::uint32_t>(operation.peer), static_cast<std::uint32_t>(operation.tag)));
  if (groups & has_context) record.put(static_cast<Word>(operation.context));
  if (groups & has_request) record.put(static_cast<Word>(operation.request));
  if (groups & has_bytes) record.put_signed(operation.bytes.count());
  if (groups & has_duration) record.put_signed(operation.duration.ps());
  if (groups & has_payload) record.put(operation.payload);
  if (groups & has_polled) record.put_signed(operation.polled.ps());
  if (groups & has_taken) record.put(static_cast<Word>(operation.taken));
  if (groups & has_reply) record.put_signed(operation.reply.count());
  if (groups & has_requests) {
    record.put(operation.requests.size());
    for (const RequestId request : operation.requests) record.put(static_cast<Word>(request));
  }
  if (groups & has_members) {
    record.put(operation.members.size());
    record.put_halves(operation.members);
  }
  if (groups & has_parts) put_parts(record, operation.parts);
  if (groups & has_collective) put_collective(record, operation.collective);
  record.finish();
}

void decode(std::span<const Word> words, Operation& operation) {
  RecordReader record(words);
  const Word first = record.get();
  RecordReader::require(first >> 55 == 0, "unknown flags of an operation");
  const Word kind = first >> 32 & 0xff;
  operation.kind = kind == static_cast<Word>(OperationKind::wait_part)
                       ? OperationKind::wait_part
                       : checked(kind, OperationKind::exit, "no such kind of operation");
  operation.mode = checked(first >> 40 & 0xf, SendMode::ready, "no such send mode");
  operation.completion = checked(first >> 44 & 0xf, Completion::some, "no such completion");
  operation.part = checked(first >> 48 & 0xf, CallPart::last, "no such part of a call");
  operation.wants_answer = (first >> 52 & 1) != 0;
  operation.exclusive = (first >> 53 & 1) != 0;
  operation.streamed = (first >> 54 & 1) != 0;
  const Word second = record.get();
  RecordReader::require((second & 0xffff) < static_cast<Word>(Call::count_), "no such call");
  operation.call = static_cast<Call>(second & 0xffff);
  const Word groups = second >> 16;
  RecordReader::require(groups <= all_groups, "unknown fields of an operation");

  operation.elapsed = groups & has_elapsed ? get_time(record) : defaults.elapsed;
  operation.peer = defaults.peer;
  operation.tag = defaults.tag;
  if (groups & has_peer_and_tag) {
    const Word both = record.get();
    operation.peer = Rank{RecordReader::half_at_least(low_half(both), -1, "a peer out of range")};
    operation.tag = Tag{RecordReader::half_at_least(high_half(both), -1, "a tag out of range")};
  }
  operation.context = groups & has_context ? Context{record.get()} : defaults.context;
  operation.request = groups & has_request ? RequestId{record.get()} : defaults.request;
  operation.bytes = groups & has_bytes ? get_size(record) : defaults.bytes;
  operation.duration = groups & has_duration ? get_time(record) : defaults.duration;
  operation.payload = groups & has_payload ? record.get() : defaults.payload;
  operation.polled = groups & has_polled ? get_time(record) : defaults.polled;
  operation.taken = groups & has_taken ? RequestId{record.get()} : defaults.taken;
  operation.reply = groups & has_reply ? get_size(record) : defaults.reply;
  operation.host = defaults.host;
  operation.requests.clear();
  if (groups & has_requests) {
    const std::size_t count = record.checked_count(record.get());
    operation.requests.reserve(count);
    for (std::size_t i = 0; i < count; ++i) operation.requests.push_back(RequestId{record.get()});
  }
  operation.members.clear();
  if (groups & has_members) record.get_halves(operation.members, record.get(), 0, "a member out of range");
  operation.parts.clear();
  if (groups & has_parts) get_parts(record, operation.parts);
  if (groups & has_collective)
    get_collective(record, operation.collective);
  else
    clear(operation.collective);
  record.finish();
}

}  // namespace morgana
