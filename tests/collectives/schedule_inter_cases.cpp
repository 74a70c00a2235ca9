#include "tests/collectives/schedule_inter_cases.h"

#include <functional>

namespace morgana::schedule_tests {
namespace {

using Kind = CollectiveKind;

/// Nothing, near the limit of the linear gather and scatter, small, or large.
Bytes draw_bytes(RandomStream& random, std::int32_t share) {
  switch (random.below(5)) {
    case 0:
      return Bytes();
    case 1:
      return Bytes(2048 / share + static_cast<std::int64_t>(random.below(3)) - 1);
    case 2:
    case 3:
      return Bytes(static_cast<std::int64_t>(random.below(100)));
    default:
      return Bytes(static_cast<std::int64_t>(random.below(1'000'000)));
  }
}

/// A rank who got MPI_PROC_NULL knows of the root only that it is another one of its group.
std::int32_t any_other_of_the_group(const InterShape& shape, std::int32_t me, RandomStream& random) {
  const std::int32_t begin = shape.group_of(me) == 0 ? 0 : shape.first;
  const std::int32_t size = shape.size_of(shape.group_of(me));
  const auto others = static_cast<std::uint64_t>(size - 1);
  const std::int32_t distance = 1 + static_cast<std::int32_t>(random.below(others));
  return begin + (me - begin + distance) % size;
}

Parts blank_parts(const InterShape& shape) {
  CollectivePart part;
  part.kind = shape.kind;
  part.root = shape.root;
  part.first_group = shape.first;
  part.blocking = shape.blocking;
  part.commutative = shape.commutative;
  return Parts(static_cast<std::size_t>(shape.members()), part);
}

/// Sizes of blocks from one member to another; of a reduction, `total` in elements of `element` bytes.
struct Sizes {
  std::function<Bytes(std::int32_t from, std::int32_t to)> block;
  std::function<std::vector<Bytes>(std::int32_t group)> shares;  ///< of the same total in both groups
};

void list(std::vector<Bytes>& sizes, const InterShape& shape, std::int32_t me,
          const std::function<Bytes(std::int32_t peer)>& size) {
  for (std::int32_t i = 0; i < shape.remote_size(me); ++i) sizes.push_back(size(shape.first_remote(me) + i));
}

void fill(const InterShape& shape, const Sizes& sizes, Parts& parts) {
  const std::int32_t leader_of_other[2] = {shape.first, 0};
  for (std::int32_t me = 0; me < shape.members(); ++me) {
    CollectivePart& part = parts[static_cast<std::size_t>(me)];
    const std::int32_t group = shape.group_of(me);
    const auto from = [&](std::int32_t peer) { return sizes.block(peer, me); };
    const auto to = [&](std::int32_t peer) { return sizes.block(me, peer); };
    switch (shape.kind) {
      case Kind::gatherv:
        part.bytes = sizes.block(me, shape.root);
        if (me == shape.root) list(part.receive_sizes, shape, me, from);
        break;
      case Kind::scatterv:
        part.bytes = sizes.block(shape.root, me);
        if (me == shape.root) list(part.send_sizes, shape, me, to);
        break;
      case Kind::allgather:
      case Kind::alltoall: {
        const std::int32_t leaders[2] = {0, shape.first};
        part.bytes = sizes.block(leaders[group], leaders[1 - group]);
        const Bytes taken = sizes.block(leaders[1 - group], leaders[group]);
        if (taken != part.bytes) part.receive_sizes = {taken};
        break;
      }
      case Kind::allgatherv:
        part.bytes = sizes.block(me, leader_of_other[group]);
        list(part.receive_sizes, shape, me,
             [&](std::int32_t peer) { return sizes.block(peer, leader_of_other[1 - group]); });
        break;
      case Kind::alltoallv:
      case Kind::alltoallw:
        list(part.send_sizes, shape, me, to);
        list(part.receive_sizes, shape, me, from);
        break;
      case Kind::reduce_scatter:
        part.send_sizes = sizes.shares(group);
        break;
      case Kind::reduce_scatter_block:
        part.bytes = sizes.block(0, 0) * shape.remote_size(me);
        break;
      default:
        part.bytes = sizes.block(0, 0);
    }
  }
}

/// `total` whole elements cut at random places.
std::vector<Bytes> draw_shares(std::int64_t elements, Bytes element, std::int32_t count,
                               RandomStream& random) {
  std::vector<Bytes> shares(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i + 1 < shares.size(); ++i) {
    const auto share = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(elements / 2 + 1)));
    shares[i] = element * share;
    elements -= share;
  }
  shares.back() = element * elements;
  return shares;
}

Bytes sum(const std::vector<Bytes>& sizes) {
  Bytes total;
  for (const Bytes size : sizes) total += size;
  return total;
}

}  // namespace

std::vector<Kind> kinds_between_groups() {
  return {Kind::barrier,       Kind::broadcast,      Kind::gather,
          Kind::gatherv,       Kind::scatter,        Kind::scatterv,
          Kind::allgather,     Kind::allgatherv,     Kind::alltoall,
          Kind::alltoallv,     Kind::alltoallw,      Kind::reduce,
          Kind::allreduce,     Kind::reduce_scatter, Kind::reduce_scatter_block,
          Kind::create_context};
}

bool is_rooted(Kind kind) {
  return kind == Kind::broadcast || kind == Kind::gather || kind == Kind::gatherv || kind == Kind::scatter ||
         kind == Kind::scatterv || kind == Kind::reduce;
}

Parts draw_inter_parts(const InterShape& shape, RandomStream& random) {
  Parts parts = blank_parts(shape);
  const Bytes element(std::int64_t{1} << random.below(4));
  const std::int32_t share = random.chance(0.5)      ? 1
                             : is_rooted(shape.kind) ? shape.remote_size(shape.root)
                                                     : shape.members();
  const auto members = static_cast<std::size_t>(shape.members());
  std::vector<Bytes> blocks(members * members);
  for (Bytes& block : blocks) block = element * (draw_bytes(random, share).count() / element.count());
  std::vector<std::vector<Bytes>> shares;
  const std::int64_t elements = draw_bytes(random, 1).count() / element.count();
  for (const std::int32_t count : {shape.first, shape.second})
    shares.push_back(draw_shares(elements, element, count, random));
  for (CollectivePart& part : parts) part.element = element;
  fill(shape,
       {[&](std::int32_t from, std::int32_t to) {
          return blocks[static_cast<std::size_t>(from) * members + static_cast<std::size_t>(to)];
        },
        [&](std::int32_t group) { return shares[static_cast<std::size_t>(group)]; }},
       parts);
  if (!is_rooted(shape.kind)) return parts;
  for (std::int32_t me = 0; me < shape.members(); ++me) {
    if (me == shape.root || shape.group_of(me) != shape.group_of(shape.root)) continue;
    CollectivePart& part = parts[static_cast<std::size_t>(me)];
    part.root = any_other_of_the_group(shape, me, random);
    part.bytes = draw_bytes(random, 1);  // not significant
  }
  return parts;
}

Parts equal_inter_parts(const InterShape& shape, Bytes bytes) {
  Parts parts = blank_parts(shape);
  fill(shape,
       {[bytes](std::int32_t, std::int32_t) { return bytes; },
        [&](std::int32_t group) {
          return std::vector<Bytes>(static_cast<std::size_t>(shape.size_of(group)),
                                    bytes * shape.size_of(1 - group));
        }},
       parts);
  return parts;
}

Needs needs_of(const InterShape& shape, const Parts& parts, std::int32_t me) {
  const CollectivePart& part = parts[static_cast<std::size_t>(me)];
  const std::int32_t remote = shape.remote_size(me);
  Needs needs;
  needs.members.set(static_cast<std::size_t>(me));
  const auto each_remote = [&](Bytes bytes) {
    for (std::int32_t i = 0; i < remote && bytes > Bytes(); ++i)
      needs.members.set(static_cast<std::size_t>(shape.first_remote(me) + i));
  };
  const auto listed_remote = [&] {
    for (std::int32_t i = 0; i < remote; ++i)
      if (part.receive_sizes[static_cast<std::size_t>(i)] > Bytes())
        needs.members.set(static_cast<std::size_t>(shape.first_remote(me) + i));
    needs.bytes = sum(part.receive_sizes);
  };
  const auto from_root = [&] {
    if (shape.group_of(me) == shape.group_of(shape.root)) return;
    needs.bytes = part.bytes;
    if (part.bytes > Bytes()) needs.members.set(static_cast<std::size_t>(shape.root));
  };
  switch (part.kind) {
    case Kind::barrier:
    case Kind::create_context:
      for (std::size_t i = 0; i < parts.size(); ++i) needs.members.set(i);
      break;
    case Kind::broadcast:
    case Kind::scatter:
    case Kind::scatterv:
      from_root();
      break;
    case Kind::gather:
    case Kind::reduce:
      if (me != shape.root) break;
      needs.bytes = part.kind == Kind::gather ? part.bytes * remote : part.bytes;
      each_remote(part.bytes);
      break;
    case Kind::gatherv:
      if (me == shape.root) listed_remote();
      break;
    case Kind::allgather:
    case Kind::alltoall: {
      const Bytes block = part.receive_sizes.empty() ? part.bytes : part.receive_sizes[0];
      needs.bytes = block * remote;
      each_remote(block);
      break;
    }
    case Kind::allgatherv:
    case Kind::alltoallv:
    case Kind::alltoallw:
      listed_remote();
      break;
    case Kind::reduce_scatter: {
      const std::int32_t place = shape.group_of(me) == 0 ? me : me - shape.first;
      needs.bytes = part.send_sizes[static_cast<std::size_t>(place)];
      each_remote(needs.bytes);
      break;
    }
    default:
      needs.bytes = part.bytes;
      each_remote(part.bytes);
  }
  return needs;
}

}  // namespace morgana::schedule_tests
