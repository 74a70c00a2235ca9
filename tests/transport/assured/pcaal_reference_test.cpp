#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <variant>

#include "emulator/transport/pcaal/pcaal.h"
#include "emulator/transport/pcaal/receiver.h"
#include "emulator/transport/pcaal/sender.h"
#include "tests/transport/assured/halves_side_by_side.h"
#include "tests/transport/assured/reference_pcaal.h"
#include "tests/transport/assured/reference_pcaal_transport.h"
#include "tests/transport/assured/timed_case.h"

namespace morgana::testing {
namespace {
namespace ref = pcaal_reference;

/// PC-AAL's; the 48 octets of every cell must say the same again.
struct PcAalHalves {
  using Number = pcaal::Number;
  using Pdu = pcaal::Pdu;
  using Sd = pcaal::Sd;
  using Poll = pcaal::Poll;
  using Stat = pcaal::Stat;
  using Ustat = pcaal::Ustat;
  using Piece = pcaal::ElementPiece;
  using Count = ref::Count;
  static constexpr std::uint32_t most_appended = 12;

  explicit PcAalHalves(std::mt19937& random)
      : window(1 + below(random, below(random, 2) ? 6 : 60)),
        // Half of the connections' numbers wrap.
        first(below(random, 2) ? 0xffffffffU - below(random, 60) : static_cast<Number>(random())),
        packing(below(random, 2) ? pcaal::Packing::single : pcaal::Packing::several),
        sender(first, window),
        receiver(first, window),
        reference_sender(first, window),
        reference_receiver(first, window) {}

  static std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  }
  static Piece piece_of(MessageId message) { return {message, Bytes(1), 0, 1, true}; }
  static Number plus(Number number, std::uint32_t more) { return number + more; }
  static Number wire(Count count) { return ref::on_the_wire(count); }
  static Sd sd(Number ns) { return {1, 0, 1, ns, true}; }
  void check(const Pdu& pdu) const {
    const auto read = pcaal::decode(pcaal::encode(pdu, packing), packing);
    ASSERT_TRUE(read.has_value());
    ASSERT_EQ(*read, pdu);
  }
  static void forge(Pdu& pdu, std::mt19937& random) {
    const auto off = [&random](Number& number) { number += below(random, 7) - 3; };
    if (auto* poll = std::get_if<Poll>(&pdu)) off(poll->ns);
    if (auto* stat = std::get_if<Stat>(&pdu)) {
      if (below(random, 3) == 0)
        off(stat->laf);
      else
        off(stat->list.empty() ? stat->nps
                               : stat->list[below(random, static_cast<std::uint32_t>(stat->list.size()))]);
    }
    if (auto* ustat = std::get_if<Ustat>(&pdu)) off(below(random, 2) ? ustat->first : ustat->nr);
  }
  void compare_states() const {
    ASSERT_EQ(sender.vt_s(), wire(reference_sender.vt_s));
    ASSERT_EQ(sender.vt_a(), wire(reference_sender.vt_a));
    ASSERT_EQ(sender.vt_ps(), wire(reference_sender.vt_ps));
    ASSERT_EQ(sender.active(), reference_sender.active());
    ASSERT_EQ(receiver.vr_r(), wire(reference_receiver.vr_r));
    ASSERT_EQ(receiver.next_in_order(), wire(reference_receiver.in_order));
  }

  std::uint32_t window;
  Number first;
  pcaal::Packing packing;
  pcaal::Sender sender;
  pcaal::Receiver receiver;
  ref::Sender reference_sender;
  ref::Receiver reference_receiver;
};

TEST(PcAalReference, MakesTheSameCellsFromTheSameThousandHistories) {
  HalvesSideBySide<PcAalHalves>::expect_equal_halves();
}

/// Cells that follow each other through two interfaces may be there at once: such cases don't count.
TEST(PcAalReference, HandsOverTheSameCellsAtTheSameTimes) {
  std::uint32_t compared = 0, released = 0, long_stats = 0;
  for (std::uint32_t seed = 0; compared < 1000; ++seed) {
    ASSERT_LT(seed, 3000U) << "too many cases are undecided";
    TimedCase one(seed);
    const auto below = [&one](std::int64_t limit) { return one.below(limit); };
    PcAalParameters parameters;
    parameters.packing = below(2) ? pcaal::Packing::single : pcaal::Packing::several;
    parameters.element = Bytes(1 + below(parameters.packing == pcaal::Packing::single ? 37 : 35));
    parameters.window = 1 + static_cast<std::uint32_t>(below(below(2) ? 5 : 100));
    parameters.poll = SimTime::from_ps(3'000'000 + below(100'000'000));
    parameters.no_response = parameters.poll + SimTime::from_ps(below(3'000'000'000));
    parameters.tries = static_cast<std::uint32_t>(below(4) ? 0 : 3 + below(10));
    parameters.first = below(2) ? 0xffffffffU - static_cast<std::uint32_t>(below(40)) : one.any();
    one.choose_network();
    one.choose_plan([&] { return below(below(2) ? 100 : 2000); });

    const auto reference = expect_same_frames<PcAal, ref::Transport>(one, parameters);
    if (HasFailure()) FAIL() << "seed " << seed;
    if (!reference) continue;
    ++compared;
    released += returned_of(reference->fates);
    long_stats += reference->long_stats;
  }
  EXPECT_GT(released, 50U);
  EXPECT_GT(long_stats, 50U);
}

}  // namespace
}  // namespace morgana::testing
