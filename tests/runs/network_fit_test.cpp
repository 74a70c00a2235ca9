// A platform fitted to what another platform's ping-pong takes is that platform again.

#include "runs/fit/network_fit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "runs/ping_pong.h"

namespace morgana {
namespace {

using testing::HasSubstr;

constexpr double tolerance = 0.03;

/// The sizes that NetPIPE sends: powers of two and the middles between them, with three bytes less and more.
std::vector<std::int64_t> netpipe_sizes() {
  std::vector<std::int64_t> sizes{1, 2, 3, 4, 6, 8, 12, 13, 16, 19, 21, 24, 27, 29, 32, 35};
  for (std::int64_t power = 32; power < (1 << 20); power *= 2)
    for (const std::int64_t size : {power + power / 2, 2 * power})
      for (const std::int64_t off : {-3, 0, 3}) sizes.push_back(size + off);
  return sizes;
}

/// As NetPIPE writes it: bytes, Mb/s of 2^20 bits, seconds to 10 ns.
std::string netpipe_output(const Platform& platform) {
  std::string text;
  for (const std::int64_t size : netpipe_sizes()) {
    const double seconds = ping_pong(platform, PingPongPlaces::two_hosts, Bytes(size), 4, 1).seconds();
    text += fmt::format("{:8} {:.6f} {:12.8f}\n", size,
                        8.0 * static_cast<double>(size) / (seconds * (1 << 20)), seconds);
  }
  return text;
}

NetworkFit fit_to_netpipe(const std::string& platform) {
  MeasuredTimes times;
  add_measured_text(times,
                    netpipe_output(Platform::load(platform, std::vector<std::string>{"hosts.processors=1"})),
                    "np.out");
  return fit_network(times);
}

void expect_near(double found, double known, const char* what) {
  EXPECT_NEAR(found, known, tolerance * known) << what;
}

// The expected values are the keys of platforms/*.toml, in us and us per byte.

TEST(NetworkFit, GivesBackTheLogGpExampleFromNetPipesOutput) {
  const NetworkFit fit = fit_to_netpipe("loggp-example");
  expect_near(fit.send_overhead, 1, "o_s");
  expect_near(fit.receive_overhead, 1, "o_r");
  expect_near(fit.latency, 5, "L");
  expect_near(fit.gap_per_byte, 0.001, "G");
  EXPECT_LT(fit.send_per_byte, tolerance * 0.001);  // it has none
  ASSERT_TRUE(fit.eager_limit.has_value());
  expect_near(*fit.eager_limit, 65536, "E");
  EXPECT_EQ(fit.latency_bytes, 0);
}

TEST(NetworkFit, GivesBackTheSp2FromNetPipesOutput) {
  const NetworkFit fit = fit_to_netpipe("ibm-sp2");
  expect_near(fit.send_overhead, 18.9, "o_s");
  expect_near(fit.latency, 1.2, "L");
  expect_near(fit.gap_per_byte, 0.025, "G");
  ASSERT_TRUE(fit.eager_limit.has_value());
  expect_near(*fit.eager_limit, 4096, "E");
}

TEST(NetworkFit, GivesBackInfinibandFromNetPipesOutput) {
  const NetworkFit fit = fit_to_netpipe("infiniband-hdr");
  expect_near(fit.send_overhead, 0.15, "o_s");
  expect_near(fit.latency, 1.32, "L");
  expect_near(fit.gap_per_byte, 0.042596e-3, "G");
  expect_near(fit.send_per_byte + fit.receive_per_byte, 0.14e-3, "copies");
  expect_near(fit.latency_per_byte, 1.8e-3, "D");
  expect_near(fit.latency_bytes, 512, "K");
  ASSERT_TRUE(fit.eager_limit.has_value());
  expect_near(*fit.eager_limit, 8192, "E");
}

TEST(NetworkFit, IsAPlatformThatPredictsWhatWasMeasured) {
  MeasuredTimes times;
  add_measured_text(
      times, netpipe_output(Platform::load("infiniband-hdr", std::vector<std::string>{"hosts.processors=1"})),
      "np.out");
  const Platform fitted =
      Platform::parse(platform_text(fit_network(times), times, "A \"fit\""), "fitted.toml");
  EXPECT_EQ(fitted.description(), "A \"fit\"");
  for (const Residual& one : residuals(fitted, times))
    EXPECT_LT(std::abs(one.relative()), tolerance) << one.bytes;
}

/// Presets of real networks are what a fit makes of their published tables, and nothing else.
TEST(NetworkFit, OfPublishedTablesAreTheShippedPresets) {
  struct Published {
    const char* preset;
    std::vector<std::string> tables;
  };
  const Published all[] = {
      {"cray-aries", {"cray-aries"}},
      {"qlogic-infinipath", {"qlogic-infinipath-latency", "qlogic-infinipath-bandwidth"}}};
  for (const auto& [preset, tables] : all) {
    MeasuredTimes times;
    for (const std::string& table : tables)
      add_measured_times(times, std::string(MORGANA_SOURCE "/docs/measurements/") + table + ".txt");
    const Platform fitted =
        Platform::parse(platform_text(fit_network(times), times, "Fitted"), "fitted.toml");
    const std::vector<Residual> ours = residuals(Platform::load(preset), times),
                                found = residuals(fitted, times);
    ASSERT_EQ(ours.size(), found.size());
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_EQ(ours[i].fitted_us, found[i].fitted_us) << preset << ", " << ours[i].bytes << " bytes";
  }
}

/// As osu_latency and osu_bw print them.
std::pair<std::string, std::string> osu_output(const Platform& platform) {
  constexpr std::size_t window = 64;
  std::string latency = "# OSU MPI Latency Test v5.6.2\n# Size          Latency (us)\n",
              bandwidth = "# OSU MPI Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n";
  for (std::int64_t size = 1; size <= 1 << 22; size *= 2) {
    const double us = ping_pong(platform, PingPongPlaces::two_hosts, Bytes(size), 4, 1).seconds() * 1e6,
                 apart = message_stream(platform, Bytes(size), window, 1).seconds() * 1e6;
    latency += fmt::format("{} {:.3f}\n", size, us);
    bandwidth += fmt::format("{} {:.3f}\n", size, static_cast<double>(size) / apart);
  }
  return {latency, bandwidth};
}

MeasuredTimes osu_times(const std::string& platform, std::vector<std::string> overrides) {
  overrides.push_back("hosts.processors=1");
  const auto [latency, bandwidth] = osu_output(Platform::load(platform, overrides));
  MeasuredTimes times;
  add_measured_text(times, latency, "osu_latency.txt");
  add_measured_text(times, bandwidth, "osu_bw.txt");
  return times;
}

TEST(NetworkFit, GivesBackInfinibandFromOsusOutput) {
  const MeasuredTimes times = osu_times("infiniband-hdr", {});
  const NetworkFit fit = fit_network(times);
  expect_near(fit.send_overhead, 0.15, "o_s");
  expect_near(fit.receive_overhead, 0.15, "o_r");
  expect_near(fit.latency, 1.32, "L");
  expect_near(fit.gap_per_byte, 0.042596e-3, "G");
  expect_near(fit.send_per_byte, 0.07e-3, "c_s");
  expect_near(fit.latency_per_byte, 1.8e-3, "D");
  EXPECT_EQ(fit.latency_bytes, 512);
  EXPECT_EQ(fit.eager_limit, 8192);
  EXPECT_EQ(fit.rendezvous_overhead, 0);
  const Platform fitted = Platform::parse(platform_text(fit, times, "Fitted"), "fitted.toml");
  for (const Residual& one : residuals(fitted, times))
    EXPECT_LT(std::abs(one.relative()), tolerance)
        << one.bytes << (one.kind == Residual::Kind::latency ? " bytes, latency" : " bytes, stream");
}

/// A rendezvous that costs more than its two messages explain.
TEST(NetworkFit, TakesWhatRendezvousCostFromOsusOutput) {
  const MeasuredTimes times =
      osu_times("infiniband-hdr", {"messages.eager-limit=32KiB", "messages.rendezvous-overhead=2us",
                                   "messages.send-per-byte=0.02ns/B", "messages.receive-per-byte=0.02ns/B",
                                   "network.latency-per-byte=0.2ns/B", "network.latency-bytes=4KiB"});
  const NetworkFit fit = fit_network(times);
  EXPECT_EQ(fit.eager_limit, 32768);
  expect_near(fit.rendezvous_overhead, 2, "R");
  expect_near(fit.send_overhead, 0.15, "o_s");
  expect_near(fit.latency, 1.32, "L");
  expect_near(fit.latency_per_byte, 0.2e-3, "D");
  EXPECT_EQ(fit.latency_bytes, 4096);
}

/// A step of 9 us, which two messages of 64 bytes don't explain, makes them no longer.
TEST(NetworkFit, LeavesControlMessagesShort) {
  MeasuredTimes times;
  add_measured_times(times, MORGANA_SOURCE "/docs/measurements/cray-aries.txt");
  const NetworkFit fit = fit_network(times);
  EXPECT_GT(fit.rendezvous_overhead, 2);
  EXPECT_THAT(platform_text(fit, times, "Fitted"),
              testing::AllOf(HasSubstr("control = \"64 B\""), HasSubstr("rendezvous-overhead = ")));
}

/// Powers of two and the middles between them, up to 1 MiB.
MeasuredTimes times_through(const Platform& platform, std::size_t window) {
  MeasuredTimes times;
  const auto add = [&](std::int64_t size) {
    const auto bytes = static_cast<double>(size);
    times.latency.push_back(
        {bytes, ping_pong(platform, PingPongPlaces::two_hosts, Bytes(size), 4, 1).seconds() * 1e6});
    times.stream.push_back({bytes, message_stream(platform, Bytes(size), window, 1).seconds() * 1e6,
                            static_cast<double>(window)});
  };
  for (std::int64_t size = 1; size <= 1 << 20; size *= 2) {
    add(size);
    if (size >= 16 && size < 1 << 20) add(size + size / 2);
  }
  return times;
}

double farthest(const Platform& platform, const MeasuredTimes& times, Residual::Kind kind) {
  double most = 0;
  for (const Residual& one : residuals(platform, times))
    if (one.kind == kind) most = std::max(most, std::abs(one.relative()));
  return most;
}

/// Of a network of packets: 1,460 B of a message take 1,538 B of Ethernet at 100 Mb/s, and 128,000 B is the
/// eager limit, so that 98,304 B is the last eager size of the table. The step there is small, as a
/// rendezvous saves 0.75 ms of copies.
TEST(NetworkFit, FindsFastEthernetsEagerLimitWithStreams) {
  for (const std::size_t window : {0, 64}) {
    const MeasuredTimes times = times_through(Platform::load("fast-ethernet"), window);
    const NetworkFit fit = fit_network(times);
    // Kernels copy what is longer, too, which leaves little of a step where messages follow each other: with
    // streams the fit sees it one measured size too late.
    EXPECT_EQ(fit.eager_limit, window == 0 ? 98304 : 131072) << window;
    expect_near(fit.send_overhead, 10, "o_s");
    expect_near(fit.gap_per_byte, 0.08 * 1538 / 1460, "G");
    const Platform fitted = Platform::parse(platform_text(fit, times, "Fitted"), "fitted.toml");
    EXPECT_LT(farthest(fitted, times, Residual::Kind::latency), tolerance) << window;
    EXPECT_LT(farthest(fitted, times, Residual::Kind::stream), 3 * tolerance) << window;
  }
}

/// Sockets have no rendezvous, and headers of frames are a gap of the network.
TEST(NetworkFit, FindsNoEagerLimitOfSocketsWithStreams) {
  for (const std::size_t window : {0, 64}) {
    const MeasuredTimes times = times_through(Platform::load("ethernet-10"), window);
    const NetworkFit fit = fit_network(times);
    EXPECT_FALSE(fit.eager_limit.has_value()) << window;
    expect_near(fit.send_overhead, 495, "o_s");
    const Platform fitted = Platform::parse(platform_text(fit, times, "Fitted"), "fitted.toml");
    EXPECT_LT(farthest(fitted, times, Residual::Kind::latency), 2 * tolerance) << window;
    EXPECT_LT(farthest(fitted, times, Residual::Kind::stream), 4 * tolerance) << window;
  }
}

/// Blocking messages beyond the eager limit wait for each rendezvous (network.measure).
TEST(NetworkFit, GivesBackInfinibandFromBlockingStreams) {
  const std::vector<std::string> overrides{"hosts.processors=1", "messages.rendezvous-overhead=2us"};
  const NetworkFit fit = fit_network(times_through(Platform::load("infiniband-hdr", overrides), 0));
  EXPECT_EQ(fit.eager_limit, 8192);
  expect_near(fit.send_overhead, 0.15, "o_s");
  expect_near(fit.latency, 1.32, "L");
  expect_near(fit.rendezvous_overhead, 2, "R");
}

TEST(NetworkFit, TakesGapsFromStreams) {
  // Two thirds of a byte's 3 ns are the slowest stage's; short messages follow each other every 4 us. That is
  // longer than processors take, so that nothing tells their part of the 20 us from the network's.
  MeasuredTimes times;
  for (double bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    times.latency.push_back({bytes, 20 + 0.003 * bytes});
    times.stream.push_back({bytes, 4 + 0.002 * bytes});
  }
  const NetworkFit fit = fit_network(times);
  EXPECT_FALSE(fit.eager_limit.has_value());
  expect_near(fit.gap, 4, "g");
  expect_near(fit.gap_per_byte, 0.002, "G");
  expect_near(fit.send_per_byte, 0.0005, "c_s");
  EXPECT_EQ(fit.send_overhead, 0);
  expect_near(fit.latency, 20, "L");
  EXPECT_THAT(fit.open.at(0), HasSubstr("all is latency"));
}

TEST(NetworkFit, FitsStreamsBesideCalls) {
  MeasuredTimes times;
  for (double bytes = 1; bytes <= 1 << 16; bytes *= 2) {
    times.latency.push_back({bytes, 10 + 0.002 * (bytes - 1)});
    times.stream.push_back({bytes, std::max(3.0, 2.5 + 0.002 * (bytes - 1))});
    times.send.push_back({bytes, 2});
    times.receive.push_back({bytes, 3});
  }
  const NetworkFit fit = fit_network(times);
  expect_near(fit.send_overhead, 2, "o_s");
  expect_near(fit.receive_overhead, 3, "o_r");
  expect_near(fit.latency, 5, "L");
  expect_near(fit.gap, 2.5, "g");
}

/// Rates in GB/s where MB/s are expected.
TEST(NetworkFit, RefusesTablesThatContradictEachOther) {
  MeasuredTimes times;
  for (double bytes = 1; bytes <= 1 << 20; bytes *= 2) {
    times.latency.push_back({bytes, 2 + 0.0001 * bytes});
    times.stream.push_back({bytes, 1000 * (0.3 + 0.0001 * bytes), 64});
  }
  const Platform fitted = Platform::parse(platform_text(fit_network(times), times, "Fitted"), "fitted.toml");
  EXPECT_THROW(refuse_contradiction(residuals(fitted, times), times), Error);
}

TEST(NetworkFit, TakesOverheadsFromCalls) {
  MeasuredTimes times;
  for (double bytes = 1; bytes <= 1 << 16; bytes *= 2) {
    times.latency.push_back({bytes, 10 + 0.001 * bytes});
    times.send.push_back({bytes, 2});
    times.receive.push_back({bytes, 3});
  }
  const NetworkFit fit = fit_network(times);
  expect_near(fit.send_overhead, 2, "o_s");
  expect_near(fit.receive_overhead, 3, "o_r");
  expect_near(fit.latency, 5, "L");
}

TEST(NetworkFit, KnowsThatTheFirstByteLeavesWithoutAGap) {
  MeasuredTimes times;
  for (double bytes = 1; bytes <= 1 << 16; bytes *= 2)
    times.latency.push_back({bytes, 35 + 0.08 * (bytes - 1)});
  constexpr double picosecond = 1e-6;
  EXPECT_NEAR(fit_network(times).latency, 35, picosecond);
}

TEST(MeasuredTimes, ReadTablesOfSeveralPrograms) {
  MeasuredTimes times;
  add_measured_text(times, "  0:       1 bytes    100 times -->      0.22 Mbps in      35.02 usec\n",
                    "printed");
  add_measured_text(
      times, "# OSU MPI Latency Test v5.6.2\n# Size          Latency (us)\n0    1.60\n8   1.61\n", "lat");
  add_measured_text(times, "# OSU MPI Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n4096   8192.00\n",
                    "bw");
  add_measured_text(times, "# network.measure: kind, bytes, us\nsend 16 0.25\nreceive 16 0.5\nlatency 32 2\n",
                    "own");
  ASSERT_EQ(times.latency.size(), 3u);  // none of 0 bytes
  EXPECT_EQ(times.latency[0].us, 35.02);
  EXPECT_EQ(times.latency[1].us, 1.61);
  EXPECT_EQ(times.stream.at(0).us, 0.5);  // 4096 B at 8192 B a us
  EXPECT_EQ(times.send.at(0).us, 0.25);
  EXPECT_EQ(times.receive.at(0).us, 0.5);
  EXPECT_THAT(times.origins.at(2), HasSubstr("bw (osu_bw)"));
}

TEST(MeasuredTimes, ReadImbsTables) {
  MeasuredTimes times;
  add_measured_text(times,
                    "# Benchmarking PingPong \n# #processes = 2 \n       #bytes #repetitions      t[usec]   "
                    "Mbytes/sec\n            0         1000         1.50         0.00\n         1024         "
                    "1000         2.27       451.10\n",
                    "ping");
  add_measured_text(times,
                    "# Benchmarking Uniband\n       #bytes #repetitions   Mbytes/sec      Msg/sec\n         "
                    "1024         1000      1024.00      1000000\n",
                    "uni");
  ASSERT_EQ(times.latency.size(), 1u);
  EXPECT_EQ(times.latency[0].us, 2.27);
  ASSERT_EQ(times.stream.size(), 1u);
  EXPECT_EQ(times.stream[0].us, 1);
  EXPECT_EQ(times.stream[0].window, 64);
  EXPECT_THAT(times.origins.at(0), HasSubstr("ping (IMB PingPong)"));
}

/// IMB prints a table for each number of pairs into one file.
TEST(MeasuredTimes, AreThoseOfOnePairOfImbs) {
  std::string text;
  for (const char* processes : {"2", "4", "8"})
    text += fmt::format(
        "# Benchmarking Uniband\n# #processes = {} \n       #bytes #repetitions   Mbytes/sec      Msg/sec\n  "
        "     "
        "1024         1000      {}000      {}000000\n",
        processes, processes, processes);
  MeasuredTimes times;
  add_measured_text(times, text, "uni");
  ASSERT_EQ(times.stream.size(), 1u);
  EXPECT_EQ(times.stream[0].us, 0.5);
  ASSERT_EQ(times.notes.size(), 2u);
  EXPECT_THAT(times.notes[1], HasSubstr("the table of 8 processes is left out"));
  MeasuredTimes none;
  EXPECT_THROW(
      add_measured_text(none, "# Benchmarking Uniband\n# #processes = 4\n1024 1000 1000 1000000\n", "x"),
      Error);
}

TEST(MeasuredTimes, NameEachTableOfAFile) {
  MeasuredTimes times;
  add_measured_text(
      times,
      "# OSU MPI Latency Test v5.6.2\n# Size          Latency (us)\n8   1.61\n# OSU MPI Bandwidth Test "
      "v5.6.2\n# Size      Bandwidth (MB/s)\n4096   8192.00\n",
      "both");
  EXPECT_EQ(times.origins, std::vector<std::string>{"both (osu_latency, osu_bw)"});
}

/// Their rows look like those of a ping-pong.
TEST(MeasuredTimes, AreNotTakenFromOtherBenchmarks) {
  for (const char* title :
       {"# OSU MPI Allreduce Latency Test v5.6.2\n# Size       Avg Latency(us)\n",
        "# OSU MPI Bi-Directional Bandwidth Test v5.6.2\n# Size      Bandwidth (MB/s)\n",
        "# OSU MPI_Put Latency Test v5.6.2\n# Size          Latency (us)\n",
        "# OSU MPI_Get Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n",
        "# OSU MPIX_Put Latency Test v5.6.2\n# Size          Latency (us)\n",
        "# OSU OpenSHMEM Put Latency Test v5.6.2\n# Size          Latency (us)\n",
        "# OSU UPC MEMPUT Test v5.6.2\n# Size          Latency (us)\n",
        "# Benchmarking Exchange \n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n"}) {
    MeasuredTimes times;
    EXPECT_THROW(add_measured_text(times, std::string(title) + "8 100 1.5 1.6\n", "x"), Error) << title;
  }
}

TEST(MeasuredTimes, AreRefusedWhereThereAreNone) {
  MeasuredTimes times;
  EXPECT_THROW(add_measured_text(times, "hello\n", "x"), Error);
  for (const char* text : {"# Latency (us)\n8 -1\n", "# Latency (us)\n8 nan\n", "# Latency (us)\n8 inf\n",
                           "# Bandwidth (MB/s)\n8 0\n", "# Bandwidth (MB/s)\n8 -2\n",
                           "# Bandwidth (MB/s)\n8 nan\n", "# network.measure\nlatency 8 nan\n"})
    EXPECT_THROW(add_measured_text(times, text, "x"), Error) << text;
  EXPECT_THROW(add_measured_times(times, "/nowhere/np.out"), Error);
  EXPECT_THROW(fit_network(times), Error);
}

}  // namespace
}  // namespace morgana
