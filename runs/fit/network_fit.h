#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/platform/platform.h"
#include "runs/fit/measured_times.h"

namespace morgana {

/// A LogGP platform that fits measured message times; times in us, costs in us per byte.
///
/// Half a round trip of s bytes takes, by the platform's message layer and network,
///   A + (G + c) s + D min(s, K)      up to the eager limit E, with A = o_s + L + o_r and c = c_s + c_r
///   A + J + G s + D min(s, K)        beyond: a rendezvous copies nothing, and costs an RTS and a CTS
/// with J = 2 (L + R + (control - 1) G + D min(control, K)), R being what a rendezvous costs each side. All
/// follow by least squares of relative errors for all E and K among the sizes; E and K are taken as far as
/// they explain more than they cost (Schwarz's criterion). How fast messages follow each other (osu_bw) and
/// what the calls take (network.measure), where these are measured, are fitted with the latencies, at every
/// size (message_terms.h).
struct NetworkFit {
  double send_overhead = 0, receive_overhead = 0;  ///< o_s, o_r
  double send_per_byte = 0, receive_per_byte = 0;  ///< c_s, c_r
  double latency = 0, gap = 0, gap_per_byte = 0;   ///< L, g, G
  double latency_per_byte = 0;                     ///< D
  double latency_bytes = 0;                        ///< K
  std::optional<double> eager_limit;               ///< nothing: no message took a rendezvous
  double control = 64;                             ///< bytes: assumed, no table says it
  double rendezvous_overhead = 0;                  ///< R
  std::vector<std::string> open;  ///< sentences: what the tables do not show, and what was assumed
};

/// @throws Error if there are too few latencies
NetworkFit fit_network(const MeasuredTimes& times);

/// The platform file. @param description  a sentence
std::string platform_text(const NetworkFit& fit, const MeasuredTimes& times, const std::string& description);

/// What the platform makes of a measured latency, by a ping-pong through its emulated machine, or of messages
/// that follow each other, likewise.
struct Residual {
  enum class Kind : std::uint8_t { latency, stream };
  double bytes, measured_us, fitted_us;
  Kind kind = Kind::latency;
  /// Of the latency, or of the stream's bandwidth.
  double relative() const {
    return kind == Kind::latency ? fitted_us / measured_us - 1 : measured_us / fitted_us - 1;
  }
};
/// All latencies, then all of the stream.
std::vector<Residual> residuals(const Platform& platform, const MeasuredTimes& times);

/// The mean factor (geometric) between what was fitted and measured, >= 1; 1 if there is none of the kind.
double factor_between(const std::vector<Residual>& left, Residual::Kind kind);
/// @throws Error if the fit is off by more than a factor of two in the mean: no network has such times
void refuse_contradiction(const std::vector<Residual>& left, const MeasuredTimes& times);

}  // namespace morgana
