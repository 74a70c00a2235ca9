#include <fmt/format.h>

#include <tuple>

#include "emulator/process/collective_runner.h"
#include "emulator/process/messenger.h"

namespace morgana {

std::string Messenger::unreceived_report() const {
  std::uint64_t count = 0;
  const Send* first = nullptr;
  const auto order = [](const Send& send) {
    return std::tuple(send.begun, index(send.envelope.source), index(send.receiver), send.envelope.tag);
  };
  for_each_unreceived([&](const Send& send) {
    const auto context = static_cast<std::uint64_t>(send.envelope.context);
    if (send.serves || (context & collective_plane) != 0) return;
    ++count;
    if (first == nullptr || order(send) < order(*first)) first = &send;
  });
  if (first == nullptr) return {};
  return fmt::format("{} never received: {}from rank {} to rank {} with tag {} ({} bytes)",
                     count == 1 ? "1 message was" : fmt::format("{} messages were", count),
                     count == 1 ? "" : "the first one ", index(first->envelope.source),
                     index(first->receiver), static_cast<std::int32_t>(first->envelope.tag),
                     first->bytes.count());
}

}  // namespace morgana
