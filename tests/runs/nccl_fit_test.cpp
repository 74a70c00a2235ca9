#include "runs/fit/nccl_fit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "runs/fit/nccl_log.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct LogOptions {
  int ranks = 8;
  bool roots = false;  ///< as newer versions of nccl-tests print them
  std::int64_t largest = 8LL << 30;
  std::int64_t smallest = 8;
  double factor = 0;                  ///< busbw / algbw; 0: an all-reduce's
  std::string second_host = "node0";  ///< of the last rank
};

/// Three lines: us, and us per byte.
using Lines = std::array<std::array<double, 2>, 3>;
constexpr Lines usual{{{35.2, 1 / 21'100.0}, {64.6, 1 / 85'600.0}, {104.4, 1 / 133'000.0}}};

double us_of(const Lines& lines, double bytes) {
  double least = 1e30;
  for (const auto& [us, us_per_byte] : lines) least = std::min(least, us + us_per_byte * bytes);
  return least;
}

std::string log_of(const Lines& lines, const LogOptions& how = {}) {
  std::string text = "# nThread 1 nGpus 8 minBytes 0\n#\n# Using devices\n";
  for (int rank = 0; rank < how.ranks; ++rank)
    text += fmt::format("#   Rank {:2} Pid 7 on {} device {:2} [0x00] A100-SXM4-40GB\n", rank,
                        rank + 1 < how.ranks ? "node0" : how.second_host, rank);
  text += fmt::format(
      "#\n#       size         count    type   redop{}     time   algbw   busbw  error     time   "
      "algbw   busbw  error\n#        (B)    (elements)\nnode0:7:7 [0] NCCL INFO Launch mode\n",
      how.roots ? "    root" : "");
  const double factor = how.factor > 0 ? how.factor : 2 * (how.ranks - 1.0) / how.ranks;
  const auto row = [&](std::int64_t bytes, double us) {
    const double algbw = static_cast<double>(bytes) / us / 1e3;
    const std::string measured = fmt::format("{:.2f} {:.2f} {:.2f}", us, algbw, algbw * factor);
    text += fmt::format("{:12} {:12}   float     sum{}  {}    N/A  {}    N/A\n", bytes, bytes / 4,
                        how.roots ? "  -1" : "", measured, measured);
  };
  row(0, 34);
  for (std::int64_t bytes = how.smallest; bytes <= how.largest; bytes *= 2)
    row(bytes, us_of(lines, static_cast<double>(bytes)));
  return text + "# Out of bounds values : 0 OK\n";
}

std::string refusal(const std::string& text) {
  try {
    fit_nccl(read_nccl_log(text, "log"), Platform::load("dgx-a100"));
  } catch (const Error& error) {
    return error.what();
  }
  return "it was fitted";
}

TEST(NcclLog, HoldsTheTimesOutOfPlace) {
  for (const bool roots : {false, true}) {
    LogOptions how;
    how.roots = roots;
    how.ranks = 4;
    const std::string text = log_of(usual, how);
    EXPECT_TRUE(is_nccl_log(text));
    const NcclLog log = read_nccl_log(text, "log");
    EXPECT_EQ(log.ranks, 4u);
    ASSERT_EQ(log.times.size(), 31u);
    EXPECT_EQ(log.times.front().bytes, 8);
    EXPECT_NEAR(log.times.front().us, 35.2, 0.01);
    EXPECT_EQ(log.times.back().bytes, 8589934592.0);
    EXPECT_NEAR(log.times.back().us, 104.4 + 8589934592 / 133'000.0, 0.01);
  }
  EXPECT_FALSE(is_nccl_log("# OSU MPI Latency Test\n# Size Latency (us)\n1 2.0\n"));
  EXPECT_FALSE(is_nccl_log(""));
}

// On two GPUs the bus factor of all-reduce, 1, is that of broadcast and reduce, too.
TEST(NcclLog, RefusesCollectivesWithARootOrWithoutAReduction) {
  LogOptions how;
  how.roots = true;
  how.ranks = 2;
  const auto with = [&](const std::string& operation) {
    std::string text = log_of(usual, how);
    const std::string all_reduce = "sum  -1";
    for (std::size_t at = 0; (at = text.find(all_reduce, at)) != std::string::npos; at += operation.size())
      text.replace(at, all_reduce.size(), operation);
    return refusal(text);
  };
  EXPECT_EQ(with("sum  -1"), "it was fitted");
  EXPECT_THAT(with("none  0"), HasSubstr("log:10: its collective reduces nothing"));
  EXPECT_THAT(with("sum   1"), HasSubstr("log:10: its collective has a root"));
}

TEST(NcclFit, FindsTheLinesThatTimesLieOn) {
  const NcclFit fit = fit_nccl(read_nccl_log(log_of(usual), "log"), Platform::load("dgx-a100"));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(fit.regimes[i].us, usual[i][0], 0.005 * usual[i][0]) << i;
    EXPECT_NEAR(fit.regimes[i].us_per_byte, usual[i][1], 0.005 * usual[i][1]) << i;
  }
  // Lines cross at 823 KB and 9.5 MB.
  EXPECT_EQ(fit.regimes[0].from, 8);
  EXPECT_EQ(fit.regimes[0].to, 524'288);
  EXPECT_EQ(fit.regimes[1].from, 1'048'576);
  EXPECT_EQ(fit.regimes[1].to, 8'388'608);
  EXPECT_EQ(fit.regimes[2].from, 16'777'216);
  // 14 hops, and 14/8 of the size over each link.
  EXPECT_NEAR(fit.bytes_per_us, 1.75 * 133'000, 0.005 * 1.75 * 133'000);
  EXPECT_NEAR(fit.regimes[0].per_byte_us, 1 / (1.75 * 21'100) - 2 / (1.75 * 133'000), 3e-7);
  EXPECT_NEAR(fit.regimes[1].per_byte_us, 1 / (1.75 * 85'600) - 16 / (15 * 1.75 * 133'000), 3e-7);
  EXPECT_EQ(fit.regimes[2].per_byte_us, 0);
  EXPECT_EQ(fit.regimes[0].start_us, 6.6);
  // dgx-a100: 100 ns of a switch and two cables of 10 ns.
  EXPECT_NEAR(fit.regimes[0].hop_us, (35.2 - 6.6) / 14 - 0.12, 0.02);
  EXPECT_NEAR(fit.regimes[1].hop_us, (64.6 - 14) / 14 - 0.12, 0.04);
  EXPECT_NEAR(fit.regimes[2].hop_us, (104.4 - 8.4) / 14 - 0.12, 0.06);
}

TEST(NcclFit, ThePlatformTakesTheLogsTimes) {
  LogOptions how;
  how.largest = 64 << 20;
  const NcclLog log = read_nccl_log(log_of(usual, how), "log");
  const NcclFit fit = fit_nccl(log, Platform::load("dgx-a100"));
  const Platform fitted = Platform::parse(platform_text(fit, log, "dgx-a100", "A \"test\""), "fitted.toml");
  for (const NcclResidual& one : residuals(fitted, log)) {
    EXPECT_LT(std::abs(one.relative()), 0.06) << one.bytes;
    EXPECT_THAT(one.carried_out_by, StartsWith("ring")) << one.bytes;
  }
}

TEST(NcclFit, AStartThatIsShorterThanNcclsLeavesNoHop) {
  // 3 us: less than the 6.6 us that NCCL counts.
  const Lines fast{{{3, 1 / 21'100.0}, {64.6, 1 / 85'600.0}, {104.4, 1 / 133'000.0}}};
  const NcclFit fit = fit_nccl(read_nccl_log(log_of(fast), "log"), Platform::load("dgx-a100"));
  EXPECT_EQ(fit.regimes[0].hop_us, 0);
  EXPECT_NEAR(fit.regimes[0].start_us, 3 - 14 * 0.12, 0.05);
}

TEST(NcclFit, RefusesLogsOfSomethingElse) {
  const auto with = [](const auto& change) {
    LogOptions how;
    change(how);
    return refusal(log_of(usual, how));
  };
  EXPECT_THAT(with([](LogOptions& how) { how.factor = 1; }),
              AllOf(StartsWith("log:"), HasSubstr("1.000 times algbw"), HasSubstr("all_reduce_perf")));
  EXPECT_THAT(with([](LogOptions& how) { how.ranks = 1; }), HasSubstr("one GPU"));
  EXPECT_THAT(with([](LogOptions& how) { how.second_host = "node1"; }), HasSubstr("2 hosts"));
  EXPECT_THAT(with([](LogOptions& how) { how.ranks = 16; }), HasSubstr("more than a node"));
  EXPECT_THAT(with([](LogOptions& how) { how.largest = 1024; }), HasSubstr("8 sizes above 0"));
  EXPECT_THAT(with([](LogOptions& how) { how.largest = 65'536; }), HasSubstr("no three lines"));
  expect_message(refusal("1 2 3\n"), {"log", "\"# size count type redop"});
  std::string without_ranks = log_of(usual);
  without_ranks.erase(without_ranks.find("#   Rank"),
                      without_ranks.find("#\n#       size") - without_ranks.find("#   Rank"));
  expect_message(refusal(without_ranks), {"log", "\"# Rank ...\""});
}

TEST(NcclFit, RefusesPlatformsWhereSwitchesAddUp) {
  const NcclLog log = read_nccl_log(log_of(usual), "log");
  std::string said = "it was fitted";
  try {
    fit_nccl(log, Platform::load("dgx-h100"));
  } catch (const Error& error) {
    said = error.what();
  }
  EXPECT_THAT(said, AllOf(StartsWith("log:"), HasSubstr("NCCL_NVLS_ENABLE=0"), HasSubstr("nvls = \"no\"")));
  const Platform without = Platform::parse("extends = \"dgx-h100\"\n[nccl]\nnvls = \"no\"\n", "own.toml");
  EXPECT_NEAR(fit_nccl(log, without).bytes_per_us, 1.75 * 133'000, 0.005 * 1.75 * 133'000);
}

TEST(NcclFit, RefusesPlatformsThatMissTheLog) {
  LogOptions how;
  how.largest = 64 << 20;
  const NcclLog log = read_nccl_log(log_of(usual, how), "log");
  const NcclFit fit = fit_nccl(log, Platform::load("dgx-a100"));
  std::vector<NcclResidual> left =
      residuals(Platform::parse(platform_text(fit, log, "dgx-a100", "A test"), "fitted.toml"), log);
  EXPECT_NO_THROW(refuse_misfit(fit, log, "dgx-a100", left));
  for (NcclResidual& one : left) one.fitted_us *= 1.3;
  EXPECT_THROW(refuse_misfit(fit, log, "dgx-a100", left), Error);
}

TEST(NcclFit, NamesDamagedLines) {
  const auto with = [](const std::string& what, const std::string& by) {
    std::string text = log_of(usual);
    text.replace(text.find(what), what.size(), by);
    return refusal(text);
  };
  const std::string first = "           8            2   float     sum  35.20 0.00 0.00";
  EXPECT_THAT(with(first, "           8            2   float     sum  35.20 0.00"), HasSubstr("columns"));
  EXPECT_THAT(with(first, "           8            2   float     sum  35.2x 0.00 0.00"), HasSubstr("time"));
  EXPECT_THAT(with(first, "           8            2   float     sum  nan 0.00 0.00"), HasSubstr("time"));
  EXPECT_THAT(with(first, "           8            2   float     sum  -35.20 0.00 0.00"), HasSubstr("time"));
  EXPECT_THAT(with(first, "           8            2   float     sum  0.00 0.00 0.00"), HasSubstr("0 us"));
  EXPECT_THAT(with(first, "       80000            2   float     sum  35.20 0.00 0.00"),
              AllOf(StartsWith("log:17: "), HasSubstr("2.27 GB/s")));
}

TEST(NcclFit, DamagedLogsAreRefusedOrFitted) {
  const std::string whole = log_of(usual);
  const Platform platform = Platform::load("dgx-a100");
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "damage");
    std::string text = whole;
    for (std::uint64_t count = 1 + random.below(6); count > 0 && !text.empty(); --count) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, 1 + random.below(200));
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size()), random.below(300)));
          break;
        default:
          if (random.below(4) == 0) text.resize(at);
      }
    }
    try {
      const NcclFit fit = fit_nccl(read_nccl_log(text, "log"), platform);
      for (const NcclFit::Regime& regime : fit.regimes) {
        EXPECT_TRUE(std::isfinite(regime.hop_us) && regime.hop_us >= 0) << seed;
        EXPECT_TRUE(std::isfinite(regime.per_byte_us) && regime.per_byte_us >= 0) << seed;
      }
    } catch (const Error& error) {
      ++refused;
      const std::string what = error.what();
      EXPECT_THAT(what, StartsWith("log:")) << seed;
      EXPECT_LT(what.size(), 400u) << seed;
      EXPECT_EQ(what.find('\n'), std::string::npos) << seed;
    }
  }
  EXPECT_GT(refused, 80);
}

}  // namespace
}  // namespace morgana
