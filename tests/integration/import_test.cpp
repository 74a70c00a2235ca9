#include <fstream>
#include <string>

#include "tests/integration/support/morgana_test.h"
#include "tests/support/dumpi_writer.h"

namespace morgana::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Import : public MorganaTest {
 protected:
  nlohmann::json stats_of(const std::string& trace) {
    succeed({"stats", trace, "--quiet", "--json", "stats.json"});
    return read_json("stats.json");
  }
  std::int64_t replayed_ps(const std::string& trace, const std::string& platform) {
    succeed({"replay", trace, "--platform", platform, "--quiet", "--json", "replay.json"});
    return simulated_ps("replay.json");
  }
};

// Recorded by smpirun: tests/traces/import/smpi/calls.c tells how, and which messages there are: one at
// first, and then four times one of each rank.
TEST_F(Import, ReadsEachCallThatSmpiWrites) {
  const std::string recorded = std::string(MORGANA_SOURCE) + "/tests/traces/import/smpi/calls.ti";
  const FinishedProcess imported =
      succeed({"import", recorded, "--flops-per-second", "1e9", "-o", "calls.otf2"});
  EXPECT_THAT(imported.err, HasSubstr("4 ranks, 17 messages"));
  const nlohmann::json stats = stats_of("calls.otf2");
  EXPECT_EQ(stats.at("messages"), 17);
  for (const nlohmann::json& rank : stats.at("per_rank")) EXPECT_EQ(rank.at("collectives"), 15);
  EXPECT_GT(replayed_ps("calls.otf2", "fast-ethernet"), replayed_ps("calls.otf2", "ideal"));
}

// examples/ring.c under smpirun, recorded as tests/traces/import/smpi/calls.c tells (`ring 3 100`): the same
// messages go between the same ranks as where Morgana has run it.
TEST_F(Import, ARingOfSmpisExchangesTheSameMessages) {
  const std::string recorded = std::string(MORGANA_SOURCE) + "/tests/traces/import/smpi/ring.ti";
  succeed({"import", recorded, "--flops-per-second", "1e9", "-o", "smpi.otf2"});
  succeed({"run", "-n", "4", "--platform", "fast-ethernet", "--compute", "none", "--quiet", "--trace",
           "run.otf2", "--", program("ring"), "3", "100"});
  const nlohmann::json imported = stats_of("smpi.otf2"), run = stats_of("run.otf2");
  EXPECT_EQ(run.at("messages"), 4 * 3 + 3);
  EXPECT_EQ(imported.at("pairs"), run.at("pairs"));
  for (const char* name : {"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast"})
    EXPECT_EQ(imported.at("collectives").at(name).at("calls"), run.at("collectives").at(name).at("calls"));
  // Rank 0's computing alone, in operations at 1e9 a second, is on the ideal platform's longest path or
  // beside it.
  std::ifstream lines(std::string(MORGANA_SOURCE) + "/tests/traces/import/smpi/ring-0.txt");
  std::int64_t operations = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0 compute ")) operations += std::stoll(line.substr(10));
  EXPECT_GT(operations, 50'000);
  EXPECT_GE(replayed_ps("smpi.otf2", "ideal"), operations * 1000);
  EXPECT_GT(replayed_ps("smpi.otf2", "fast-ethernet"), replayed_ps("smpi.otf2", "ideal"));
}

// On the ideal platform of an import all messages have come when they are asked for: a test that the program
// waits after must not become a wait by that, for the computing between them hides the message.
TEST_F(Import, ATestThatIsWaitedAfterIsNoWait) {
  const auto replayed_ms = [this](const std::string& rank_0, const std::string& rank_1) {
    write("a.ti", "0 init\n1 init\n" + rank_0 + rank_1 + "0 finalize\n1 finalize\n");
    succeed({"import", "a.ti", "--flops-per-second", "1e9", "-o", "a.otf2"});
    return static_cast<double>(replayed_ps("a.otf2", "fast-ethernet")) / 1e9;
  };
  const std::string computing = "0 compute 100000000\n", test = "0 test 0 1 0\n", wait = "0 wait 0 1 0\n";
  // 2,000,000 bytes at 100 Mbit/s take 160 ms without headers: longer than the computing, 100 ms.
  const std::string send = "0 isend 1 0 2000000 6\n", receive = "1 recv 0 0 2000000 6\n";
  const double without = replayed_ms(send + computing + wait, receive);
  EXPECT_GT(without, 160);
  EXPECT_LT(without, 175);
  EXPECT_NEAR(replayed_ms(send + test + computing + wait, receive), without, 0.01);  // a poll takes no 10 us
  // What is found is waited for where it was found: then comes the computing, beside the receiver's copy of
  // the last piece: messages.eager-limit, 128,000 bytes, at messages.receive-per-byte, 2.85 ns.
  const double last_copy = 128'000 * 2.85e-6;
  EXPECT_NEAR(replayed_ms(send + test + computing, receive), without + 100 - last_copy, 0.5);
  // A receive that is posted after the send has begun.
  const std::string early = "1 compute 1000000\n1 irecv 0 0 2000000 6\n",
                    late = "1 compute 100000000\n1 wait 0 1 0\n", asks = "1 test 0 1 0\n";
  const std::string blocking = "0 send 1 0 2000000 6\n";
  EXPECT_NEAR(replayed_ms(blocking, early + asks + late), replayed_ms(blocking, early + late), 0.01);
}

// Three ranks exchange 1,000 elements with both neighbours and compute a millisecond, twice.
TEST_F(Import, KeepsAHalosMessagesAndComputing) {
  std::string all;
  for (int rank = 0; rank < 3; ++rank) {
    const std::string r = std::to_string(rank), left = std::to_string((rank + 2) % 3),
                      right = std::to_string((rank + 1) % 3);
    all += r + " init\n";
    for (int i = 0; i < 2; ++i) {
      all += r + " irecv " + left + " 1 1000 0\n" + r + " irecv " + right + " 2 1000 0\n";
      all += r + " isend " + right + " 1 1000 0\n" + r + " isend " + left + " 2 1000 0\n";
      all += r + " waitall 4\n" + r + " compute 1e6\n";
    }
    all += r + " finalize\n";
  }
  write("halo.ti", all);
  succeed({"import", "halo.ti", "--flops-per-second", "1e9", "-o", "halo.otf2"});
  const nlohmann::json stats = stats_of("halo.otf2");
  EXPECT_EQ(stats.at("messages"), 12);
  EXPECT_EQ(stats.at("bytes"), 12 * 8000);
  EXPECT_EQ(replayed_ps("halo.otf2", "ideal"), 2'000'000'000);
}

// On loggp-example (o 1 us, L 5 us, g 2 us, G 1 ns/B), each rank on a host of its own: rank 0 computes 1 us
// and sends, until 2 us; 1,000 B come at 2 + 5 + 0.999 us, and are received 1 us later, at 8.999; 0.5 us and
// a send until 10.499; 8 B come at 15.506, are received at 16.506, and 2 us later all is done.
TEST_F(Import, AGoalScheduleTakesTheTimeOfAHandCalculation) {
  write(
      "trip.goal",
      "num_ranks 3\n\nrank 0 {\nl1: calc 1000 cpu 0\nl2: send 1000b to 1 tag 5 cpu 0 nic 0\nl2 requires l1\n"
      "l3: send 1000b to 2 tag 5\nl3 irequires l2\nl4: recv 8b from 1\nl5: calc 2000\nl5 requires l4\n}\n"
      "rank 1 {\nr1: recv 1000b from 0 tag 5\nc: calc 500\ns: send 8b to 0\nc requires r1\ns requires c\n}\n"
      "rank 2 {\nr: recv 1000b from 0 tag 5  // the end\n}\n");
  const FinishedProcess imported = succeed({"import", "trip.goal", "-o", "trip.otf2"});
  EXPECT_THAT(imported.err, HasSubstr("3 ranks, 3 messages"));
  EXPECT_EQ(replayed_ps("trip.otf2", "loggp-example"), 18'506'000);
}

// The same program, with blocking calls, in the forms of the other tools.
TEST_F(Import, EachFormOfAProgramTakesTheTimeOfTheHandCalculation) {
  constexpr std::int64_t by_hand = 18'506'000;
  write("trip.dim",
        "#DIMEMAS:\"trip\":0:3(1,1,1),1\nd:1:1:3:0:1:2\n1:0:0:0.000001\n2:0:0:1:-1:1000:5:1:0\n"
        "2:0:0:2:-1:1000:5:1:0\n3:0:0:1:-1:8:0:1:0\n1:0:0:0.000002\n3:1:0:0:-1:1000:5:1:0\n"
        "1:1:0:0.0000005\n2:1:0:0:-1:8:0:1:0\n3:2:0:0:-1:1000:5:1:0\n");
  // Calls take a microsecond there, which no replay cares about.
  write("trip.prv",
        "#Paraver (29/11/2026 at 12:00):9000_ns:1(3):1:3(1:1,1:1,1:1),1\nc:1:1:3:1:2:3\n"
        "2:2:1:2:1:0:50000001:2\n2:3:1:3:1:0:50000001:2\n"
        "2:1:1:1:1:1000:50000001:1\n3:1:1:1:1:1000:2000:2:1:2:1:0:3000:1000:5\n"
        "2:1:1:1:1:2000:50000001:0:50000001:1\n3:1:1:1:1:2000:3000:3:1:3:1:0:4000:1000:5\n"
        "2:1:1:1:1:3000:50000001:0:50000001:2\n2:2:1:2:1:3000:50000001:0\n2:2:1:2:1:3500:50000001:1\n"
        "3:2:1:2:1:3500:4500:1:1:1:1:3000:5000:8:0\n2:3:1:3:1:4000:50000001:0\n2:2:1:2:1:4500:50000001:0\n"
        "2:1:1:1:1:5000:50000001:0\n1:1:1:1:1:5000:7000:1\n");
  using namespace morgana::testing;
  constexpr int world = 2;
  const auto message = [](int bytes, int peer, int tag) {
    return n4(bytes) + n2(dumpi_char) + n4(peer) + n4(tag) + n2(world);
  };
  const std::string file = "trip-000";
  write(file + "0.bin", DumpiRank()
                            .call(number::init, n4(0))
                            .call(number::send, message(1000, 1, 5), 1000)
                            .call(number::send, message(1000, 2, 5))
                            .call(number::recv, message(8, 1, 0) + no_status())
                            .call(number::finalize, "", 2000)
                            .file());
  write(file + "1.bin", DumpiRank()
                            .call(number::recv, message(1000, 0, 5) + no_status())
                            .call(number::send, message(8, 0, 0), 500)
                            .file());
  write(file + "2.bin", DumpiRank().call(number::recv, message(1000, 0, 5) + no_status()).file());
  for (const char* name : {"trip.dim", "trip.prv", "trip-0001.bin"}) {
    const FinishedProcess imported = succeed({"import", name, "-o", "trip.otf2"});
    EXPECT_THAT(imported.err, HasSubstr("3 ranks, 3 messages")) << name;
    EXPECT_EQ(replayed_ps("trip.otf2", "loggp-example"), by_hand) << name;
    EXPECT_EQ(replayed_ps(name, "loggp-example"), by_hand) << name;  // by its own name, too
    EXPECT_THAT(morgana({"stats", name}).err, HasSubstr("`morgana import ")) << name;
  }
}

// Ranks may wait for ever because an importer guessed.
TEST_F(Import, NoticesAreSaidBeforeADeadlock) {
  using namespace morgana::testing;
  const std::string waits =
      DumpiRank().call(number::recv, n4(1) + n2(dumpi_char) + n4(-1) + n4(5) + n2(2) + no_status()).file();
  write("wait-0000.bin", waits);
  write("wait-0001.bin", waits);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"import", "wait-0000.bin", "-o", "wait.otf2"},
        std::vector<std::string>{"replay", "wait-0000.bin", "--platform", "loggp-example"}}) {
    const FinishedProcess ended = morgana(command);
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(ended.err, HasSubstr("2 receives and probes name no source or no tag"));
    EXPECT_THAT(ended.err, HasSubstr("deadlock"));
  }
}

TEST_F(Import, SaysFileLineAndWhatIsWrong) {
  struct Case {
    const char *text, *said;
  };
  for (const Case& one :
       {Case{"0 init\n0 compute 5\n", "in:2: computing is given in floating-point operations"},
        Case{"0 fly 5\n", "in:1: SMPI has no action \"fly\""},
        Case{"0 send 3 1 5 0\n", "in:1: the peer of \"send\" is rank 3, but the ranks are 0 to 0"},
        Case{"0 send 0 1\n", "in:1: \"send\" lacks the size"},
        Case{"0 bcast 5 0 60\n", "in:1: 60 is not a datatype of SMPI's"},
        Case{"0 waitAny 2\n", "in:1: \"waitAny\" can't be carried out"},
        Case{"0 isend 0 1 1e30 0\n", "which no message can have"},
        Case{"0 recv 0 1 5\n1 barrier\n", "rank 0"}, Case{"none.txt\n", "in:1: there is no file none.txt"},
        Case{"", "holds neither actions nor names of files"},
        Case{"num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb requires a\n}\n",
             "in:3: this line requires itself, perhaps through others"},
        Case{"num_ranks 1\nrank 0 {\nsend 5b to 1\n}\n", "in:3: \"1\" is not a rank of this schedule"},
        Case{"num_ranks 1\nrank 0 {\ncalc 5\n", "in:3: the file ends inside a rank's schedule"},
        Case{"num_ranks 1\nrank 0 {\na: calc x\n}\n", "in:3: \"x\" is not a time in ns"},
        Case{"num_ranks 1\nrank 0 {\na requires b\n}\n", "in:3: there is no line a"}}) {
    write("in", one.text);
    const FinishedProcess refused = morgana({"import", "in", "-o", "out.otf2"});
    EXPECT_NE(refused.exit_code, 0) << one.text;
    EXPECT_THAT(refused.err, HasSubstr(one.said)) << one.text;
    EXPECT_FALSE(std::filesystem::exists(path("out.otf2"))) << one.text;
  }
  EXPECT_THAT(morgana({"import", "none", "-o", "x"}).err, HasSubstr("none"));
  EXPECT_THAT(morgana({"import", "in", "--flops-per-second", "0", "-o", "x"}).err,
              HasSubstr("a rank computes at more than 0 flop/s"));
}

}  // namespace
}  // namespace morgana::test
