#include <gtest/gtest.h>
#include <cstdio>
#include "tests/transport/uet_bench.h"
namespace morgana::testing {
namespace {
TEST(UetAndHtsim, Explore) {
  using C = UetParameters::Control;
  for (const C control : {C::nscc, C::rccc, C::both}) {
    const auto show = [&](const char* what, const UetOutcome& o) {
      std::printf("%d %-16s first %.2f mean %.2f last %.2f new %lu rtx %lu acks %lu nacks %lu pulls %lu rts %lu to %lu marked %lu\n", int(control), what,
                  o.completions.least, o.completions.mean, o.completions.most, o.counters.packets,
                  o.counters.repeated, o.counters.acknowledgements, o.counters.nacks, o.counters.credits,
                  o.counters.credit_requests, o.counters.timeouts, o.counters.marked);
      std::fflush(stdout);
    };
    const HtsimUet published(control, Bytes(4150));
    show("single 2MB", run_uet(three_tiers(), published, {{0, 127}}, Bytes(2'000'000)));
    std::vector<Flow> incast;
    for (std::uint32_t n = 1; n < 16; ++n) incast.push_back({n, 0});
    show("15:1", run_uet(three_tiers_of_16(), published, incast, Bytes(2'000'000)));
    std::vector<Flow> big;
    for (std::uint32_t n = 1; n < 128; ++n) big.push_back({n, 0});
    show("127:1", run_uet(three_tiers(), published, big, Bytes(2'000'000)));
    std::vector<Flow> perm;
    for (std::uint32_t n = 0; n < 16; ++n) perm.push_back({n, (n * 5 + 7) % 16});
    HtsimUet wide = published; wide.uet.entropies = 128;
    show("perm16", run_uet(three_tiers_of_16(), wide, perm, Bytes(2'000'000)));
    const HtsimUet own(control, Bytes(4160));
    show("single 2MiB", run_uet(three_tiers(), own, {{5, 77}}, Bytes(2'097'152)));
    for (int seed = 1; seed <= 2; ++seed) {
    show("16:1 64K", run_uet(three_tiers(), own, incast_of_16(), Bytes(65536), seed));
    show("16:1 2M", run_uet(three_tiers(), own, incast_of_16(), Bytes(2'097'152), seed));
    show("perm 64K", run_uet(three_tiers(), own, permutation(), Bytes(65536), seed));
    show("perm 2M", run_uet(three_tiers(), own, permutation(), Bytes(2'097'152), seed));
    }
  }
}
}
}
