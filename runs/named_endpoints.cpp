#include "runs/named_endpoints.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"
#include "emulator/operations/endpoint_tag.h"

namespace morgana {

bool NamedEndpoints::are_open(const Machine& machine) {
  return machine.network && machine.network->extensions().endpoints != nullptr &&
         machine.endpoints.named == EndpointSettings::Named::automatic;
}

void NamedEndpoints::operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime,
                                     std::span<const Completed>) {
  if (machine_.endpoints.named != EndpointSettings::Named::automatic) return;
  switch (operation.kind) {
    case OperationKind::send:
    case OperationKind::collective:
    case OperationKind::access:
    case OperationKind::lock:
      is_any_addressed_ = is_any_addressed_ || machine_.host_of.size() > 1;
      return;
    case OperationKind::read_clock:
      break;
    default:
      return;
  }
  if (!EndpointTag::is_marked(static_cast<std::int32_t>(operation.tag))) return;
  if (is_any_addressed_)
    throw Error(fmt::format(
        "rank {} begins to use libmorgana-am at {:.9f} s, after messages have been sent between "
        "endpoints that are ranks (messages.endpoints): say --set messages.endpoints=tags, or call "
        "AM_Init before the first message",
        index(rank), begin.seconds()));
  machine_.name_endpoints(true);
}

}  // namespace morgana
