#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/cells.h"
#include "emulator/transport/ece/connection.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Reliable, ordered messages over ATM by several service categories: PC-AAL's frames of one cell each, over
/// UBR while latency there is low, and over ABR (the switching engine) or both (the duplicating one) while it
/// is high. For each ordered pair of hosts that communicate there are an ordinary (UBR), a backup (ABR) and a
/// feedback connection (VBR), set up with the pair's first message; host n is at port n.
///
/// One message, while latency is low and then becomes high:
///   - send() cuts it into SDs of whole elements (pcaal::cut); ece::Sender numbers them, and
///     two at most stand at the host's interface. Each is stamped when it goes.
///   - Every T_LME the sender sends a stamped cell over the ordinary connection, each N_POLL-th of which is
///     a POLL.
///   - ece::Receiver holds each stamp against the time at which the cell came. Above T_M, or when a
///   monitoring
///     cell has been missing for T_L, it sends an LSTAT over the feedback connection: what has come, the new
///     mode, and T_o, the stamp.
///   - The sender changes its mode; of the message, what is still to go and what the LSTAT says is missing
///     takes the new mode's connections.
///   - The receiver throws away what comes twice; with the last SD in order the message is delivered.
///   - When a latency on the ordinary connection is below T_m, another LSTAT changes the mode back.
/// docs/atm-protocols.md states all rules, and the choices made where the thesis leaves freedom.
///
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// section 6.1.
class Ece : public Transport, private UnitListener, private EventHandler {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error as EceParameters::check
  Ece(EventQueue& events, CellNetwork& network, std::size_t hosts, const EceParameters& parameters);
  void send(const Shipment& shipment) override;
  bool streams() const override { return parameters_.stream; }
  bool keeps_elements_whole() const override { return true; }
  bool returns() const override { return true; }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  EceCounters counters() const;

 private:
  using ConnectionNumber = std::uint32_t;

  // A cell under way, in the slot that its UnitId names.
  struct Frame {
    ConnectionNumber connection = 0;
    std::uint32_t incarnation = 0;
    ece::Path path = ece::Path::ordinary;
    SimTime handed;
    ece::Pdu pdu;
    pcaal::Piece piece{};  ///< of an SD
  };

  enum Timer : std::uint8_t { monitoring_timer, missing_timer, resynchronisation_timer, no_response_timer };

  ConnectionNumber connection_between(HostId from, HostId to);
  void proceed(ConnectionNumber number);
  void send_data(ConnectionNumber number, const pcaal::Outgoing& data, ece::Path path);
  void data_sent(ConnectionNumber number);
  void answered(ConnectionNumber number);
  void release(ConnectionNumber number, Outcome outcome, const std::string& why);
  void inject(ConnectionNumber number, ece::Path path, ece::Pdu pdu, const pcaal::Piece& piece = {});
  void answer(ConnectionNumber number, ece::Receiver::Answers answers);

  void take(ConnectionNumber number, const ece::Sd& sd, const Frame& frame);
  void take(ConnectionNumber number, const ece::Poll& poll, const Frame& frame);
  void take(ConnectionNumber number, const ece::Lme& lme, const Frame& frame);
  void take(ConnectionNumber number, const ece::Stat& stat, const Frame& frame);
  void take(ConnectionNumber number, const ece::Lstat& lstat, const Frame& frame);
  void take(ConnectionNumber number, const ece::Ustat& ustat, const Frame& frame);
  void take(ConnectionNumber number, const ece::Clock& clock, const Frame& frame);
  void mode_was(ConnectionNumber number, ece::Mode before);
  void tell_departure(ConnectionNumber number, MessageId message);
  void piece_in_order(ConnectionNumber number, const pcaal::Piece& piece);

  void monitor(ConnectionNumber number);
  void look_for_missing(ConnectionNumber number);
  void await_missing(ConnectionNumber number);
  void tell_time(ConnectionNumber number);

  void set(LazyTimer& which, SimTime at, Timer kind, ConnectionNumber number) {
    which.set(at, events_, *this, number, kind);
  }
  Frame& frame_of(UnitId id) { return frames_[static_cast<std::uint32_t>(id)]; }

  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  CellNetwork& network_;
  EceParameters parameters_;
  std::size_t hosts_;
  std::deque<ece::Connection> connections_;                         // listeners may add to it meanwhile
  std::unordered_map<std::uint64_t, ConnectionNumber> connection_;  // by pair of hosts; never iterated
  Pool<Frame> frames_;                                              // under way
  std::string how_lost_;
};

}  // namespace morgana
