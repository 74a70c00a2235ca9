#include "emulator/messaging/message_endpoints.h"

#include <cstdint>
#include <utility>

#include "emulator/operations/endpoint_tag.h"

namespace morgana {

bool tag_names_endpoints(EndpointSettings::Named named, Tag tag) {
  return named == EndpointSettings::Named::tags ||
         (named == EndpointSettings::Named::marked && EndpointTag::is_marked(static_cast<std::int32_t>(tag)));
}

Ends ends_of(EndpointSettings::Named named, Rank from, Rank to, Tag tag) {
  if (named != EndpointSettings::Named::tags && named != EndpointSettings::Named::marked)
    return {static_cast<EndpointId>(index(from)), static_cast<EndpointId>(index(to))};
  const EndpointTag names =
      tag_names_endpoints(named, tag) ? EndpointTag::unpacked(static_cast<std::int32_t>(tag)) : EndpointTag();
  const auto id = [](Rank rank, std::uint8_t number) {
    return static_cast<EndpointId>(index(rank) * EndpointTag::endpoints + number);
  };
  return {id(from, names.from), id(to, names.to), names.reply || names.returned};
}

void MessageEndpoints::pass_on(const Address& address) {
  EndpointAddress passed{ends_of(address.from, address.to, address.tag), address.writer, address.write};
  if (address.answers) std::swap(passed.ends.from, passed.ends.to);
  passed.ends.held = address.held;
  network_->address_next(passed);
}

}  // namespace morgana
