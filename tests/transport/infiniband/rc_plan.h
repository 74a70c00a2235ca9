#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "emulator/transport/transport.h"

namespace morgana::testing {

/// A message of a test of reliable connections; its number is its place in the plan.
struct RcPlanned {
  std::int64_t at;  ///< in ps
  std::uint32_t from, to;
  std::int64_t bytes;
  Verb verb = Verb::send;
  std::uint64_t channel = 0;
  bool completes = false;
};

/// What was reported about it, and when, in ps.
struct RcFate {
  std::optional<std::int64_t> departed, delivered, completed, returned;
  bool operator==(const RcFate&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const RcFate& fate) {
  const auto print = [&out](const char* name, const std::optional<std::int64_t>& at) {
    if (at) out << ' ' << name << ' ' << *at;
  };
  print("departed", fate.departed);
  print("delivered", fate.delivered);
  print("completed", fate.completed);
  print("returned", fate.returned);
  return out;
}

}  // namespace morgana::testing
