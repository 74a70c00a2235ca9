#pragma once

#include <cstdint>
#include <vector>

#include "emulator/transport/congestion/congestion_control.h"

namespace morgana {

/// Defaults: Li et al. 2019.
struct HpccParameters {
  SimTime base_round_trip = SimTime::from_ps(13'000'000);  ///< T, more than 0
  double utilization = 0.95;                               ///< eta, more than 0, at most 1
  unsigned stages = 5;                                     ///< maxStage
  std::int64_t flows = 100;                                ///< N, at least 1: of one link at the same time
  BitRate least_rate{1'000'000'000};                       ///< as in the authors' simulator
};

/// HPCC: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 3 and Algorithm 1.
///
/// Windows are doubles in bytes; C is the line rate, T the base round trip. W_init = C T / 8, W_AI = W_init
/// (1
/// - eta) / N. At first W = W_c = W_init, U = 1 (the flow starts at the line rate), stage = 0.
///
/// Acknowledgement with the records L'[1..n] of the ports that its packet passed; L are those of the one
/// before:
///   - No records: nothing changes. The first ones, and those of another way (their ports are not L's, or one
///     of them is not later than L's): L = L', and the next update is due.
///   - Otherwise, over all ports i, of rate B (bits a second):
///       dt_i = L'.at - L.at, txRate = 8 (L'.sent - L.sent) / dt_i,
///       u_i = 8 min(L'.queue, L.queue) / (B T) + txRate / B.
///     u is the greatest u_i, at least 0, and tau = min(dt_i, T) of the first port that has it.
///     U = (1 - tau / T) U + tau / T u. The update is W_c's if `place` is later than `sent` was at the last
///     such update, or at the first records of a way.
///       - If U >= eta or stage >= maxStage: W = W_c / (U / eta) + W_AI; if the update is W_c's, stage = 0.
///       - Otherwise W = W_c + W_AI; if the update is W_c's, stage grows by 1.
///     W is at most W_init, and at least least_rate T / 8 or W_init, whichever is less. If the update is
///     W_c's, W_c = W. L = L'.
///
/// Pace: R = W / T, at most C. A packet of S bytes that starts at b lets the flow's next one start at b + 8 S
/// / R, to the nearest picosecond. The window is W's whole bytes.
///
/// Chosen here, where the paper says nothing: U at first, what the first acknowledgement does, and the limit
/// W_init; and least_rate, which the authors' simulator has.
class Hpcc final : public CongestionControl {
 public:
  /// @param parameters  must outlive it @param line_rate  C, of the flow's first link
  Hpcc(const HpccParameters& parameters, BitRate line_rate);

  void sent(SimTime now, Bytes size) override;
  void acknowledged(const FlowFeedback& feedback) override;
  SimTime may_send() const override { return may_send_; }
  BitRate rate(SimTime now) override;
  Bytes window() const override { return Bytes(static_cast<std::int64_t>(window_)); }
  double utilization() const { return utilization_; }
  double reference_window() const { return reference_; }

 private:
  bool is_another_way(std::span<const PortTelemetry> ports) const;
  void measure(std::span<const PortTelemetry> ports);
  void compute_window(bool is_reference);

  const HpccParameters& parameters_;
  double initial_, increase_, least_;      // W_init, W_AI, least W
  double window_, reference_;              // W, W_c
  double utilization_ = 1;                 // U
  unsigned stage_ = 0;                     // incStage
  std::int64_t updated_at_ = 0;            // lastUpdateSeq
  std::vector<PortTelemetry> last_ports_;  // L
  SimTime may_send_;
};

}  // namespace morgana
