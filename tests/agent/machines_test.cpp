#include "pvmshim/agent/machines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "emulator/core/error.h"
#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/silence.h"
#include "pvmshim/agent/stream.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::ElementsAre;

TEST(Distribution, OfBlocksDiffersByOneRankAtMost) {
  EXPECT_THAT(distribute("block", 7, 3), ElementsAre(0, 0, 0, 1, 1, 2, 2));
  EXPECT_THAT(distribute("block", 3, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(distribute("block", 4, 1), ElementsAre(0, 0, 0, 0));
}

TEST(Distribution, GoesRoundTheMachines) {
  EXPECT_THAT(distribute("cyclic", 5, 2), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(distribute("", 4, 2), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(distribute_hosts("", 4, 2), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(distribute_hosts("block", 4, 2), ElementsAre(0, 0, 1, 1));
}

using namespace std::chrono_literals;

TEST(Silence, IsTooLongAfterFiveSeconds) {
  Silence silence;
  silence.add(4'999ms);
  EXPECT_FALSE(silence.is_too_long());
  silence.add(1ms);
  EXPECT_TRUE(silence.is_too_long());
  EXPECT_EQ(silence.lasted(), 5s);
}

TEST(Silence, EndsWithWhateverIsSaid) {
  Silence silence;
  silence.add(4'999ms);
  silence.heard();
  silence.add(4'999ms);
  silence.heard_sign(0ms);
  silence.add(4'999ms);
  EXPECT_FALSE(silence.is_too_long());
}

// The longest delay of the last minute counts, four times.
TEST(Silence, IsBorneLongerWhereAMachineLetsSignsWait) {
  Silence silence;
  silence.heard_sign(2s);
  for (int sign = 1; sign < 60; ++sign) silence.heard_sign(1ms);
  EXPECT_EQ(silence.patience(), 13s);
  silence.heard_sign(1ms);
  EXPECT_EQ(silence.patience(), 5'004ms);
}

TEST(Silence, IsNeverBorneForMoreThanHalfAMinute) {
  Silence silence;
  silence.heard_sign(std::chrono::milliseconds::max());
  EXPECT_EQ(silence.patience(), 30s);
  silence.heard_sign(std::chrono::milliseconds::min());
  EXPECT_EQ(silence.patience(), 30s);
}

class ComputeScales : public testing::Test {
 protected:
  std::string refusal() const {
    try {
      compute_scales(machines_, processors_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  Machines machines_;
  std::vector<MachineProcessor> processors_{{"one", "fast", 1e-8}, {"two", "slow", 4e-8}};
};

TEST_F(ComputeScales, AreOneOnMachinesOfOneKind) {
  machines_.processor = processors_[1].model = "fast";
  EXPECT_THAT(compute_scales(machines_, processors_), ElementsAre(1, 1)) << "whatever was calibrated";
}

// A slow machine takes four times as long for what the first one computes: on this one it took half of that.
TEST_F(ComputeScales, FollowFromWhatWasCalibrated) {
  machines_.processor = "slow";
  machines_.ep_seconds_per_pair = 2e-8;
  EXPECT_THAT(compute_scales(machines_, processors_), ElementsAre(2, 0.5));
}

// Nodes of one kind, and a login node of another one, whose times the platform's are compared with.
TEST_F(ComputeScales, CountThisMachineAmongThem) {
  machines_.processor = "slow";
  machines_.ep_seconds_per_pair = 4e-8;
  processors_[1] = {"two", "fast", 1e-8};
  EXPECT_THAT(compute_scales(machines_, processors_), ElementsAre(4, 4));
}

TEST_F(ComputeScales, SayWhyACalibrationDoesNotCount) {
  machines_.processor = "fast";
  machines_.ep_seconds_per_pair = 1e-8;
  processors_[1] = {"two", "slow", 0, "has one for another processor"};
  expect_message(refusal(), "--machine-speed");
}

TEST_F(ComputeScales, AreRefusedWhereAMachineIsNotCalibrated) {
  machines_.processor = "fast";
  expect_message(refusal(), {"this machine is not", "`morgana calibrate`", "--machine-speed"});
  machines_.ep_seconds_per_pair = 2e-8;
  processors_[1].ep_seconds_per_pair = 0;
  expect_message(refusal(), {"two is not", "`morgana calibrate`", "--machine-speed"});
}

TEST_F(ComputeScales, AreWhatTheUserSays) {
  machines_.speeds = {1, 0.25};
  EXPECT_THAT(compute_scales(machines_, processors_), ElementsAre(1, 0.25));
  machines_.speeds = {1};
  expect_message(refusal(), {"--machine-speed", "2 machines"});
}

class DistributionFile : public testing::Test {
 protected:
  DistributionFile() : path_(testing::TempDir() + "distribution." + std::to_string(::getpid())) {}
  ~DistributionFile() override { std::filesystem::remove(path_); }
  std::string with(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string refusal(const std::string& text) const {
    try {
      distribute(with(text), 3, 2);
    } catch (const Error& error) {
      std::string text = error.what();  // with a name of the file that does not vary
      if (text.starts_with(path_)) text.replace(0, path_.size(), "distribution");
      return text;
    }
    return "";
  }

 private:
  std::string path_;
};

TEST_F(DistributionFile, SaysAMachineForEachRank) {
  EXPECT_THAT(distribute(with("1 # the first\n\n0\n1\n"), 3, 2), ElementsAre(1, 0, 1));
}

TEST_F(DistributionFile, OfOtherMachinesOrRanksIsRefused) {
  expect_message(refusal("0\n2\n1\n"), "\"2\"");
  expect_message(refusal("0\nhere\n1\n"), "\"here\"");
  expect_message(refusal("0\n1\n"), "run 3");
  expect_message(refusal("1\n1\n1\n"), "machine 0");
  EXPECT_THROW(distribute("/no/such/file", 3, 2), Error);
}

TEST(Agents, AreStartedByTheEngineThatIsAskedFor) {
  const std::vector<std::string> there{"10.0.0.1"};
  EXPECT_THAT(agents_command({MachineEngine::mpi, {"-f", "hosts"}, "block"}, "/bin/morgana", there, 77),
              ElementsAre("mpiexec.mpich", "-ppn", "1", "-f", "hosts", "/bin/morgana", "agent", "--port",
                          "77", "--address", "10.0.0.1"));
  EXPECT_THAT(agents_command({MachineEngine::slurm, {"--nodes=2"}, "block"}, "/bin/morgana", there, 77),
              ElementsAre("srun", "--ntasks-per-node=1", "--kill-on-bad-exit=1", "--nodes=2", "/bin/morgana",
                          "agent", "--port", "77", "--address", "10.0.0.1"));
}

// srun reads these as options (srun(1), input environment variables); salloc -n sets them.
TEST(Agents, AreOneAMachineHoweverManyTasksAnAllocationHas) {
  const std::vector<std::string> variables{
      "SLURM_NTASKS=2",          "A=SLURM_NTASKS=2",        "SLURM_NPROCS=2",
      "SLURM_JOB_ID=7",          "SLURM_NTASKS_PER_NODE=2", "SLURM_NTASKS_PER_GPU=2",
      "SLURM_NTASKS_PER_TRES=2", "SLURM_GPUS_PER_TASK=1",   "SLURM_NTASKS_PER_SOCKET=2"};
  EXPECT_THAT(environment_of_starter(MachineEngine::slurm, variables),
              ElementsAre("A=SLURM_NTASKS=2", "SLURM_JOB_ID=7", "SLURM_NTASKS_PER_SOCKET=2"));
  EXPECT_EQ(environment_of_starter(MachineEngine::mpi, variables), variables);
}

// As Hydra's manual has them: -f, -hosts, -host; NAME[:PROCESSES], # comments.
TEST_F(DistributionFile, OrAHostFileNamesTheMachinesThatAreMissing) {
  const auto named = [](std::vector<std::string> options) {
    return named_machines({MachineEngine::mpi, std::move(options)});
  };
  EXPECT_THAT(named({"-f", with("# ours\nnode1:2\n\n node2 # slow\nnode3 binding=user\n")}),
              ElementsAre("node1", "node2", "node3"));
  EXPECT_THAT(named({"-launcher", "ssh", "--hosts", "node1,node2:4"}), ElementsAre("node1", "node2"));
  for (const std::vector<std::string>& none :
       {std::vector<std::string>{"-n", "2"}, {"-f"}, {"-f", "/no/such/file"}, {"-", "x"}, {"f", "x"}})
    EXPECT_THAT(named(none), testing::IsEmpty());
  EXPECT_THAT(named_machines({MachineEngine::slurm, {"-host", "node1"}}), testing::IsEmpty());
}

TEST(Agents, OfSlurmMayGoOnWithoutOneThatIsGone) {
  EXPECT_THAT(agents_command({MachineEngine::slurm, {}, "block", true}, "/bin/morgana", {}, 77),
              testing::Contains("--kill-on-bad-exit=0"));
}

TEST(Agents, AreToldAllThatALaunchNeeds) {
  AgentSetup setup;
  setup.number = 1;
  setup.agents = {{{"10.0.0.1", "::1"}, 5}, {{}, 6}};
  setup.folder = "/home/user";
  setup.environment = {"A=1", "B="};
  setup.launch.programs = {{{"one", "-x"}, 2, {{"N", "V"}}}, {{"two"}, 1}};
  setup.launch.command = {"one", "-x"};
  setup.launch.ranks = 3;
  setup.launch.share = {3, {1, 2}};
  setup.launch.machine_of = {0, 1, 1};
  setup.launch.host_of = {0, 0, 1};
  setup.launch.input = -1;
  setup.launch.compute = ComputeMode::none;
  setup.launch.compute_scale = 0.25;
  setup.launch.epoch_s = 12;
  const AgentSetup told = decode_setup(encode(setup));
  EXPECT_EQ(encode(told), encode(setup));
  EXPECT_EQ(told.agents[0].addresses, setup.agents[0].addresses);
  EXPECT_EQ(told.launch.share.ranks, setup.launch.share.ranks);
  EXPECT_EQ(told.launch.programs[0].environment, setup.launch.programs[0].environment);
  EXPECT_EQ(told.launch.input, -1);
  EXPECT_EQ(told.launch.compute_scale, 0.25);
  EXPECT_EQ(told.launch.epoch_s, 12);
  std::vector<std::byte> cut = encode(setup);
  while (!cut.empty()) {
    cut.resize(cut.size() - std::min<std::size_t>(8, cut.size()));
    EXPECT_THROW(decode_setup(cut), MalformedFrame);
  }
}

TEST(Streams, CarryFramesBothWaysAndEnd) {
  Listener listener;
  const std::vector<std::string> here{"127.0.0.1"};
  Stream one(Stream::connect(here, listener.port(), std::chrono::seconds(5)));
  const auto accepted = listener.accept_within(std::chrono::seconds(5));
  ASSERT_TRUE(accepted.has_value());
  Stream other(*accepted);
  one.add(FrameKind::await, 3, ContentWriter().number(9).bytes());
  one.send(FrameKind::quit);
  Frame frame;
  ASSERT_TRUE(other.receive(frame));
  EXPECT_EQ(frame.kind, FrameKind::await);
  EXPECT_EQ(frame.rank, 3);
  ASSERT_TRUE(other.receive(frame));
  EXPECT_EQ(frame.kind, FrameKind::quit);
  EXPECT_FALSE(one.has_closed());
  other.send(FrameKind::alive);
  other.finish_sending();
  EXPECT_FALSE(one.has_closed()) << "something has come before";
  ASSERT_TRUE(one.receive(frame));
  EXPECT_FALSE(one.receive(frame));
  EXPECT_TRUE(one.has_closed());
  one.shut();
  EXPECT_FALSE(other.receive(frame));
}

TEST(Streams, ThatNobodyAnswersAreToldOf) {
  std::uint16_t port = 0;
  {
    const Listener closed;
    port = closed.port();
  }
  const std::vector<std::string> here{"127.0.0.1"};
  EXPECT_THROW(Stream::connect(here, port, std::chrono::seconds(5)), Error);
}

TEST(Secrets, DifferAndAreCompared) {
  const std::string one = new_secret(), other = new_secret();
  EXPECT_EQ(one.size(), 32U);
  EXPECT_NE(one, other);
  EXPECT_TRUE(is_same_secret(one, one));
  EXPECT_FALSE(is_same_secret(one, other));
  EXPECT_FALSE(is_same_secret(one, one.substr(1)));
  EXPECT_FALSE(is_same_secret("", one));
}

}  // namespace
}  // namespace morgana
