#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/transport/assured/transfer_engine.h"
#include "emulator/transport/pcaal/connection.h"
#include "emulator/transport/pcaal/parameters.h"

namespace morgana {
namespace pcaal {

/// What the engine is to know of PC-AAL.
struct Types {
  using Connection = pcaal::Connection;
  using Parameters = PcAalParameters;
  using Pdu = pcaal::Pdu;
  using Sd = pcaal::Sd;
  using Piece = pcaal::ElementPiece;
  static constexpr std::uint8_t no_response = no_response_timer;
  static constexpr bool goes_back(std::uint8_t path) { return path == back; }
  static constexpr const char* name = "pc-aal";
  static constexpr const char* unit = "cell";
};

}  // namespace pcaal

/// Reliable, ordered messages over ATM: the parallel computing adaptation layer, SSCOP's rules on frames of
/// one cell each, with no AAL5 below. Every cell holds whole elements of one message, so that whatever comes
/// is of use, and only cells that were lost are sent again. One connection for each ordered pair of hosts,
/// set up before the program starts; host n is at port n. docs/atm-protocols.md states the choices made where
/// the thesis leaves freedom.
///
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// sections 5.1 and 5.2.
class PcAal : public assured::TransferEngine<PcAal, pcaal::Types> {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error as PcAalParameters::check
  PcAal(EventQueue& events, CellNetwork& network, std::size_t hosts, const PcAalParameters& parameters);
  TransportGuarantees guarantees() const override {
    return {.streams = parameters().stream, .returns = true};
  }
  bool keeps_elements_whole() const override { return true; }
  std::vector<CounterTable> counted() const override;
  PcAalCounters counters() const;

 private:
  friend assured::TransferEngine<PcAal, pcaal::Types>;

  pcaal::Connection open(HostId from, HostId to);
  void begin_anew(pcaal::Connection& connection) const;
  pcaal::Cutting cutting(const Shipment& shipment) const;
  pcaal::Sd sd(const pcaal::Connection& connection, const pcaal::OutgoingSd& data) const;

  void data_sent(ConnectionNumber number);
  void take(ConnectionNumber number, const pcaal::Sd& sd, const Frame& frame);
  void take(ConnectionNumber number, const pcaal::Poll& poll, const Frame& frame);
  void take(ConnectionNumber number, const pcaal::Stat& stat, const Frame& frame);
  void take(ConnectionNumber number, const pcaal::Ustat& ustat, const Frame& frame);
  void ran_out(ConnectionNumber number, std::uint8_t timer);
};

}  // namespace morgana
