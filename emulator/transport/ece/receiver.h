#pragma once

#include <cstdint>
#include <vector>

#include "emulator/transport/assured/counters.h"
#include "emulator/transport/ece/engine.h"
#include "emulator/transport/ece/monitor.h"
#include "emulator/transport/ece/pdu.h"
#include "emulator/transport/pcaal/receiver.h"

namespace morgana::ece {

struct EceReceiverCounters : assured::ReceiverCounters {
  std::uint64_t lstats = 0;
  std::uint64_t missing = 0;  ///< monitoring cells
};

/// The receiving half: PC-AAL's receiver behind two connections, which throws away what comes twice, and the
/// Latency Monitoring Engine. One function for each event of figures 6.7, 6.10 and 6.12. It knows no network;
/// times are what it takes for the sender's (SenderTime).
class Receiver {
 public:
  /// @param first   the number of the first SD
  /// @param window  SDs that it accepts from the next in order on
  /// @param begin   when the sender sends the first monitoring cell
  Receiver(LatencyEngine engine, Number first, std::uint32_t window, const LatencyMonitor::Limits& limits,
           SimTime begin)
      : engine_(engine), data_(first, window), monitor_(limits, begin) {}

  /// Cells to go over the feedback connection, in this order.
  using Answers = std::vector<Pdu>;

  /// @param over     the connection over which it came
  /// @param piece    what it carries
  /// @param in_order gets what may be delivered now, in order
  Answers take(const Sd& sd, Path over, SimTime now, const pcaal::ElementPiece& piece,
               std::vector<pcaal::ElementPiece>& in_order);
  Answers take(const Poll& poll, Path over, SimTime now);
  Answers take(const Lme& lme, SimTime now);

  /// When the next monitoring cell will be missing.
  SimTime missing_at() const { return monitor_.missing_at(); }
  /// It is.
  Answers miss();

  LatencyMode mode() const { return monitor_.mode(); }
  EceReceiverCounters counters() const {
    EceReceiverCounters all = counters_;
    all.duplicates = data_.counters().duplicates;
    return all;
  }
  const pcaal::Receiver& data() const { return data_; }

 private:
  bool monitoring_came(Stamp sent, SimTime now);
  void tell_of_change(Stamp since, Answers& answers);

  LatencyEngine engine_;
  pcaal::Receiver data_;
  LatencyMonitor monitor_;
  EceReceiverCounters counters_;  // but for duplicates
};

}  // namespace morgana::ece
