// Which ranks will never go on, and which only can't run at the moment.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/launch/process/process_state.h"
#include "tests/pvmshim/channel_support.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using Rest = EmulatorChannel::Rest;
using testing::Forked;
using testing::next_of;
using testing::settings_for;

Operation question() {
  Operation operation;
  operation.kind = OperationKind::read_clock;
  operation.wants_answer = true;
  return operation;
}

/// Asks `questions` times, and then waits for an answer to nothing.
int ask(const std::string& path, int questions) {
  RankChannel channel(path, Rank{0});
  Answer answer;
  for (int i = 0; i < questions; ++i) {
    channel.post(question());
    channel.await(answer);
  }
  channel.await(answer);
  return 0;
}

void freeze(const Forked& process) {
  kill(process.pid(), SIGSTOP);
  while (!state_of(process.pid()).is_stopped()) {
  }
}

TEST(Rest, OfARankThatWaitsForAnAnswerToNothingIsProved) {
  EmulatorChannel emulator(settings_for(1));
  const Forked rank([path = emulator.path()] { return ask(path, 1); });
  next_of(emulator, Rank{0});
  emulator.answer(Rank{0}, {});
  while (emulator.rest(Rank{0}) != Rest::for_answer) {
  }
}

// However often one looks: it was answered, and can't read the answer.
TEST(Rest, IsNeverProvedOfARankThatIsFrozenBeforeItsAnswer) {
  EmulatorChannel emulator(settings_for(1));
  Forked rank([path = emulator.path()] { return ask(path, 2); });
  next_of(emulator, Rank{0});
  while (emulator.rest(Rank{0}) == Rest::none) {  // it sleeps until it is answered
  }
  freeze(rank);
  emulator.answer(Rank{0}, {});
  for (int look = 0; look < 10'000; ++look) EXPECT_EQ(emulator.rest(Rank{0}), Rest::none);
  kill(rank.pid(), SIGCONT);
  EXPECT_EQ(next_of(emulator, Rank{0}).kind, OperationKind::read_clock);
}

TEST(Rest, EndsWithTheNextWord) {
  EmulatorChannel emulator(settings_for(1));
  const Forked rank([path = emulator.path()] { return ask(path, 2); });
  next_of(emulator, Rank{0});
  while (emulator.rest(Rank{0}) == Rest::none) {
  }
  emulator.answer(Rank{0}, {});
  next_of(emulator, Rank{0});
  EXPECT_EQ(emulator.rest(Rank{0}), Rest::none);
}

TEST(Rest, IsForRoomOnlyUntilSomeIsReleased) {
  constexpr std::int64_t room = 100'000;
  EmulatorChannel emulator(settings_for(2), Bytes(room));
  Forked writer([path = emulator.path()] {
    RankChannel channel(path, Rank{0});
    while (true) {
      Operation send = question();
      send.kind = OperationKind::send;
      send.wants_answer = false;
      send.peer = Rank{1};
      send.bytes = Bytes(room / 4);
      send.payload = channel.allocate(send.bytes, 1);
      channel.post(send);
    }
    return 0;
  });
  const std::uint64_t first = next_of(emulator, Rank{0}).payload;
  Operation operation;
  while (emulator.rest(Rank{0}) != Rest::for_room)
    while (emulator.take(Rank{0}, operation)) {
    }
  freeze(writer);
  Forked reader([path = emulator.path(), first] {
    RankChannel channel(path, Rank{1});
    channel.release(first);
    return 0;
  });
  EXPECT_EQ(reader.result(), 0);
  for (int look = 0; look < 10'000; ++look) EXPECT_EQ(emulator.rest(Rank{0}), Rest::none);
}

/// Waits until it is told of `messages`, asks, and then waits for another message that nobody sends.
int await_messages(const std::string& path, std::size_t messages) {
  RankChannel channel(path, Rank{0});
  std::vector<RankChannel::SentMessage> told;
  while (true) {
    channel.await_announced();
    channel.take_announced(told);
    if (told.size() < messages) continue;
    Answer answer;
    channel.post(question());
    channel.await(answer);
    told.clear();
    messages = 1;
  }
}

void announce_message_to_rank_0(RankChannel& sender) {
  sender.announce_message(Rank{0}, sender.allocate(Bytes(8), 1), world_context, Tag{0});
}

TEST(Rest, IsForAMessageUntilOneIsAnnounced) {
  EmulatorChannel emulator(settings_for(2));
  RankChannel sender(emulator.path(), Rank{1});
  Forked receiver([path = emulator.path()] { return await_messages(path, 1); });
  while (emulator.rest(Rank{0}) != Rest::for_message) {
  }
  freeze(receiver);
  announce_message_to_rank_0(sender);
  for (int look = 0; look < 10'000; ++look) EXPECT_NE(emulator.rest(Rank{0}), Rest::for_message);
  kill(receiver.pid(), SIGCONT);
  next_of(emulator, Rank{0});  // it has seen the message, and asks
  emulator.answer(Rank{0}, {});
  while (emulator.rest(Rank{0}) != Rest::for_message) {
  }
}

TEST(Rest, OfARankThatWaitsForAMessageIsProvedAgainAfterOneThatIsNotTheOneWaitedFor) {
  EmulatorChannel emulator(settings_for(2));
  RankChannel sender(emulator.path(), Rank{1});
  const Forked receiver([path = emulator.path()] { return await_messages(path, 2); });
  while (emulator.rest(Rank{0}) != Rest::for_message) {
  }
  announce_message_to_rank_0(sender);
  while (emulator.rest(Rank{0}) != Rest::for_message) {
  }
  announce_message_to_rank_0(sender);
  next_of(emulator, Rank{0});
}

TEST(Rest, OfARankThatDoesNotReadALongAnswerIsNotTakenForGrantedWhileItIsFrozen) {
  EmulatorChannel emulator(settings_for(1));
  Forked rank([path = emulator.path()] { return ask(path, 2); });
  next_of(emulator, Rank{0});
  freeze(rank);
  // Longer than the ring of answers: the emulator can't go on before the rank reads.
  Forked thawing([&rank, emulators = getpid()] {
    while (state_of(emulators).letter != 'S') {
    }
    kill(rank.pid(), SIGCONT);
    return 0;
  });
  Answer answer;
  answer.completed.resize(1000);
  emulator.answer(Rank{0}, answer);
  EXPECT_EQ(next_of(emulator, Rank{0}).kind, OperationKind::read_clock);
  EXPECT_EQ(thawing.result(), 0);
}

}  // namespace
}  // namespace morgana
