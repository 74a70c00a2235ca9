#pragma once

#include <cstdint>
#include <vector>

#include "emulator/transport/overlay/header.h"
#include "emulator/transport/overlay/parameters.h"

namespace morgana::overlay {

/// The number of a parallel computing server, from 0.
using ServerNumber = std::uint32_t;

/// Which servers are permanently joined, and which way packets take over them. In a ring, server n is joined
/// to n + 1 and the last one to the first; in a tree, those below server n are arity * n + 1 and the
/// following.
class Servers {
 public:
  /// @param count  >= 1
  Servers(OverlayParameters::Shape shape, std::uint32_t count, std::uint32_t arity)
      : shape_(shape), count_(count), arity_(arity) {}

  std::uint32_t count() const { return count_; }
  /// Those joined to it, by number.
  std::vector<ServerNumber> neighbours(ServerNumber server) const;
  /// Where a packet for another server goes next: in a tree towards it, in a ring its way; `shorter` goes
  /// upwards where both are equally long. @param at  not `to`
  ServerNumber next(ServerNumber at, ServerNumber to, Way way) const;

 private:
  std::uint32_t level(ServerNumber server) const;

  OverlayParameters::Shape shape_;
  std::uint32_t count_, arity_;
};

}  // namespace morgana::overlay
