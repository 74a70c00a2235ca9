#pragma once

#include "emulator/core/event_queue.h"
#include "emulator/core/units.h"
#include "emulator/interface/lanai/processor.h"

namespace morgana {

/// The bus between a host's memory and its interface, as DMA engines see it: one transfer at a time, first
/// come, first served.
class PciBus {
 public:
  /// @param latency  of a transfer, before its bytes, >= 0
  /// @param rate  of its bytes, > 0
  PciBus(SimTime latency, BitRate rate) : latency_(latency), rate_(rate) {}

  /// @param now  never earlier than at the last call
  /// @return when a transfer that an engine is told of now ends
  SimTime transfer(SimTime now, Bytes size);

 private:
  SimTime latency_;
  BitRate rate_;
  SimTime free_at_;
};

/// A DMA engine of an interface, one direction between its memory and the host's: a transfer is started by
/// the control program, and its end is an event of the processor.
class HostDma : private EventHandler {
 public:
  /// @param finished  raised at the end of every transfer
  HostDma(EventQueue& events, PciBus& bus, LanaiProcessor& processor, unsigned finished)
      : events_(events), bus_(bus), processor_(processor), finished_(finished) {}

  bool busy() const { return busy_; }
  /// Must not be busy.
  void start(Bytes size);

 private:
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  PciBus& bus_;
  LanaiProcessor& processor_;
  unsigned finished_;
  bool busy_ = false;
};

}  // namespace morgana
