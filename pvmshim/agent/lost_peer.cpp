#include "pvmshim/agent/lost_peer.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "emulator/core/error.h"
#include "pvmshim/agent/silence.h"
#include "pvmshim/channel/channel_memory.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 5s;

}  // namespace

void LostPeer::throw_if_lost() {
  if (lost_ < 0) return;
  const auto peer = static_cast<std::size_t>(lost_.load());
  if (peers_[peer].is_cut_off())
    throw Error(fmt::format(
        "agent {} at {} has not confirmed for {} s what agent {} sent to it: its machine does not answer, or "
        "cannot be reached from here",
        peer, setup_.agents[peer].addresses.front(), Silence::least_patience / 1s, setup_.number));
  const auto now = std::chrono::steady_clock::now();
  if (!since_) since_ = now;
  if (now - *since_ > patience)
    throw Error(
        fmt::format("the connection of agent {} to agent {} has broken", setup_.number, lost_.load()));
}

void LostPeer::throw_if_line_is_broken(const PayloadMirror& mirror) const {
  for (std::size_t agent = 0; agent < setup_.agents.size(); ++agent) {
    if (agent == setup_.number) continue;
    const MachineLine& line = mirror.line(agent);
    if (!line.broken || line.error == 0) continue;
    const std::int32_t rank = line.writer;
    throw Error(fmt::format(
        "{} can't write to the connection to agent {}: {}; the program must not close or change descriptors "
        "that it has not opened",
        rank < 0 ? fmt::format("agent {}", setup_.number) : fmt::format("rank {}", rank), agent,
        std::strerror(line.error)));
  }
}

}  // namespace morgana
