#include "emulator/interface/am2/endpoint_send_queues.h"

#include <gmock/gmock.h>

#include <set>
#include <vector>

namespace morgana {
namespace {

using namespace literals;
using am2::EndpointNumber, am2::PeerNumber;
using testing::ElementsAre;

/// Queues of three endpoints: two messages a visit, up to 1000 bytes a packet.
struct QueuesBench : private am2::SendGate {
  QueuesBench() : queues(parameters, static_cast<const am2::SendGate&>(*this)) {
    for (int i = 0; i < 3; ++i) queues.add();
  }
  void post(EndpointNumber endpoint, PeerNumber peer, std::uint32_t message, Bytes bytes = 16_B) {
    queues.post(endpoint, peer, {message, bytes, Bytes()});
  }
  void set_full(PeerNumber peer, bool is_full) {
    is_full ? void(full.insert(peer)) : void(full.erase(peer));
    queues.list_all(peer);
  }
  /// Takes all that may be sent. @return the messages, in order
  std::vector<std::uint32_t> messages() {
    std::vector<std::uint32_t> all;
    while (const auto endpoint = queues.next()) {
      const am2::EndpointSendQueues::Taken taken = queues.take(*endpoint);
      queues.list(*endpoint, taken.peer);
      all.push_back(taken.posted.message);
      payloads.push_back(taken.payload.count());
    }
    EXPECT_FALSE(queues.has_work());
    return all;
  }

  am2::Parameters parameters = [] {
    am2::Parameters all;
    all.loiter = 2;
    all.largest_payload = 1000_B;
    return all;
  }();
  std::set<PeerNumber> full;
  std::set<EndpointNumber> away;
  am2::EndpointSendQueues queues;
  std::vector<std::int64_t> payloads;

 private:
  bool has_channel(PeerNumber peer) const override { return !full.contains(peer); }
  bool may_send(EndpointNumber endpoint, Bytes) const override { return !away.contains(endpoint); }
};

TEST(Am2SendQueues, AreVisitedRoundRobin) {
  QueuesBench bench;
  for (const std::uint32_t message : {0U, 1U, 2U}) bench.post(0, 7, message);
  for (const std::uint32_t message : {10U, 11U, 12U}) bench.post(1, 7, message);
  bench.post(2, 7, 20);
  EXPECT_THAT(bench.messages(), ElementsAre(0, 1, 10, 11, 20, 2, 12));
}

TEST(Am2SendQueues, PassOverPeersWithoutAFreeChannel) {
  QueuesBench bench;
  bench.post(0, 3, 0);
  bench.post(0, 4, 1);
  bench.post(0, 3, 2);
  bench.set_full(3, true);
  EXPECT_THAT(bench.messages(), ElementsAre(1));
  EXPECT_EQ(bench.queues.waiting(0), 2);
  bench.post(0, 4, 3);
  bench.set_full(3, false);
  EXPECT_THAT(bench.messages(), ElementsAre(0, 2, 3));
}

TEST(Am2SendQueues, PassOverEndpointsThatMayNotSend) {
  QueuesBench bench;
  bench.away = {0};
  bench.post(0, 3, 0);
  bench.post(1, 3, 10);
  EXPECT_THAT(bench.messages(), ElementsAre(10));
  bench.away.clear();
  EXPECT_TRUE(bench.queues.has_work());
  EXPECT_THAT(bench.messages(), ElementsAre(0));
}

TEST(Am2SendQueues, CutLongMessages) {
  QueuesBench bench;
  bench.post(0, 3, 0, 2500_B);
  bench.post(0, 3, 1, 0_B);
  EXPECT_EQ(bench.queues.waiting(0), 2);
  EXPECT_THAT(bench.messages(), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(bench.payloads, ElementsAre(1000, 1000, 500, 0));
  EXPECT_EQ(bench.queues.waiting(0), 0);
}

TEST(Am2SendQueues, SendFirstWhatWasPutBack) {
  QueuesBench bench;
  bench.post(0, 3, 0);
  bench.post(0, 4, 1);
  const auto endpoint = bench.queues.next();
  ASSERT_EQ(endpoint, 0u);
  const am2::EndpointSendQueues::Taken taken = bench.queues.take(0);
  bench.queues.list(0, taken.peer);
  EXPECT_EQ(taken.peer, 3u);
  bench.post(0, 3, 2);
  bench.queues.put_back(0, 3, taken.posted);
  bench.queues.list(0, 3);
  EXPECT_EQ(bench.queues.waiting(0), 3);
  EXPECT_THAT(bench.messages(), ElementsAre(0, 1, 2));
}

// Of message 1 one packet of three has been taken; message 2 would have been one packet.
TEST(Am2SendQueues, ForgetAMessage) {
  QueuesBench bench;
  bench.post(0, 3, 1, 2500_B);
  bench.post(0, 3, 2, 0_B);
  bench.post(0, 3, 5);
  ASSERT_EQ(bench.queues.next(), 0u);
  EXPECT_EQ(bench.queues.take(0).payload, 1000_B);
  bench.queues.list(0, 3);
  EXPECT_EQ(bench.queues.forget(0, 3, 1), 2);
  EXPECT_EQ(bench.queues.forget(0, 3, 2), 1);
  EXPECT_EQ(bench.queues.forget(0, 3, 4), 0);
  EXPECT_EQ(bench.queues.waiting(0), 1);
  EXPECT_THAT(bench.messages(), ElementsAre(5));
}

}  // namespace
}  // namespace morgana
