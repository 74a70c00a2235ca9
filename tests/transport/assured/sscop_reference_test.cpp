#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <variant>

#include "emulator/transport/sscop/receiver.h"
#include "emulator/transport/sscop/sender.h"
#include "tests/transport/assured/halves_side_by_side.h"
#include "tests/transport/assured/reference_sscop.h"
#include "tests/transport/assured/reference_sscop_transport.h"
#include "tests/transport/assured/timed_case.h"

namespace morgana::testing {
namespace {

struct SscopHalves {
  using Number = sscop::Number;
  using Pdu = sscop::Pdu;
  using Sd = sscop::Sd;
  using Poll = sscop::Poll;
  using Stat = sscop::Stat;
  using Ustat = sscop::Ustat;
  using Piece = sscop::Piece;
  using Count = testing::Count;
  static constexpr std::uint32_t most_appended = 8;

  explicit SscopHalves(std::mt19937& random)
      : window(1 + below(random, below(random, 2) ? 6 : 40)),
        list(below(random, 2) ? 67 : 3 + 2 * below(random, 3)),
        // Half of the connections' numbers wrap.
        first(below(random, 2) ? sscop::modulus - below(random, 60) - 1 : below(random, sscop::modulus)),
        sender(first, window),
        receiver(first, window, list),
        reference_sender(first, window),
        reference_receiver(first, window, list) {}

  static std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  }
  static Piece piece_of(MessageId message) { return {message, Bytes(1), true}; }
  static Number plus(Number number, std::uint32_t more) { return sscop::Numbers::plus(number, more); }
  static Number wire(Count count) { return on_the_wire(count); }
  static Sd sd(Number ns) { return {1, ns}; }
  static void check(const Pdu& /*pdu*/) {}
  static void forge(Pdu& pdu, std::mt19937& random) {
    const auto off = [&random](Number& number) {
      number = plus(number, below(random, 7) + sscop::modulus - 3);
    };
    if (auto* poll = std::get_if<Poll>(&pdu)) off(poll->ns);
    if (auto* stat = std::get_if<Stat>(&pdu))
      off(stat->list.empty() ? stat->nps
                             : stat->list[below(random, static_cast<std::uint32_t>(stat->list.size()))]);
    if (auto* ustat = std::get_if<Ustat>(&pdu)) off(below(random, 2) ? ustat->first : ustat->nr);
  }
  void compare_states() const {
    ASSERT_EQ(sender.vt_s(), wire(reference_sender.vt_s));
    ASSERT_EQ(sender.vt_a(), wire(reference_sender.vt_a));
    ASSERT_EQ(sender.vt_ms(), wire(reference_sender.vt_ms));
    ASSERT_EQ(sender.vt_ps(), wire(reference_sender.vt_ps));
    ASSERT_EQ(sender.vt_pa(), wire(reference_sender.vt_pa));
    ASSERT_EQ(sender.vt_pd(), reference_sender.vt_pd);
    ASSERT_EQ(sender.active(), reference_sender.active());
    ASSERT_EQ(receiver.vr_r(), wire(reference_receiver.vr_r));
    ASSERT_EQ(receiver.vr_h(), wire(reference_receiver.vr_h));
  }

  std::uint32_t window, list;
  Number first;
  sscop::Sender sender;
  sscop::Receiver receiver;
  ReferenceSscopSender reference_sender;
  ReferenceSscopReceiver reference_receiver;
};

TEST(SscopReference, MakesTheSamePdusFromTheSameThousandHistories) {
  HalvesSideBySide<SscopHalves>::expect_equal_halves();
}

TEST(SscopReference, HandsOverTheSameFramesAtTheSameTimes) {
  std::uint32_t compared = 0, released = 0, idle = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    TimedCase one(seed);
    const auto below = [&one](std::int64_t limit) { return one.below(limit); };
    SscopParameters parameters;
    parameters.frame = Bytes(1 + below(below(2) ? 50 : 3000));
    parameters.window = 1 + static_cast<std::uint32_t>(below(below(2) ? 5 : 50));
    parameters.longest_list = 3 + 2 * static_cast<std::uint32_t>(below(10));
    parameters.poll_every = static_cast<std::uint32_t>(below(2) ? 0 : 1 + below(25));
    parameters.poll = SimTime::from_ps(20'000'000 + below(200'000'000));
    parameters.keep_alive = SimTime::from_ps(20'000'000 + below(300'000'000));
    parameters.no_response = parameters.poll + parameters.keep_alive + SimTime::from_ps(below(3'000'000'000));
    parameters.idle = SimTime::from_ps(20'000'000 + below(300'000'000));
    parameters.tries = static_cast<std::uint32_t>(below(4) ? 0 : 3 + below(10));
    parameters.first =
        static_cast<std::uint32_t>(below(2) ? sscop::modulus - 1 - below(40) : below(sscop::modulus));
    one.choose_network();
    one.choose_plan([&] { return below(parameters.frame.count() * 8); });

    const auto reference = expect_same_frames<Sscop, ReferenceSscop>(one, parameters);
    if (HasFailure()) FAIL() << "seed " << seed;
    if (!reference) continue;
    ++compared;
    released += returned_of(reference->fates);
    idle += reference->idle_polls;
  }
  EXPECT_GT(compared, 900U);
  EXPECT_GT(released, 50U);
  EXPECT_GT(idle, 100U);
}

}  // namespace
}  // namespace morgana::testing
