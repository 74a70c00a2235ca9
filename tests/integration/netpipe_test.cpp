#include <algorithm>
#include <sstream>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

/// NetPIPE as Debian packages it, on a modelled network where computing takes no time.
class NetPipe : public MorganaTest {
 protected:
  void SetUp() override {
    MorganaTest::SetUp();
    if (run_to_end({"bash", "-c", "command -v NPmpich2"}).exit_code != 0)
      GTEST_SKIP() << "needs the package netpipe-mpich2, which Ubuntu 24.04 lacks";
  }
  struct Point {
    double bytes, megabits, seconds;
  };

  /// NetPIPE's own figure for messages of `bytes`, over `repeats` round trips.
  Point measure(const std::string& platform, const std::vector<std::string>& overrides, int bytes,
                int repeats) {
    std::vector<std::string> command{"run",       "-n",   "2",          "--quiet",
                                     "--compute", "none", "--platform", platform};
    for (const std::string& override : overrides) command.insert(command.end(), {"--set", override});
    const std::string size = std::to_string(bytes);
    command.insert(command.end(), {"--", "NPmpich2", "-l", size, "-u", size, "-p", "0", "-n",
                                   std::to_string(repeats), "-o", path("np.out")});
    succeed(command);
    std::istringstream lines(read("np.out"));
    Point point{};
    while (lines >> point.bytes >> point.megabits >> point.seconds) {
      if (static_cast<int>(point.bytes) == bytes) return point;
    }
    ADD_FAILURE() << "NetPIPE measured nothing for " << bytes << " bytes: " << read("np.out");
    return point;
  }
};

// NetPIPE reads gettimeofday, whole microseconds, before and after `repeats` round trips, so half a round
// trip is known to 1 us / (2 x repeats); its file gives seconds with eight decimals.
double resolution(int repeats) {
  return 1e-6 / (2.0 * repeats) + 0.5e-8;
}

TEST_F(NetPipe, ItsOneByteLatencyOnLogGpIsTheSumOfTheOverheadsAndL) {
  const int repeats = 500;
  const Point point = measure(
      "loggp-example",
      {"messages.send-overhead=3 us", "messages.receive-overhead=2 us", "network.latency=7 us"}, 1, repeats);
  EXPECT_NEAR(point.seconds, 3e-6 + 7e-6 + 2e-6, resolution(repeats));
}

TEST_F(NetPipe, ItsLargeMessageBandwidthOnLogGpIsOneByG) {
  const Point point = measure("loggp-example", {"network.gap-per-byte=10 ns/B"}, 4'000'000, 3);
  const double bytes_per_second = point.bytes / point.seconds;
  EXPECT_NEAR(bytes_per_second, 1e8, 1e6);
}

/// Times of `fast-ethernet`, by hand, in seconds.
struct FastEthernet {
  static constexpr double overhead = 10e-6;         // of the sender, and the same of the receiver
  static constexpr double copy_per_byte = 2.85e-9;  // out of the sender's buffer, and into the receiver's
  static constexpr double bit = 1 / 100e6;
  static constexpr double cable = 0.25e-6;  // from host to switch, and from switch to host
  static constexpr double forwarding = 3e-6;
  static constexpr int header = 40;       // TCP/IP, inside the frame's payload
  static constexpr int framing = 8 + 18;  // preamble; addresses, type, check sequence
  static constexpr double gap = 12 * 8 * bit;

  static double frame(int payload) { return (std::max(payload + header, 46) + framing) * 8 * bit; }
  static double processor(int bytes) { return 2 * (overhead + bytes * copy_per_byte); }
};

TEST_F(NetPipe, ItsOneByteLatencyOnFastEthernetIsThatOfAPaddedFrameOverTwoCables) {
  using F = FastEthernet;
  // The switch stores the whole frame before it forwards it, so the frame is sent twice.
  const double expected = F::processor(1) + 2 * F::frame(1) + 2 * F::cable + F::forwarding;
  ASSERT_NEAR(expected, 35.0257e-6, 1e-12);  // 20.0057 + 2 x 5.76 + 2 x 0.25 + 3 us
  EXPECT_NEAR(measure("fast-ethernet", {}, 1, 500).seconds, expected, resolution(500));
}

TEST_F(NetPipe, ItsLargeMessagesOnFastEthernetFillTheCableFrameByFrame) {
  using F = FastEthernet;
  // 100,000 bytes are 68 frames of 1460 and one of 720. They leave the host back to back; the switch sends
  // each on when it has it whole, so it is one full frame behind, and the last, shorter one waits its turn
  // there.
  const int bytes = 100'000, full = 1460, frames = 68, rest = bytes - frames * full;
  const double last_full_at_switch = frames * F::frame(full) + (frames - 1) * F::gap + F::cable;
  const double last_full_leaves_switch = last_full_at_switch + F::forwarding + F::frame(full);
  const double network = last_full_leaves_switch + F::gap + F::frame(rest) + F::cable;
  const double expected = F::processor(bytes) + network;
  ASSERT_NEAR(expected, 9145.18e-6, 1e-9);
  EXPECT_NEAR(measure("fast-ethernet", {}, bytes, 20).seconds, expected, resolution(20));
}

}  // namespace
}  // namespace morgana::test
