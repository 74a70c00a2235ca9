#pragma once

#include "emulator/transport/congestion/new_reno.h"

namespace morgana {

/// Defaults: RFC 8257.
struct DctcpParameters {
  double gain = 1.0 / 16;  ///< g, more than 0, at most 1
  double first_alpha = 1;  ///< 0 .. 1
};

/// DCTCP: RFC 8257, section 3.3; Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010. A NewReno that
/// takes a mark for as much as there are.
///
///   - Each acknowledgement of something new, n bytes: n counts as acknowledged, and as marked, too, if the
///     acknowledgement is. If it covers more than the end of the observation window (at first the start of
///     the stream): M = marked / acknowledged bytes, alpha = (1 - g) alpha + g M, both counts are 0, and the
///     observation window ends at what has been sent. Then NewReno's growth.
///   - Mark: T = W = max(W (1 - alpha / 2), 2 S), to whole bytes, downwards.
///   - Loss and timeout: as NewReno.
class Dctcp final : public NewReno {
 public:
  /// @param window, parameters  must outlive it
  Dctcp(const WindowParameters& window, const DctcpParameters& parameters);

  void acknowledged(const Acknowledged& what) override;
  void congested(SimTime now, Bytes in_flight, Congestion why) override;
  double alpha() const { return alpha_; }

 private:
  const DctcpParameters& dctcp_;
  double alpha_;
  Bytes acknowledged_, marked_;  // in the observation window
  std::int64_t window_end_ = 0;
};

}  // namespace morgana
