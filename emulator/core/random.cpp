#include "emulator/core/random.h"

#include <algorithm>
#include <cmath>

#include "emulator/core/event_queue.h"

namespace morgana {
namespace {

std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  std::uint64_t mixed = split_mix(seed) ^ hash_of(name);
  for (auto& word : state_) word = split_mix(mixed);
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  const std::uint64_t threshold = -bound % bound;  // rejects the draws that would favour small numbers
  while (true) {
    const unsigned __int128 product = static_cast<unsigned __int128>(next()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) return static_cast<std::uint64_t>(product >> 64);
  }
}

SimTime RandomStream::exponential(SimTime mean) {
  // What would lie after the end of simulated time, from whenever it counts, lies at it.
  constexpr double longest = EventQueue::latest.seconds();
  return SimTime::from_seconds(std::min(-std::log1p(-uniform()) * mean.seconds(), longest));
}

}  // namespace morgana
