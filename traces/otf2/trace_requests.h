#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace morgana {

/// Pending requests by their number: a hash table with open addressing, because every nonblocking operation
/// goes in and out of it once and an allocation each would be most of the cost.
template <typename Value>
class TraceRequests {
 public:
  TraceRequests() : slots_(16) {}

  std::size_t size() const { return size_; }

  Value* find(std::uint64_t request) {
    for (std::size_t i = home(request);; i = next(i)) {
      if (!slots_[i].used) return nullptr;
      if (slots_[i].request == request) return &slots_[i].value;
    }
  }

  /// @return false (and nothing changes) if the request is in the table already
  bool insert(std::uint64_t request, const Value& value) {
    if (find(request) != nullptr) return false;
    if (2 * (size_ + 1) > slots_.size()) grow();
    place(request, value);
    ++size_;
    return true;
  }

  bool erase(std::uint64_t request) {
    std::size_t i = home(request);
    while (slots_[i].used && slots_[i].request != request) i = next(i);
    if (!slots_[i].used) return false;
    // What follows in the same run moves up, so that no search ends at the hole.
    for (std::size_t j = next(i); slots_[j].used; j = next(j)) {
      const std::size_t ideal = home(slots_[j].request);
      if (((j - ideal) & mask()) < ((j - i) & mask())) continue;
      slots_[i] = slots_[j];
      i = j;
    }
    slots_[i].used = false;
    --size_;
    return true;
  }

 private:
  struct Slot {
    std::uint64_t request = 0;
    Value value{};
    bool used = false;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t home(std::uint64_t request) const {
    return static_cast<std::size_t>((request * 0x9E3779B97F4A7C15U) >> 32) & mask();
  }
  void place(std::uint64_t request, const Value& value) {
    std::size_t i = home(request);
    while (slots_[i].used) i = next(i);
    slots_[i] = {request, value, true};
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.used) place(slot.request, slot.value);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace morgana
