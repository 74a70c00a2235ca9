#include "emulator/core/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Quantity, ReadsTimesInEveryUnit) {
  EXPECT_EQ(parse_time("1 ps"), 1_ps);
  EXPECT_EQ(parse_time("2 ns"), 2_ns);
  EXPECT_EQ(parse_time("8.25 us"), 8'250_ns);
  EXPECT_EQ(parse_time("40 ms"), 40_ms);
  EXPECT_EQ(parse_time("1.5 s"), 1'500_ms);
  EXPECT_EQ(parse_time("2 min"), 120_s);
  EXPECT_EQ(parse_time("1 h"), 3'600_s);
  EXPECT_EQ(parse_time("0 s"), 0_ps);
}

TEST(Quantity, AcceptsAnySpacingAndExponents) {
  EXPECT_EQ(parse_time("5us"), 5_us);
  EXPECT_EQ(parse_time("  5 \t us "), 5_us);
  EXPECT_EQ(parse_time("2.5e-3 s"), 2'500_us);
  EXPECT_EQ(parse_time("1E3 ns"), 1_us);
  EXPECT_EQ(parse_time(".5 us"), 500_ns);
  EXPECT_EQ(parse_time("5. us"), 5_us);
}

TEST(Quantity, RoundsTimesOnceToTheNearestPicosecond) {
  EXPECT_EQ(parse_time("0.0014 ns"), 1_ps);
  EXPECT_EQ(parse_time("0.0015 ns"), 2_ps);
  EXPECT_EQ(parse_time("1.00149999999999999999 ns"), 1'001_ps);  // a double would read 1.0015
  EXPECT_EQ(parse_time("0.5 ps"), 1_ps);
}

TEST(Quantity, HoldsLargeTimesExactly) {
  EXPECT_EQ(parse_time("9223372.036854775807 s").ps(), std::numeric_limits<std::int64_t>::max());
  expect_message(error_of([] { parse_time("9223372.036854775808 s"); }), "\"9223372.036854775808 s\"");
}

TEST(Quantity, ReadsSizesWithBothKindsOfPrefixes) {
  EXPECT_EQ(parse_bytes("1500 B"), 1500_B);
  EXPECT_EQ(parse_bytes("64 KiB"), 64_KiB);
  EXPECT_EQ(parse_bytes("64 kB"), 64'000_B);
  EXPECT_EQ(parse_bytes("1.5 MiB"), 1536_KiB);
  EXPECT_EQ(parse_bytes("1e2 MB"), 100'000'000_B);
  EXPECT_EQ(parse_bytes("1 GiB"), 1024_MiB);
  EXPECT_EQ(parse_bytes("2 GB"), 2'000'000'000_B);
}

TEST(Quantity, RefusesPartsOfAByte) {
  expect_message(error_of([] { parse_bytes("1.5 B"); }), {"\"1.5 B\"", "bytes"});
  expect_message(error_of([] { parse_bytes("0.3 KiB"); }), {"\"0.3 KiB\"", "bytes"});
  EXPECT_EQ(parse_bytes("0.5 KiB"), 512_B);
}

TEST(Quantity, ReadsRatesInBitsAndInBytes) {
  EXPECT_EQ(parse_bit_rate("155.52 Mb/s").bits_per_second(), 155'520'000);
  EXPECT_EQ(parse_bit_rate("100 Gb/s").bits_per_second(), 100'000'000'000);
  EXPECT_EQ(parse_bit_rate("160 MB/s").bits_per_second(), 1'280'000'000);
  EXPECT_EQ(parse_bit_rate("9600 b/s").bits_per_second(), 9600);
  expect_message(error_of([] { parse_bit_rate("0 Mb/s"); }), {"\"0 Mb/s\"", "more than 0"});
}

TEST(Quantity, ReadsCostsPerByteWithKBMeaning1024Bytes) {
  EXPECT_EQ(parse_byte_cost("0.03 ns/B").fs(), 30'000);
  EXPECT_EQ(parse_byte_cost("24.9 us/KB").fs(), 24'316'406);  // 24.9e9 / 1024 = 24316406.25
  EXPECT_EQ(parse_byte_cost("24.9 us/KiB"), parse_byte_cost("24.9 us/KB"));
  EXPECT_EQ(parse_byte_cost("1 ms/MiB").fs(), 953'674);  // 1e12 / 1048576 = 953674.3
  EXPECT_EQ(parse_byte_cost("0 ns/B").fs(), 0);
}

TEST(Quantity, ReadsSharesAsPercentageOrNumber) {
  EXPECT_EQ(parse_share("25 %"), 0.25);
  EXPECT_EQ(parse_share("25%"), 0.25);
  EXPECT_EQ(parse_share("0.25"), 0.25);
  EXPECT_EQ(parse_share("0.1 %"), 0.001);  // the nearest double to a thousandth, not 0.1 / 100
  EXPECT_EQ(parse_share("0"), 0.0);
}

TEST(Quantity, ReadsFactorsAndCounts) {
  EXPECT_EQ(parse_factor("1.5"), 1.5);
  EXPECT_EQ(parse_factor("1e-3"), 0.001);
  EXPECT_EQ(parse_count("200 cells", "cells"), 200);
  EXPECT_EQ(parse_count("200", "cells"), 200);
  EXPECT_EQ(parse_count("1 cell", "cells"), 1);
  EXPECT_EQ(parse_count("7", ""), 7);
}

TEST(BadQuantity, IsRefusedWithTheUnitsThatFit) {
  const std::vector<std::pair<std::function<void()>, std::string>> refused{
      {[] { parse_time(""); }, "ps, ns, us, ms, s, min or h"},
      {[] { parse_time("5"); }, "ps, ns, us, ms, s, min or h"},
      {[] { parse_time("5 parsecs"); }, "\"parsecs\""},
      {[] { parse_time("5 US"); }, "\"US\""},
      {[] { parse_time("-5 us"); }, "\"-5 us\""},
      {[] { parse_time("us"); }, "\"us\""},
      {[] { parse_time("nan s"); }, "\"nan s\""},
      {[] { parse_time("inf s"); }, "\"inf s\""},
      {[] { parse_time("0x10 s"); }, "\"0x10 s\""},
      {[] { parse_time("1.2.3 s"); }, "\"1.2.3 s\""},
      {[] { parse_time("1,5 s"); }, "\"1,5 s\""},
      {[] { parse_time("1e99 s"); }, "\"1e99 s\""},
      {[] { parse_time("1e99999999999999999999 s"); }, "\"1e99999999999999999999 s\""},
      {[] { parse_time("1e-99999999999999999999 s"); }, "1 ps"},
      {[] { parse_time("0.4 ps"); }, "1 ps"},
      {[] { parse_time("12345678901234567890123 ps"); }, "22 digits"},
      {[] { parse_time(std::string("5 \x01\xff")); }, "\"??\""},
      {[] { parse_bytes("64 KB"); }, "\"64 KB\""},
      {[] { parse_bytes("5 us"); }, "\"64 KiB\""},
      {[] { parse_bit_rate("10 MBit"); }, "\"100 Mb/s\""},
      {[] { parse_bit_rate("1e30 b/s"); }, "\"1e30 b/s\""},
      {[] { parse_byte_cost("5 us"); }, "fs, ps, ns, us or ms per B, KB (1024 B)"},
      {[] { parse_share("x"); }, "\"25 %\" or 0.25"},
      {[] { parse_share("5 us"); }, "\"5 us\""},
      {[] { parse_share("-1 %"); }, "\"-1 %\""},
      {[] { parse_factor("2 x"); }, "\"2 x\""},
      {[] { parse_factor("1e999"); }, "\"1e999\""},
      {[] { parse_count("1.5 cells", "cells"); }, "\"1.5 cells\""},
      {[] { parse_count("1e3", ""); }, "\"1e3\""},
      {[] { parse_count("5 frames", "cells"); }, "cells"},
      {[] { parse_count("99999999999999999999", ""); }, "\"99999999999999999999\""}};
  for (const auto& [parse, name] : refused) expect_message(error_of(parse), name);
}

TEST(Quantity, PrintsTimesInTheLargestUnitOfWhichThereIsOne) {
  EXPECT_EQ(to_text(0_ps), "0 s");
  EXPECT_EQ(to_text(1_ps), "1 ps");
  EXPECT_EQ(to_text(999_ps), "999 ps");
  EXPECT_EQ(to_text(8'250_ns), "8.25 us");
  EXPECT_EQ(to_text(2'726'337_ps), "2.726337 us");
  EXPECT_EQ(to_text(1_s + 1_ps), "1.000000000001 s");
  EXPECT_EQ(to_text(0_ps - 5_us), "-5 us");
  EXPECT_EQ(to_text(SimTime::max()), "9223372.036854775807 s");
  EXPECT_EQ(to_text(SimTime::from_ps(std::numeric_limits<std::int64_t>::min())), "-9223372.036854775808 s");
}

TEST(Quantity, PrintsSizesRatesAndCostsExactly) {
  EXPECT_EQ(to_text(0_B), "0 B");
  EXPECT_EQ(to_text(1500_B), "1500 B");
  EXPECT_EQ(to_text(64_KiB), "64 KiB");
  EXPECT_EQ(to_text(3072_MiB), "3 GiB");
  EXPECT_EQ(to_text(BitRate(155'520'000)), "155.52 Mb/s");
  EXPECT_EQ(to_text(BitRate(100'000'000'000)), "100 Gb/s");
  EXPECT_EQ(to_text(BitRate(1)), "1 b/s");
  EXPECT_EQ(to_text(ByteCost::from_fs(0)), "0 ns/B");
  EXPECT_EQ(to_text(ByteCost::from_fs(42'596)), "42.596 ps/B");
  EXPECT_EQ(share_to_text(0.3), "30 %");
  EXPECT_EQ(share_to_text(0.0), "0 %");
  EXPECT_EQ(factor_to_text(0.1), "0.1");
  EXPECT_EQ(count_to_text(200, "cells"), "200 cells");
  EXPECT_EQ(count_to_text(1, "cells"), "1 cell");
  EXPECT_EQ(count_to_text(1, ""), "1");
  EXPECT_EQ(count_to_text(1, "switches"), "1 switch");
  EXPECT_EQ(count_to_text(1, "cycles"), "1 cycle");
  EXPECT_EQ(parse_count("1 switch", "switches"), 1);
}

TEST(Quantity, ReadsBackWhateverItPrints) {
  const std::uint64_t seed = 20261121;
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomStream random(seed, "quantities");
  for (int i = 0; i < 20'000; ++i) {
    // All magnitudes alike.
    const auto any = static_cast<std::int64_t>(random.next() >> (1 + random.below(63)));
    EXPECT_EQ(parse_time(to_text(SimTime::from_ps(any))).ps(), any);
    EXPECT_EQ(parse_bytes(to_text(Bytes(any))).count(), any);
    EXPECT_EQ(parse_byte_cost(to_text(ByteCost::from_fs(any))).fs(), any);
    if (any > 0) {
      EXPECT_EQ(parse_bit_rate(to_text(BitRate(any))).bits_per_second(), any);
    }
    const double share = random.uniform();
    EXPECT_EQ(parse_share(share_to_text(share)), share);
    EXPECT_EQ(parse_factor(factor_to_text(share * 1e6)), share * 1e6);
  }
}

TEST(Quantity, SuggestsTheUnitThatAnotherSpellingMeans) {
  const auto suggests = [](const std::function<void()>& parse, const std::string& unit) {
    expect_message(error_of(parse), unit + "?");
  };
  suggests([] { parse_bit_rate("1 Gbps"); }, "Gb/s");
  suggests([] { parse_bit_rate("100 Mbps"); }, "Mb/s");
  suggests([] { parse_bit_rate("100 Mbit/s"); }, "Mb/s");
  suggests([] { parse_bit_rate("100mb/s"); }, "Mb/s");
  suggests([] { parse_bit_rate("12 MBps"); }, "MB/s");
  suggests([] { parse_bytes("64 KB"); }, "kB = 1000 B or KiB = 1024 B");
  suggests([] { parse_bytes("64 bytes"); }, "B");
  suggests([] { parse_time("5 usec"); }, "us");
  suggests([] { parse_byte_cost("1 ns/byte"); }, "ns/B");
  // Bits and bytes are never mistaken for each other, and a million is not a thousandth.
  EXPECT_THAT(error_of([] { parse_bytes("64 mb"); }), testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(error_of([] { parse_time("5 parsecs"); }), testing::Not(HasSubstr("did you mean")));
}

TEST(ByteCosts, MayBeWrittenAsRates) {
  // 25 GB/s: a byte every 1 / 25e9 s = 40 ps; 100 Mb/s: 8 bits of 10 ns; 3 GB/s: 333.333.. ps, to the nearest
  // fs.
  EXPECT_EQ(parse_byte_cost("25 GB/s"), ByteCost::from_fs(40'000));
  EXPECT_EQ(parse_byte_cost("100 Mb/s"), ByteCost::from_fs(80'000'000));
  EXPECT_EQ(parse_byte_cost("3 GB/s"), ByteCost::from_fs(333'333));
  EXPECT_EQ(parse_byte_cost("6 GB/s"), ByteCost::from_fs(166'667));
  expect_message(error_of([] { parse_byte_cost("0 GB/s"); }), {"\"0 GB/s\"", "more than 0"});
  expect_message(error_of([] { parse_byte_cost("25 GBps"); }), {"\"25 GBps\"", "GB/s?"});
  expect_message(error_of([] { parse_byte_cost("90000 Tb/s"); }), {"\"90000 Tb/s\"", "1 fs/B"});
}

}  // namespace
}  // namespace morgana
