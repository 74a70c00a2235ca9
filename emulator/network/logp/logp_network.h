#pragma once

#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"

namespace morgana {

/// L, g and G of LogGP; o belongs to the message layer. All >= 0.
/// Source: Alexandrov, Ionescu, Schauser, Scheiman: LogGP, SPAA 1995; the serialisation at both interfaces
/// follows Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010.
struct LogpParameters {
  SimTime latency;        ///< L: from the sending interface to the receiving one
  SimTime gap;            ///< g: between consecutive messages at an interface
  ByteCost gap_per_byte;  ///< G: for each byte after the first
};

/// A network of which only latency and the interfaces' occupation are known: a message of k bytes holds the
/// sending interface for g + (k-1) G, its last byte is at the receiving one L + (k-1) G after its first has
/// left, and the receiving interface takes one message at a time, likewise for g + (k-1) G. Messages of 0
/// bytes count as 1. Nothing is lost.
class LogpNetwork : public Network, private EventHandler {
 public:
  LogpNetwork(EventQueue& events, std::size_t ports, const LogpParameters& parameters);
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;

 private:
  void handle(std::uint64_t what) override;
};

}  // namespace morgana
