#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/cells.h"
#include "emulator/transport/pdu_work.h"
#include "emulator/transport/sscop/connection.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Reliable, ordered messages over ATM: the service specific connection oriented protocol over AAL5. Losses
/// are found by gaps in the numbers (USTAT) and by polls (STAT), never by a time-out on data. One connection
/// for each ordered pair of hosts, set up before the program starts; host n is at port n.
/// docs/atm-protocols.md states the choices made where the standard leaves freedom.
///
/// Sources: ITU-T Q.2110, 1994; Q.2130, 1994; J. Vila i Sallent: A Network Architecture for Supporting
/// Parallel Computing over ATM, 1997, section 5.1.
class Sscop : public Transport, private UnitListener, private EventHandler, private PduWork::Client {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error as SscopParameters::check
  Sscop(EventQueue& events, CellNetwork& network, std::size_t hosts, const SscopParameters& parameters);
  void send(const Shipment& shipment) override;
  bool returns() const override { return true; }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  SscopCounters counters() const;

 private:
  using ConnectionNumber = std::uint32_t;

  // A frame under way, in the slot that its UnitId names.
  struct Frame {
    ConnectionNumber connection = 0;
    std::uint32_t incarnation = 0;
    ChannelId channel{};
    std::uint32_t cells = 0;
    sscop::Pdu pdu;
    sscop::Outgoing data{};  ///< of an SD
  };

  enum Timer : std::uint8_t { poll_timer, keep_alive_timer, no_response_timer, idle_timer };

  ConnectionNumber connection_between(HostId from, HostId to);
  void proceed(ConnectionNumber number);
  void data_sent(ConnectionNumber number);
  void send_poll(ConnectionNumber number);
  void answered(ConnectionNumber number);
  void release(ConnectionNumber number, Outcome outcome, const std::string& why);
  void inject(ConnectionNumber number, ChannelId channel, sscop::Pdu pdu, const sscop::Outgoing& data = {});

  void data_came(ConnectionNumber number, const sscop::Outgoing& data);
  void poll_ran_out(ConnectionNumber number);
  void keep_alive_ran_out(ConnectionNumber number);
  void idle_ran_out(ConnectionNumber number);

  void set(LazyTimer& which, SimTime after, Timer kind, ConnectionNumber number) {
    which.set(events_.now() + after, events_, *this, number, kind);
  }
  Frame& frame_of(UnitId id) { return frames_[static_cast<std::uint32_t>(id)]; }

  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void hand_over(std::uint32_t slot) override;
  void take_in(std::uint32_t slot) override;
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  CellNetwork& network_;
  SscopParameters parameters_;
  std::size_t hosts_;
  PduWork work_;
  std::deque<sscop::Connection> connections_;                       // listeners may add to it meanwhile
  std::unordered_map<std::uint64_t, ConnectionNumber> connection_;  // by pair of hosts; never iterated
  Pool<Frame> frames_;                                              // under way
  std::string how_lost_;
};

}  // namespace morgana
