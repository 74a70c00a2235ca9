#pragma once

#include <cstdint>

#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/congestion/dctcp.h"

namespace morgana {

/// DCTCP for a flow of a transport other than TCP: the window is that of Dctcp, which learns from reports of
/// what has come instead of a stream's acknowledgements. Source: RFC 8257; the most window and the pace are
/// those of DCTCP in the authors' simulator of HPCC (Li et al., SIGCOMM 2019).
///
/// S, Dctcp's segment, is a full packet on the flow's first link, and L (byte counting) is 2. The flow begins
/// with the window `most`, and its window is min(W, most).
///
/// Places. `heard` is the latest place of any feedback and the bytes of all trimmed packets; `sent` is heard
/// and what is under way. The flow has two bounds, at first 0: it is not cut again until more is heard than R
/// (once a window), and does not grow until more is heard than G.
///   - Feedback of n bytes. m = min(n, bytes that were reported to have come marked and did not count yet).
///     Dctcp learns that n - m bytes without a mark are acknowledged, up to heard - m, then m marked ones, up
///     to heard. The window may grow if the feedback reports no marks, it is less than `most`, and heard > G.
///     If the feedback reports marks and heard > R: Dctcp learns of a mark; R = G = sent.
///   - Trimmed packet: heard grows by it. If heard > R: Dctcp learns of a loss, with what was under way
///     before; R = G = sent.
///   - Repetition for the receiver: if heard > R, Dctcp learns of a loss; R = G = sent.
///   - Repetition after a timeout: Dctcp learns of a timeout, `again` if no feedback of more than 0 bytes has
///     come since the last one; R = sent, G = 0.
/// What is under way at a repetition is what the last feedback says and what was sent since; then it is 0.
///
/// Pace, for transports that keep one: a packet of B bytes that starts at b lets the next one start at b + 8
/// B max(1, P / window) / C, to the nearest picosecond. C is the line rate and P what it carries in a round
/// trip: the window over the round trip, up to the line rate.
class DctcpFlow final : public CongestionControl {
 public:
  /// @param parameters  must outlive it @param line_rate  C, of the flow's first link @param packet  S, > 0
  /// @param most  bytes on that link: P; the most window is 2 S where it is less
  DctcpFlow(const DctcpParameters& parameters, BitRate line_rate, Bytes packet, Bytes most);

  void sent(SimTime now, Bytes size) override;
  void acknowledged(const FlowFeedback& feedback) override;
  void trimmed(const TrimFeedback& feedback) override;
  void repeats(SimTime now, Repetition why) override;
  SimTime may_send() const override { return may_send_; }
  BitRate rate(SimTime now) override;
  Bytes window() const override;
  double alpha() const { return dctcp_.alpha(); }

 private:
  std::int64_t sent() const { return heard_ + under_way_.count(); }
  double share_of_line_rate() const;
  void reduce(SimTime now, Bytes in_flight, WindowControl::Congestion why);

  WindowParameters window_parameters_;
  Dctcp dctcp_;
  double line_rate_;
  Bytes product_, most_;  // P, and the most window
  std::int64_t place_ = 0, trimmed_ = 0, heard_ = 0;
  std::int64_t reduced_until_ = 0, grows_after_ = 0;  // R, G
  Bytes under_way_, marked_;                          // reported as marked, and not counted yet
  bool timed_out_ = false;                            // and nothing new has come since
  SimTime may_send_;
};

}  // namespace morgana
