#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "emulator/core/random.h"
#include "tests/engine/scripted_source.h"

namespace morgana {

/// Ranks that send each other messages of all lengths and in all modes, also within a host, and receive them
/// late or early.
inline std::vector<std::vector<Operation>> random_scripts(std::uint64_t seed) {
  using namespace script;
  constexpr std::size_t ranks = 4;
  RandomStream random(seed, "pushes");
  std::vector<std::vector<Operation>> scripts(ranks);
  std::uint64_t request_number = 0;
  const auto time = [&] { return SimTime::from_ps(static_cast<std::int64_t>(random.below(30'000'000))); };
  for (int message = 0; message < 60; ++message) {
    const auto from = random.below(ranks), to = (from + 1 + random.below(ranks - 1)) % ranks;
    const auto bytes = static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(15)));
    const std::uint64_t sent = ++request_number, received = ++request_number;
    const auto mode = static_cast<SendMode>(random.below(3));  // all but ready
    scripts[from].push_back(after(time(), send(static_cast<int>(to), bytes, message % 3, sent, mode)));
    scripts[to].push_back(after(time(), receive(static_cast<int>(from), 1 << 15, message % 3, received)));
    scripts[to].push_back(wait({received}));
    scripts[from].push_back(wait({sent}));
  }
  for (auto& script : scripts) script.push_back(exit());
  return scripts;
}

/// What a receive or send was told when it completed.
struct Got {
  Rank source;
  Tag tag;
  Bytes bytes;
  std::uint64_t payload;
  bool operator==(const Got&) const = default;
  friend void PrintTo(const Got& got, std::ostream* out) {
    *out << "from " << static_cast<int>(got.source) << " with tag " << static_cast<int>(got.tag) << ": "
         << got.bytes.count() << " B";
  }
};
/// In the order in which each rank was told.
inline std::vector<Got> got(const ScriptedSource& source) {
  std::vector<Got> all;
  for (const auto& answers : source.answers)
    for (const Answer& answer : answers)
      for (const Completed& one : answer.completed)
        all.push_back({one.source, one.tag, one.bytes, one.payload});
  return all;
}

}  // namespace morgana
