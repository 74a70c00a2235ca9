#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "pvmshim/channel/codec.h"

namespace morgana {

/// A ring of words in memory that two processes share: one of them writes, the other reads. Positions count
/// words from the start of the run. Each side keeps its own position to itself and believes only what it can
/// check of the other's.
template <std::size_t room>
struct Ring {
  static constexpr std::size_t capacity = room;
  static_assert((room & (room - 1)) == 0, "a power of two: positions are masked");

  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> read;
  alignas(64) Word words[room];
};

template <typename RingType>
class RingWriter {
 public:
  explicit RingWriter(RingType& ring) : ring_(ring), written_(ring.written.load()) {}

  std::size_t free() {
    const std::uint64_t used = written_ - ring_.read.load(std::memory_order_acquire);
    return used <= RingType::capacity ? RingType::capacity - static_cast<std::size_t>(used) : 0;
  }
  /// Writes as much as there is space for and shows it to the reader. @return how many words
  std::size_t write(std::span<const Word> words) {
    if (room_ < words.size()) room_ = free();
    const std::size_t count = std::min(words.size(), room_);
    const std::size_t start = written_ & (RingType::capacity - 1);
    const std::size_t before_end = std::min(count, RingType::capacity - start);
    std::copy_n(words.data(), before_end, ring_.words + start);
    std::copy_n(words.data() + before_end, count - before_end, ring_.words);
    room_ -= count;
    written_ += count;
    ring_.written.store(written_, std::memory_order_release);
    return count;
  }

 private:
  RingType& ring_;
  std::uint64_t written_;
  std::size_t room_ = 0;  // known to be free
};

template <typename RingType>
class RingReader {
 public:
  explicit RingReader(RingType& ring) : ring_(ring), read_(ring.read.load()) {}

  /// Words that wait to be read; more than the ring's capacity if the writer has gone mad.
  std::uint64_t available() const { return ring_.written.load(std::memory_order_acquire) - read_; }
  /// Words read so far.
  std::uint64_t read_so_far() const { return read_; }
  /// @param words  no more of them than available
  void read(std::span<Word> words) {
    const std::size_t start = read_ & (RingType::capacity - 1);
    const std::size_t before_end = std::min(words.size(), RingType::capacity - start);
    std::copy_n(ring_.words + start, before_end, words.data());
    std::copy_n(ring_.words, words.size() - before_end, words.data() + before_end);
    const std::uint64_t before = read_;
    read_ += words.size();
    ring_.read.store(read_, std::memory_order_release);
    passed_mark_ = passed_mark_ || before / mark != read_ / mark;
  }
  /// Whether a writer that waits for space must be woken now. At every quarter of the ring is often enough: a
  /// writer that finds the ring full after a mark was passed has another mark ahead of it.
  bool passed_mark() { return std::exchange(passed_mark_, false); }

 private:
  static constexpr std::size_t mark = RingType::capacity / 4;
  RingType& ring_;
  std::uint64_t read_;
  bool passed_mark_ = false;
};

}  // namespace morgana
