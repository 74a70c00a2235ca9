// Programs whose messages come back because the network is dead: an error of the call that waits for them.
#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Returned : public MorganaTest {
 protected:
  Returned() { cable_dies_at("500 ms"); }
  void cable_dies_at(const std::string& time) {
    write("dying.toml",
          "extends = \"myrinet-ud\"\n[network]\ntopology = \"listed\"\nswitches = 3\nhosts-at = [0, 2]\n"
          "cables = [\"0-1\", \"1-2\"]\nfaults = [\"cable 1-2 at " +
              time + "\"]\n[transport]\nkind = \"go-back-n\"\ntries = 2\n");
  }
  FinishedProcess run(const std::vector<std::string>& program_words,
                      const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"run", "-n", "2", "-p", "./dying.toml", "--compute", "none", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    words.emplace_back("--");
    words.insert(words.end(), program_words.begin(), program_words.end());
    return morgana(words);
  }
};

struct ReturningCall {
  const char* name;
  const char* prints;
};

void PrintTo(const ReturningCall& call, std::ostream* out) {
  *out << call.name;
}

class ReturnedTo : public Returned, public testing::WithParamInterface<ReturningCall> {};

TEST_P(ReturnedTo, IsAnErrorThatTheProgramCanHandle) {
  const FinishedProcess result = run({program("returned"), GetParam().name});
  EXPECT_EQ(result.out, GetParam().prints) << result.err;
  EXPECT_EQ(result.exit_code, 9);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, ReturnedTo,
    testing::Values(
        ReturningCall{"send", "send: MPI_ERR_OTHER\n"},
        // Complete when the library has copied it.
        ReturningCall{"small", "small: success\n"}, ReturningCall{"ssend", "ssend: MPI_ERR_OTHER\n"},
        ReturningCall{"sendrecv", "sendrecv: MPI_ERR_OTHER\n"},
        ReturningCall{"exchange", "exchange: MPI_ERR_OTHER\n"},
        ReturningCall{"isendrecv", "isendrecv: MPI_ERR_OTHER\n"},
        ReturningCall{"waitsome", "waitsome: MPI_ERR_IN_STATUS\n1 of them\n"},
        // The request tells, not the window.
        ReturningCall{"rput_flush", "flush: success\nwait: MPI_ERR_OTHER\n"},
        ReturningCall{"lock_put", "lock_put: MPI_ERR_OTHER\nlock_put: MPI_ERR_OTHER\n"},
        ReturningCall{"wait", "wait: MPI_ERR_OTHER\n"}, ReturningCall{"test", "test: MPI_ERR_OTHER\n"},
        ReturningCall{"waitany", "waitany: MPI_ERR_OTHER\n"},
        ReturningCall{"waitall", "waitall: MPI_ERR_IN_STATUS\nfirst: success\nsecond: MPI_ERR_OTHER\n"},
        ReturningCall{"persistent", "persistent: MPI_ERR_OTHER\npersistent: MPI_ERR_OTHER\n"},
        ReturningCall{"bcast", "bcast: MPI_ERR_OTHER\n"}, ReturningCall{"ibcast", "ibcast: MPI_ERR_OTHER\n"},
        ReturningCall{"put", "put: MPI_ERR_OTHER\n"}, ReturningCall{"rput", "rput: MPI_ERR_OTHER\n"}),
    [](const auto& call) { return std::string(call.param.name); });

/// What makes communicators and windows, and when the cable dies: the agreement on a context is two exchanges
/// of the ranks, some 20 us, and then a message of rank 0 that it does not wait for an answer to.
class ReturnedToMakers : public Returned,
                         public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(ReturnedToMakers, IsAnErrorOfTheCall) {
  const auto [call, time] = GetParam();
  cable_dies_at(time);
  const FinishedProcess result = run({program("returned"), call}, {"--set", "messages.eager-limit=0B"});
  EXPECT_EQ(result.out, std::string(call) + ": MPI_ERR_OTHER\n") << result.err;
  EXPECT_EQ(result.exit_code, 9);
}

INSTANTIATE_TEST_SUITE_P(Calls, ReturnedToMakers,
                         testing::Values(std::pair("dup", "1000.03 ms"), std::pair("split", "1000.03 ms"),
                                         std::pair("window", "1000.03 ms"), std::pair("idup", "500 ms"),
                                         std::pair("intercomm", "500 ms")),
                         [](const auto& call) { return std::string(call.param.first); });

/// Calls whose end the rank takes for granted, and one that it waits for.
class ReturnedFatally : public Returned,
                        public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(ReturnedFatally, EndsTheRunNamingRankCallReasonAndCable) {
  const FinishedProcess result = run({program("returned"), GetParam().first, "fatal"});
  EXPECT_EQ(result.exit_code, 15) << "MPI_ERR_OTHER of MPICH";
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(
      result.err,
      AllOf(HasSubstr(std::string("morgana: rank 0 ended the run by an error that it does not catch, in ") +
                      GetParam().second),
            HasSubstr("what it sent was returned: given up\n"), HasSubstr("from rank 0 to rank 1"),
            HasSubstr("given up after 2 repetitions"),
            HasSubstr("the cable switch 1 port 1 -> switch 2 port 1, dead since 0.5000"),
            HasSubstr("transport.tries"), HasSubstr("network.faults")));
}

INSTANTIATE_TEST_SUITE_P(Calls, ReturnedFatally,
                         testing::Values(std::pair("send", "MPI_Send: "), std::pair("ssend", "MPI_Ssend: "),
                                         std::pair("wait", "MPI_Wait: "), std::pair("test", "MPI_Test: "),
                                         std::pair("bcast", "MPI_Bcast: "),
                                         std::pair("put", "MPI_Win_flush: ")),
                         [](const auto& call) { return std::string(call.param.first); });

TEST_F(Returned, AReceiveEndsWhenItCannotAskForItsMessage) {
  const FinishedProcess result = run({program("returned_clearance")});
  EXPECT_EQ(result.out, "MPI_ERR_OTHER\n") << result.err;
  EXPECT_EQ(result.exit_code, 9);
}

TEST_F(Returned, AReceiveOfPvmTellsThatTheHostHasFailed) {
  const FinishedProcess result = run({program("pvm_returned")});
  EXPECT_EQ(result.out, "received: PvmHostFail\n");
  EXPECT_THAT(result.err, HasSubstr("sent: 0\n"));
}

TEST_F(Returned, IsInTheTraceWhichTakesAsLong) {
  for (const std::string call : {"send", "waitall", "bcast"}) {
    SCOPED_TRACE(call);
    const std::string trace = call + ".otf2";
    const FinishedProcess result =
        succeed({"run", "-n", "2", "-p", "./dying.toml", "--compute", "none", "--trace", trace, "--json",
                 "run.json", "--", program("returned"), call, "finish"});
    EXPECT_THAT(result.err, HasSubstr(" undelivered: a rank that waits for "));
    const FinishedProcess printed = run_to_end({"otf2-print", path(trace + "/traces.otf2")});
    EXPECT_THAT(printed.out, HasSubstr("morgana.outcome"));
    const FinishedProcess replay = succeed({"replay", trace, "-p", "./dying.toml", "--json", "same.json"});
    EXPECT_EQ(simulated_ps("run.json"), simulated_ps("same.json"));
    EXPECT_THAT(replay.err, HasSubstr(" undelivered: a rank that waits for "));
  }
}

}  // namespace
}  // namespace morgana::test
