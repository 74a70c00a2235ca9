#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/otf2/trace_record.h"

namespace morgana {

/// Polls of one rank that a trace has no records of. A failed poll of an emulated rank returns the time until
/// which polling can't succeed, and until then the rank answers its polls itself. The next record outside of
/// a call has the time that went into that (Attribute::polled). These polls count as the call that the rank
/// polled by last, each as long as that took, as in RunStatistics of the run itself.
class OwnPolls {
 public:
  static constexpr std::uint32_t no_region = ~std::uint32_t{0};
  struct Before {
    std::uint32_t region = no_region;  ///< of the call that they count as; no_region where none is known
    SimTime begin;                     ///< of the time before: where the rank's last record stands
    SimTime time;                      ///< 0: there were none
    std::uint64_t count = 0;           ///< 0 where no poll before them took time
  };

  /// Takes the rank's next record, each once and in order.
  /// @return what the rank has polled since the record before, where that is outside of any call, and no
  /// longer than that
  Before before(const TraceRecord& record, const TraceExtras& extras);

 private:
  SimTime last_;  ///< of the record before
  std::size_t depth_ = 0;
  std::uint32_t region_ = no_region;  ///< of the outermost call, or of the last one
  SimTime entered_;
  bool finds_nothing_ = false;  ///< the outermost call is a poll that has failed so far
  std::uint32_t polls_by_ = no_region;
  SimTime poll_takes_;
};

}  // namespace morgana
