#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/dctcp.h"
#include "emulator/transport/congestion/nscc.h"
#include "emulator/transport/congestion/rccc.h"
#include "emulator/transport/uet/entropy.h"

namespace morgana {

/// Ultra Ethernet's transport and the NICs that carry it out. Uet has the rules.
struct UetParameters {
  Bytes payload{4096};       ///< of a full packet, > 0
  Bytes header{64};          ///< of a packet with data: what it hands the network in addition to its payload
  Bytes control_packet{64};  ///< what an acknowledgement, a NACK, a credit or a request for credit hands it

  // Acknowledgements and repetition
  Bytes acknowledge_bytes{16'384};  ///< on the link, that come before an acknowledgement goes unasked; > 0
  /// Of a packet, > 0; to be more than NSCC's base round trip. As in htsim for the default one: 15 us and the
  /// time of six full queues of a bandwidth-delay product.
  SimTime timeout = SimTime::from_ps(87'000'000);
  /// Timeouts of one packet before the last one fails the connection. Chosen: they do not become longer, so
  /// that the other host may be out of reach for 5 ms.
  unsigned tries = 63;

  // Ways
  unsigned entropies = 64;  ///< values among which a connection's packets take turns, > 0; chosen
  LoadBalancing balancing = LoadBalancing::mixed;

  // Congestion, and classes of a network that has several
  enum class Control : std::uint8_t { none, nscc, rccc, both, dctcp };
  Control control = Control::nscc;
  bool has_nscc() const { return control == Control::nscc || control == Control::both; }
  bool has_rccc() const { return control == Control::rccc || control == Control::both; }
  NsccParameters nscc;  ///< base_round_trip and most_window are RCCC's and DCTCP's, too
  RcccParameters rccc;
  DctcpParameters dctcp;
  unsigned data_class = 0, control_class = 0;

  // The NIC
  Bytes inline_limit{0};       ///< payload up to this is in the work request: not fetched from memory
  SimTime post_latency;        ///< from the posting of a work request until the NIC takes it
  SimTime fetch_latency;       ///< until the first byte of a payload has come from memory
  ByteCost fetch_per_byte;     ///< of a message's first packet, which is fetched before it leaves
  SimTime delivery_latency;    ///< from a packet's arrival until its payload is in memory
  ByteCost delivery_per_byte;  ///< of the packet's payload, in addition
  SimTime completion_latency;  ///< from then on until software sees the completion
  SimTime message_gap;         ///< between two work requests that a NIC takes
};

}  // namespace morgana
