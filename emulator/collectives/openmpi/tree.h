#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>

#include "emulator/collectives/member.h"

namespace morgana::collectives::openmpi {

/// One member's place in a tree of all members, as ompi/mca/coll/base/coll_base_topo.c builds them.
class Tree {
 public:
  /// Member index; -1: this member is the root.
  std::int32_t parent = -1;
  /// In the order in which Open MPI serves them.
  std::span<const std::int32_t> children() const { return {children_.data(), count_}; }
  bool is_root() const { return parent < 0; }

  void add_child(std::int32_t member) {
    assert(count_ < children_.size());
    children_[count_++] = member;
  }

 private:
  std::array<std::int32_t, 64> children_{};
  std::size_t count_ = 0;
};

/// `chains` chains of members start at the root, their lengths as equal as possible, the longer ones first.
inline Tree chain_tree(const Member& member, std::int32_t chains) {
  const std::int32_t number = member.number_from_root(), others = member.members - 1;
  chains = std::min({chains, others, 32});
  Tree tree;
  std::int32_t head = 1;
  for (std::int32_t chain = 0; chain < chains; ++chain) {
    const std::int32_t length = others / chains + (chain < others % chains ? 1 : 0);
    if (number == 0) tree.add_child(member.numbered_from_root(head));
    if (number >= head && number < head + length) {
      tree.parent = number == head ? member.part.root : member.numbered_from_root(number - 1);
      if (number + 1 < head + length) tree.add_child(member.numbered_from_root(number + 1));
    }
    head += length;
  }
  return tree;
}

/// Level after level from the left: on the level of 2^k members, a member's children are 2^k and 2 * 2^k
/// numbers on, so that odd numbers are below the root's first child and even ones below its second.
inline Tree binary_tree(const Member& member) {
  const std::int32_t number = member.number_from_root();
  const std::int32_t width = power_of_two_within(number + 1);  // of this member's level
  Tree tree;
  for (const std::int32_t child : {number + width, number + 2 * width})
    if (child < member.members) tree.add_child(member.numbered_from_root(child));
  if (number > 0) {
    const std::int32_t above = width / 2;
    const std::int32_t parent = number - above < width - 1 ? number - above : number - 2 * above;
    tree.parent = member.numbered_from_root(parent);
  }
  return tree;
}

/// A member's parent has its number without the highest bit; near children come first.
inline Tree binomial_tree(const Member& member) {
  const std::int32_t number = member.number_from_root();
  std::int32_t distance = number == 0 ? 1 : 2 * power_of_two_within(number);
  Tree tree;
  if (number > 0) tree.parent = member.numbered_from_root(number - distance / 2);
  for (; number + distance < member.members; distance *= 2)
    tree.add_child(member.numbered_from_root(number + distance));
  return tree;
}

/// A member's parent has its number without the lowest bit, so that subtrees are runs of numbers; near
/// children come first.
inline Tree in_order_binomial_tree(const Member& member) {
  const std::int32_t number = member.number_from_root();
  Tree tree;
  for (std::int32_t distance = 1; distance < member.members; distance *= 2) {
    if ((number & distance) != 0) {
      tree.parent = member.numbered_from_root(number - distance);
      break;
    }
    if (number + distance < member.members) tree.add_child(member.numbered_from_root(number + distance));
  }
  return tree;
}

/// In base `radix` a member's parent has its number without the lowest digit; far children come first.
inline Tree knomial_tree(const Member& member, std::int32_t radix) {
  const std::int32_t number = member.number_from_root();
  Tree tree;
  std::int32_t distance = 1;
  for (; distance < member.members; distance *= radix) {
    const std::int32_t beyond = number % (radix * distance);
    if (beyond == 0) continue;
    tree.parent = member.numbered_from_root(number - beyond);
    break;
  }
  for (distance /= radix; distance > 0; distance /= radix)
    for (std::int32_t digit = 1; digit < radix; ++digit)
      if (const std::int32_t child = number + distance * digit; child < member.members)
        tree.add_child(member.numbered_from_root(child));
  return tree;
}

/// The last member is the root; below each one, its right half of smaller numbers and its left half of larger
/// ones, so that operands meet in the order of members. Its root is not `member.part.root`.
inline Tree in_order_binary_tree(const Member& member) {
  Tree tree;
  std::int32_t first = 0, size = member.members;  // the subtree that this member is in
  while (true) {
    const std::int32_t root = first + size - 1;
    const std::int32_t right_size = size / 2;
    const std::int32_t left = size > 1 ? root - 1 : -1;
    const std::int32_t right = size > 2 ? first + right_size - 1 : -1;
    if (member.me == root) {
      if (left >= 0) tree.add_child(left);
      if (right >= 0) tree.add_child(right);
      return tree;
    }
    tree.parent = root;
    if (right >= 0 && member.me <= right) {
      size = right_size;
    } else if (right >= 0) {
      first += right_size;
      size -= right_size + 1;
    } else {
      --size;
    }
  }
}

}  // namespace morgana::collectives::openmpi
