#include "pvmshim/agent/payload_mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "emulator/core/error.h"
#include "pvmshim/agent/frame.h"
#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/marked_payload.h"
#include "pvmshim/channel/rank_channel.h"

namespace morgana {
namespace {

constexpr Rank sender{0}, receiver{1};

/// A machine of a run with two ranks: 0 on the first machine, 1 on the second.
struct MachineHere {
  explicit MachineHere(Rank own)
      : emulator(settings(), Bytes(1 << 20), hosts, machines),
        rank(emulator.path(), own),
        mirror(emulator.path()) {}

  static ChannelSettings settings() {
    ChannelSettings all;
    all.ranks = 2;
    all.compute = ComputeMode::none;
    return all;
  }
  static constexpr std::array<std::uint32_t, 2> hosts{0, 1}, machines{0, 1};

  EmulatorChannel emulator;
  RankChannel rank;
  PayloadMirror mirror;
};

class Mirrors : public testing::Test {
 protected:
  std::uint64_t put(std::size_t size, std::uint32_t readers, unsigned char value) {
    const std::uint64_t handle = one_.rank.allocate(Bytes(static_cast<std::int64_t>(size)), readers);
    std::ranges::fill(one_.rank.data(handle), std::byte{value});
    return handle;
  }
  /// As agents carry it, in parts of `part` bytes.
  void carry(std::uint64_t marked, std::size_t part = 1 << 20) {
    const auto data = one_.mirror.data(marked);
    const std::uint64_t mark = one_.mirror.whole_mark(marked);
    std::size_t begin = 0;
    do {
      const auto piece = data.subspan(begin, std::min(part, data.size() - begin));
      two_.mirror.put_part(marked, mark, one_.mirror.readers(marked), data.size(), begin, piece);
      begin += piece.size();
    } while (begin < data.size());
  }
  /// What the second machine has released, as its agent tells the first.
  std::size_t return_released() {
    std::size_t all = 0;
    for (const auto& [marked, readers] : two_.mirror.collect()) {
      one_.mirror.release(marked, readers);
      all += readers;
    }
    return all;
  }
  MachineHere one_{sender}, two_{receiver};
};

TEST_F(Mirrors, ShowARankWhatAnotherMachinesRankHasSent) {
  for (const std::size_t size : {0UL, 1UL, 64UL, 500UL, 4096UL, 200'000UL}) {
    const std::uint64_t handle = put(size, 1, 7);
    const std::uint64_t marked = one_.mirror.mark(handle);
    EXPECT_EQ(without_mark(marked), handle);
    EXPECT_EQ(one_.mirror.owner(marked), sender);
    EXPECT_FALSE(two_.mirror.has_copy(marked));
    carry(marked, 1000);
    EXPECT_TRUE(two_.mirror.has_copy(marked));
    const auto read = two_.rank.data(handle);
    EXPECT_EQ(read.size(), size);
    EXPECT_TRUE(std::ranges::all_of(read, [](std::byte one) { return one == std::byte{7}; }));
    EXPECT_EQ(return_released(), 0U);
    two_.rank.release(handle);
    EXPECT_EQ(return_released(), 1U);
    EXPECT_EQ(return_released(), 0U);
    EXPECT_EQ(put(size, 1, 8), handle) << "the sender can use the place again";
    one_.rank.release(handle);
  }
}

// A message to several has one payload, and an operation for each.
TEST_F(Mirrors, MarkAPayloadOfSeveralReadersOnce) {
  const std::uint64_t handle = put(100, 3, 5);
  const std::uint64_t marked = one_.mirror.mark(handle);
  carry(marked);
  EXPECT_EQ(one_.mirror.mark(handle), marked);
  carry(marked);  // for the second reader there
  two_.rank.release(handle);
  EXPECT_EQ(return_released(), 1U);
  two_.rank.release(handle);
  EXPECT_EQ(return_released(), 1U);
  EXPECT_TRUE(one_.mirror.is_block(marked));
  one_.rank.release(handle);
  EXPECT_EQ(put(100, 1, 6), handle) << "all have read it";
  EXPECT_NE(one_.mirror.mark(handle), marked);
}

TEST_F(Mirrors, DontTakeAnOldCopyForANewPayload) {
  const std::uint64_t handle = put(100, 1, 1);
  const std::uint64_t old = one_.mirror.mark(handle);
  carry(old);
  two_.rank.release(handle);
  return_released();
  ASSERT_EQ(put(100, 1, 2), handle);
  const std::uint64_t fresh = one_.mirror.mark(handle);
  EXPECT_FALSE(two_.mirror.has_copy(fresh));
  carry(fresh);
  EXPECT_TRUE(two_.mirror.has_copy(fresh));
  EXPECT_FALSE(two_.mirror.has_copy(old));
  EXPECT_EQ(two_.rank.data(handle)[0], std::byte{2});
}

// What is asked for in vain may have been asked for while its place has got the next payload.
TEST_F(Mirrors, TakeNoNewPayloadForAnOldOne) {
  const std::uint64_t handle = put(100, 1, 1);
  const std::uint64_t old = one_.mirror.mark(handle);
  EXPECT_TRUE(one_.mirror.is_block(old));
  carry(old);
  one_.rank.release(handle);  // by its reader; this machine's rank is none
  ASSERT_EQ(put(100, 1, 2), handle);
  const std::uint64_t fresh = one_.mirror.mark(handle);
  EXPECT_FALSE(one_.mirror.is_block(old));
  EXPECT_TRUE(one_.mirror.is_block(fresh));
  EXPECT_FALSE(two_.mirror.is_gone(old));
  carry(fresh);
  EXPECT_TRUE(two_.mirror.is_gone(old)) << "nobody waits for it any more";
}

// One answer may name a payload that only another rank here reads, which may be quicker.
TEST_F(Mirrors, KnowThatACopyHasBeenReadByAll) {
  for (const std::uint32_t readers : {1U, 2U}) {
    const std::uint64_t handle = put(100, readers, 1);
    const std::uint64_t marked = one_.mirror.mark(handle);
    carry(marked);
    for (std::uint32_t i = 0; i < readers; ++i) two_.rank.release(handle);
    EXPECT_FALSE(two_.mirror.is_gone(marked));
    return_released();
    EXPECT_FALSE(two_.mirror.has_copy(marked));
    EXPECT_TRUE(two_.mirror.is_gone(marked));
  }
}

TEST_F(Mirrors, KnowSeveralThatAreGoneFromOnePlace) {
  const std::uint64_t handle = put(8, 1, 0);
  const std::uint64_t first = one_.mirror.mark(handle), second = one_.mirror.mark(handle),
                      third = one_.mirror.mark(handle);
  two_.mirror.note_gone(first);
  two_.mirror.note_gone(second);
  carry(third);
  EXPECT_TRUE(two_.mirror.is_gone(first));
  EXPECT_TRUE(two_.mirror.is_gone(second));
  EXPECT_FALSE(two_.mirror.is_gone(third));
  two_.mirror.forget_gone();
  EXPECT_FALSE(two_.mirror.is_gone(first));
}

// Blocks lie side by side: a copy must not take its neighbour for its own.
TEST_F(Mirrors, KeepNeighboursApart) {
  std::vector<std::uint64_t> marked;
  for (unsigned char i = 0; i < 5; ++i) marked.push_back(one_.mirror.mark(put(4, 1, i)));
  for (const std::uint64_t one : {marked[1], marked[0], marked[3], marked[4], marked[2]}) carry(one);
  for (unsigned char i = 0; i < 5; ++i) {
    EXPECT_TRUE(two_.mirror.has_copy(marked[i]));
    EXPECT_EQ(two_.rank.data(without_mark(marked[i]))[0], std::byte{i});
  }
}

TEST_F(Mirrors, CountReadersHereAndThere) {
  const std::uint64_t handle = put(50, 2, 3);  // read by the sender itself, and by the other rank
  const std::uint64_t marked = one_.mirror.mark(handle);
  carry(marked);
  two_.rank.release(handle);
  EXPECT_EQ(return_released(), 1U);
  EXPECT_TRUE(one_.mirror.is_block(marked));
  one_.rank.release(handle);
  EXPECT_FALSE(one_.mirror.is_block(marked));
}

/// Both ends of a connection between two agents.
struct Connection {
  Connection() {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw Error("no sockets");
  }
  ~Connection() {
    close(ends[0]);
    close(ends[1]);
  }
  /// What has come at the second end.
  std::vector<Frame> come() {
    std::vector<Frame> frames;
    std::array<std::byte, 4096> bytes;
    for (ssize_t size = 0; (size = recv(ends[1], bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0;) {
      std::ranges::copy(std::span(bytes).first(static_cast<std::size_t>(size)), parser.room(4096).begin());
      parser.came(static_cast<std::size_t>(size));
    }
    for (Frame frame; parser.next(frame);) frames.push_back(frame);
    return frames;
  }
  int ends[2];
  FrameParser parser;
};

TEST_F(Mirrors, TellReceiversOfMessagesInTheOrderInWhichTheyWereSent) {
  constexpr Context context{77};
  Connection connection;
  std::vector<std::uint64_t> handles;
  for (int i = 0; i < 3; ++i) {
    handles.push_back(put(10, 1, static_cast<unsigned char>(i)));
    one_.rank.announce_message(receiver, handles.back(), context, Tag{i});
  }
  EXPECT_EQ(one_.mirror.line(1).promised, 3U);
  one_.mirror.send_leaving(1, connection.ends[0]);
  const std::vector<Frame> frames = connection.come();
  ASSERT_EQ(frames.size(), 6U);
  std::vector<RankChannel::SentMessage> told;
  for (int i = 0; i < 3; ++i) {
    const Frame &block = frames[static_cast<std::size_t>(2 * i)],
                &message = frames[static_cast<std::size_t>(2 * i + 1)];
    ASSERT_EQ(block.kind, FrameKind::block);
    ASSERT_EQ(message.kind, FrameKind::message);
    EXPECT_EQ(Rank{message.rank}, receiver);
    ContentReader of_block(block.content), of_message(message.content);
    const std::uint64_t marked = of_message.number();
    EXPECT_EQ(of_block.number(), marked);
    EXPECT_EQ(without_mark(marked), handles[static_cast<std::size_t>(i)]);
    EXPECT_TRUE(is_marked_by_owner(marked));
    EXPECT_TRUE(one_.mirror.is_block(marked));
    EXPECT_EQ(Context{of_message.number()}, context);
    EXPECT_EQ(of_message.number(), static_cast<std::uint64_t>(i));
    EXPECT_THROW(two_.mirror.announce(marked, receiver, context, Tag{i}), Error) << "before it has come";
    const std::uint64_t mark = of_block.number();
    EXPECT_EQ(mark, one_.mirror.whole_mark(marked));
    EXPECT_EQ(of_block.number(), 1U) << "reader";
    EXPECT_EQ(of_block.number(), 10U);
    EXPECT_EQ(of_block.number(), 0U);
    two_.mirror.put_part(marked, mark, 1, 10, 0, of_block.rest());
    two_.mirror.announce(marked, receiver, context, Tag{i});
  }
  one_.mirror.send_leaving(1, connection.ends[0]);
  EXPECT_TRUE(connection.come().empty());
  two_.rank.take_announced(told);
  ASSERT_EQ(told.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const RankChannel::SentMessage& message = told[static_cast<std::size_t>(i)];
    EXPECT_EQ(message.payload, handles[static_cast<std::size_t>(i)]);
    EXPECT_EQ(message.source, sender);
    EXPECT_EQ(message.context, context);
    EXPECT_EQ(message.tag, Tag{i});
    EXPECT_EQ(two_.rank.data(message.payload)[0], static_cast<std::byte>(i));
    two_.rank.release(message.payload);
  }
  EXPECT_EQ(return_released(), 3U);
  for (const std::uint64_t handle : handles)
    EXPECT_EQ(put(10, 1, 9), handle) << "the sender has its room back";
}

// Whoever writes, a rank or the agent: what is sent twice may come the second time behind what has its place.
TEST_F(Mirrors, KeepACopyWhenAnOlderOneComesLate) {
  const std::uint64_t handle = put(100, 1, 1);
  const std::uint64_t old = one_.mirror.mark(handle);
  const std::uint64_t old_mark = one_.mirror.whole_mark(old);
  std::vector<std::byte> late(100, std::byte{1});
  carry(old);
  two_.rank.release(handle);
  return_released();
  ASSERT_EQ(put(100, 1, 2), handle);
  one_.rank.announce_message(receiver, handle, Context{77}, Tag{1});
  Connection connection;
  one_.mirror.send_leaving(1, connection.ends[0]);
  const std::uint64_t fresh = ContentReader(connection.come().at(0).content).number();
  carry(fresh);
  two_.mirror.put_part(old, old_mark, 1, 100, 0, std::span(late).first(50));
  two_.mirror.put_part(old, old_mark, 1, 100, 50, std::span(late).last(50));
  EXPECT_TRUE(two_.mirror.has_copy(fresh));
  EXPECT_TRUE(two_.mirror.is_gone(old));
  EXPECT_EQ(two_.rank.data(handle)[0], std::byte{2});
}

// A deposit with a reader on each of two machines is read once on each: its copy lies here until its place is
// used again, whatever the owner has sent meanwhile.
TEST_F(Mirrors, TakeAPayloadAfterMillionsOfOthers) {
  for (const long between : {100L, 4'194'304L, 8'388'000L}) {
    const std::uint64_t handle = put(100, 2, 1);
    carry(one_.mirror.mark(handle));
    two_.rank.release(handle);
    one_.rank.release(handle);
    return_released();
    const std::uint64_t other = put(3000, 1, 0);
    for (long i = 0; i < between; ++i) one_.mirror.mark(other);
    ASSERT_EQ(put(100, 2, 2), handle);
    const std::uint64_t fresh = one_.mirror.mark(handle);
    carry(fresh);
    EXPECT_TRUE(two_.mirror.has_copy(fresh)) << between;
    EXPECT_FALSE(two_.mirror.is_gone(fresh)) << between;
    EXPECT_EQ(two_.rank.data(handle)[0], std::byte{2}) << between;
    two_.rank.release(handle);
    one_.rank.release(handle);
    one_.rank.release(other);
    return_released();
  }
}

// Ranks write between an agent's parts, and several agents at once.
TEST_F(Mirrors, DropWhatIsOutdatedPartByPart) {
  const std::uint64_t places[] = {put(100, 1, 1), put(100, 1, 1)};
  std::uint64_t old[2], old_marks[2];
  for (int i = 0; i < 2; ++i) {
    old[i] = one_.mirror.mark(places[i]);
    old_marks[i] = one_.mirror.whole_mark(old[i]);
    one_.rank.release(places[i]);
  }
  const std::vector<std::byte> part(50, std::byte{1});
  two_.mirror.put_part(old[0], old_marks[0], 1, 100, 0, part);  // the rest comes behind the next one
  std::uint64_t fresh[2];
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t place = put(100, 1, 2);
    fresh[place == places[0] ? 0 : 1] = one_.mirror.mark(place);
  }
  for (const std::uint64_t one : fresh) carry(one);
  two_.mirror.put_part(old[1], old_marks[1], 1, 100, 0, part);
  two_.mirror.put_part(old[0], old_marks[0], 1, 100, 50, part);
  two_.mirror.put_part(old[1], old_marks[1], 1, 100, 50, part);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(two_.mirror.has_copy(fresh[i]));
    EXPECT_EQ(two_.rank.data(places[i])[99], std::byte{2});
    two_.rank.release(places[i]);
  }
  EXPECT_EQ(return_released(), 2U);
  two_.mirror.put_part(old[1], old_marks[1], 1, 100, 0, part);
  two_.mirror.put_part(old[1], old_marks[1], 1, 100, 50, part);
  EXPECT_TRUE(two_.mirror.has_copy(old[1])) << "nothing newer lies there any more";
}

// The agent sees an operation when ranks here may have read its payload, and its owner used the place again.
TEST_F(Mirrors, LeaveAMarkThatTheOwnerHasGiven) {
  const std::uint64_t handle = put(100, 1, 1);
  one_.rank.release(handle);
  const std::uint64_t late = one_.mirror.mark(handle);
  EXPECT_FALSE(one_.mirror.is_block(late));
  ASSERT_EQ(put(100, 1, 2), handle);
  one_.rank.announce_message(receiver, handle, Context{77}, Tag{1});
  const std::uint64_t later = one_.mirror.mark(handle);
  EXPECT_FALSE(one_.mirror.is_block(later)) << "another payload lies there";
  Connection connection;
  one_.mirror.send_leaving(1, connection.ends[0]);
  EXPECT_TRUE(is_marked_by_owner(ContentReader(connection.come().at(0).content).number()));
}

TEST(MarkedPayloads, KnowWhichIsNewer) {
  EXPECT_TRUE(is_newer(2, 1));
  EXPECT_TRUE(is_newer(2 | whole_by_owner, 1));
  EXPECT_FALSE(is_newer(1 | whole_by_owner, 2));
  EXPECT_FALSE(is_newer(2, 2));
  EXPECT_TRUE(is_newer(marks_of_an_owner, marks_of_an_owner - 1)) << "in a handle they come again";
  EXPECT_TRUE(is_newer(std::uint64_t{1} << 40, 1)) << "however many there were between";
  EXPECT_EQ(short_mark((std::uint64_t{1} << 40) + 7), 7U);
  EXPECT_EQ(short_mark(whole_by_owner + 7), 7 | by_owner);
  EXPECT_EQ(without_mark(marked(33, short_mark(whole_by_owner + 7))), 33U);
}

TEST_F(Mirrors, KnowThatAPayloadIsGone) {
  const std::uint64_t marked = one_.mirror.mark(put(8, 1, 0));
  EXPECT_FALSE(two_.mirror.is_gone(marked));
  two_.mirror.note_gone(marked);
  EXPECT_TRUE(two_.mirror.is_gone(marked));
  EXPECT_FALSE(two_.mirror.is_gone(one_.mirror.mark(without_mark(marked))));
}

TEST_F(Mirrors, RefusePartsThatDoNotFollowAndHandlesThatNameNothing) {
  const std::array<std::byte, 16> data{};
  const std::uint64_t marked = one_.mirror.mark(put(32, 1, 0)), mark = one_.mirror.whole_mark(marked);
  EXPECT_THROW(two_.mirror.put_part(marked, mark, 1, 32, 16, data), Error);
  two_.mirror.put_part(marked, mark, 1, 32, 0, data);
  EXPECT_FALSE(two_.mirror.has_copy(marked));
  EXPECT_THROW(two_.mirror.put_part(marked, mark, 1, 32, 0, std::array<std::byte, 64>{}), Error);
  EXPECT_THROW(two_.mirror.put_part(marked, mark, 1, std::uint64_t{1} << 50, 0, data), Error);
  EXPECT_THROW(two_.mirror.put_part(unmarked((std::uint64_t{1} << 43) + 1), 0, 1, 16, 0, data), Error);
  EXPECT_THROW(two_.mirror.put_part(marked, mark + 1, 1, 32, 0, data), Error) << "not of this handle";
}

// Against a list of what has been sent and not released, in any order.
TEST_F(Mirrors, KeepUpWithRandomTraffic) {
  std::mt19937 random(3);
  struct Sent {
    std::uint64_t handle;
    std::size_t size;
    unsigned char value;
  };
  std::vector<Sent> pending;
  for (unsigned step = 0; step < 3000; ++step) {
    if (pending.size() < 20 && random() % 2 == 0) {
      const auto size = static_cast<std::size_t>(random() % 3 == 0 ? random() % 20'000 : random() % 100);
      const auto value = static_cast<unsigned char>(step);
      const std::uint64_t handle = put(size, 1, value);
      carry(one_.mirror.mark(handle), 1 + random() % 5000);
      pending.push_back({handle, size, value});
    } else if (!pending.empty()) {
      const auto chosen = pending.begin() + static_cast<std::ptrdiff_t>(random() % pending.size());
      const auto data = two_.rank.data(chosen->handle);
      ASSERT_EQ(data.size(), chosen->size);
      ASSERT_TRUE(std::ranges::all_of(data, [&](std::byte one) { return one == std::byte{chosen->value}; }));
      two_.rank.release(chosen->handle);
      pending.erase(chosen);
    }
    if (random() % 4 == 0) return_released();
  }
}

}  // namespace
}  // namespace morgana
