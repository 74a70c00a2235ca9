#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/pipeline/stage.h"

namespace morgana {

/// How Generic Active Messages cuts messages. Source: R. Y. Wang et al., Towards a Theory of Optimal
/// Communication Pipelines, 1998, sections 3, 4 and 5.4.
enum class Fragmentation : std::uint8_t {
  by_4096,  ///< 4096 bytes and a shorter last one: GAM as it was
  by_128,   ///< 128 bytes: Fast Messages
  whole,    ///< not at all: medium messages of AM2
  fixed,    ///< equal fragments, as many as the fixed-size theorem says for this message
  ramp,     ///< sizes that rise to the bottleneck and fall behind it
  optimal,  ///< sizes than which none arrive earlier
};

/// A message cut into fragments. Lasts as long as the cutter.
class Cut {
 public:
  std::size_t count() const { return count_; }
  Bytes size(std::size_t fragment) const;

 private:
  friend class Cutter;
  Cut(Bytes message, std::size_t count) : message_(message), count_(count) {}

  Bytes message_;
  std::size_t count_;
  Bytes each_;                                 ///< of all but the last; 0: equal ones, or `sizes_`
  const std::vector<Bytes>* sizes_ = nullptr;  ///< of their own
};

/// Cuts messages, each by its size alone. What takes a search is searched for once for each size.
class Cutter {
 public:
  /// @param equal  of `fixed`: how many fragments, 0: as many as are best
  /// @param stages  that fragments pass; at least one where sizes follow from them
  Cutter(Fragmentation fragmentation, std::size_t equal, pipeline::Stages stages)
      : fragmentation_(fragmentation), equal_(equal), stages_(std::move(stages)) {}

  /// Fragments of at least a byte; of no bytes one fragment.
  Cut cut(Bytes message);

 private:
  std::size_t equal_count(Bytes message);
  std::vector<Bytes> varying(Bytes message) const;

  Fragmentation fragmentation_;
  std::size_t equal_;
  pipeline::Stages stages_;
  std::unordered_map<std::int64_t, std::size_t> counts_;        ///< by the message's bytes
  std::unordered_map<std::int64_t, std::vector<Bytes>> sizes_;  ///< the same
};

}  // namespace morgana
