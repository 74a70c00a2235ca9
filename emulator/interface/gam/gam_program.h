#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "emulator/interface/gam/parameters.h"
#include "emulator/interface/lanai/host_dma.h"
#include "emulator/interface/lanai/processor.h"
#include "emulator/network/network.h"

namespace morgana::gam {

/// What is outside of an interface: the network, the other interfaces' doors, the host's memory.
class GamSurroundings {
 public:
  /// The NIC has a fragment for `to` and wants its door: space for one fragment, from now until it is in
  /// that host's memory. ControlProgram::door_opens answers, maybe from within.
  virtual void ask_for_door(PortId from, PortId to) = 0;
  /// The network DMA begins.
  virtual void send(const Unit& fragment) = 0;
  /// It is in the host's memory, and its door is free again.
  virtual void in_host_memory(const Unit& fragment) = 0;

 protected:
  ~GamSurroundings() = default;
};

/// Generic Active Messages' program at one interface. Source: R. Y. Wang, A. Krishnamurthy, R. P. Martin, T.
/// E. Anderson, D. E. Culler, Towards a Theory of Optimal Communication Pipelines, 1998, sections 5.2 and
/// 5.3: a fragment is moved from the host's memory by host DMA, then to the other NIC by both network
/// DMAs at once, then, as one sequential step with these, to the other host's memory.
///
/// Events, by priority, each a handler of the processor:
///   finish_receive  a fragment has come: its host DMA is started
///   finish_deliver  it is in the host's memory
///   start_send      the receiver's door is open: the network DMA is started
///   finish_fetch    a fragment has come from the host's memory
///   start_fetch     one waits there, and there is a buffer: its host DMA is started
/// A short message (Parameters::short_message) has start_send and finish_receive only: the sender's processor
/// has written it into the NIC, and the receiver's reads it there. It keeps its place among the others.
class GamProgram final : private LanaiHandlers {
 public:
  /// @param parameters  must outlive it, like the others
  GamProgram(EventQueue& events, GamSurroundings& surroundings, PortId self, const Parameters& parameters);

  /// A fragment lies in the host's memory, now.
  void post(const Unit& fragment);
  void door_opens();
  /// The last byte of the fragment that was sent last has left.
  void departed();
  /// The last byte of one for this host has come.
  void received(const Unit& fragment);

  const LanaiProcessor& processor() const { return processor_; }
  std::uint64_t fragments() const { return fragments_; }
  std::size_t most_waiting() const { return most_waiting_; }

 private:
  enum Event : unsigned { finish_receive, finish_deliver, start_send, finish_fetch, start_fetch };
  std::int64_t begin(unsigned event) override;
  void end(unsigned event) override;
  void move_on();
  void fetch_next();
  void deliver_next();
  void want_door();
  bool may_fetch() const;

  const Parameters& parameters_;
  GamSurroundings& surroundings_;
  PortId self_;
  LanaiProcessor processor_;
  PciBus bus_;
  HostDma from_host_, to_host_;

  std::deque<Unit> posted_;  // in the host's memory
  std::optional<Unit> fetching_;
  std::deque<Unit> ready_;         // in the NIC's; the first one has asked for its door, or is sent
  std::int64_t buffers_used_ = 0;  // of fetching_, ready_ and what is being sent
  bool sending_ = false;           // from asking for the door until it has departed
  bool sends_short_ = false;       // what was sent last, which had no buffer
  std::deque<Unit> arrived_;       // all of it
  std::optional<Unit> delivering_;
  std::uint64_t fragments_ = 0;
  std::size_t most_waiting_ = 0;
};

}  // namespace morgana::gam
