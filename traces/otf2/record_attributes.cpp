#include "traces/otf2/record_attributes.h"

#include <algorithm>

#include "traces/otf2/number_list.h"
#include "traces/otf2/otf2_error.h"

namespace morgana {
namespace {

std::uint64_t flags_of(const CollectivePart& part) {
  return (part.commutative ? 1U : 0U) + (part.in_place ? 2U : 0U) + (part.blocking ? 4U : 0U);
}

}  // namespace

RecordAttributes::RecordAttributes(TraceArchive& archive)
    : archive_(archive), list_(check_otf2(OTF2_AttributeList_New(), "write the trace")) {}

void RecordAttributes::add(Attribute attribute, std::uint64_t number) {
  OTF2_AttributeValue value{};
  switch (attributes[static_cast<std::size_t>(attribute)].type) {
    case OTF2_TYPE_UINT8:
      value.uint8 = static_cast<std::uint8_t>(number);
      break;
    case OTF2_TYPE_STRING:
      value.stringRef = static_cast<OTF2_StringRef>(number);
      break;
    case OTF2_TYPE_COMM:
      value.commRef = static_cast<OTF2_CommRef>(number);
      break;
    default:
      value.uint64 = number;
  }
  add_value(attribute, value);
}

void RecordAttributes::add(Attribute attribute, SimTime time) {
  add(attribute, static_cast<std::uint64_t>(std::max(time, SimTime()).ps()));
}

void RecordAttributes::add(Attribute attribute, Bytes bytes) {
  add(attribute, static_cast<std::uint64_t>(bytes.count()));
}

void RecordAttributes::add(Attribute attribute, RequestId request) {
  add(attribute, static_cast<std::uint64_t>(request));
}

void RecordAttributes::add_signed(Attribute attribute, std::int32_t number) {
  OTF2_AttributeValue value{};
  value.int32 = number;
  add_value(attribute, value);
}

void RecordAttributes::add_list(Attribute attribute, const std::vector<Bytes>& list) {
  numbers_.clear();
  for (const Bytes bytes : list) numbers_.push_back(bytes.count());
  add_numbers(attribute);
}

void RecordAttributes::add_list(Attribute attribute, const std::vector<std::int32_t>& list) {
  numbers_.assign(list.begin(), list.end());
  add_numbers(attribute);
}

void RecordAttributes::add_parts(const std::vector<MessagePart>& parts) {
  numbers_.clear();
  for (const MessagePart& part : parts) numbers_.insert(numbers_.end(), {part.type, part.count, part.end});
  add_numbers(Attribute::parts);
}

void RecordAttributes::add_differences(const CollectivePart& part, const CollectivePart& derived) {
  if (part.first_group != 0) add_signed(Attribute::first_group, part.first_group);
  if (part.bytes != derived.bytes) add(Attribute::bytes, part.bytes);
  if (part.element != derived.element) add(Attribute::element, part.element);
  if (flags_of(part) != flags_of(derived)) add(Attribute::flags, flags_of(part));
  if (part.send_sizes != derived.send_sizes) add_list(Attribute::send_sizes, part.send_sizes);
  if (part.receive_sizes != derived.receive_sizes) add_list(Attribute::receive_sizes, part.receive_sizes);
  if (part.sources != derived.sources) add_list(Attribute::sources, part.sources);
  if (part.destinations != derived.destinations) add_list(Attribute::destinations, part.destinations);
}

void RecordAttributes::add_numbers(Attribute attribute) {
  text_.clear();
  append_number_list(text_, numbers_);
  add(attribute, std::uint64_t{archive_.string(text_)});
}

void RecordAttributes::add_value(Attribute attribute, OTF2_AttributeValue value) {
  const auto number = static_cast<std::size_t>(attribute);
  check_otf2(OTF2_AttributeList_AddAttribute(list_.get(), static_cast<OTF2_AttributeRef>(number),
                                             attributes[number].type, value),
             "write the trace");
}

}  // namespace morgana
