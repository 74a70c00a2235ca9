#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "emulator/core/units.h"

namespace morgana::collectives {

inline Bytes sum(std::span<const Bytes> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), Bytes());
}

// How a buffer is cut into consecutive blocks. Each kind of cut says how many bytes lie before block i,
// 0 <= i <= number of blocks; the rest follows from that.
template <class Cut>
class Blocks : public Cut {
 public:
  using Cut::Cut;
  /// Blocks first .. last-1.
  Bytes range(std::int32_t first, std::int32_t last) const { return Cut::before(last) - Cut::before(first); }
  Bytes operator[](std::int32_t i) const { return range(i, i + 1); }
  Bytes total() const { return Cut::before(Cut::count()); }
  /// `length` blocks from `first` on, around the end to block 0 where they reach it.
  Bytes around(std::int32_t first, std::int32_t length) const {
    const std::int32_t beyond = first + length - Cut::count();
    return beyond <= 0 ? range(first, first + length) : range(first, Cut::count()) + range(0, beyond);
  }
};

/// All blocks alike.
class EqualCut {
 public:
  EqualCut(Bytes each, std::int32_t count) : each_(each), count_(count) {}
  std::int32_t count() const { return count_; }
  Bytes before(std::int32_t i) const { return each_ * i; }

 private:
  Bytes each_;
  std::int32_t count_;
};

/// `total` bytes by ceiling division, in whole elements: the last blocks are shorter or empty.
class CeilingCut {
 public:
  CeilingCut(Bytes total, std::int32_t count, Bytes element = Bytes(1))
      : total_(total),
        each_(element * ceiling(ceiling(total.count(), element.count()), count)),
        count_(count) {}
  std::int32_t count() const { return count_; }
  Bytes before(std::int32_t i) const { return std::min(total_, each_ * i); }

 private:
  static std::int64_t ceiling(std::int64_t total, std::int64_t each) { return (total + each - 1) / each; }

  Bytes total_, each_;
  std::int32_t count_;
};

/// Whole elements in blocks of the same size, and who gets those that are left over.
class EvenCut {
 public:
  enum class Leftovers { one_each_for_the_first, all_for_the_last };

  EvenCut(Bytes total, Bytes element, std::int32_t count, Leftovers leftovers)
      : total_(total), element_(element), count_(count) {
    const std::int64_t elements = (total.count() + element.count() - 1) / element.count();
    each_ = elements / count;
    if (leftovers == Leftovers::one_each_for_the_first) longer_ = elements % count;
  }
  std::int32_t count() const { return count_; }
  Bytes before(std::int32_t i) const {
    if (i == count_) return total_;
    return std::min(total_, element_ * (each_ * i + std::min<std::int64_t>(i, longer_)));
  }

 private:
  Bytes total_, element_;
  std::int64_t each_ = 0, longer_ = 0;
  std::int32_t count_;
};

/// Each block's size given.
class ListedCut {
 public:
  explicit ListedCut(std::span<const Bytes> sizes) : before_(sizes.size() + 1) {
    for (std::size_t i = 0; i < sizes.size(); ++i) before_[i + 1] = before_[i] + sizes[i];
  }
  std::int32_t count() const { return static_cast<std::int32_t>(before_.size() - 1); }
  Bytes before(std::int32_t i) const { return before_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<Bytes> before_;
};

using EqualBlocks = Blocks<EqualCut>;
using CeilingBlocks = Blocks<CeilingCut>;
using EvenBlocks = Blocks<EvenCut>;
using ListedBlocks = Blocks<ListedCut>;

}  // namespace morgana::collectives
