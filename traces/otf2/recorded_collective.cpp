#include "traces/otf2/recorded_collective.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <type_traits>

#include "traces/otf2/call_traits.h"
#include "traces/otf2/collective_sizes.h"
#include "traces/otf2/number_list.h"

namespace morgana {
namespace {

/// Our own traces say where a collective in the background begins, and in attributes only, what it is.
bool has_fields(const LocationReader& location, const TraceRecord& record) {
  return !location.definitions().ours || record.kind != TraceRecord::Kind::icollective_begun;
}

std::optional<CollectiveKind> recorded_kind(const LocationReader& location, const TraceRecord& record,
                                            const TraceExtras& extras, bool neighbourhood) {
  if (extras.has(Attribute::kind) &&
      extras[Attribute::kind] <= static_cast<std::int64_t>(CollectiveKind::create_context))
    return static_cast<CollectiveKind>(extras[Attribute::kind]);
  if (!has_fields(location, record)) return std::nullopt;
  return collective_kind(record.collective, neighbourhood);
}

CollectiveTotals recorded_totals(const TraceRecord& record) {
  return {static_cast<std::uint64_t>(record.bytes.count()), static_cast<std::uint64_t>(record.room.count())};
}

}  // namespace

void RecordedCollectives::read(const LocationReader& location, const TraceRecord& record, bool neighbourhood,
                               CollectivePart& part) {
  const TraceExtras extras = location.extras(record);
  const TraceCommunicator& communicator = *location.definitions().communicators.find(record.communicator);
  const std::optional<CollectiveKind> kind = recorded_kind(location, record, extras, neighbourhood);
  if (!kind) location.fail(record.number, "is a collective of unknown kind");
  const bool fields = has_fields(location, record);
  part.blocking = record.kind != TraceRecord::Kind::icollective_begun;
  part.root = 0;
  if (has_root(*kind)) {
    if (fields) part.root = static_cast<std::int32_t>(record.root);
    if (extras.has(Attribute::root)) part.root = static_cast<std::int32_t>(extras[Attribute::root]);
    if (part.root < 0 || static_cast<std::uint32_t>(part.root) >= communicator.size())
      location.fail(record.number, fmt::format("is a collective with root {}", part.root));
  }
  derive_part(*kind, communicator.size(), static_cast<std::uint32_t>(communicator.place_of(location.rank())),
              fields ? recorded_totals(record) : CollectiveTotals(), part);
  if (record.extras != 0) take_attributes(location, record, extras, part);
}

CollectivePayload RecordedCollectives::payload(const LocationReader& location, const TraceRecord& record,
                                               bool neighbourhood) {
  const TraceDefinitions& definitions = location.definitions();
  const TraceCommunicator* communicator = definitions.communicators.find(record.communicator);
  const bool says_all = definitions.ours || !neighbourhood;
  const auto kind = recorded_kind(location, record, location.extras(record), neighbourhood);
  if (!kind || !says_all || communicator == nullptr ||
      communicator->kind == TraceCommunicator::Kind::between_groups)
    return {record.bytes, record.room};
  read(location, record, neighbourhood, part_);
  return payload_of(part_, communicator->size(),
                    static_cast<std::uint32_t>(communicator->place_of(location.rank())));
}

void RecordedCollectives::take_attributes(const LocationReader& location, const TraceRecord& record,
                                          const TraceExtras& extras, CollectivePart& part) {
  if (extras.has(Attribute::bytes)) part.bytes = Bytes(extras[Attribute::bytes]);
  if (extras.has(Attribute::first_group))
    part.first_group = static_cast<std::int32_t>(extras[Attribute::first_group]);
  if (extras.has(Attribute::element)) part.element = Bytes(extras[Attribute::element]);
  if (part.bytes < Bytes(0) || part.element < Bytes(1))
    location.fail(record.number, "is a collective of a negative size");
  if (extras.has(Attribute::flags)) {
    part.commutative = (extras[Attribute::flags] & 1) != 0;
    part.in_place = (extras[Attribute::flags] & 2) != 0;
    part.blocking = (extras[Attribute::flags] & 4) != 0;
  }
  read_list(location, record, extras, Attribute::send_sizes, part.send_sizes);
  read_list(location, record, extras, Attribute::receive_sizes, part.receive_sizes);
  read_list(location, record, extras, Attribute::sources, part.sources);
  read_list(location, record, extras, Attribute::destinations, part.destinations);
}

template <typename Element>
void RecordedCollectives::read_list(const LocationReader& location, const TraceRecord& record,
                                    const TraceExtras& extras, Attribute attribute,
                                    std::vector<Element>& list) {
  if (!extras.has(attribute)) return;
  const TraceDefinitions& definitions = location.definitions();
  const auto [entry, fresh] = lists_.try_emplace(extras[attribute]);
  std::vector<std::int64_t>& numbers = entry->second;
  if (fresh) {
    const std::string& text = definitions.text(static_cast<OTF2_StringRef>(extras[attribute]));
    auto parsed = parse_number_list(text, 4 * definitions.ranks.size() + 64);
    if (!parsed) location.fail(record.number, fmt::format("has the malformed list \"{:.60}\"", text));
    numbers = std::move(*parsed);
  }
  list.clear();
  for (const std::int64_t number : numbers) {
    if (number < 0 || (std::is_same_v<Element, std::int32_t> &&
                       index(Rank(static_cast<std::int32_t>(number))) >= definitions.ranks.size()))
      location.fail(record.number, fmt::format("names {} in a list", number));
    list.push_back(Element(
        static_cast<std::conditional_t<std::is_same_v<Element, Bytes>, std::int64_t, std::int32_t>>(number)));
  }
}

}  // namespace morgana
