#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

namespace morgana::stand_in {

/// So many items of MPICH's for a call: short lists need no memory.
template <typename Item>
class List {
 public:
  explicit List(int count) : size_(static_cast<std::size_t>(std::max(count, 0))) {
    if (size_ > few_.size()) many_ = std::make_unique<Item[]>(size_);
  }
  Item* data() { return many_ == nullptr ? few_.data() : many_.get(); }
  Item& operator[](std::size_t place) { return data()[place]; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::array<Item, 16> few_{};
  std::unique_ptr<Item[]> many_;
};

}  // namespace morgana::stand_in
