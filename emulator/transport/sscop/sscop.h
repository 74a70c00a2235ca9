#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/transport/assured/transfer_engine.h"
#include "emulator/transport/sscop/connection.h"
#include "emulator/transport/sscop/parameters.h"

namespace morgana {
namespace sscop {

/// What the engine is to know of SSCOP.
struct Types {
  using Connection = sscop::Connection;
  using Parameters = SscopParameters;
  using Pdu = sscop::Pdu;
  using Sd = sscop::Sd;
  using Piece = sscop::Piece;
  static constexpr std::uint8_t no_response = no_response_timer;
  static constexpr bool goes_back(std::uint8_t path) { return path == back; }
  static constexpr const char* name = "sscop";
  static constexpr const char* unit = "frame";
};

}  // namespace sscop

/// Reliable, ordered messages over ATM: the service specific connection oriented protocol over AAL5. Losses
/// are found by gaps in the numbers (USTAT) and by polls (STAT), never by a time-out on data. One connection
/// for each ordered pair of hosts, set up before the program starts; host n is at port n.
/// docs/atm-protocols.md states the choices made where the standard leaves freedom.
///
/// Sources: ITU-T Q.2110, 1994; Q.2130, 1994; J. Vila i Sallent: A Network Architecture for Supporting
/// Parallel Computing over ATM, 1997, section 5.1.
class Sscop : public assured::TransferEngine<Sscop, sscop::Types> {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error as SscopParameters::check
  Sscop(EventQueue& events, CellNetwork& network, std::size_t hosts, const SscopParameters& parameters);
  std::vector<CounterTable> counted() const override;
  SscopCounters counters() const;

 private:
  friend assured::TransferEngine<Sscop, sscop::Types>;

  sscop::Connection open(HostId from, HostId to);
  void begin_anew(sscop::Connection& connection) const;
  sscop::FrameCutting cutting(const Shipment& shipment) const;
  sscop::Sd sd(const sscop::Connection& connection, const sscop::OutgoingSd& data) const;
  std::uint32_t cells_of(const sscop::Pdu& pdu) const;

  void data_sent(ConnectionNumber number);
  void send_poll(ConnectionNumber number);
  void answered(ConnectionNumber number);
  void take(ConnectionNumber number, const sscop::Sd& sd, const Frame& frame);
  void take(ConnectionNumber number, const sscop::Poll& poll, const Frame& frame);
  void take(ConnectionNumber number, const sscop::Stat& stat, const Frame& frame);
  void take(ConnectionNumber number, const sscop::Ustat& ustat, const Frame& frame);
  void ran_out(ConnectionNumber number, std::uint8_t timer);
  void poll_ran_out(ConnectionNumber number);
  void keep_alive_ran_out(ConnectionNumber number);
  void idle_ran_out(ConnectionNumber number);
};

}  // namespace morgana
