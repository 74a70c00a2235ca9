#include "emulator/transport/direct/direct.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/network/logp/logp_network.h"
#include "tests/transport/harness.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {
namespace {
using namespace literals;

TEST(DirectTransport, AMessageIsOneUnitOfTheNetwork) {
  EventQueue events;
  LogpNetwork network(events, 2, {5_us, 0_us, ByteCost::from_fs(1'000'000)});
  DirectTransport transport(network);
  Dispatch dispatch(events, transport);
  const auto fates = dispatch.run({{1_us, 0, 1, 2001}, {2_us, 1, 0, 0}});
  dispatch.expect_all_delivered();
  EXPECT_EQ(fates[0], (Fate{3_us, 8_us, {}}));
  EXPECT_EQ(fates[1], (Fate{2_us, 7_us, {}}));
}

TEST(DirectTransport, AUnitThatIsLostIsAMessageLost) {
  EventQueue events;
  LossyNetwork network(events, 2, [](const Unit&, std::uint64_t ordinal) { return ordinal == 1; });
  DirectTransport transport(network);
  Dispatch dispatch(events, transport);
  const auto fates = dispatch.run({{0_us, 0, 1, 1000}, {0_us, 0, 1, 1000}, {0_us, 0, 1, 1000}});
  EXPECT_EQ(fates[0], (Fate{1_us, 2_us, {}}));
  EXPECT_EQ(fates[1], (Fate{2_us, {}, 3_us}));
  EXPECT_EQ(fates[2], (Fate{3_us, 4_us, {}}));
}

// Two senders give their messages the same numbers; the second's second message is lost.
TEST(DirectTransport, TellsEachListenerOfItsOwnMessages) {
  EventQueue events;
  LossyNetwork network(events, 2, [](const Unit&, std::uint64_t ordinal) { return ordinal == 3; });
  DirectTransport transport(network);
  Dispatch first(events, transport), second(events, transport);
  for (int round = 0; round < 2; ++round) {
    first.send(0, 1, 1000);
    second.send(0, 1, 1000);
  }
  const auto others = second.run({});
  const auto fates = first.run({});
  EXPECT_THAT(fates, ::testing::ElementsAre(Fate{1_us, 2_us, {}}, Fate{3_us, 4_us, {}}));
  EXPECT_THAT(others, ::testing::ElementsAre(Fate{2_us, 3_us, {}}, Fate{4_us, {}, 5_us}));
}

/// Loses its first unit and tells more of it.
class TellingNetwork : public LossyNetwork {
 public:
  TellingNetwork(EventQueue& events, std::string remedy)
      : LossyNetwork(events, 2, [](const Unit&, std::uint64_t ordinal) { return ordinal == 0; }),
        remedy_(std::move(remedy)) {}
  std::string how_lost() const override { return "a mouse ate it"; }
  std::string remedy() const override { return remedy_; }

 private:
  std::string remedy_;
};

TEST(DirectTransport, TellsWhatTheNetworkTellsOfALoss) {
  for (const auto& [networks, remedy] :
       {std::pair{"get a cat", "transport.kind = \"direct\" repeats nothing; get a cat"},
        std::pair{"",
                  "transport.kind = \"direct\" repeats nothing: --set transport.kind=go-back-n repeats what "
                  "is lost"}}) {
    EventQueue events;
    TellingNetwork network(events, networks);
    DirectTransport transport(network);
    Dispatch dispatch(events, transport);
    dispatch.run({{0_us, 0, 1, 1000}});
    EXPECT_EQ(transport.how_lost(), "a mouse ate it");
    EXPECT_EQ(transport.remedy(), remedy);
  }
}

TEST(DirectTransport, RefusesAMessageThatNoUnitHolds) {
  EventQueue events;
  LossyNetwork network(events, 2);
  DirectTransport transport(network);
  transport.send({MessageId{0}, HostId{0}, HostId{1}, Bytes(1500)});
  EXPECT_THROW(transport.send({MessageId{1}, HostId{0}, HostId{1}, Bytes(1501)}), Error);
}

}  // namespace
}  // namespace morgana::testing
