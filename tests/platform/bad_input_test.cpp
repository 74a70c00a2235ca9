#include "emulator/platform/platform.h"
#include "emulator/platform/sections.h"
#include "tests/platform/bad_platform.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// What the reader of TOML adds differs between its releases.
TEST(BadPlatform, Syntax) {
  const auto place_of = [](const std::string& text) {
    const std::string refusal = refusal_of_file(text);
    const std::size_t toml = refusal.find("TOML");
    return toml == std::string::npos ? refusal : refusal.substr(0, toml + 4);
  };
  expect_refusals(place_of,
                  {{"[network\n", "my.toml:1:9"},
                   {"[network]\nlatency = 5 us\n", "my.toml:2:13"},
                   {"[network]\nlatency =\n", "my.toml:2:10"},
                   {"a = 1\na = 2\n", "my.toml:2"},
                   {"x = \"\xff\"", "my.toml:1"},
                   {"\"network.latency\" = \"5 us\"\n[network]\nlatency = \"6 us\"\n", "network.latency"}});
}

// Whatever form it has: no key of a platform stands for less than nothing.
TEST(BadPlatform, NoKeyTakesANegativeNumber) {
  for (const Section& section : schema())
    for (const Key& key : section.keys) {
      if (key.form != ValueForm::count && key.form != ValueForm::share && key.form != ValueForm::factor)
        continue;
      const std::string refusal = error_of([&] { value_of(key, std::int64_t{-1}); });
      EXPECT_THAT(refusal, AllOf(HasSubstr("-1 is"), HasSubstr("out of range"), HasSubstr("be negative")))
          << key.name;
      EXPECT_THAT(error_of([&] { value_of(key, std::int64_t{-1} << 62); }), HasSubstr("out of range"))
          << key.name;
    }
}

// The TOML reader takes a few hundred bytes of the stack for each part.
TEST(BadPlatform, WithAKeyOfThousandsOfPartsIsRefused) {
  std::string key = "a";
  for (int part = 1; part < 20'000; ++part) key += ".a";
  std::string quoted = "\"a\"";
  for (int part = 1; part < 20'000; ++part) quoted += " . 'a'";
  for (const std::string& text :
       {key + " = 1", "[" + key + "]", "[[" + key + "]]", quoted + " = 1", "x = { y = 1, " + key + " = 1 }",
        "x = [ { " + key + " = 1 } ]", "x = \"unended\n" + key + " = 1"})
    expect_message(error_of([&] { Platform::parse("# a.b\n" + text, "my.toml"); }), "my.toml:");
  expect_message(error_of([&] { Platform::parse("\n\n" + key + " = 1", "my.toml"); }),
                 {"my.toml:3:", "64 parts"});
}

TEST(BadPlatform, TextsMayHaveAnyNumberOfDots) {
  const std::string dots(20'000, '.');
  for (const std::string& text : {"description = \"" + dots + "\"", "description = '" + dots + "'",
                                  "description = \"\"\"\n" + dots + "\\\"" + dots + "\"\"\"", "# " + dots,
                                  "description = \"\\\"" + dots + "\""})
    EXPECT_THAT(error_of([&] { Platform::parse(text, "my.toml"); }), ::testing::Not(HasSubstr("parts")))
        << text.substr(0, 40);
}

TEST(BadPlatform, UnknownKeys) {
  expect_refusals(refusal_of_file, {{"[network]\nlatnecy = \"5 us\"\n", "my.toml:2:1"},
                                    {"[network]\nlatnecy = \"5 us\"\n", "network.latency"},
                                    {"[netwrok]\nlatency = \"5 us\"\n", "my.toml:1:2"},
                                    {"[netwrok]\nlatency = \"5 us\"\n", "netwrok"},
                                    {"[netwrok]\nlatency = \"5 us\"\n", "network.latency"},
                                    {"[messages]\nlatency = \"5 us\"\n", "my.toml:2:1"},
                                    {"[messages]\nlatency = \"5 us\"\n", "network.latency"},
                                    {"latency = \"5 us\"\n", "my.toml:1:1"},
                                    {"latency = \"5 us\"\n", "network.latency"},
                                    {"[hosts]\nprocessor = 4\n", "hosts.processors"},
                                    {"descripton = \"x\"\n", "my.toml:1:1"},
                                    {"descripton = \"x\"\n", "description"},
                                    {"zzzzzzzz = 1\n", "my.toml:1:1: unknown key zzzzzzzz"},
                                    {"[collectives]\nallreduct = \"auto\"\n", "collectives.allreduce"},
                                    {"[network.latency]\nvalue = 1\n", "network.latency"},
                                    {"[source]\n\"network.latnecy\" = \"me\"\n", "my.toml:2:1"},
                                    {"[source]\n\"network.latnecy\" = \"me\"\n", "network.latnecy"}});
}

TEST(BadPlatform, WrongHosts) {
  expect_refusals(
      refusal_of_file,
      {{"[hosts]\nquantum = \"1 ns\"\n", "my.toml:2:11: hosts.quantum"},
       {"[hosts]\nquantum = \"10 ms\"\n[network]\nkind = \"ethernet-switched\"\n[transport]\nkind = "
        "\"push-pull\"\n",
        "transport.kind = \"push-pull\""},
       {"[hosts.interrupts]\ncost = \"5 us\"\n", "my.toml:2:8: hosts.interrupts.cost"},
       {"[hosts.interrupts]\nhandling = \"fixed\"\naffinity = 1\n",
        "my.toml:3:12: hosts.interrupts.affinity"},
       {"[hosts.interrupts]\nhandling = \"fixed\"\naffinity = 1\n", "processor 1"},
       {"[hosts.interrupts]\naffinity = 1\n", "hosts.interrupts.handling is \"fixed\""},
       {"[hosts.interrupts]\nhandling = \"often\"\n", "my.toml:2:12: hosts.interrupts.handling: \"often\""},
       {"[hosts.interrupts]\nhandling = \"often\"\n", "polling, fixed, least-loaded"}});
}

TEST(BadPlatform, WrongMyrinet) {
  expect_refusals(
      refusal_of_file,
      {{"[network]\nkind = \"myrinet\"\nslack = 72\n", "my.toml:3:9: network.slack"},
       {"[network]\nkind = \"myrinet\"\nslack = 72\n", "72 flits"},
       {"[network]\nkind = \"myrinet\"\ncolumns = 65\nrows = 64\n",
        "my.toml:3:11: network.columns: 4160 switches"},
       {"[network]\nkind = \"myrinet\"\nroot = 64\n", "my.toml:3:8: network.root"},
       {"[network]\nkind = \"myrinet\"\nroot = 64\n", "switch 64"},
       {"[network]\nkind = \"myrinet\"\n[hosts]\ncount = 513\n", "my.toml:4:9: hosts.count: 513 hosts"},
       {"[network]\nkind = \"myrinet\"\ntopology = \"torus\"\nports-per-switch = 11\n",
        "my.toml:4:20: network.ports-per-switch"},
       {"[network]\nkind = \"myrinet\"\ntopology = \"torus\"\nports-per-switch = 11\n", "12 ports"},
       {"[network]\nkind = \"myrinet\"\ncolumns = 64\nrows = 64\n",
        "network.hosts-per-switch: the routes of 32768 hosts"},
       {"[network]\nkind = \"myrinet\"\ncolumns = 64\nrows = 64\n", "4096 switches"},
       {"[network]\nkind = \"myrinet\"\ncolumns = 32\nrows = 64\nroutes-for = \"host-pairs\"\n",
        "my.toml:5:14: network.routes-for: the routes of 16384 hosts"},
       {"[network]\nkind = \"myrinet\"\ncolumns = 600\nrows = 1\nhosts-per-switch = 1\n",
        "my.toml:3:11: network.columns"},
       {"[network]\nkind = \"myrinet\"\ncolumns = 600\nrows = 1\nhosts-per-switch = 1\n", "301 switches"},
       {"[network]\nkind = \"myrinet\"\nstop-above = 56\ngo-below = 58\n", "my.toml:4:12: network.go-below"},
       {"[network]\nkind = \"myrinet\"\nrate = \"100 Tb/s\"\n", "my.toml:3:8: network.rate"},
       {"[network]\nkind = \"myrinet\"\nrate = \"100 Tb/s\"\n", "1 ps"},
       {"[network]\nkind = \"myrinet\"\ntopology = \"fat-tree\"\narity = 8\nlevels = 12\n",
        "my.toml:5:10: network.levels"}});
}

constexpr const char* listed = "[network]\nkind = \"myrinet\"\ntopology = \"listed\"\nswitches = 3\n";

TEST(BadPlatform, WrongListedMyrinet) {
  expect_refusals(
      refusal_of_file,
      {{"[network]\nkind = \"myrinet\"\ncables = [\"0-1\"]\n", "my.toml:3:10: network.cables"},
       {"[network]\nkind = \"myrinet\"\ncables = [\"0-1\"]\n", "network.topology = \"listed\""},
       {"[network]\nkind = \"myrinet\"\nhosts-at = [0, 1]\n", "my.toml:3:12: network.hosts-at"},
       {std::string(listed) + "cables = [\"0-1\"]\n", "my.toml:5:10: network.cables"},
       {std::string(listed) + "cables = [\"0-1\"]\n", "switch 0 to switch 2"},
       {std::string(listed), "network.cables"},
       {std::string(listed), "switch 0 to switch 1"},
       {std::string(listed) + "cables = [\"0-1\", \"1-3\"]\n", "my.toml:5:10: network.cables: \"1-3\""},
       {std::string(listed) + "cables = [\"0-1\", \"1-3\"]\n", "switch 3"},
       {std::string(listed) + "cables = [\"0.16-1\", \"1-2\"]\n", "my.toml:5:10: network.cables: \"0.16-1\""},
       {std::string(listed) + "cables = [\"0.16-1\", \"1-2\"]\n", "port 16"},
       {std::string(listed) + "cables = [\"0.9-1\", \"1-2\", \"2-0.9\"]\n",
        "my.toml:5:10: network.cables: \"2-0.9\""},
       {std::string(listed) + "cables = [\"0.9-1\", \"1-2\", \"2-0.9\"]\n", "port 9 of switch 0"},
       {std::string(listed) + "cables = [\"0:9-1\"]\n", "my.toml:5:10: network.cables: \"0:9-1\""},
       {std::string(listed) + "cables = [\"0.-1\"]\n", "my.toml:5:10: network.cables: \"0.-1\""},
       {std::string(listed) + "cables = [\"0-99999999999\"]\n",
        "my.toml:5:10: network.cables: \"0-99999999999\""},
       {std::string(listed) + "hosts-at = [\"0\", \"x\"]\ncables = [\"0-1\", \"1-2\"]\n",
        "my.toml:5:12: network.hosts-at: \"x\""},
       {std::string(listed) + "hosts-at = [0, 3]\n", "my.toml:5:12: network.hosts-at: \"3\""},
       {std::string(listed) + "hosts-at = [0, 3]\n", "switch 3"},
       {std::string(listed) + "ports-per-switch = 2\nhosts-at = [1, 1, 1]\n",
        "my.toml:6:12: network.hosts-at: \"1\""},
       {std::string(listed) + "ports-per-switch = 2\nhosts-at = [1, 1, 1]\n", "switch 1"},
       {std::string(listed) + "ports-per-switch = 8\ncables = [\"0-1\", \"1-2\"]\n",
        "my.toml:6:10: network.cables: \"0-1\""},
       {std::string(listed) + "ports-per-switch = 4\n", "my.toml:5:20: network.hosts-per-switch: \"0\""},
       {std::string(listed) + "cables = [\"0-1\", \"1-2\"]\nhosts-at = [0, 1]\n[hosts]\ncount = 3\n",
        "my.toml:8:9: hosts.count: 3 hosts"}});
}

constexpr const char* torus = "[network]\nkind = \"myrinet\"\nfaults = [\"";

TEST(BadPlatform, WrongFaults) {
  expect_refusals(
      refusal_of_file,
      {{std::string(torus) + "cable 64.1 at 1 ms\"]\n",
        "my.toml:3:10: network.faults: \"cable 64.1 at 1 ms\""},
       {std::string(torus) + "cable 64.1 at 1 ms\"]\n", "switch 64"},
       {std::string(torus) + "switch 64 at 1 ms\"]\n", "my.toml:3:10: network.faults: \"switch 64 at 1 ms\""},
       {std::string(torus) + "cable 0.16 at 1 ms\"]\n",
        "my.toml:3:10: network.faults: \"cable 0.16 at 1 ms\""},
       {std::string(torus) + "cable 0.16 at 1 ms\"]\n", "port 16"},
       {std::string(torus) + "cable 0.15 at 1 ms\"]\n",
        "my.toml:3:10: network.faults: \"cable 0.15 at 1 ms\""},
       {std::string(torus) + "cable 0.15 at 1 ms\"]\n", "port 15 of switch 0"},
       {std::string(torus) + "cable 0-2 at 1 ms\"]\n", "my.toml:3:10: network.faults: \"cable 0-2 at 1 ms\""},
       {std::string(torus) + "cable 0-2 at 1 ms\"]\n", "switches 0 and 2"},
       {"[network]\nkind = \"myrinet\"\ntopology = \"now\"\nfaults = [\"cable 20-21 at 1 s\"]\n",
        "my.toml:4:10: network.faults: \"cable 20-21 at 1 s\""},
       {std::string(listed) + "cables = [\"0-1\", \"1.9-0.9\", \"1-2\"]\nfaults = [\"cable 0-1 at 1 s\"]\n",
        "my.toml:6:10: network.faults: \"cable 0-1 at 1 s\""},
       {std::string(listed) + "cables = [\"0-1\", \"1.9-0.9\", \"1-2\"]\nfaults = [\"cable 0-1 at 1 s\"]\n",
        "0.8, 0.9"},
       {std::string(torus) + "cable 0-1 at 1\"]\n", "my.toml:3:10: network.faults: \"cable 0-1 at 1\""},
       {std::string(torus) + "cable 0-1 at 1001 s\"]\n",
        "my.toml:3:10: network.faults: \"cable 0-1 at 1001 s\""},
       {std::string(torus) + "cable 0-1 at 1001 s\"]\n", "1000 s"},
       {std::string(torus) + "cable 0-1 at -1 s\"]\n", "my.toml:3:10: network.faults: \"cable 0-1 at -1 s\""},
       {std::string(torus) + "cable 0-1\"]\n", "my.toml:3:10: network.faults: \"cable 0-1\""},
       {std::string(torus) + "cable 0 at 1 ms\"]\n", "my.toml:3:10: network.faults: \"cable 0 at 1 ms\""},
       {std::string(torus) + "cable 0.8-1 at 1 ms\"]\n",
        "my.toml:3:10: network.faults: \"cable 0.8-1 at 1 ms\""},
       {std::string(torus) + "switch 1.2 at 1 ms\"]\n",
        "my.toml:3:10: network.faults: \"switch 1.2 at 1 ms\""},
       {std::string(torus) + "host 1 at 1 ms\"]\n", "my.toml:3:10: network.faults: \"host 1 at 1 ms\""}});
}

TEST(BadPlatform, WrongKind) {
  expect_refusals(
      refusal_of_file,
      {{"[network]\nkind = \"loggp\"\nrate = \"10 Mb/s\"\n", "my.toml:3:1: network.rate"},
       {"[network]\nkind = \"shared-bus\"\nlatency = \"1 us\"\n", "my.toml:3:1: network.latency"},
       {"[transport]\nwindow = 5\n", "my.toml:2:1: transport.window"},
       {"[network]\nkind = \"logpg\"\n", "my.toml:2:8: network.kind: \"logpg\""},
       {"[network]\nkind = \"logpg\"\n", "\"loggp\""},
       {"[network]\nkind = \"telegraph\"\n", "my.toml:2:8: network.kind: \"telegraph\""},
       {"[network]\nkind = \"telegraph\"\n", "loggp, ethernet-shared, ethernet-switched"},
       {"[network]\nkind = 3\n", "my.toml:2:8: network.kind"},
       {"[network]\nkind = \"ethernet-shared\"\n[transport]\nkind = \"direct\"\n",
        "my.toml:4:8: transport.kind"},
       {"[network]\nkind = \"ethernet-shared\"\n[transport]\nkind = \"direct\"\n", "1500 B"},
       {"[network]\nkind = \"ethernet-switched\"\nlargest-payload = \"46 B\"\n[transport]\nheader = "
        "\"46 B\"\n",
        "my.toml:5:10: transport.header: 46 B"},
       {"[collectives]\nlibrary = \"lam\"\n", "my.toml:2:11: collectives.library: \"lam\""},
       {"[collectives]\nchains = 0\n", "my.toml:2:10: collectives.chains: 0"},
       {"[collectives]\nallreduce = \"quantum\"\n", "my.toml:2:13: collectives.allreduce: \"quantum\""}});
}

constexpr const char* over_tcp = "[network]\nkind = \"ethernet-switched\"\n[transport]\nkind = \"tcp\"\n";

TEST(BadPlatform, Tcp) {
  expect_refusals(
      refusal_of_file,
      {{"[transport]\nkind = \"tcp\"\n", "my.toml:2:8: transport.kind"},
       {std::string(over_tcp) + "send-buffer = \"2000 B\"\n", "my.toml:5:15: transport.send-buffer"},
       {std::string(over_tcp) + "send-buffer = \"2000 B\"\n", "1448 bytes"},
       {std::string(over_tcp) + "receive-buffer = \"2000 B\"\n", "my.toml:5:18: transport.receive-buffer"},
       {"[network]\nkind = \"ethernet-switched\"\nlargest-payload = \"46 B\"\n[transport]\nkind = "
        "\"tcp\"\n",
        "transport.header"},
       {"[network]\nkind = \"ethernet-switched\"\nlargest-payload = \"46 B\"\n[transport]\nkind = "
        "\"tcp\"\n",
        "52 bytes"},
       {std::string(over_tcp) + "traffic-class = 1\n", "my.toml:5:17: transport.traffic-class"},
       {std::string(over_tcp) + "traffic-class = 1\n", "network.classes = 2"},
       {std::string(over_tcp) + "most-timeout = \"500 ms\"\n",
        "my.toml:5:16: transport.most-timeout: 500 ms"},
       {std::string(over_tcp) + "initial-window = 0\n", "my.toml:5:18: transport.initial-window: 0 segments"},
       {std::string(over_tcp) + "cubic-beta = \"100 %\"\n", "my.toml:5:14: transport.cubic-beta: 100 %"}});
}

TEST(BadPlatform, WrongValues) {
  expect_refusals(
      refusal_of_file,
      {{"[network]\nlatency = \"5 parsecs\"\n", "my.toml:2:11: network.latency: \"5 parsecs\""},
       {"[network]\nlatency = 5\n", "my.toml:2:11: network.latency"},
       {"[network]\nlatency = 5.5\n", "my.toml:2:11: network.latency"},
       {"[network]\nlatency = \"5\"\n", "my.toml:2:11: network.latency: \"5\""},
       {"[network]\nlatency = \"-5 us\"\n", "my.toml:2:11: network.latency: \"-5 us\""},
       {"extends = \"hdr-fat-tree\"\n[transport]\nretry-count = -1\n",
        "my.toml:3:15: transport.retry-count: -1"},
       {"extends = \"hdr-fat-tree\"\n[transport]\nretry-count = -1\n", "at most 7"},
       {"extends = \"hdr-fat-tree\"\n[transport]\nfirst-psn = -1\n", "my.toml:3:13: transport.first-psn: -1"},
       {"extends = \"dragonfly-1056\"\n[network]\ngroups = 3.5\n", "my.toml:3:10: network.groups"},
       {"extends = \"ethernet-10\"\n[network]\npropagation = \"0 s\"\n",
        "my.toml:3:15: network.propagation: 0 s"},
       // Other keys have their defaults: what is set is what does not go with them.
       {"extends = \"atm-oc3\"\n[network]\nabr.congested = 1000000\n",
        "my.toml:3:17: network.abr.very-congested"},
       {"extends = \"atm-oc3\"\n[network]\nabr.congested = 1000000\n", "network.abr.congested"},
       {"extends = \"ethernet-25g-tcp\"\n[transport]\nleast-timeout = \"1000 s\"\n",
        "my.toml:3:17: transport.most-timeout: 120 s"},
       {"[network]\nlatency = true\n", "my.toml:2:11: network.latency"},
       {"[network]\nlatency = [1, 2]\n", "my.toml:2:11: network.latency"},
       {"[network]\nlatency = [1.5]\n", "my.toml:2:11: network.latency"},
       {"[network]\nlatency = 2020-01-01\n", "my.toml:2:11: network.latency"},
       {"[network]\nlatency = \"1001 s\"\n", "my.toml:2:11: network.latency: 1001 s"},
       {"[network]\nlatency = \"1001 s\"\n", "at most 1000 s"},
       {"[network]\ngap-per-byte = \"5 us\"\n", "my.toml:2:16: network.gap-per-byte: \"5 us\""},
       {"[network]\ngap-per-byte = \"2 ms/B\"\n", "my.toml:2:16: network.gap-per-byte: 2 ms/B"},
       {"[network]\ngap-per-byte = \"2 ms/B\"\n", "at most 1 ms/B"},
       {"[messages]\neager-limit = 65536\n", "my.toml:2:15: messages.eager-limit"},
       {"[messages]\neager-limit = 65536\n", "65536"},
       {"[messages]\npoll-cost = \"0 s\"\n", "my.toml:2:13: messages.poll-cost: 0 s"},
       {"[messages]\npoll-cost = \"0 s\"\n", "at least 1 ns"},
       {"[hosts]\ncompute-scale = \"2 x\"\n", "my.toml:2:17: hosts.compute-scale: \"2 x\""},
       {"[hosts]\ncompute-scale = 0\n", "my.toml:2:17: hosts.compute-scale: 0"},
       {"[hosts]\ncompute-scale = nan\n", "my.toml:2:17: hosts.compute-scale: nan"},
       {"[hosts]\ncompute-scale = -1.0\n", "my.toml:2:17: hosts.compute-scale: -1"},
       {"[hosts]\ncount = 0\n", "my.toml:2:9: hosts.count: 0"},
       {"[hosts]\ncount = -3\n", "my.toml:2:9: hosts.count: -3"},
       {"[hosts]\ncount = \"many\"\n", "my.toml:2:9: hosts.count: \"many\""},
       {"[hosts]\ncount = \"many\"\n", "\"auto\""},
       {"[hosts]\ncount = 65537\n", "my.toml:2:9: hosts.count: 65537"},
       {"[hosts]\ncount = 65537\n", "65536"},
       {"[hosts]\nprocessors = 2.5\n", "my.toml:2:14: hosts.processors"},
       {"[hosts]\nprocessors = 2.5\n", "2.5"},
       {"[network]\nkind = \"ethernet-shared\"\nrate = \"0 Mb/s\"\n",
        "my.toml:3:8: network.rate: \"0 Mb/s\""},
       {"[network]\nkind = \"ethernet-shared\"\nrate = \"1 b/s\"\n", "my.toml:3:8: network.rate: 1 b/s"},
       {"[network]\nkind = \"ethernet-shared\"\nrate = \"1 b/s\"\n", "1 kb/s"},
       {"[network]\nkind = \"ethernet-shared\"\nbackground.load = \"96 %\"\n",
        "my.toml:3:19: network.background.load: 96 %"},
       {"[network]\nkind = \"ethernet-shared\"\nbackground.load = \"96 %\"\n", "95 %"},
       {"[network]\nkind = \"ethernet-shared\"\n[network.background]\nframe = \"45 B\"\n",
        "my.toml:4:9: network.background.frame: 45 B"},
       {"[network]\nkind = \"ethernet-shared\"\n[network.background]\nframe = \"45 B\"\n", "1500 B"},
       {"[network]\nkind = \"ethernet-shared\"\npropagation = \"26 us\"\n",
        "my.toml:3:15: network.propagation: 26 us"},
       {"[network]\nkind = \"ethernet-shared\"\npropagation = \"26 us\"\n", "51.2 us"},
       {"[network]\nkind = \"ethernet-switched\"\nbuffer = 0\n", "my.toml:3:10: network.buffer: 0 frames"},
       {"[network]\nkind = \"ethernet-switched\"\nbuffer = \"5 cells\"\n",
        "my.toml:3:10: network.buffer: \"5 cells\""},
       {"[network]\nkind = \"ethernet-switched\"\n[transport]\nwindow = 0\n",
        "my.toml:4:10: transport.window: 0 units"}});
}

TEST(BadPlatform, FileKeys) {
  expect_refusals(refusal_of_file,
                  {{"name = 5\n", "my.toml:1:8: name"},
                   {"description = [1]\n", "my.toml:1:15: description"},
                   {"native = 1\n", "my.toml:1:10: native"},
                   {"source = 5\n", "my.toml:1:10: source"},
                   {"[source]\n\"network.latency\" = 5\n", "my.toml:2:21: source.network.latency"},
                   {"native = true\n[network]\nlatency = \"5 us\"\n", "my.toml:3:11: network.latency"},
                   {"native = true\n[network]\nlatency = \"5 us\"\n", "native = false"},
                   {"[network.loss]\nrate = 1\n", "network.corruption"},
                   {"[network.loss]\nrate = 1\n", "network.loss.rate"},
                   {"extends = 5\n", "my.toml:1:11: extends"},
                   {"extends = \"etherent-10\"\n", "\"etherent-10\""},
                   {"extends = \"etherent-10\"\n", "my.toml:1:11: extends"},
                   {"extends = \"etherent-10\"\n", "ethernet-10"},
                   {"extends = \"nowhere/x.toml\"\n", "nowhere/x.toml"},
                   {"extends = \"/dev/null\"\n", "/dev/null"}});
}

TEST(BadOverride, IsRefusedNamingTheOverride) {
  const auto error_with = [](const std::string& override) {
    return error_of([&] { Platform::parse("", "my.toml", std::vector<std::string>{override}); });
  };
  expect_message(error_with("network.latency=5 parsecs"),
                 "--set network.latency=5 parsecs: network.latency: \"5 parsecs\"");
  expect_message(error_with("network.latnecy=5 us"), {"--set network.latnecy=5 us", "network.latency"});
  expect_message(error_with("network.latency"), {"--set network.latency:", "\"=\""});
  expect_message(error_with("=5 us"), {"--set =5 us:", "\"=\""});
  expect_message(error_with("network.latency="), "--set network.latency=: network.latency: \"\"");
  expect_message(error_with("network=5"), "--set network=5");
  expect_message(error_with("native=maybe"), "--set native=maybe");
  expect_message(error_with("extends=ideal"), "--set extends=ideal");
  expect_message(error_with("network.rate=10 Mb/s"), {"--set network.rate=10 Mb/s", "network.kind"});
}

// By any order of the overrides.
TEST(BadOverride, OfANativePlatformIsToldThatThereIsNoModel) {
  const auto error_with = [](const std::vector<std::string>& overrides) {
    return error_of([&] { Platform::parse("native = true\n", "my.toml", overrides); });
  };
  for (const char* override :
       {"network.bandwidth=x2", "network.latency=5 us", "hosts.count=4", "network.kind=atm"})
    expect_message(error_with({override}), {std::string("--set ") + override, "native"});
  EXPECT_EQ(error_with({"network.latency=5 us", "native=false"}), "no error");
}

TEST(BadOverride, OfLossesIsToldTheKeyThatThereIs) {
  const auto error_on = [](const std::string& platform, const std::string& key) {
    return error_of([&] { Platform::load(platform, std::vector<std::string>{key + "=1 %"}); });
  };
  for (const char* key : {"network.loss", "network.loss-rate", "network.loss.rate", "network.packet-loss",
                          "network.error-rate"}) {
    expect_message(error_on("myrinet-ud", key), {key, "network.corruption"});
    expect_message(error_on("fast-ethernet", key),
                   {key, "network.corruption", "myrinet", "ethernet-switched"});
  }
}

TEST(BadOverride, OfAWordWithLossInItIsToldNothingOfLosses) {
  for (const std::string key : {"network.glossary", "network.terror", "network.colossal-rate"}) {
    const std::string error =
        error_of([&] { Platform::load("myrinet-ud", std::vector<std::string>{key + "=1"}); });
    expect_message(error, "unknown key " + key);
    EXPECT_THAT(error, Not(HasSubstr("lost")));
  }
}

// Over --set a list needs no brackets, but they do no harm.
TEST(BadOverride, ListsMayBeWrittenAsInAFile) {
  const auto error_with = [](const std::string& value) {
    return error_of(
        [&] { Platform::load("fast-ethernet-tree", std::vector<std::string>{"network.faults=" + value}); });
  };
  EXPECT_EQ(error_with("[\"switch 0 at 10 ms\", \"switch 1 at 2 s\"]"),
            error_with("switch 0 at 10 ms, switch 1 at 2 s"));
  EXPECT_EQ(error_with("[\"switch 0 at 10 ms\"]"), "no error");
  expect_message(error_with("[switch 0 at 10 ms]"),
                 {"--set network.faults=[switch 0 at 10 ms]", "\"network.faults=ITEM, ITEM\""});
  for (const std::string behind : {"\nnetwork.x=3", "\nlist.x=3", " # at noon", "\n# at noon", " at noon",
                                   ", b = 3", " }\nb = { c = 3", ", [\"switch 1 at 2 s\"]"})
    expect_message(error_with("[\"switch 0 at 10 ms\"]" + behind),
                   {"--set network.faults=", "\"network.faults=ITEM, ITEM\""});
  EXPECT_EQ(error_with("[\n  \"switch 0 at 10 ms\",  # at noon\n]"), "no error");
  expect_message(error_with("[\"switch 99 at 10 ms\"]"),
                 {"network.faults", "\"switch 99 at 10 ms\"", "switch 99,"});
}

// Without contracts that are kept a category is a priority alone, as ABR without feedback is.
TEST(BadContract, AContractThatShallBeKeptMustBeAgreedOn) {
  const auto error_with = [](std::vector<std::string> overrides) {
    return error_of([&] { Platform::load("atm-oc3", overrides); });
  };
  EXPECT_EQ(error_with({"transport.category=cbr"}), "no error");
  EXPECT_EQ(error_with({"transport.category=abr"}), "no error");
  const std::vector<std::string> shaped{"network.contracts=shaped", "network.vbr.peak=10 Mb/s",
                                        "transport.category=cbr"};
  expect_message(error_with(shaped), {"transport.category", "\"cbr\"", "network.cbr.peak"});
  EXPECT_EQ(error_with({"network.contracts=shaped", "network.cbr.peak=10 Mb/s", "transport.category=cbr"}),
            "no error");
  expect_message(
      error_with({"network.contracts=shaped", "network.cbr.peak=10 Mb/s", "transport.category=vbr"}),
      "network.vbr.peak");
}

TEST(BadPlatformName, NamesTheNearestPlatform) {
  expect_message(error_of([] { Platform::load("ethernet-01"); }), {"\"ethernet-01\"", "ethernet-10?"});
  EXPECT_THAT(error_of([] { Platform::load("ethernet-01"); }),
              ::testing::Not(HasSubstr("ethernet-10-loaded")));
  expect_message(error_of([] { Platform::load("zzzzzzzz"); }), "ethernet-... (3)");
  expect_message(error_of([] { Platform::load("nowhere.toml"); }), "nowhere.toml");
  expect_message(error_of([] { Platform::load("/tmp"); }), "/tmp");
}

}  // namespace
}  // namespace morgana
