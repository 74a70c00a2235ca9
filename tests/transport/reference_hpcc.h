#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/telemetry.h"
#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/congestion/hpcc.h"

namespace morgana::testing {

/// Algorithm 1 of HPCC's paper, function by function and by its names; what the paper leaves open is as
/// Hpcc's header says.
class ReferenceHpcc {
 public:
  ReferenceHpcc(const HpccParameters& parameters, BitRate line_rate)
      : eta_(parameters.utilization),
        T_(static_cast<double>(parameters.base_round_trip.ps())),
        maxStage_(parameters.stages),
        W_init_(static_cast<double>(line_rate.bits_per_second()) * T_ / byte_rate),
        W_AI_(W_init_ * (1 - eta_) / static_cast<double>(parameters.flows)),
        W_least_(static_cast<double>(parameters.least_rate.bits_per_second()) * T_ / byte_rate),
        W_(W_init_),
        Wc_(W_init_) {}

  void sent(SimTime now, Bytes size) {
    may_send_ = now + SimTime::from_ps(std::llround(static_cast<double>(size.count()) * T_ / W_));
  }

  void acknowledged(const FlowFeedback& ack) {
    const std::vector<PortTelemetry> records(ack.ports.begin(), ack.ports.end());
    if (records.empty()) return;
    if (is_new_path(records)) {
      lastUpdateSeq_ = ack.sent;
    } else if (ack.place > lastUpdateSeq_) {
      W_ = ComputeWind(MeasureInflight(records), true);
      lastUpdateSeq_ = ack.sent;
    } else {
      W_ = ComputeWind(MeasureInflight(records), false);
    }
    L_ = records;
  }

  SimTime may_send() const { return may_send_; }
  double W() const { return W_; }
  double Wc() const { return Wc_; }
  double U() const { return U_; }
  unsigned incStage() const { return incStage_; }

 private:
  static constexpr double byte_rate = 8e12;  // bits a second of a byte in a picosecond

  bool is_new_path(const std::vector<PortTelemetry>& records) const {
    if (records.size() != L_.size()) return true;
    for (std::size_t i = 0; i < L_.size(); ++i)
      if (records[i].port != L_[i].port || records[i].at <= L_[i].at) return true;
    return false;
  }

  double MeasureInflight(const std::vector<PortTelemetry>& ack) {
    double u = 0, tau = 0;
    for (std::size_t i = 0; i < ack.size(); ++i) {
      const auto B = static_cast<double>(ack[i].rate.bits_per_second());
      const auto ts = static_cast<double>((ack[i].at - L_[i].at).ps());
      const double txRate = byte_rate * static_cast<double>(ack[i].sent.count() - L_[i].sent.count()) / ts;
      const auto qlen = static_cast<double>(std::min(ack[i].queue.count(), L_[i].queue.count()));
      const double u_i = byte_rate * qlen / (B * T_) + txRate / B;
      if (u_i > u) {
        u = u_i;
        tau = ts;
      }
    }
    tau = std::min(tau, T_);
    U_ = (1 - tau / T_) * U_ + tau / T_ * u;
    return U_;
  }

  double ComputeWind(double U, bool updateWc) {
    const bool multiplies = U >= eta_ || incStage_ >= maxStage_;
    const double W =
        std::min(W_init_, std::max(W_least_, multiplies ? Wc_ / (U / eta_) + W_AI_ : Wc_ + W_AI_));
    if (updateWc) {
      incStage_ = multiplies ? 0 : incStage_ + 1;
      Wc_ = W;
    }
    return W;
  }

  double eta_, T_;
  unsigned maxStage_;
  double W_init_, W_AI_, W_least_, W_, Wc_;
  double U_ = 1;
  unsigned incStage_ = 0;
  std::int64_t lastUpdateSeq_ = 0;
  std::vector<PortTelemetry> L_;
  SimTime may_send_;
};

}  // namespace morgana::testing
