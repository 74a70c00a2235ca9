#include <benchmark/benchmark.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/rank_channel.h"

namespace {

using namespace morgana;
using namespace std::chrono_literals;

ChannelSettings settings_for(std::uint32_t ranks) {
  ChannelSettings settings;
  settings.ranks = ranks;
  settings.compute = ComputeMode::none;
  return settings;
}

Operation isend() {
  Operation send;
  send.kind = OperationKind::send;
  send.call = Call::MPI_Isend;
  send.peer = Rank{0};
  send.tag = Tag{5};
  send.request = RequestId{17};
  send.bytes = Bytes(1024);
  send.elapsed = SimTime::from_ps(123'000);
  send.payload = 4097;
  return send;
}

/// An emulator that answers whatever wants an answer, in a process of its own.
class Emulator {
 public:
  explicit Emulator(std::uint32_t ranks) : channel_(settings_for(ranks)), pid_(fork()) {
    if (pid_ == 0) serve(ranks);
  }
  ~Emulator() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::string path() const { return channel_.path(); }

 private:
  [[noreturn]] void serve(std::uint32_t ranks) {
    std::vector<Rank> all;
    for (std::uint32_t i = 0; i < ranks; ++i) all.push_back(Rank{static_cast<std::int32_t>(i)});
    Operation operation;
    while (true) {
      channel_.wait(all, 100ms);
      for (const Rank rank : all)
        while (channel_.take(rank, operation))
          if (operation.wants_answer) channel_.answer(rank, Answer());
    }
  }

  EmulatorChannel channel_;
  pid_t pid_;
};

/// A rank asks, sleeps, and is woken with the answer; one rank of many at a time.
void round_trip(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const Emulator emulator(ranks);
  RankChannel rank(emulator.path(), Rank{0});
  Operation question = isend();
  question.wants_answer = true;
  Answer answer;
  for (auto _ : state) {
    rank.post(question);
    rank.await(answer);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(round_trip)->Arg(1)->Arg(16)->UseRealTime();

/// Operations that need no answer, while the emulator takes them.
void posted_operations(benchmark::State& state) {
  const Emulator emulator(1);
  RankChannel rank(emulator.path(), Rank{0});
  const Operation send = isend();
  for (auto _ : state) rank.post(send);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(posted_operations)->UseRealTime();

/// Both ends in one process: what a post and a take cost without any waiting.
void post_and_take(benchmark::State& state) {
  EmulatorChannel emulator(settings_for(1));
  RankChannel rank(emulator.path(), Rank{0});
  const Operation send = isend();
  Operation taken;
  for (auto _ : state) {
    rank.post(send);
    benchmark::DoNotOptimize(emulator.take(Rank{0}, taken));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(post_and_take);

void payload_block(benchmark::State& state) {
  EmulatorChannel emulator(settings_for(1));
  RankChannel rank(emulator.path(), Rank{0});
  for (auto _ : state) rank.release(rank.allocate(Bytes(state.range(0)), 1));
}
BENCHMARK(payload_block)->Arg(64)->Arg(1 << 20);

/// A visit to the shim that posts nothing: what measuring compute time costs.
void enter_and_leave(benchmark::State& state) {
  ChannelSettings settings = settings_for(1);
  settings.compute = ComputeMode::measured;
  EmulatorChannel emulator(settings);
  RankChannel rank(emulator.path(), Rank{0});
  rank.leave();
  for (auto _ : state) {
    rank.enter();
    rank.leave();
  }
}
BENCHMARK(enter_and_leave);

/// What a captured call costs its rank.
void captured_operation(benchmark::State& state) {
  std::string folder = (std::filesystem::temp_directory_path() / "morgana-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return state.SkipWithError("no temporary folder");
  {
    CaptureLogWriter log(folder, Rank{0});
    const Operation send = isend();
    const std::vector<Completed> completed(1);
    for (auto _ : state) log.write(send, SimTime::from_ps(1'000), SimTime::from_ps(2'000), completed);
    state.SetItemsProcessed(state.iterations());
  }
  std::filesystem::remove_all(folder);
}
BENCHMARK(captured_operation);

}  // namespace
