// Programs over libmorgana-am.so.
#include <map>
#include <sstream>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

class ActiveMessages : public MorganaTest {
 protected:
  /// What was recorded as run.otf2, into replay.json.
  void replay_over_am2(const std::vector<std::string>& more) {
    std::vector<std::string> words{"replay", "run.otf2",   "-p",    "myrinet-am2",
                                   "--seed", "3",          "--set", "messages.envelope=0 B",
                                   "--json", "replay.json"};
    words.insert(words.end(), more.begin(), more.end());
    succeed(words);
  }
  /// Where the library's header, of which MPI knows nothing, takes the place of MPI's.
  FinishedProcess run_over_am2(const std::string& ranks, std::vector<std::string> more) {
    std::vector<std::string> words{"run",  "-n",     ranks, "-p",    "myrinet-am2",          "--compute",
                                   "none", "--seed", "3",   "--set", "messages.envelope=0 B"};
    words.insert(words.end(), more.begin(), more.end());
    return succeed(words);
  }
};

TEST_F(ActiveMessages, KeepTheirRulesNatively) {
  const FinishedProcess run = in_shell("mpiexec.mpich -n 2 active_messages");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_EQ(run.out, "PASS active messages\n");
}

// "Allowing [each] endpoint K_user outstanding requests waiting for responses", K_user = 4 (Chun, Mainwaring,
// Culler 1997, section 4.2): with three peers as many as with one.
TEST_F(ActiveMessages, HaveFourOutstandingRequestsOfAnEndpointWhoeverGetsThem) {
  const FinishedProcess run = in_shell("mpiexec.mpich -n 4 active_credits");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  run_over_am2("4", {"-q", "--", program("active_credits"), "simulated"});
  run_over_am2("2", {"-q", "--", program("active_credits"), "simulated"});
}

// The program uses the library badly on purpose, and looks at the codes; each has its sentence, if the user
// asks for them, and none otherwise.
TEST_F(ActiveMessages, SayUnderVerboseWhatIsWrongWithACall) {
  const FinishedProcess silent = in_shell("mpiexec.mpich -n 2 active_messages");
  EXPECT_THAT(silent.err, testing::Not(testing::HasSubstr("libmorgana-am")));
  const FinishedProcess run = in_shell("MORGANA_VERBOSE=1 mpiexec.mpich -n 2 active_messages");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  for (const char* sentence :
       {"AM_RequestI0 in process 0: 8193 bytes are too long a message: it has at most 8192 "
        "(AM_ERR_BAD_ARG)\n",
        "AM_Request0 in process 0: the endpoint does not belong to this process, or has been freed "
        "(AM_ERR_BAD_ARG)\n",
        "AM_Reply0 in process 0: no handler runs that could reply (AM_ERR_RESOURCE)\n",
        "AM_Poll in process 1: a handler may neither poll, wait, free nor end (AM_ERR_BAD_ARG)\n",
        "AM_Map in process 0: index 1 has a name: AM_UnMap frees it (AM_ERR_IN_USE)\n",
        "AM_Poll: AM_Init has not been called, or AM_Terminate has (AM_ERR_NOT_INIT)\n",
        "a request of process 0 to endpoint 0 of process 1 came back: its tag is not the destination's "
        "(EBADTAG)\n"})
    EXPECT_THAT(run.err, testing::HasSubstr(sentence));
}

TEST_F(ActiveMessages, KeepTheirRulesWhereEveryTwentiethPacketIsCorruptedAndReplayToThePicosecond) {
  run_over_am2("2", {"--set", "network.corruption=5 %", "--json", "run.json", "--trace", "run.otf2", "--",
                     program("active_messages")});
  succeed({"replay", "run.otf2", "-p", "myrinet-am2", "--seed", "3", "--set", "messages.envelope=0 B",
           "--set", "network.corruption=5 %", "--json", "replay.json", "-q"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
}

// Without eager messages MPI has a message when the other end receives it: a handler's reply, too, and the
// last one, whose receiver is in AM_Terminate.
TEST_F(ActiveMessages, KeepTheirRulesWhereEverySendWaitsForItsReceive) {
  succeed({"run", "-n", "2", "-p", "fast-ethernet", "--compute", "none", "--set", "messages.eager-limit=0 B",
           "-q", "--", program("active_messages")});
}

// The platform has o_s = 4.09 us, o_r = 4.28 us; L = 12.60 us and g = 15.98 us are what its firmware was
// fitted to, from messages between scripted ranks (Chun, Mainwaring, Culler 1997, Figure 5). A process that
// polls sees a message up to a poll late.
TEST_F(ActiveMessages, MeasureThePlatformsParameters) {
  std::istringstream lines(run_over_am2("3", {"-q", "--", program("am2.logp"), "200"}).out);
  std::map<std::string, double> measured;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t unit = line.rfind(" us"), space = line.rfind(' ', unit - 1);
    measured[line.substr(0, space)] = std::stod(line.substr(space, unit - space));
  }
  EXPECT_NEAR(measured["o_s"], 4.09, 0.01);
  EXPECT_NEAR(measured["o_r"], 4.28, 0.01);
  EXPECT_GE(measured["L"], 12.5);
  EXPECT_LE(measured["L"], 12.6 + 1);
  EXPECT_NEAR(measured["g"], 15.98, 0.32);
}

// The paper's server answers 62,578 requests/s of one client, and 11 % fewer at worst of up to seven with a
// virtual network each (Figures 7 and 10); 1/15.98 us is what the firmware was fitted to.
TEST_F(ActiveMessages, KeepAServerAsBusyAsThePapers) {
  for (const char* serving : {"one", "each", "threads"}) {
    SCOPED_TRACE(serving);
    const std::string out = run_over_am2("5", {"-q", "--", program("am2.clients"), serving, "5"}).out;
    EXPECT_GE(std::stod(out), 55694) << out;
    EXPECT_LE(std::stod(out), 62578 * 1.03) << out;
  }
}

// A request of 1,024 bytes with its words and the library's 10 bytes takes 1.36 us and 1,050 / 55.35 us of
// the server's bus: at most 49,190 of them each second. The rest is for the firmware between two of them.
TEST_F(ActiveMessages, KeepAServersBusBusyWithLongerRequests) {
  const std::string out = run_over_am2("5", {"-q", "--", program("am2.clients"), "one", "5", "1024"}).out;
  EXPECT_GE(std::stod(out), 0.8 * 49190) << out;
  EXPECT_LE(std::stod(out), 49190) << out;
}

// Ten endpoints of the server share seven frames; quantum and residence are shortened, so that all have their
// turn.
TEST_F(ActiveMessages, RunOnMoreEndpointsThanFramesAndReplayToThePicosecond) {
  const std::vector<std::string> how{
      "--set", "interface.am2.quantum=1 ms", "--set", "interface.am2.residence=2 ms", "--counters", "-q"};
  std::vector<std::string> recorded = how;
  recorded.insert(recorded.end(),
                  {"--json", "run.json", "--trace", "run.otf2", "--", program("am2.clients"), "each", "10"});
  run_over_am2("11", recorded);
  replay_over_am2(how);
  const nlohmann::json counted = read_json("run.json").at("counters").at("Active_Messages_II").at(0);
  EXPECT_GT(counted.at("endpoints_unloaded"), 0);
  EXPECT_GT(counted.at("NACKs"), 0);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  EXPECT_EQ(counted, read_json("replay.json").at("counters").at("Active_Messages_II").at(0));
}

// A server whose threads sleep on an endpoint each, natively: who waits in MPI for all of them changes each
// time, and all clients have their last reply. (How many that are in 50 ms is this machine's affair.)
TEST_F(ActiveMessages, WakeTheThreadThatAMessageIsForNatively) {
  const FinishedProcess run = in_shell("mpiexec.mpich -n 5 am2.clients threads 50");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr(" requests/s, shares "));
}

// A page fault suspends the thread that replies at an endpoint without a frame, and the others go on: so a
// server with a thread for each of ten endpoints answers more than one that polls them. (On four frames: on
// seven a polling server may reply so regularly that it has no page faults for long.)
TEST_F(ActiveMessages, LetThreadsGoOnWhileOnesEndpointIsLoadedAndReplayToThePicosecond) {
  const std::vector<std::string> how{
      "--set", "interface.am2.quantum=1 ms", "--set", "interface.am2.residence=2 ms",
      "--set", "interface.am2.frames=4",     "--set", "messages.page-fault=thread",
      "-q"};
  const auto served = [&](const std::string& serving, const char* milliseconds,
                          const std::vector<std::string>& recorded) {
    std::vector<std::string> words = how;
    words.insert(words.end(), recorded.begin(), recorded.end());
    words.insert(words.end(), {"--", program("am2.clients"), serving, milliseconds});
    return std::stod(run_over_am2("11", words).out);
  };
  const double by_threads = served("threads", "10", {"--json", "run.json", "--trace", "run.otf2"});
  EXPECT_GT(by_threads, 1.25 * served("each", "20", {"--set", "messages.page-fault=process"}));
  replay_over_am2(how);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  served("threads", "10", {"--json", "again.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("again.json"));
}

// The firmware gives the request up after three scans, and it comes back to its endpoint's error handler.
// (Then the processes can't end together, which the run tells.)
TEST_F(ActiveMessages, ReturnWhatCannotBeDeliveredToTheErrorHandler) {
  const FinishedProcess run =
      morgana({"run", "-n", "2", "-p", "myrinet-am2", "--compute", "none", "-q", "--set",
               "interface.am2.quantum=1 ms", "--set", "interface.am2.tries=3", "--set",
               "network.faults=cable 0.1 at 2 ms", "--", program("active_messages"), "cut-off"});
  EXPECT_THAT(run.out, testing::HasSubstr("EUNREACHABLE\n")) << run.err;
}

// Without the key's default a rank is one endpoint, which never loses its frame.
TEST_F(ActiveMessages, AreOneEndpointARankIfThePlatformSaysSo) {
  const auto endpoints_unloaded = [&](const char* endpoints) {
    run_over_am2("11", {"--set", "interface.am2.quantum=1 ms", "--set", "interface.am2.residence=2 ms",
                        "--set", std::string("messages.endpoints=") + endpoints, "--counters", "-q", "--json",
                        "run.json", "--", program("am2.clients"), "each", "10"});
    return read_json("run.json")
        .at("counters")
        .at("Active_Messages_II")
        .at(0)
        .at("endpoints_unloaded")
        .get<int>();
  };
  EXPECT_EQ(endpoints_unloaded("ranks"), 0);
  EXPECT_EQ(endpoints_unloaded("auto"), endpoints_unloaded("tags"));
  EXPECT_GT(endpoints_unloaded("auto"), 0);
}

// Messages of the program's own MPI, with tags that would name forty endpoints for seven frames.
TEST_F(ActiveMessages, StandBesideMessagesOfMpiThatTakeNoFrames) {
  const auto took = [&](const char* endpoints) {
    run_over_am2("2", {"--set", std::string("messages.endpoints=") + endpoints, "-q", "--json", "run.json",
                       "--trace", "run.otf2", "--", program("active_beside_mpi")});
    return simulated_ps("run.json");
  };
  const std::int64_t by_ranks = took("ranks");
  EXPECT_LE(took("auto"), by_ranks + by_ranks / 10);
  replay_over_am2({"-q"});
  EXPECT_EQ(simulated_ps("replay.json"), simulated_ps("run.json"));
  EXPECT_GT(took("tags"), 10 * by_ranks);
}

// A trace says that it is of such a program, whatever its endpoints were when it was recorded.
TEST_F(ActiveMessages, AreKnownFromATraceOfARunWithRanks) {
  run_over_am2("11", {"--set", "messages.endpoints=ranks", "-q", "--trace", "run.otf2", "--",
                      program("am2.clients"), "each", "10"});
  replay_over_am2(
      {"--set", "interface.am2.quantum=1 ms", "--set", "interface.am2.residence=2 ms", "--counters", "-q"});
  EXPECT_GT(read_json("replay.json").at("counters").at("Active_Messages_II").at(0).at("endpoints_unloaded"),
            0);
}

// A thread sends requests while another one handles the replies: then those bring the credit that it waits
// for.
TEST_F(ActiveMessages, GiveACreditBackThatAnotherThreadHasHandled) {
  for (int i = 0; i < 6; ++i)  // threads are not equally fast each time
    EXPECT_THAT(run_over_am2("5", {"--set", "messages.page-fault=thread", "-q", "--",
                                   program("active_thread_credits")})
                    .out,
                testing::HasSubstr("PASS 200 replies"));
}

// The tags of other programs name nothing; a capture says whose they are.
TEST_F(ActiveMessages, AreKnownFromACapture) {
  succeed({"capture", "-n", "5", "-o", "run.otf2", "-q", "--", program("am2.clients"), "each", "20"});
  replay_over_am2({"--set", "interface.am2.frames=2", "--set", "interface.am2.quantum=1 ms", "--set",
                   "interface.am2.residence=2 ms", "--counters", "-q"});
  EXPECT_GT(read_json("replay.json").at("counters").at("Active_Messages_II").at(0).at("endpoints_unloaded"),
            0);
}

TEST_F(ActiveMessages, SayWhatCameBackIfTheProgramDoesNotWantToKnow) {
  const FinishedProcess run = morgana({"run", "-n", "2", "-p", "myrinet-am2", "--compute", "none", "--",
                                       program("active_messages"), "careless"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, testing::HasSubstr("a request of process 0 to endpoint 0 of process 1 came back: its "
                                          "tag is not the destination's (EBADTAG)"));
}

// What a shell starts (which does not become it) is known by the library's own word, before its first
// message; so is the trace.
TEST_F(ActiveMessages, AreKnownOfAProgramThatAScriptStarts) {
  const std::string command = program("active_messages");
  const auto ps = [this] { return simulated_ps("run.json"); };
  run_over_am2("2", {"-q", "--json", "run.json", "--", command});
  const std::int64_t linked = ps();
  run_over_am2("2", {"-q", "--set", "messages.endpoints=ranks", "--json", "run.json", "--", command});
  EXPECT_NE(ps(), linked);
  run_over_am2("2",
               {"-q", "--json", "run.json", "--trace", "run.otf2", "--", "sh", "-c", command + "; true"});
  EXPECT_EQ(ps(), linked);
  replay_over_am2({"-q"});
  EXPECT_EQ(simulated_ps("replay.json"), linked);
}

TEST_F(ActiveMessages, ThatComeAfterOtherMessagesNeedTheKey) {
  const std::string command = program("active_beside_mpi") + " late; true";
  const FinishedProcess late = morgana({"run", "-n", "2", "-p", "myrinet-am2", "--compute", "none", "-q",
                                        "--set", "messages.envelope=0 B", "--", "sh", "-c", command});
  EXPECT_NE(late.exit_code, 0);
  EXPECT_THAT(late.err, testing::AllOf(testing::HasSubstr(" begins to use libmorgana-am at 0."),
                                       testing::HasSubstr("say --set messages.endpoints=tags")));
  run_over_am2("2", {"-q", "--set", "messages.endpoints=tags", "--", "sh", "-c", command});
  run_over_am2("2", {"-q", "--", program("active_beside_mpi"), "late"});  // linked to it: known before
}

}  // namespace
}  // namespace morgana::test
