#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace morgana {

/// First in, first out, in one piece of memory that is a power of two long and is used again and again: what
/// is short never takes new memory, unlike a std::deque. Holds nothing before the first push_back(). What is
/// taken out keeps its storage until its place is used again. push_back() invalidates references.
template <class T>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t place) { return ring_[(first_ + place) & (ring_.size() - 1)]; }
  const T& operator[](std::size_t place) const { return ring_[(first_ + place) & (ring_.size() - 1)]; }
  T& front() { return ring_[first_]; }
  const T& front() const { return ring_[first_]; }

  void push_back(T object) {
    if (size_ == ring_.size()) grow();
    (*this)[size_++] = std::move(object);
  }
  void pop_front() {
    first_ = (first_ + 1) & (ring_.size() - 1);
    --size_;
  }
  void clear() { size_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(ring_.empty() ? 2 : 2 * ring_.size());
    for (std::size_t place = 0; place < size_; ++place) larger[place] = std::move((*this)[place]);
    ring_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> ring_;
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace morgana
