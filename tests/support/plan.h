#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "emulator/core/time.h"

namespace morgana::testing {

/// A unit or message to be handed over at a time of the test's choosing; its id is its place in the plan.
struct Planned {
  SimTime at;
  std::uint32_t from, to;
  std::int64_t bytes;
};

/// What was reported about one unit or message.
struct Fate {
  std::optional<SimTime> departed, delivered, lost;
  std::optional<SimTime> returned = std::nullopt;
  bool operator==(const Fate&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Fate& fate) {
  const auto print = [&out](const char* name, const std::optional<SimTime>& at) {
    if (at) out << ' ' << name << ' ' << at->ps();
  };
  print("departed", fate.departed);
  print("delivered", fate.delivered);
  print("lost", fate.lost);
  print("returned", fate.returned);
  return out;
}

}  // namespace morgana::testing
