#include "emulator/network/atm/inputs.h"

#include <gtest/gtest.h>

#include <limits>

#include "emulator/core/random.h"
#include "tests/support/effort.h"

namespace morgana::atm {
namespace {

constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

/// The first of what waits at each input, and which input that is, by looking at them all.
struct Scan {
  std::size_t first = 0;
  std::int64_t at = nobody, other = nobody;
  explicit Scan(const std::vector<std::vector<std::int64_t>>& waiting) {
    for (std::size_t input = 0; input < waiting.size(); ++input) {
      const std::int64_t head = waiting[input].empty() ? nobody : waiting[input].front();
      if (head < at) {
        other = at, at = head, first = input;
      } else if (head < other) {
        other = head;
      }
    }
  }
};

// Single cells of trains that tell their input; times are small, so that many are offered at once.
TEST(Inputs, OfferWhatAScanOfAllInputsFindsFirst) {
  RandomStream random(1, "inputs");
  for (std::uint64_t round = 0; round < random_cases(300); ++round) {
    const auto count = static_cast<std::uint32_t>(1 + random.below(20));
    Inputs inputs(count);
    std::vector<std::vector<std::int64_t>> waiting(count);
    for (int step = 0; step < 200; ++step) {
      const Scan scan(waiting);
      ASSERT_EQ(inputs.empty(), scan.at == nobody);
      if (!inputs.empty()) {
        ASSERT_EQ(inputs.next_at(), scan.at);
        ASSERT_EQ(inputs.other_at(nobody), scan.other);
        ASSERT_EQ(inputs.next().front().train, scan.first);
      }
      if (inputs.empty() || random.below(2) == 0) {
        const auto input = static_cast<std::uint32_t>(random.below(count));
        std::vector<std::int64_t>& queue = waiting[input];
        const std::int64_t at =
            (queue.empty() ? 0 : queue.back()) + 1 + static_cast<std::int64_t>(random.below(5));
        queue.push_back(at);
        // The index of a cell that goes on from none, so that each stays a run of its own.
        inputs.push(input, at, 1, 1, input, static_cast<std::uint32_t>(2 * step), nullptr);
      } else {
        inputs.next().pop_front();
        inputs.taken();
        waiting[scan.first].erase(waiting[scan.first].begin());
      }
    }
  }
}

}  // namespace
}  // namespace morgana::atm
