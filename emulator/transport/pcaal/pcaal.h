#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/cells.h"
#include "emulator/transport/pcaal/connection.h"
#include "emulator/transport/pdu_work.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Reliable, ordered messages over ATM: the parallel computing adaptation layer, SSCOP's rules on frames of
/// one cell each, with no AAL5 below. Every cell holds whole elements of one message, so that whatever comes
/// is of use, and only cells that were lost are sent again. One connection for each ordered pair of hosts,
/// set up before the program starts; host n is at port n. docs/atm-protocols.md states the choices made where
/// the thesis leaves freedom.
///
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// sections 5.1 and 5.2.
class PcAal : public Transport, private UnitListener, private EventHandler, private PduWork::Client {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error as PcAalParameters::check
  PcAal(EventQueue& events, CellNetwork& network, std::size_t hosts, const PcAalParameters& parameters);
  void send(const Shipment& shipment) override;
  bool streams() const override { return parameters_.stream; }
  bool keeps_elements_whole() const override { return true; }
  bool returns() const override { return true; }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  PcAalCounters counters() const;

 private:
  using ConnectionNumber = std::uint32_t;

  // A cell under way, in the slot that its UnitId names.
  struct Frame {
    ConnectionNumber connection = 0;
    std::uint32_t incarnation = 0;
    ChannelId channel{};
    pcaal::Pdu pdu;
    pcaal::Outgoing data{};  ///< of an SD
  };

  enum Timer : std::uint8_t { poll_timer, no_response_timer };

  ConnectionNumber connection_between(HostId from, HostId to);
  void proceed(ConnectionNumber number);
  void data_sent(ConnectionNumber number);
  void answered(ConnectionNumber number);
  void release(ConnectionNumber number, Outcome outcome, const std::string& why);
  void inject(ConnectionNumber number, ChannelId channel, pcaal::Pdu pdu, const pcaal::Outgoing& data = {});

  void data_came(ConnectionNumber number, const pcaal::Outgoing& data);
  void piece_in_order(ConnectionNumber number, const pcaal::Piece& piece);
  void poll_ran_out(ConnectionNumber number);

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
  PcAalParameters parameters_;
  std::size_t hosts_;
  PduWork work_;
  std::deque<pcaal::Connection> connections_;                       // listeners may add to it meanwhile
  std::unordered_map<std::uint64_t, ConnectionNumber> connection_;  // by pair of hosts; never iterated
  Pool<Frame> frames_;                                              // under way
  std::string how_lost_;
};

}  // namespace morgana
