#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/transport/assured/transfer_engine.h"
#include "emulator/transport/ece/connection.h"
#include "emulator/transport/ece/parameters.h"
#include "emulator/transport/ece/pdu.h"

namespace morgana {
namespace ece {

/// What the engine of assured data transfer is to know of ECE.
struct Types {
  using Connection = ece::Connection;
  using Parameters = EceParameters;
  using Pdu = ece::Pdu;
  using Sd = ece::Sd;
  using Piece = pcaal::ElementPiece;
  static constexpr std::uint8_t no_response = no_response_timer;
  static constexpr bool goes_back(std::uint8_t path) { return path == number_of(Path::feedback); }
  static constexpr const char* name = "ece";
  static constexpr const char* unit = "cell";
};

}  // namespace ece

/// The Effective Communication Engine (ECE), guided by the Latency Monitoring Engine (LME). Reliable, ordered
/// messages over ATM by several service categories: PC-AAL's frames of one cell each, over
/// UBR while latency there is low, and over ABR (the switching engine) or both (the duplicating one) while it
/// is high. For each ordered pair of hosts that communicate there are an ordinary (UBR), a backup (ABR) and a
/// feedback connection (VBR), set up with the pair's first message; host n is at port n.
///
/// One message, while latency is low and then becomes high:
///   - pcaal::Cutting cuts it into SDs of whole elements, one when the one before it goes; ece::Sender
///     numbers them, and two at most stand at the host's interface. Each is stamped when it goes.
///   - Every T_LME the sender sends a stamped cell over the ordinary connection, each N_POLL-th of which is
///     a POLL.
///   - ece::Receiver holds each stamp against the time at which the cell came. Above T_M, or when a
///     monitoring cell has been missing for T_L, it sends an LSTAT over the feedback connection: what has
///     come, the new mode, and T_o, the stamp.
///   - The sender changes its mode; of the message, what is still to go and what the LSTAT says is missing
///     takes the new mode's connections.
///   - The receiver throws away what comes twice; with the last SD in order the message is delivered.
///   - When a latency on the ordinary connection is below T_m, another LSTAT changes the mode back.
/// docs/atm-protocols.md states all rules, and the choices made where the thesis leaves freedom.
///
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// section 6.1.
class Ece : public assured::TransferEngine<Ece, ece::Types> {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error as EceParameters::check
  Ece(EventQueue& events, CellNetwork& network, std::size_t hosts, const EceParameters& parameters);
  TransportGuarantees guarantees() const override {
    return {.streams = parameters().stream, .returns = true};
  }
  bool keeps_elements_whole() const override { return true; }
  std::vector<CounterTable> counted() const override;
  EceCounters counters() const;

 private:
  friend assured::TransferEngine<Ece, ece::Types>;

  ece::Connection open(HostId from, HostId to);
  void opened(ConnectionNumber number);
  void begin_anew(ece::Connection& connection) const;
  pcaal::Cutting cutting(const Shipment& shipment) const;
  DataPaths paths_of_data(const ece::Connection& connection) const;
  std::optional<pcaal::OutgoingSd> next(ece::Connection& connection);
  ece::Sd sd(const ece::Connection& connection, const pcaal::OutgoingSd& data) const;
  void came_through(ece::Connection& connection, const Frame& frame);

  void inject_on(ConnectionNumber number, ece::Path path, ece::Pdu pdu);
  void answer(ConnectionNumber number, ece::Receiver::Answers answers);
  void answered(ConnectionNumber number);
  void take(ConnectionNumber number, const ece::Sd& sd, const Frame& frame);
  void take(ConnectionNumber number, const ece::Poll& poll, const Frame& frame);
  void take(ConnectionNumber number, const ece::Lme& lme, const Frame& frame);
  void take(ConnectionNumber number, const ece::Stat& stat, const Frame& frame);
  void take(ConnectionNumber number, const ece::Lstat& lstat, const Frame& frame);
  void take(ConnectionNumber number, const ece::Ustat& ustat, const Frame& frame);
  void take(ConnectionNumber number, const ece::Clock& clock, const Frame& frame);
  void mode_was(ConnectionNumber number, ece::LatencyMode before);

  void ran_out(ConnectionNumber number, std::uint8_t timer);
  void monitor(ConnectionNumber number);
  void look_for_missing(ConnectionNumber number);
  void await_missing(ConnectionNumber number);
  void tell_time(ConnectionNumber number);
};

}  // namespace morgana
