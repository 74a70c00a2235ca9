#pragma once

#include <cstdint>

#include "emulator/core/event_queue.h"
#include "emulator/core/units.h"
#include "emulator/interface/lanai/processor.h"

namespace morgana {

enum class BusDirection : std::uint8_t { from_host, to_host };

/// The bus between a host's memory and its NIC, as DMA engines see it: one transfer at a time, first
/// come, first served.
class PciBus {
 public:
  /// @param latency  of a transfer, before its bytes, >= 0
  /// @param rate  of its bytes, > 0
  PciBus(SimTime latency, BitRate rate) : PciBus(latency, rate, rate) {}
  /// An asymmetric one. @param to_host  the rate in that direction, > 0
  PciBus(SimTime latency, BitRate from_host, BitRate to_host)
      : latency_(latency), from_host_(from_host), to_host_(to_host) {}

  /// @param now  never earlier than at the last call
  /// @return when a transfer that an engine is given now ends
  SimTime transfer(SimTime now, Bytes size, BusDirection direction = BusDirection::from_host);

 private:
  SimTime latency_;
  BitRate from_host_, to_host_;
  SimTime free_at_;
};

/// A DMA engine of a NIC, one direction between its memory and the host's: a transfer is started by
/// the control program, and its end is an event of the processor.
class HostDma : private EventHandler {
 public:
  /// @param finished  raised at the end of every transfer
  HostDma(EventQueue& events, PciBus& bus, LanaiProcessor& processor, unsigned finished,
          BusDirection direction = BusDirection::from_host)
      : events_(events), bus_(bus), processor_(processor), finished_(finished), direction_(direction) {}

  bool busy() const { return busy_; }
  /// Must not be busy.
  void start(Bytes size);

 private:
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  PciBus& bus_;
  LanaiProcessor& processor_;
  unsigned finished_;
  BusDirection direction_;
  bool busy_ = false;
};

}  // namespace morgana
