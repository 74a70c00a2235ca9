// Programs whose ranks run on several machines. Agents on one machine are started by mpiexec as on several.

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "tests/integration/support/leftovers.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/started_process.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OnSeveralMachines : public MorganaTest {
 protected:
  /// On so many agents; 0: without any. @return the JSON's text
  std::string results(const std::vector<std::string>& command, const std::string& ranks,
                      const std::string& platform, int agents, const std::string& distribution = "block") {
    std::vector<std::string> run{"run",    "-n",        ranks,  "--platform", platform, "--map",
                                 "spread", "--compute", "none", "--quiet",    "--json", "run.json"};
    if (agents > 0)
      run.insert(run.end(), {"--on", "mpi", "--with=-n", "--with=" + std::to_string(agents), "--distribution",
                             distribution});
    run.emplace_back("--");
    run.insert(run.end(), command.begin(), command.end());
    printed_ = succeed(run).out;
    return read("run.json");
  }
  void expect_same(const std::vector<std::string>& command, const std::string& ranks,
                   const std::string& platform) {
    const std::string alone = results(command, ranks, platform, 0);
    const std::string said = printed_;
    for (const int agents : std::getenv(everywhere) != nullptr ? std::vector{1, 2, 3} : std::vector{2, 3}) {
      EXPECT_EQ(results(command, ranks, platform, agents, agents == 3 ? "cyclic" : "block"), alone)
          << command[0] << " on " << platform << " and " << agents << " agents";
      EXPECT_EQ(printed_, said);
    }
  }
  /// In the environment: all kernels on five platforms and one to three agents.
  static constexpr const char* everywhere = "MORGANA_EVERYWHERE";

 private:
  std::string printed_;
};

TEST_F(OnSeveralMachines, AKernelTakesTheSameTimeAndPrintsTheSame) {
  expect_same({program("ring")}, "5", "hdr-fat-tree");
}

TEST_F(OnSeveralMachines, TheEightKernelsDo) {
  if (std::getenv(everywhere) == nullptr)
    return expect_same({program("is.mpi"), "--class", "S"}, "4", "infiniband-hdr");
  for (const char* kernel : {"cg", "ep", "ft", "is", "mg", "pde1", "pde2", "solver"})
    for (const char* platform :
         {"infiniband-hdr", "fast-ethernet", "hdr-fat-tree", "roce-100g", "loggp-example"})
      expect_same({program(kernel + std::string(".mpi")), "--class", "S"}, "4", platform);
}

TEST_F(OnSeveralMachines, CollectivesDo) {
  expect_same({program("collectives")}, "4", "roce-100g");
}

TEST_F(OnSeveralMachines, CommunicatorsDo) {
  expect_same({program("conformance/communicators")}, "6", "fast-ethernet");
}

TEST_F(OnSeveralMachines, LongMessagesDo) {
  expect_same({program("exchange"), "alltoall", "2000000"}, "3", "hdr-fat-tree");
}

TEST_F(OnSeveralMachines, AProgramsExitCodeAndErrorsAreItsOwn) {
  const FinishedProcess done =
      morgana({"run", "-n", "2", "--on", "mpi", "--with=-n", "--with=2", "--quiet", "--", program("dying")});
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("rank "));
}

TEST_F(OnSeveralMachines, WindowsDo) {
  expect_same({program("conformance/windows_contention")}, "8", "infiniband-hdr");
  expect_same({program("conformance/windows_layouts")}, "4", "hdr-fat-tree");
}

TEST_F(OnSeveralMachines, SharedMemoryBetweenThemIsRefusedByName) {
  const FinishedProcess done =
      morgana({"run", "-n", "2", "--on", "mpi", "--with=-n", "--with=2", "--compute", "none", "--quiet",
               "--set", "hosts.processors=2", "--", program("conformance/windows_sharing")});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("MPI_Win_"), HasSubstr("run on different machines")));
}

// Whatever is killed: the run ends, says who is gone, and leaves nothing.
TEST_F(OnSeveralMachines, AnEndThatNobodyWantedIsToldOfAndLeavesNothing) {
  const auto kill = [this](const std::string& whom, const std::string& signal = "9") {
    return in_shell(
        "morgana run -n 2 --map spread --compute none --on mpi --with=-n --with=2 --quiet -- live pingpong "
        "100000000 >out 2>err & run=$!\n"
        "below() { for child in $(pgrep -P $1); do echo $child; below $child; done; }\n"
        "ranks() { for one in $(below $run); do [[ $(readlink /proc/$one/exe) == */live ]] && echo $one; "
        "done; }\n"
        "agents() { for one in $(below $run); do [[ $(readlink /proc/$one/exe) == */morgana && $(tr '\\0' ' "
        "' "
        "</proc/$one/cmdline) == *' agent '* ]] && echo $one; done; }\n"
        "until [[ $(ranks | wc -l) == 2 || ! -d /proc/$run ]]; do sleep 0.05; done\n"
        "all=$(below $run)\n"
        "kill -" +
        signal + " $(" + whom +
        " | head -1)\n"
        "wait $run; echo code $?; cat err\n"
        "runs() { [[ -d /proc/$1 && $(cut -d' ' -f3 /proc/$1/stat) != Z ]]; }\n"
        "for one in $all; do for try in {1..100}; do runs $one && sleep 0.1; done; runs $one && echo left "
        "$one; "
        "done; true");
  };
  EXPECT_THAT(kill("ranks").out,
              AllOf(HasSubstr("code 137"), HasSubstr("was killed by signal 9"), Not(HasSubstr("left"))));
  EXPECT_THAT(kill("agents").out,
              AllOf(HasSubstr("code 1\n"), HasSubstr("is gone: its connection has closed"),
                    HasSubstr("which runs rank "), Not(HasSubstr("left"))));
  EXPECT_THAT(kill("agents", "STOP").out,
              AllOf(HasSubstr("code 1\n"), HasSubstr("which runs rank "),
                    HasSubstr(" s: it is stopped; its machine still answers"), Not(HasSubstr("left"))));
}

/// Two agents; a program before the second one's own decides what happens before its greeting comes.
class BeforeAllHaveCome : public MorganaTest {
 protected:
  BeforeAllHaveCome() {
    write("relay.py", R"(import socket, sys, threading
to = ('127.0.0.1', int(sys.argv[1]))
server = socket.create_server(('127.0.0.1', 0))
print(server.getsockname()[1], flush=True)
server.accept()[0].close()  # before anything has passed
def pass_on(one, other):
    while data := one.recv(4096): other.sendall(data)
    other.shutdown(socket.SHUT_WR)
agent, emulator = server.accept()[0], socket.create_connection(to)
threading.Thread(target=pass_on, args=(emulator, agent), daemon=True).start()
pass_on(agent, emulator)
)");
    write("agent", R"(#!/bin/bash
[[ $PMI_RANK == 1 ]] || exec "$@"
case $(cat fate) in
  lost)
    python3 relay.py $4 >port & relay=$!
    until [[ -s port ]]; do sleep 0.01; done
    "$1" agent --port $(cat port) --address 127.0.0.1
    code=$?; wait $relay; exit $code ;;
  unreachable) exec "$1" agent --port 1 --address 127.0.0.1 ;;
  ended) exit 3 ;;
  killed) kill -9 $$ ;;
  strangers)
    printf 'GET / HTTP/1.0\r\n\r\n' >/dev/tcp/127.0.0.1/$4
    env MORGANA_AGENT_SECRET=0123456789abcdef0123456789abcdef "$@" 2>/dev/null
    exec "$@" ;;
esac
)");
    write("remote-shell", "#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nshift\nexec bash -c \"$*\"\n");
    in_shell("chmod +x agent remote-shell; printf '127.0.0.1\\n127.0.0.2\\n' >hosts");
  }
  FinishedProcess run(const std::string& fate) {
    write("fate", fate);
    return in_shell(
        "morgana run -n 2 --compute none --quiet --on ssh --with=-f --with=hosts "
        "--with=-launcher-exec --with=$PWD/remote-shell --with=./agent -- ring");
  }
  std::string error_of(const std::string& fate) {
    const FinishedProcess done = run(fate);
    EXPECT_EQ(done.exit_code, 2) << fate << done.err;
    return done.err;
  }
};

TEST_F(BeforeAllHaveCome, AConnectionThatClosesEndsTheRunByItsMachine) {
  if (in_shell("command -v python3").exit_code != 0) GTEST_SKIP() << "needs Python";
  EXPECT_THAT(error_of("lost"),
              HasSubstr(" (1) is gone: its connection has closed before all agents had come"));
}

TEST_F(BeforeAllHaveCome, AnAgentThatEndsEndsTheRunByItsMachine) {
  for (const char* fate : {"ended", "killed"})
    EXPECT_THAT(error_of(fate), AllOf(HasSubstr(" has ended before "), HasSubstr("127.0.0.2"))) << fate;
  EXPECT_THAT(error_of("unreachable"),
              AllOf(HasSubstr(" (1) can't reach the run: nobody answers at port 1 of 127.0.0.1"),
                    HasSubstr("'s hydra_pmi_proxy for 127.0.0.2 has ended before its agent had come")));
}

TEST_F(BeforeAllHaveCome, StrangersAreDroppedByNameAndTheRunGoesOn) {
  const FinishedProcess done = run("strangers");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("ring of 2: "));
  EXPECT_THAT(done.err,
              HasSubstr("note: 127.0.0.1 has connected without this run's secret, and was dropped\n"));
}

/// Two agents with two ranks each; rank 0's first write after 200 messages is cut off
/// (programs/half_a_frame.c).
class HalfAFrame : public MorganaTest {
 protected:
  std::vector<std::string> command(const std::string& mode, const std::string& messages) const {
    return {program("morgana"),
            "run",
            "-n",
            "4",
            "--map",
            "spread",
            "--compute",
            "none",
            "--quiet",
            "--on",
            "mpi",
            "--with=-n",
            "--with=2",
            "--",
            program("half_a_frame"),
            mode,
            messages};
  }
  FinishedProcess run(const std::string& mode, const std::string& messages = "1000000000") {
    std::vector<std::string> words = command(mode, messages);
    words.erase(words.begin());
    return morgana(words);
  }
};

TEST_F(HalfAFrame, OfARankThatCannotWriteIsTheRanksError) {
  const FinishedProcess done = run("fail");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err,
              HasSubstr("rank 0 can't write to the connection to agent 1: Bad file descriptor; the program "
                        "must not close or change descriptors that it has not opened"));
}

TEST_F(HalfAFrame, OfARankThatIsKilledOrExitsIsItsEnd) {
  EXPECT_THAT(run("kill").err, HasSubstr("rank 0 was killed by signal 9"));
  EXPECT_THAT(run("exit").err, HasSubstr("rank 0 "));
}

// The acting thread waits for it. It says so all the same, and the other one hears that the run is over.
TEST_F(HalfAFrame, OfAStoppedRankKeepsNobodyFromEndingTheRun) {
  StartedProcess started(command("stop", "1000000000"), path(""), "MORGANA_TEST_MARK=" + path("0"));
  while (started.running() && read(StartedProcess::err).find("is stopped by a signal") == std::string::npos) {
  }
  ASSERT_TRUE(started.running()) << read(StartedProcess::err);
  ::kill(started.pid(), SIGINT);
  // An agent that does not hear of it is waited for for 60 s.
  EXPECT_EQ(started.exit_code_within(std::chrono::seconds(30)), 130) << read(StartedProcess::err);
  EXPECT_THAT(processes_with("MORGANA_TEST_MARK=" + path("0")), testing::IsEmpty());
}

TEST_F(HalfAFrame, IsNoneWhereAProgramMakesItsSocketsNonblocking) {
  const FinishedProcess done = run("nonblock", "5000");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("PASS"));
}

TEST_F(OnSeveralMachines, SaysWhatIsAskedForInVain) {
  const auto refusal = [this](std::vector<std::string> options) {
    options.insert(options.begin(), {"run", "-n", "2", "--compute", "none"});
    options.insert(options.end(), {"--", program("ring")});
    const FinishedProcess done = morgana(options);
    EXPECT_EQ(done.exit_code, 2);
    return done.err;
  };
  EXPECT_THAT(refusal({"--with=-n"}), HasSubstr("say which with --on"));
  EXPECT_THAT(refusal({"--distribution", "cyclic"}), HasSubstr("give --on, too"));
  EXPECT_THAT(refusal({"--machine-speed", "1"}), HasSubstr("give --on, too"));
  for (const char* speed :
       {"0", "-1", "fast", "1,", "nan", "1e999", "1e308,1", "1,0.0009", "1001", "0x2,1", "1, 2", "1 ,2"})
    EXPECT_THAT(refusal({"--on", "mpi", "--machine-speed", speed}), HasSubstr("is not a speed")) << speed;
  EXPECT_THAT(refusal({"--on", "mpi", "--machine-speed", "1,2"}), HasSubstr("has none measured"));
  EXPECT_THAT(morgana({"run", "-n", "2", "--on", "mpi", "--with=-n", "--with=2", "--machine-speed", "1,1,1",
                       "--", program("ring")})
                  .err,
              HasSubstr("gives 3 speeds for 2 machines"));
  EXPECT_THAT(refusal({"--on", "mpi", "--with=-n", "--with=2", "--distribution", "nosuch"}),
              HasSubstr("--distribution: \"nosuch\" is neither block nor cyclic"));
  EXPECT_THAT(refusal({"--on", "mpi", "--with=-n", "--with=3"}), HasSubstr("3 machines for 2 ranks"));
  EXPECT_THAT(refusal({"--on", "mpi", "--with=-launcher", "--with=nosuch"}),
              HasSubstr("has ended before they had come"));
  EXPECT_THAT(morgana({"agent"}).err, HasSubstr("not by hand"));
}

TEST_F(OnSeveralMachines, WhatTheirTimesWereMultipliedByStandsInTheReport) {
  const auto run = [this](const std::string& speeds) {
    return morgana({"run", "-n", "2", "--map", "spread", "--on", "mpi", "--with=-n", "--with=2",
                    "--machine-speed", speeds, "--json", "run.json", "--", program("ring")});
  };
  const FinishedProcess scaled = run("1,10");
  EXPECT_EQ(scaled.exit_code, 0) << scaled.err;
  EXPECT_THAT(scaled.out + scaled.err, HasSubstr("what machines measured x 1, x 10"));
  EXPECT_EQ(read_json("run.json").at("machine_compute_scales"), nlohmann::json::parse("[1.0, 10.0]"));
  const FinishedProcess unscaled = run("1,1");
  EXPECT_THAT(unscaled.out + unscaled.err, Not(HasSubstr("what machines measured")));
  EXPECT_FALSE(read_json("run.json").contains("machine_compute_scales"));
}

// Two machines that share nothing but their files and a network of 1 ms that loses one frame in a hundred: by
// the kernel's netem, or where there is none by a relay between them.
TEST_F(OnSeveralMachines, InNetworkNamespacesOfTheirOwn) {
  if (in_shell("unshare --net true && command -v ip nsenter tc python3").exit_code != 0)
    GTEST_SKIP() << "needs root, the package iproute2 and Python";
  constexpr int not_here = 77;
  const FinishedProcess done = in_shell("relay=" MORGANA_SOURCE
                                        "/tests/integration/machines/delaying_relay.py\n"
                                        R"sh(
    set -e
    unshare --net sleep 300 & one=$!
    unshare --net sleep 300 & two=$!
    unshare --net sleep 300 & between=$!
    trap 'kill $one $two $between $line' EXIT
    for namespace in $one $two $between; do
      until [[ $(readlink /proc/$namespace/ns/net) != $(readlink /proc/$$/ns/net) ]]; do sleep 0.01; done
    done
    inside() { nsenter --net -t "$@"; }
    if inside $between tc qdisc add dev lo root netem delay 1ms 2>netem.err; then
      echo between them: netem
      ip link add name agents1 netns $one type veth peer name agents2 netns $two || exit 77
    else
      echo "between them: a relay, since tc says of netem: $(cat netem.err)"
      for side in 1:$one 2:$two; do
        ip link add name agents${side%:*} netns ${side#*:} type veth peer name side${side%:*} netns $between ||
          exit 77
        inside ${side#*:} python3 $relay plain agents${side%:*}
        inside $between ip link set side${side%:*} up
      done
    fi
    for side in 1:$one 2:$two; do
      inside ${side#*:} ip addr add 10.78.0.${side%:*}/24 dev agents${side%:*}
      inside ${side#*:} ip link set agents${side%:*} up
      inside ${side#*:} ip link set lo up
      [[ -s netem.err ]] || inside ${side#*:} tc qdisc add dev agents${side%:*} root netem delay 1ms loss 1%
    done
    if [[ -s netem.err ]]; then
      inside $between python3 $relay 0.001 0.01 side1 side2 >relay.out & line=$!
      until grep -q ready relay.out || ! kill -0 $line; do sleep 0.01; done
    fi
    inside $two python3 -c 'import socket
socket.create_server(("10.78.0.2", 5000)).accept()[0].recv(1)' & server=$!
    inside $one python3 -c 'import socket, time
while True:
    begun = time.monotonic()
    try:
        socket.create_connection(("10.78.0.2", 5000))
        break
    except ConnectionRefusedError:
        time.sleep(0.01)
print("slow enough" if time.monotonic() - begun >= 0.002 else "too fast")'
    wait $server
    cat >remote-shell <<END
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
echo \$1 >>reached
process=$two
[[ \$1 == 10.78.0.2 ]] || process=$one
shift
exec nsenter --net -t \$process bash -c "\$*"
END
    chmod +x remote-shell
    printf '10.78.0.1\n10.78.0.2\n' >hosts
    for program in ring conformance/communicators; do
      command=$(dirname $(command -v ring))/$program
      morgana run -n 6 --map spread --compute none -q --json alone.json -- $command >alone.out
      inside $one morgana run -n 6 --map spread --compute none -q --json spread.json --on mpi \
        --with=-f --with=hosts --with=-launcher --with=ssh --with=-launcher-exec --with="$PWD/remote-shell" \
        --with=-localhost --with=10.78.0.1 -- $command >spread.out
      cmp alone.json spread.json
      cmp <(sort alone.out) <(sort spread.out)
    done
    grep -qx 10.78.0.2 reached
    [[ ! -s netem.err ]] || echo frames lost: $(cat lost))sh");
  std::cout << done.out;
  if (done.exit_code == not_here)
    GTEST_SKIP() << "no interface can be made between two namespaces: " << done.err;
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("between them: "), HasSubstr("slow enough")));
}

}  // namespace
}  // namespace morgana::test
