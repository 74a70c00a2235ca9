#include "emulator/platform/platform.h"
#include "emulator/platform/sections.h"
#include "tests/platform/bad_platform.h"
#include "tests/platform/support.h"

namespace morgana {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_P(BadPlatform, IsRefusedWithItsPlaceAndWhatFits) {
  EXPECT_THAT(error_of([] { Platform::parse(GetParam().text, "my.toml"); }), HasSubstr(GetParam().expected))
      << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, BadPlatform,
    ::testing::Values(BadInput{"[network\n", "my.toml:1:9: this is not TOML"},
                      BadInput{"[network]\nlatency = 5 us\n", "my.toml:2:13: this is not TOML"},
                      BadInput{"[network]\nlatency =\n", "my.toml:2:10: this is not TOML"},
                      BadInput{"a = 1\na = 2\n", "my.toml:2:"}, BadInput{"x = \"\xff\"", "my.toml:1:"},
                      BadInput{"\"network.latency\" = \"5 us\"\n[network]\nlatency = \"6 us\"\n",
                               "network.latency is given twice"}));

// Whatever form it has: no key of a platform stands for less than nothing.
TEST(BadPlatform, NoKeyTakesANegativeNumber) {
  for (const Section& section : schema())
    for (const Key& key : section.keys) {
      if (key.form != ValueForm::count && key.form != ValueForm::share && key.form != ValueForm::factor)
        continue;
      const std::string refusal = error_of([&] { value_of(key, std::int64_t{-1}); });
      EXPECT_THAT(refusal, HasSubstr("-1 is out of range; it can't be negative")) << key.name;
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
    EXPECT_THAT(error_of([&] { Platform::parse("# a.b\n" + text, "my.toml"); }), HasSubstr("my.toml:"))
        << text.substr(0, 40);
  EXPECT_THAT(error_of([&] { Platform::parse("\n\n" + key + " = 1", "my.toml"); }),
              HasSubstr("my.toml:3: a key of more than 64 parts"));
}

TEST(BadPlatform, TextsMayHaveAnyNumberOfDots) {
  const std::string dots(20'000, '.');
  for (const std::string& text : {"description = \"" + dots + "\"", "description = '" + dots + "'",
                                  "description = \"\"\"\n" + dots + "\\\"" + dots + "\"\"\"", "# " + dots,
                                  "description = \"\\\"" + dots + "\""})
    EXPECT_THAT(error_of([&] { Platform::parse(text, "my.toml"); }), ::testing::Not(HasSubstr("parts")))
        << text.substr(0, 40);
}

INSTANTIATE_TEST_SUITE_P(
    UnknownKeys, BadPlatform,
    ::testing::Values(
        BadInput{"[network]\nlatnecy = \"5 us\"\n",
                 "my.toml:2:1: unknown key network.latnecy; did you mean network.latency?"},
        BadInput{"[netwrok]\nlatency = \"5 us\"\n",
                 "my.toml:1:2: unknown table netwrok; did you mean network?"},
        BadInput{"[messages]\nlatency = \"5 us\"\n",
                 "my.toml:2:1: unknown key messages.latency; did you mean network.latency?"},
        BadInput{"latency = \"5 us\"\n", "my.toml:1:1: unknown key latency; did you mean network.latency?"},
        BadInput{"[hosts]\nprocessor = 4\n", "did you mean hosts.processors?"},
        BadInput{"descripton = \"x\"\n", "my.toml:1:1: unknown key descripton; did you mean description?"},
        BadInput{"zzzzzzzz = 1\n", "my.toml:1:1: unknown key zzzzzzzz; docs/platforms.md lists all keys"},
        BadInput{"[collectives]\nallreduct = \"auto\"\n", "did you mean collectives.allreduce?"},
        BadInput{"[network.latency]\nvalue = 1\n", "network.latency"},
        BadInput{"[source]\n\"network.latnecy\" = \"me\"\n", "my.toml:2:1: unknown key network.latnecy"}));

INSTANTIATE_TEST_SUITE_P(
    WrongHosts, BadPlatform,
    ::testing::Values(
        BadInput{"[hosts]\nquantum = \"1 ns\"\n",
                 "my.toml:2:11: hosts.quantum: a processor that changes so often"},
        BadInput{"[hosts]\nquantum = \"10 ms\"\n[network]\nkind = \"ethernet-switched\"\n[transport]\nkind = "
                 "\"push-pull\"\n",
                 "work for one rank on each processor"},
        BadInput{"[hosts.interrupts]\ncost = \"5 us\"\n",
                 "my.toml:2:8: hosts.interrupts.cost: nothing is interrupted where"},
        BadInput{"[hosts.interrupts]\nhandling = \"fixed\"\naffinity = 1\n",
                 "my.toml:3:12: hosts.interrupts.affinity: there is no processor 1 on hosts of 1"},
        BadInput{"[hosts.interrupts]\naffinity = 1\n", "where hosts.interrupts.handling is \"fixed\""},
        BadInput{"[hosts.interrupts]\nhandling = \"often\"\n", "polling, fixed, least-loaded"}));

INSTANTIATE_TEST_SUITE_P(
    WrongMyrinet, BadPlatform,
    ::testing::Values(
        BadInput{"[network]\nkind = \"myrinet\"\nslack = 72\n",
                 "my.toml:3:9: network.slack: Myrinet: a slack buffer of 72 flits overflows"},
        BadInput{"[network]\nkind = \"myrinet\"\ncolumns = 65\nrows = 64\n",
                 "my.toml:3:11: network.columns: 4160 switches are more than 4096"},
        BadInput{"[network]\nkind = \"myrinet\"\nroot = 64\n",
                 "my.toml:3:8: network.root: there is no switch 64, only 64 numbered from 0"},
        BadInput{"[network]\nkind = \"myrinet\"\n[hosts]\ncount = 513\n",
                 "hosts.count: 513 hosts don't fit: the network has ports for 512"},
        BadInput{"[network]\nkind = \"myrinet\"\ntopology = \"torus\"\nports-per-switch = 11\n",
                 "my.toml:4:20: network.ports-per-switch: this torus takes 12 ports a switch"},
        BadInput{
            "[network]\nkind = \"myrinet\"\ncolumns = 64\nrows = 64\n",
            "network.hosts-per-switch: the routes of 32768 hosts at 4096 switches take some 4864 MiB, more "
            "than 2048: take fewer hosts or switches"},
        BadInput{"[network]\nkind = \"myrinet\"\ncolumns = 32\nrows = 64\nroutes-for = \"host-pairs\"\n",
                 "my.toml:5:14: network.routes-for: the routes of 16384 hosts"},
        BadInput{"[network]\nkind = \"myrinet\"\ncolumns = 600\nrows = 1\nhosts-per-switch = 1\n",
                 "my.toml:3:11: network.columns: routes cross up to 301 switches"},
        BadInput{"[network]\nkind = \"myrinet\"\nstop-above = 56\ngo-below = 58\n",
                 "my.toml:4:12: network.go-below: Myrinet: go must come below at least 1 flit"},
        BadInput{"[network]\nkind = \"myrinet\"\nrate = \"100 Tb/s\"\n",
                 "my.toml:3:8: network.rate: Myrinet: a flit must last at least 1 ps"},
        BadInput{"[network]\nkind = \"myrinet\"\ntopology = \"fat-tree\"\narity = 8\nlevels = 12\n",
                 "my.toml:5:10: network.levels: a fat tree of more than"}));

constexpr const char* listed = "[network]\nkind = \"myrinet\"\ntopology = \"listed\"\nswitches = 3\n";

INSTANTIATE_TEST_SUITE_P(
    WrongListedMyrinet, BadPlatform,
    ::testing::Values(
        BadInput{"[network]\nkind = \"myrinet\"\ncables = [\"0-1\"]\n",
                 "my.toml:3:10: network.cables: cables are listed only where network.topology = \"listed\""},
        BadInput{"[network]\nkind = \"myrinet\"\nhosts-at = [0, 1]\n",
                 "my.toml:3:12: network.hosts-at: hosts are listed only where"},
        BadInput{std::string(listed) + "cables = [\"0-1\"]\n",
                 "my.toml:5:10: network.cables: no cables lead from switch 0 to switch 2: add some"},
        BadInput{std::string(listed), "network.cables: no cables lead from switch 0 to switch 1"},
        BadInput{std::string(listed) + "cables = [\"0-1\", \"1-3\"]\n",
                 "network.cables: \"1-3\": there is no switch 3, network.switches has them from 0 to 2"},
        BadInput{std::string(listed) + "cables = [\"0.16-1\", \"1-2\"]\n",
                 "\"0.16-1\": there is no port 16, network.ports-per-switch has them from 0 to 15"},
        BadInput{std::string(listed) + "cables = [\"0.9-1\", \"1-2\", \"2-0.9\"]\n",
                 "\"2-0.9\": port 9 of switch 0 is taken already"},
        BadInput{std::string(listed) + "cables = [\"0:9-1\"]\n",
                 "\"0:9-1\" can't be read; write two switches' numbers, such as \"0-1\", or ports"},
        BadInput{std::string(listed) + "cables = [\"0.-1\"]\n", "\"0.-1\" can't be read"},
        BadInput{std::string(listed) + "cables = [\"0-99999999999\"]\n", "can't be read"},
        BadInput{std::string(listed) + "hosts-at = [\"0\", \"x\"]\ncables = [\"0-1\", \"1-2\"]\n",
                 "my.toml:5:12: network.hosts-at: \"x\" can't be read; write a switch's number"},
        BadInput{std::string(listed) + "hosts-at = [0, 3]\n",
                 "network.hosts-at: \"3\": there is no switch 3"},
        BadInput{
            std::string(listed) + "ports-per-switch = 2\nhosts-at = [1, 1, 1]\n",
            "network.hosts-at: \"1\": all 2 ports of switch 1 are taken: raise network.ports-per-switch"},
        BadInput{std::string(listed) + "ports-per-switch = 8\ncables = [\"0-1\", \"1-2\"]\n",
                 "network.cables: \"0-1\": all 8 ports of switch 0 are taken"},
        BadInput{std::string(listed) + "ports-per-switch = 4\n", "network.hosts-per-switch: "},
        BadInput{std::string(listed) + "cables = [\"0-1\", \"1-2\"]\nhosts-at = [0, 1]\n[hosts]\ncount = 3\n",
                 "my.toml:8:9: hosts.count: 3 hosts don't fit: the network has ports for 2"}));

constexpr const char* torus = "[network]\nkind = \"myrinet\"\nfaults = [\"";

INSTANTIATE_TEST_SUITE_P(
    WrongFaults, BadPlatform,
    ::testing::Values(
        BadInput{std::string(torus) + "cable 64.1 at 1 ms\"]\n",
                 "my.toml:3:10: network.faults: \"cable 64.1 at 1 ms\": there is no switch 64, only 64"},
        BadInput{std::string(torus) + "switch 64 at 1 ms\"]\n", "there is no switch 64"},
        BadInput{std::string(torus) + "cable 0.16 at 1 ms\"]\n",
                 "\"cable 0.16 at 1 ms\": switch 0 has no port 16, only 16 numbered from 0"},
        BadInput{std::string(torus) + "cable 0.15 at 1 ms\"]\n",
                 "no cable is plugged into port 15 of switch 0"},
        BadInput{std::string(torus) + "cable 0-2 at 1 ms\"]\n", "no cable joins the switches 0 and 2"},
        BadInput{"[network]\nkind = \"myrinet\"\ntopology = \"now\"\nfaults = [\"cable 20-21 at 1 s\"]\n",
                 "\"cable 20-21 at 1 s\": no cable joins"},
        BadInput{std::string(listed) +
                     "cables = [\"0-1\", \"1.9-0.9\", \"1-2\"]\nfaults = [\"cable 0-1 at 1 s\"]\n",
                 "2 cables join the switches 0 and 1; name one by its port: 0.8, 0.9"},
        BadInput{std::string(torus) + "cable 0-1 at 1\"]\n", "\"cable 0-1 at 1\": \"1\" is not a time"},
        BadInput{std::string(torus) + "cable 0-1 at 1001 s\"]\n", "a time must be at most 1000 s"},
        BadInput{std::string(torus) + "cable 0-1 at -1 s\"]\n", "can't be negative"},
        BadInput{std::string(torus) + "cable 0-1\"]\n", "can't be read; write \"cable 0.4 at 10 ms\""},
        BadInput{std::string(torus) + "cable 0 at 1 ms\"]\n", "can't be read"},
        BadInput{std::string(torus) + "cable 0.8-1 at 1 ms\"]\n", "can't be read"},
        BadInput{std::string(torus) + "switch 1.2 at 1 ms\"]\n", "can't be read"},
        BadInput{std::string(torus) + "host 1 at 1 ms\"]\n", "can't be read"}));

INSTANTIATE_TEST_SUITE_P(
    WrongKind, BadPlatform,
    ::testing::Values(
        BadInput{"[network]\nkind = \"loggp\"\nrate = \"10 Mb/s\"\n",
                 "my.toml:3:1: network.rate belongs to network.kind \"ethernet-shared\" and "
                 "\"ethernet-switched\" and \"ethernet-cable\" and \"fddi\" and \"atm\" and \"myrinet\" "
                 "and \"fabric\", but the kind here is \"loggp\""},
        BadInput{"[network]\nkind = \"shared-bus\"\nlatency = \"1 us\"\n",
                 "network.latency belongs to network.kind \"loggp\""},
        BadInput{"[transport]\nwindow = 5\n",
                 "my.toml:2:1: transport.window belongs to transport.kind \"go-back-n\""},
        BadInput{"[network]\nkind = \"logpg\"\n",
                 "my.toml:2:8: network.kind: \"logpg\" is not one of its choices; did you mean \"loggp\"?"},
        BadInput{"[network]\nkind = \"telegraph\"\n", "one of loggp, ethernet-shared, ethernet-switched"},
        BadInput{"[network]\nkind = 3\n", "my.toml:2:8: network.kind: the plain number 3 does not fit"},
        BadInput{"[network]\nkind = \"ethernet-shared\"\n[transport]\nkind = \"direct\"\n",
                 "my.toml:4:8: transport.kind: direct can't cut messages into this network's frames of at "
                 "most 1500 B"},
        BadInput{"[network]\nkind = \"ethernet-switched\"\nlargest-payload = \"46 B\"\n[transport]\nheader = "
                 "\"46 B\"\n",
                 "my.toml:5:10: transport.header: 46 B leaves no room"},
        BadInput{"[collectives]\nlibrary = \"lam\"\n",
                 "my.toml:2:11: collectives.library: \"lam\" is not one"},
        BadInput{"[collectives]\nchains = 0\n", "collectives.chains"},
        BadInput{"[collectives]\nallreduce = \"quantum\"\n",
                 "my.toml:2:13: collectives.allreduce: \"quantum\" is not one"}));

constexpr const char* over_tcp = "[network]\nkind = \"ethernet-switched\"\n[transport]\nkind = \"tcp\"\n";

INSTANTIATE_TEST_SUITE_P(
    Tcp, BadPlatform,
    ::testing::Values(
        BadInput{
            "[transport]\nkind = \"tcp\"\n",
            "my.toml:2:8: transport.kind: tcp fills the network's largest units, and this network carries "
            "messages of any length; set another network.kind"},
        BadInput{
            std::string(over_tcp) + "send-buffer = \"2000 B\"\n",
            "my.toml:5:15: transport.send-buffer: tcp: the buffers of a socket hold at least two segments of "
            "1448 bytes"},
        BadInput{std::string(over_tcp) + "receive-buffer = \"2000 B\"\n",
                 "my.toml:5:18: transport.receive-buffer"},
        BadInput{"[network]\nkind = \"ethernet-switched\"\nlargest-payload = \"46 B\"\n[transport]\nkind = "
                 "\"tcp\"\n",
                 "transport.header: tcp: headers of 52 bytes leave no room in the network's units of 46"},
        BadInput{std::string(over_tcp) + "traffic-class = 1\n",
                 "my.toml:5:17: transport.traffic-class: the network has 1 traffic class, and 1 is not below "
                 "that; "
                 "set it to 0, or network.classes = 2 of a network.kind = fabric"},
        BadInput{std::string(over_tcp) + "most-timeout = \"500 ms\"\n",
                 "my.toml:5:16: transport.most-timeout: 500 ms is less than transport.first-timeout"},
        BadInput{std::string(over_tcp) + "initial-window = 0\n", "transport.initial-window"},
        BadInput{std::string(over_tcp) + "cubic-beta = \"100 %\"\n", "transport.cubic-beta"}));

INSTANTIATE_TEST_SUITE_P(
    WrongValues, BadPlatform,
    ::testing::Values(
        BadInput{"[network]\nlatency = \"5 parsecs\"\n",
                 "my.toml:2:11: network.latency: \"5 parsecs\" is not a time: \"parsecs\" is not a unit of a "
                 "time; "
                 "write a "
                 "number and ps, ns, us, ms, s, min or h, such as \"5 us\""},
        BadInput{"[network]\nlatency = 5\n",
                 "my.toml:2:11: network.latency: the plain number 5 does not fit"},
        BadInput{"[network]\nlatency = 5.5\n",
                 "network.latency: the plain number 5.5 does not fit; write a time in quotes"},
        BadInput{"[network]\nlatency = \"5\"\n", "its unit is missing"},
        BadInput{"[network]\nlatency = \"-5 us\"\n", "can't be negative"},
        BadInput{
            "extends = \"hdr-fat-tree\"\n[transport]\nretry-count = -1\n",
            "my.toml:3:15: transport.retry-count: -1 is out of range; it can't be negative, and must be at "
            "most 7"},
        BadInput{"extends = \"hdr-fat-tree\"\n[transport]\nfirst-psn = -1\n",
                 "my.toml:3:13: transport.first-psn: -1 is out of range"},
        BadInput{
            "extends = \"dragonfly-1056\"\n[network]\ngroups = 3.5\n",
            "my.toml:3:10: network.groups: the plain number 3.5 does not fit; a count of groups is a whole "
            "number, such as 200, or \"most\""},
        BadInput{"extends = \"ethernet-10\"\n[network]\npropagation = \"0 s\"\n",
                 "my.toml:3:15: network.propagation: 0 s is out of range; it must be more than 0 s"},
        // Other keys have their defaults: what is set is what does not go with them.
        BadInput{"extends = \"atm-oc3\"\n[network]\nabr.congested = 1000000\n",
                 "my.toml:3:17: network.abr.very-congested: must not be below network.abr.congested"},
        BadInput{"extends = \"ethernet-25g-tcp\"\n[transport]\nleast-timeout = \"1000 s\"\n",
                 "my.toml:3:17: transport.most-timeout: 120 s is less than"},
        BadInput{"[network]\nlatency = true\n",
                 "my.toml:2:11: network.latency: true or false does not fit; write a time"},
        BadInput{"[network]\nlatency = [1, 2]\n", "network.latency: an array does not fit"},
        BadInput{"[network]\nlatency = [1.5]\n", "an array of other things than texts and whole numbers"},
        BadInput{"[network]\nlatency = 2020-01-01\n", "network.latency: a date or time does not fit"},
        BadInput{"[network]\nlatency = \"1001 s\"\n", "1001 s is out of range; it must be at most 1000 s"},
        BadInput{"[network]\ngap-per-byte = \"5 us\"\n", "is not a cost per byte"},
        BadInput{"[network]\ngap-per-byte = \"2 ms/B\"\n", "out of range; it must be at most 1 ms/B"},
        BadInput{"[messages]\neager-limit = 65536\n",
                 "my.toml:2:15: messages.eager-limit: the plain number 65536 does not fit; write a size in "
                 "quotes, such as \"64 KiB\""},
        BadInput{"[messages]\npoll-cost = \"0 s\"\n", "0 s is out of range; it must be at least 1 ns"},
        BadInput{"[hosts]\ncompute-scale = \"2 x\"\n",
                 "my.toml:2:17: hosts.compute-scale: \"2 x\" is not a factor"},
        BadInput{"[hosts]\ncompute-scale = 0\n", "0 is out of range; it must be more than 0"},
        BadInput{"[hosts]\ncompute-scale = nan\n", "hosts.compute-scale: nan is out of range"},
        BadInput{"[hosts]\ncompute-scale = -1.0\n", "hosts.compute-scale: -1 is out of range"},
        BadInput{"[hosts]\ncount = 0\n", "my.toml:2:9: hosts.count:"},
        BadInput{"[hosts]\ncount = -3\n", "out of range"},
        BadInput{"[hosts]\ncount = \"many\"\n", "or \"auto\""},
        BadInput{"[hosts]\ncount = 65537\n",
                 "65537 is out of range; it must be at least 1 and at most 65536"},
        BadInput{"[hosts]\nprocessors = 2.5\n", "the plain number 2.5 does not fit"},
        BadInput{"[network]\nkind = \"ethernet-shared\"\nrate = \"0 Mb/s\"\n", "must be more than 0"},
        BadInput{"[network]\nkind = \"ethernet-shared\"\nrate = \"1 b/s\"\n",
                 "1 b/s is out of range; it must be at least 1 kb/s"},
        BadInput{"[network]\nkind = \"ethernet-shared\"\nbackground.load = \"96 %\"\n",
                 "my.toml:3:19: network.background.load: 96 % is out of range; it must be at most 95 %"},
        BadInput{"[network]\nkind = \"ethernet-shared\"\n[network.background]\nframe = \"45 B\"\n",
                 "45 B is out of range; it must be at least 46 B and at most 1500 B"},
        BadInput{"[network]\nkind = \"ethernet-shared\"\npropagation = \"26 us\"\n",
                 "my.toml:3:15: network.propagation: 26 us is not less than half a slot time (512 bits at 10 "
                 "Mb/s: 51.2 us)"},
        BadInput{"[network]\nkind = \"ethernet-switched\"\nbuffer = 0\n", "network.buffer:"},
        BadInput{"[network]\nkind = \"ethernet-switched\"\nbuffer = \"5 cells\"\n",
                 "its only unit is frames"},
        BadInput{"[network]\nkind = \"ethernet-switched\"\n[transport]\nwindow = 0\n",
                 "0 units is out of range; it must be at least 1"}));

INSTANTIATE_TEST_SUITE_P(
    FileKeys, BadPlatform,
    ::testing::Values(BadInput{"name = 5\n", "my.toml:1:8: name must be a text in quotes"},
                      BadInput{"description = [1]\n", "my.toml:1:15: description must be a text in quotes"},
                      BadInput{"native = 1\n", "my.toml:1:10: native must be true or false"},
                      BadInput{"source = 5\n", "my.toml:1:10: source must be a text in quotes"},
                      BadInput{"[source]\n\"network.latency\" = 5\n", "must be a text in quotes"},
                      BadInput{"native = true\n[network]\nlatency = \"5 us\"\n",
                               "my.toml:3:11: network.latency has no meaning on a native platform"},
                      BadInput{"native = true\n[network]\nlatency = \"5 us\"\n", "or set native = false"},
                      BadInput{"[network.loss]\nrate = 1\n", "lost at random by network.corruption"},
                      BadInput{"extends = 5\n", "my.toml:1:11: extends must be a text in quotes"},
                      BadInput{"extends = \"etherent-10\"\n",
                               "my.toml:1:11: extends: there is no platform \"etherent-10\""},
                      BadInput{"extends = \"etherent-10\"\n", "did you mean ethernet-10?"},
                      BadInput{"extends = \"nowhere/x.toml\"\n",
                               "my.toml:1:11: extends: there is no platform file nowhere/x.toml"},
                      BadInput{"extends = \"/dev/null\"\n", "/dev/null is not a plain file"}));

TEST(BadOverride, IsRefusedNamingTheOverride) {
  const auto error_with = [](const std::string& override) {
    return error_of([&] { Platform::parse("", "my.toml", std::vector<std::string>{override}); });
  };
  EXPECT_THAT(error_with("network.latency=5 parsecs"),
              HasSubstr("--set network.latency=5 parsecs: network.latency: \"5 parsecs\" is not a time"));
  EXPECT_THAT(
      error_with("network.latnecy=5 us"),
      HasSubstr("--set network.latnecy=5 us: unknown key network.latnecy; did you mean network.latency?"));
  EXPECT_THAT(error_with("network.latency"), HasSubstr("an override is a key, \"=\" and a value"));
  EXPECT_THAT(error_with("=5 us"), HasSubstr("an override is a key, \"=\" and a value"));
  EXPECT_THAT(error_with("network.latency="), HasSubstr("nothing is given"));
  EXPECT_THAT(error_with("network=5"), HasSubstr("unknown key network"));
  EXPECT_THAT(error_with("native=maybe"), HasSubstr("native must be true or false"));
  EXPECT_THAT(error_with("extends=ideal"), HasSubstr("extends can't be overridden"));
  EXPECT_THAT(error_with("network.rate=10 Mb/s"), HasSubstr("belongs to network.kind"));
}

// By any order of the overrides.
TEST(BadOverride, OfANativePlatformIsToldThatThereIsNoModel) {
  const auto error_with = [](const std::vector<std::string>& overrides) {
    return error_of([&] { Platform::parse("native = true\n", "my.toml", overrides); });
  };
  for (const char* override :
       {"network.bandwidth=x2", "network.latency=5 us", "hosts.count=4", "network.kind=atm"})
    EXPECT_THAT(error_with({override}),
                AllOf(HasSubstr("this machine itself, without a model of its network"),
                      HasSubstr("or choose a modelled platform")))
        << override;
  EXPECT_EQ(error_with({"network.latency=5 us", "native=false"}), "no error");
}

TEST(BadOverride, OfLossesIsToldTheKeyThatThereIs) {
  const auto error_on = [](const std::string& platform, const std::string& key) {
    return error_of([&] { Platform::load(platform, std::vector<std::string>{key + "=1 %"}); });
  };
  for (const char* key : {"network.loss", "network.loss-rate", "network.loss.rate", "network.packet-loss",
                          "network.error-rate"}) {
    EXPECT_THAT(error_on("myrinet-ud", key), HasSubstr("did you mean network.corruption, ")) << key;
    EXPECT_THAT(error_on("fast-ethernet", key),
                HasSubstr("lost at random by network.corruption, which network.kind \"myrinet\" has, but not "
                          "\"ethernet-switched\""))
        << key;
  }
}

TEST(BadOverride, OfAWordWithLossInItIsToldNothingOfLosses) {
  for (const std::string key : {"network.glossary", "network.terror", "network.colossal-rate"})
    EXPECT_THAT(error_of([&] { Platform::load("myrinet-ud", std::vector<std::string>{key + "=1"}); }),
                AllOf(HasSubstr("unknown key " + key), Not(HasSubstr("lost"))));
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
  EXPECT_THAT(
      error_with("[switch 0 at 10 ms]"),
      HasSubstr("network.faults: this is not a list, or more than one; write its items without brackets "
                "and quotes"));
  for (const std::string behind : {"\nnetwork.x=3", "\nlist.x=3", " # at noon", "\n# at noon", " at noon",
                                   ", b = 3", " }\nb = { c = 3", ", [\"switch 1 at 2 s\"]"})
    EXPECT_THAT(error_with("[\"switch 0 at 10 ms\"]" + behind), HasSubstr("this is not a list, or more"))
        << behind;
  EXPECT_EQ(error_with("[\n  \"switch 0 at 10 ms\",  # at noon\n]"), "no error");
  EXPECT_THAT(error_with("[\"switch 99 at 10 ms\"]"), HasSubstr("there is no switch 99"));
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
  EXPECT_THAT(error_with(shaped),
              HasSubstr("transport.category: \"cbr\" asks for connections with a contract"));
  EXPECT_THAT(error_with(shaped), HasSubstr("set network.cbr.peak"));
  EXPECT_EQ(error_with({"network.contracts=shaped", "network.cbr.peak=10 Mb/s", "transport.category=cbr"}),
            "no error");
  EXPECT_THAT(error_with({"network.contracts=shaped", "network.cbr.peak=10 Mb/s", "transport.category=vbr"}),
              HasSubstr("set network.vbr.peak"));
}

TEST(BadPlatformName, NamesTheNearestPlatform) {
  EXPECT_THAT(error_of([] { Platform::load("ethernet-01"); }), HasSubstr("did you mean ethernet-10?"));
  EXPECT_THAT(error_of([] { Platform::load("ethernet-01"); }),
              ::testing::Not(HasSubstr("ethernet-10-loaded")));
  EXPECT_THAT(error_of([] { Platform::load("zzzzzzzz"); }), HasSubstr("ethernet-... (3)"));
  EXPECT_THAT(error_of([] { Platform::load("nowhere.toml"); }),
              HasSubstr("there is no platform file nowhere.toml"));
  EXPECT_THAT(error_of([] { Platform::load("/tmp"); }), HasSubstr("is not a plain file"));
}

}  // namespace
}  // namespace morgana
