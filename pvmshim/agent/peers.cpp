#include "pvmshim/agent/peers.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "emulator/core/standard_error.h"
#include "pvmshim/agent/quiet_thread.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto patience_with_peers = 5s;

}  // namespace

Peers::Peers(const AgentSetup& setup, Listener& listener, const std::string& secret,
             const std::function<bool()>& is_over)
    : streams_(setup.agents.size()) {
  for (std::size_t other = 0; other < setup.number; ++other) {
    const AgentSetup::Peer& peer = setup.agents[other];
    streams_[other] =
        std::make_unique<Stream>(Stream::connect(peer.addresses, peer.port, patience_with_peers));
    streams_[other]->send(FrameKind::peer, static_cast<std::int32_t>(setup.number),
                          ContentWriter().text(secret).bytes());
    streams_[other]->accept_up_to(largest_frame);
  }
  for (std::size_t missing = streams_.size() - setup.number - 1; missing > 0;) {
    if (is_over()) throw Error("the run has ended before all agents had met");
    if (accept(listener, secret, setup.number)) --missing;
  }
}

void Peers::listen(const Take& take, const std::function<void(std::size_t agent)>& took_all,
                   const std::function<void(std::size_t agent)>& lost) {
  for (std::size_t agent = 0; agent < streams_.size(); ++agent) {
    if (streams_[agent] == nullptr) continue;
    streams_[agent]->watch_other_end();
    threads_.push_back(quiet_thread([this, agent, take, took_all, lost] {
      Frame frame;
      try {
        while (streams_[agent]->receive(frame, [&] { took_all(agent); })) take(agent, frame);
      } catch (const Error& error) {
        print_error(fmt::format("morgana: what agent {} says makes no sense: {}\n", agent, error.what()));
      }
      lost(agent);
    }));
  }
}

void Peers::end() {
  for (const auto& stream : streams_)
    if (stream) stream->shut();
  for (std::thread& thread : std::exchange(threads_, {})) thread.join();
}

void Peers::flush() {
  for (const auto& stream : streams_)
    if (stream) stream->flush();
}

/// @return whether another agent has come
bool Peers::accept(Listener& listener, const std::string& secret, std::uint32_t own) {
  throw_if_interrupted();
  const auto socket = listener.accept_within(100ms);
  if (!socket) return false;
  auto stream = std::make_unique<Stream>(*socket);
  Frame frame;
  try {
    if (stream->receive_within(frame, patience_with_peers) && frame.kind == FrameKind::peer &&
        is_same_secret(ContentReader(frame.content).text(), secret)) {
      const auto agent = static_cast<std::size_t>(frame.rank);
      if (agent > own && agent < streams_.size() && streams_[agent] == nullptr) {
        stream->accept_up_to(largest_frame);
        streams_[agent] = std::move(stream);
        return true;
      }
    }
  } catch (const Error&) {
  }
  print_error(fmt::format("morgana: note: {} has connected without this run's secret, and was dropped\n",
                          stream->address()));
  return false;
}

}  // namespace morgana
