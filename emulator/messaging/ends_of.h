#pragma once

#include <cstdint>

#include "emulator/messaging/message_layer.h"
#include "emulator/network/endpoints.h"
#include "emulator/operations/endpoint_tag.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// The endpoints between which a message travels.
inline Ends ends_of(const MessageLayer& layer, Rank from, Rank to, Tag tag) {
  if (layer.endpoints == MessageLayer::Endpoints::ranks)
    return {static_cast<EndpointId>(index(from)), static_cast<EndpointId>(index(to))};
  const EndpointTag names = EndpointTag::unpacked(static_cast<std::int32_t>(tag));
  const auto id = [](Rank rank, std::uint8_t number) {
    return static_cast<EndpointId>(index(rank) * EndpointTag::endpoints + number);
  };
  return {id(from, names.from), id(to, names.to), names.reply || names.returned};
}

}  // namespace morgana
