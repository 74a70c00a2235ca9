#pragma once

#include <cstdint>

#include "emulator/transport/congestion/congestion_control.h"

namespace morgana {

/// DCQCN's sender (reaction point) and, of its receiver, how often it notifies. Defaults: Zhu et al. 2015.
struct DcqcnParameters {
  /// Receiver: at least this between two CNPs of a flow; 0: one for each marked packet.
  SimTime cnp_interval = SimTime::from_ps(50'000'000);

  double gain = 1.0 / 256;                             ///< g, more than 0, at most 1
  double first_alpha = 1;                              ///< with the first CNP, 0 .. 1
  SimTime alpha_timer = SimTime::from_ps(55'000'000);  ///< > 0
  /// When alpha grows.
  enum class Growth : std::uint8_t {
    with_notifications,  ///< at each CNP, and it decays each alpha_timer without one
    by_period            ///< each alpha_timer: it grows if a CNP came in the period, and decays if none did
  };
  Growth growth = Growth::with_notifications;

  /// The rate is cut at once with a CNP if this is 0; otherwise the sender looks each cut_interval, from the
  /// first CNP on, whether one has come.
  SimTime cut_interval;
  /// A cut sets the target rate to the current one even if the rate was not increased since the cut before.
  bool clamp_target = true;
  SimTime increase_timer = SimTime::from_ps(55'000'000);  ///< > 0
  Bytes byte_counter{10'000'000};                         ///< 0: none
  unsigned fast_recovery = 5;                             ///< F: its steps, at least 1
  BitRate additive_increase{40'000'000};
  BitRate hyper_increase{200'000'000};
  BitRate least_rate{10'000'000};  ///< more than 0
};

/// DCQCN: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3. What
/// NICs do otherwise (ConnectX as in the simulator of Li et al., HPCC, SIGCOMM 2019) are parameters:
/// `by_period`, `cut_interval`, `clamp_target`, no byte counter.
///
/// Rates are doubles in bits per second; C is the line rate, R the current rate (least_rate .. C), T the
/// target rate. Until the first CNP R = T = C, and nothing below runs.
///
/// First CNP, at time t: alpha = first_alpha; the alpha timer runs out at t + alpha_timer, and again each
/// alpha_timer later; with a cut_interval the cut timer likewise. Then it is treated as every CNP, except
/// that with `by_period` it does not count as a CNP of the alpha period that begins.
///
/// Every CNP:
///   - without a cut_interval: *cut* now. With one, the cut period has a CNP.
///   - with_notifications: after the cut, if there is one, alpha = (1 - g) alpha + g, and the alpha timer
///     starts anew: it runs out at now + alpha_timer. by_period: the alpha period has a CNP.
///
/// When the alpha timer runs out: with_notifications alpha = (1 - g) alpha; by_period alpha = (1 - g) alpha +
/// g if the alpha period has a CNP, else (1 - g) alpha. When the cut timer runs out: cut, if the cut period
/// has a CNP. Then a new period begins.
///
/// Cut: T = R, but without clamp_target only if i > 0 or j > 0; R = min(C, max(least_rate, R (1 - alpha /
/// 2))); the increase timer starts anew (it runs out at now + increase_timer, and again each increase_timer
/// later), the byte counter starts at 0, and the numbers of steps by timer and by bytes since the cut, i and
/// j, are 0.
///
/// Step (there was a cut): when the increase timer runs out, and each time byte_counter bytes have been sent
/// since the cut or the last step by bytes (with the packet that reaches it; what is sent in excess counts
/// for the next step; a packet makes one step at most). With k = max(i, j) and l = min(i, j), both i if there
/// is no byte counter:
///   - k < fast_recovery: T stays,
///   - l > fast_recovery: T = min(C, T + hyper_increase),
///   - otherwise: T = min(C, T + additive_increase);
/// R = min(C, (R + T) / 2); then i or j grows by 1.
///
/// Pace: a packet of S bytes that starts at b lets the flow's next one start at b + 8 S / R, to the nearest
/// picosecond, R being the rate at b before the packet's bytes are counted.
///
/// At one instant: timers that run out at it come first (alpha's, then the cut timer, then the increase
/// timer), then the event that the transport reports.
class Dcqcn final : public CongestionControl {
 public:
  /// @param line_rate  C, of the flow's first link
  Dcqcn(const DcqcnParameters& parameters, BitRate line_rate);

  void sent(SimTime now, Bytes size) override;
  void notified(SimTime now) override;
  SimTime may_send() const override { return may_send_; }
  BitRate rate(SimTime now) override;
  double alpha(SimTime now);
  double target(SimTime now);

 private:
  void catch_up(SimTime now);
  bool rests() const;
  void rest(SimTime now);
  void alpha_timer_ran_out();
  void cut(SimTime now);
  void step(unsigned& steps);

  const DcqcnParameters& parameters_;
  double line_rate_, rate_, target_;
  double alpha_ = 0;
  bool notified_ = false;                                 // ever
  bool in_alpha_period_ = false, in_cut_period_ = false;  // a CNP has come
  SimTime alpha_runs_out_ = SimTime::max(), cut_runs_out_ = SimTime::max(),
          increase_runs_out_ = SimTime::max();
  std::int64_t bytes_ = 0;                // since the last step by bytes
  unsigned by_timer_ = 0, by_bytes_ = 0;  // steps since the cut
  SimTime may_send_;
};

}  // namespace morgana
