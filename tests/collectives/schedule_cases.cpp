#include "tests/collectives/schedule_cases.h"

#include <algorithm>
#include <array>
#include <string>

#include "emulator/operations/collective_names.h"

namespace morgana::schedule_tests {
namespace {

constexpr std::array<std::int64_t, 8> limits{8, 256, 2048, 12288, 32768, 81920, 524288, 1024};

/// Near a limit, when `share` members share it; or small; or anything up to 1 MB; or nothing.
Bytes draw_size(RandomStream& random, std::int64_t share) {
  switch (random.below(6)) {
    case 0:
      return Bytes();
    case 1:
    case 2: {
      const std::int64_t limit = limits[random.below(limits.size())] / share;
      return Bytes(std::max<std::int64_t>(0, limit - 1 + static_cast<std::int64_t>(random.below(3))));
    }
    case 3:
    case 4:
      return Bytes(static_cast<std::int64_t>(random.below(100)));
    default:
      return Bytes(static_cast<std::int64_t>(random.below(1'000'000)));
  }
}

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::reduce || kind == CollectiveKind::allreduce ||
         kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::reduce_scatter_block ||
         kind == CollectiveKind::scan || kind == CollectiveKind::exscan;
}

bool is_neighbourhood(CollectiveKind kind) {
  return kind >= CollectiveKind::neighbor_allgather && kind <= CollectiveKind::neighbor_alltoallw;
}

Parts blank_parts(const Shape& shape) {
  CollectivePart part;
  part.kind = shape.kind;
  part.root = shape.root;
  part.in_place = shape.in_place;
  part.blocking = shape.blocking;
  part.commutative = shape.commutative;
  return Parts(static_cast<std::size_t>(shape.members), part);
}

/// @param size  of the block that one member has for another
void fill_sizes(Parts& parts, const std::function<Bytes(std::size_t from, std::size_t to)>& size) {
  const std::size_t members = parts.size();
  const auto root = static_cast<std::size_t>(parts[0].root);
  for (std::size_t me = 0; me < members; ++me) {
    CollectivePart& part = parts[me];
    switch (part.kind) {
      case CollectiveKind::gatherv:
        part.bytes = size(me, 0);
        if (me == root)
          for (std::size_t peer = 0; peer < members; ++peer) part.receive_sizes.push_back(size(peer, 0));
        break;
      case CollectiveKind::scatterv:
        part.bytes = size(0, me);
        if (me == root)
          for (std::size_t peer = 0; peer < members; ++peer) part.send_sizes.push_back(size(0, peer));
        break;
      case CollectiveKind::allgatherv:
        part.bytes = size(me, 0);
        for (std::size_t peer = 0; peer < members; ++peer) part.receive_sizes.push_back(size(peer, 0));
        break;
      case CollectiveKind::reduce_scatter:
        for (std::size_t peer = 0; peer < members; ++peer) part.send_sizes.push_back(size(0, peer));
        break;
      case CollectiveKind::alltoallv:
      case CollectiveKind::alltoallw:
        for (std::size_t peer = 0; peer < members; ++peer) {
          const bool swapped = part.in_place && peer < me;  // in place, both directions are alike
          if (!part.in_place) part.send_sizes.push_back(size(me, peer));
          part.receive_sizes.push_back(swapped ? size(me, peer) : size(peer, me));
        }
        break;
      default:
        part.bytes = size(0, 0);
    }
  }
}

void draw_neighbourhood(Parts& parts, RandomStream& random) {
  const Bytes common = draw_size(random, 1);
  for (CollectivePart& part : parts) part.bytes = common;
  const std::size_t edges = random.below(4 * parts.size() + 1);
  std::vector<Bytes> contributions;
  for (std::size_t i = 0; i < parts.size(); ++i) contributions.push_back(draw_size(random, 1));
  for (std::size_t edge = 0; edge < edges; ++edge) {
    const std::size_t from = random.below(parts.size()), to = random.below(parts.size());
    CollectivePart &source = parts[from], &target = parts[to];
    source.destinations.push_back(static_cast<std::int32_t>(to));
    target.sources.push_back(static_cast<std::int32_t>(from));
    const bool gathers = source.kind == CollectiveKind::neighbor_allgatherv;
    if (gathers) source.bytes = contributions[from];
    const Bytes size = gathers ? contributions[from] : draw_size(random, 1);
    if (source.kind == CollectiveKind::neighbor_alltoallv ||
        source.kind == CollectiveKind::neighbor_alltoallw)
      source.send_sizes.push_back(size);
    if (source.kind != CollectiveKind::neighbor_allgather && source.kind != CollectiveKind::neighbor_alltoall)
      target.receive_sizes.push_back(size);
  }
}

}  // namespace

Parts draw_parts(const Shape& shape, RandomStream& random) {
  Parts parts = blank_parts(shape);
  if (is_neighbourhood(shape.kind)) {
    draw_neighbourhood(parts, random);
    return parts;
  }
  const Bytes element(reduces(shape.kind) ? std::int64_t{1} << random.below(4) : 1);
  const std::int64_t share = random.chance(0.5) ? 1 : shape.members;
  const bool irregular = random.chance(0.7);
  const Bytes common = element * ((draw_size(random, share).count() + element.count() - 1) / element.count());
  std::vector<Bytes> drawn(parts.size() * parts.size(), common);
  if (irregular)
    for (Bytes& size : drawn) size = element * (draw_size(random, share).count() / element.count());
  for (CollectivePart& part : parts) part.element = element;
  fill_sizes(parts, [&](std::size_t from, std::size_t to) { return drawn[from * parts.size() + to]; });
  return parts;
}

Parts equal_parts(const Shape& shape, Bytes bytes, Bytes element) {
  Parts parts = blank_parts(shape);
  for (CollectivePart& part : parts) part.element = element;
  fill_sizes(parts, [&](std::size_t, std::size_t) { return bytes; });
  return parts;
}

MemberSet needed_by(const Parts& parts, std::size_t me) {
  const CollectivePart& part = parts[me];
  const auto root = static_cast<std::size_t>(part.root);
  const auto where = [&](const std::function<bool(std::size_t)>& condition) {
    MemberSet set;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (i == me || condition(i)) set.set(i);
    return set;
  };
  const bool all = true, nobody_else = false;
  const auto from_all = [&](bool condition) { return where([&](std::size_t) { return condition; }); };
  const auto from_root = [&](bool condition) {
    return where([&](std::size_t i) { return condition && i == root; });
  };
  const bool something = part.bytes > Bytes();
  switch (part.kind) {
    case CollectiveKind::barrier:
    case CollectiveKind::create_context:
      return from_all(all);
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return from_root(something);
    case CollectiveKind::scatterv:
      return from_root(something);
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
      return from_all(something && me == root);
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
    case CollectiveKind::allreduce:
    case CollectiveKind::reduce_scatter_block:
      return from_all(something);
    case CollectiveKind::reduce_scatter:
      return from_all(part.send_sizes[me] > Bytes());
    case CollectiveKind::gatherv:
      if (me != root) return from_all(nobody_else);
      [[fallthrough]];
    case CollectiveKind::allgatherv:
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      return where([&](std::size_t i) { return part.receive_sizes[i] > Bytes(); });
    case CollectiveKind::scan:
    case CollectiveKind::exscan:
      return where([&](std::size_t i) { return something && i < me; });
    default: {
      MemberSet set = from_all(nobody_else);
      for (const std::int32_t source : part.sources) set.set(static_cast<std::size_t>(source));
      return set;
    }
  }
}

std::vector<Schedule> schedules_of(const Parts& parts, const CollectiveTuning& tuning) {
  std::vector<Schedule> schedules(parts.size());
  for (std::size_t me = 0; me < parts.size(); ++me)
    make_schedule(parts[me], static_cast<std::int32_t>(parts.size()), static_cast<std::int32_t>(me), tuning,
                  schedules[me]);
  return schedules;
}

CollectiveTuning tuned(CollectiveKind kind, std::string_view algorithm) {
  CollectiveTuning tuning;
  tuning.algorithm[std::string(name_of(kind))] = algorithm;
  return tuning;
}

}  // namespace morgana::schedule_tests
