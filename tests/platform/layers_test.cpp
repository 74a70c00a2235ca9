// What overrides what: defaults, extended platforms, the file, --set; and what a description says of it.

#include "emulator/platform/platform.h"

#include <sstream>

#include "emulator/platform/sections.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::HasSubstr;
using ::testing::Not;

using Overrides = std::vector<std::string>;

MessageLayer messages_of(const Platform& platform) {
  return platform.build(1, Placement(), 1).messages;
}

TEST(Overrides, ReplaceWhatTheFileSays) {
  const std::string text = "[messages]\nsend-overhead = \"1 us\"\nreceive-overhead = \"2 us\"\n";
  const Platform platform = Platform::parse(text, "my.toml", Overrides{"messages.send-overhead=5 us"});
  EXPECT_EQ(messages_of(platform).send_overhead, 5_us);
  EXPECT_EQ(messages_of(platform).receive_overhead, 2_us);
}

TEST(Overrides, MayStandInQuotesOrNotWithSpacesOrNot) {
  for (const char* override : {"messages.send-overhead=5 us", "messages.send-overhead=\"5 us\"",
                               "messages.send-overhead='5 us'", " messages.send-overhead = 5us "})
    EXPECT_EQ(messages_of(Platform::parse("", "my.toml", Overrides{override})).send_overhead, 5_us)
        << override;
}

TEST(Overrides, TheLastOfSeveralWins) {
  const Overrides overrides{"messages.send-overhead=5 us", "messages.send-overhead=6 us"};
  EXPECT_EQ(messages_of(Platform::parse("", "my.toml", overrides)).send_overhead, 6_us);
}

TEST(Overrides, CanChooseAnotherNetworkInAnyOrder) {
  for (const Overrides& overrides : {Overrides{"network.kind=ethernet-switched", "network.rate=1 Gb/s"},
                                     Overrides{"network.rate=1 Gb/s", "network.kind=ethernet-switched"}}) {
    const Platform platform = Platform::load("loggp-example", overrides);
    EXPECT_THAT(platform.describe(), HasSubstr("rate = \"1 Gb/s\""));
    EXPECT_THAT(platform.describe(), HasSubstr("kind = \"go-back-n\""));  // frames need it
    EXPECT_THAT(platform.describe(), Not(HasSubstr("gap-per-byte")));
  }
}

TEST(Overrides, CanSetEveryKeyOfTheSchema) {
  for (const Section& section : schema()) {
    for (const Key& key : section.keys) {
      const auto other_value = [&]() -> std::string {
        switch (key.form) {
          case ValueForm::time:
            if (key.name == "transport.most-timeout") return "200 s";
            if (key.name == "transport.timely-high") return "700 us";  // more than timely-low
            if (key.limits.at_least == "10 us" || key.name == "transport.clock.resynchronise") return "70 us";
            return key.limits.at_least == "1 ms" ? "7 ms" : "7 us";
          case ValueForm::size:
            // What a cell has room for.
            if (key.name == "transport.element") return section.kind == "ece" ? "32 B" : "37 B";
            if (key.name == "transport.path-mtu") return "512 B";
            if (key.name == "network.shared-buffer") return "1 MiB";  // more than a packet
            // More than two segments.
            if (key.name == "transport.send-buffer" || key.name == "transport.receive-buffer") return "1 MiB";
            return key.name == "transport.page" ? "2000 B" : "100 B";  // no less than the least page
          case ValueForm::rate:
            return "20 Mb/s";
          case ValueForm::rate_or_share:
            return "20 %";
          case ValueForm::byte_cost:
            return "3 ns/B";
          case ValueForm::share:
            return "20 %";
          case ValueForm::factor:
            if (key.name.ends_with("-first-alpha")) return "0.5";
            if (key.name == "network.oversubscription") return "2";  // a trunk for two hosts
            return key.limits.at_most.empty() ? "3" : std::string(key.limits.at_most);
          case ValueForm::count:
            if (key.name == "transport.retry-count" || key.name == "transport.rnr-retry") return "6";
            return key.name == "interface.am2.frames" ? "8" : "7";
          case ValueForm::word:
            if (key.name == "network.routes") return key.words[1];
            if (key.name == "network.flow-control") return "none";  // pauses need a shared buffer
            // A listed network needs its list.
            if (key.words.back() == "listed" && section.kind == "myrinet") return "cplant";
            // Sizes that follow from stages need the interface whose stages they are.
            if (key.name == "transport.fragmentation") return "whole";
            return key.fallback == Value(key.words.back()) ? key.words.front() : key.words.back();
          case ValueForm::text:
            return "tornado";
          case ValueForm::file:
            return "tuner.csv";
          case ValueForm::list:
            if (key.name == "network.trunks" || key.name == "network.cables")
              return section.kind == "myrinet" ? "0.7-1.7, 1-2, 2-0" : "0-1 at 20 Mb/s, 1-2";
            if (key.name == "network.route-table") return "any over 0-1, any over 1-0";
            if (key.name == "overlay.faults") return "server 0 at 7 us, station 1 at 1 s";
            if (key.name == "network.faults") return "cable 0.0 at 7 us, switch 2 at 1 s";
            if (key.name == "network.background.hosts") return "1, 0";
            if (key.name == "background.hosts") return "1, 4..6";
            if (key.name == "network.tiers")
              return section.kind == "fabric" ? "levels 1-2 over 7 us" : "between switches over 7 us";
            if (key.name == "network.background.category") return "vbr";
            if (key.name == "network.class-weights") return "strict";
            if (key.name == "network.high-priority" || key.name == "network.low-priority") return "0:7";
            return section.kind == "myrinet" ? "1, 0.7, 2" : "1, 0 over 7 us";
        }
        return "";
      }();
      Overrides overrides;
      if (section.kind == "aal5" || section.kind == "sscop" || section.kind == "pc-aal" ||
          section.kind == "ece" || section.name == "overlay")
        overrides.push_back("network.kind=atm");
      if (key.name == "messages.eager" || key.name == "messages.rendezvous" ||
          key.name == "messages.buffer-overhead" || key.name == "messages.receive-copies" ||
          key.name.starts_with("messages.zero-copy-") || key.name.starts_with("hosts.pcie."))
        overrides.push_back("transport.kind=rc");
      if (key.name == "hosts.pcie.completion-payload") overrides.push_back("hosts.pcie.completion=128 B");
      if (key.name == "messages.zero-copy-overhead") overrides.push_back("messages.zero-copy-from=2 KiB");
      if (key.name == "transport.udp-source-port") overrides.push_back("transport.global-header=28 B");
      if (key.name == "network.class-arbitration") overrides.push_back("network.class-weights=7");
      if (key.name == "network.link-width") overrides.push_back("network.link-speed=HDR");
      if (key.name == "network.abr.feedback") overrides.push_back("network.drop=push-out");
      if (key.name == "network.abt.transmission") overrides.push_back("network.drop=push-out");
      if (key.name == "network.abr.very-congested") overrides.push_back("network.abr.congested=1 cells");
      if (key.name == "network.contracts")
        overrides.insert(overrides.end(), {"network.drop=push-out", "network.cbr.peak=1 Mb/s"});
      if (key.name == "network.vbr.sustainable") overrides.push_back("network.vbr.peak=10 Gb/s");
      // An answer must have time to come.
      if (key.name == "transport.no-response")
        overrides.push_back(section.kind == "ece" ? "transport.lme.interval=10 us" : "transport.poll=1 us");
      if (key.name == "transport.no-response" && section.kind == "sscop")
        overrides.push_back("transport.keep-alive=1 us");
      // More than a cell's room for several elements.
      if (key.name == "transport.element" && section.kind == "pc-aal")
        overrides.push_back("transport.packing=single");
      if (key.name == "transport.lme.upper") overrides.push_back("transport.lme.lower=1 us");
      if (key.name == "hosts.interrupts.cost" || key.name == "hosts.interrupts.affinity")
        overrides.insert(overrides.end(), {"hosts.interrupts.handling=fixed", "hosts.processors=8"});
      if (section.kind == "push-pull")
        overrides.insert(overrides.end(),
                         {"network.kind=ethernet-switched", "hosts.interrupts.handling=fixed"});
      if (section.kind == "ethernet-cable") overrides.push_back("hosts.count=2");
      if (section.kind == "lanai") overrides.push_back("network.kind=myrinet");
      if (section.kind == "atm-adapter") overrides.push_back("network.kind=atm");
      if (key.name == "transport.fragments") overrides.push_back("transport.fragmentation=fixed");
      if (section.kind == "rc" && key.name == "transport.congestion-control")
        overrides.insert(overrides.end(), {"network.kind=fabric", "network.mtu=4300 B"});
      if (key.name == "background.load") overrides.push_back("network.kind=fabric");
      if (section.kind == "go-back-n") overrides.push_back("network.kind=ethernet-switched");
      if (!section.kind.empty()) overrides.push_back(kind_key(section.name).name + "=" + section.kind);
      const bool has_route_table = key.name == "network.route-table";
      if (key.form == ValueForm::list && section.name == "network" && !has_route_table)
        overrides.push_back("network.switches=3");
      if (key.name == "network.oversubscription")
        overrides.insert(overrides.end(),
                         {"network.topology=leaf-spine", "network.leaves=2", "network.hosts-per-switch=2"});
      if (key.name == "network.root")
        overrides.insert(overrides.end(), {"network.topology=chain", "network.switches=8"});
      if (has_route_table)
        overrides.insert(overrides.end(),
                         {"network.topology=chain", "network.switches=2", "network.routes=listed"});
      if (key.name == "network.routes" && section.kind == "atm")
        overrides.insert(overrides.end(), {"network.topology=chain", "network.switches=2",
                                           "network.route-table=any over 0-1, any over 1-0"});
      if (key.name == "network.shared-buffer" || key.name == "network.mark-to")
        overrides.insert(overrides.end(), {"network.flow-control=none", "network.queueing=output-queues"});
      if (key.name == "transport.congestion-control" || key.name == "transport.data-class" ||
          key.name == "transport.cnp-class" || key.name == "transport.traffic-class")
        overrides.insert(overrides.end(), {"network.kind=fabric", "network.classes=8", "network.mtu=8 KiB"});
      else if (section.kind == "tcp")
        overrides.push_back("network.kind=ethernet-switched");
      if (section.kind == "uet")
        overrides.insert(overrides.end(), {"network.kind=fabric", "network.classes=8", "network.mtu=8 KiB"});
      if (section.kind == "uet" && key.name == "transport.timeout")
        overrides.push_back("transport.base-round-trip=6 us");
      if (key.name == "network.trim-size")
        overrides.insert(overrides.end(), {"network.flow-control=none", "network.queueing=output-queues",
                                           "network.output-packets=7"});
      // Packets that fit into any buffer.
      if (section.kind == "fabric" && key.name != "network.mtu") overrides.push_back("network.mtu=64 B");
      const bool lists_cables = key.name == "network.trunks" || key.name == "network.cables";
      const bool lists_hosts = key.form == ValueForm::list && !lists_cables && !has_route_table;
      if (lists_cables || (section.kind == "myrinet" && lists_hosts))
        overrides.push_back("network.topology=listed");
      if (section.kind == "myrinet" && lists_hosts) overrides.push_back("network.cables=0-1, 1-2");
      if (section.kind == "myrinet") {
        // A network for which any of the values will do: seven is many ports and little room.
        for (const char* set : {"columns=4", "rows=4", "hosts-per-switch=2", "go-below=4"})
          overrides.push_back(std::string("network.") + set);
        if (key.name == "network.slack") {
          overrides.insert(overrides.end(),
                           {"network.stop-above=5", "network.cable=1 ns", "network.control-delay=1 ns"});
        } else {
          overrides.push_back("network.slack=100000");
        }
      }
      overrides.push_back(key.name + "=" + other_value);
      const Platform platform = Platform::parse("", "my.toml", overrides);
      const std::string description = platform.describe();
      const std::string name = "\n" + key.name.substr(section.name.size() + 1) + " = ";
      const std::size_t table = description.find("\n[" + section.name + "]\n");
      ASSERT_NE(table, std::string::npos);
      ASSERT_THAT(description.substr(table), HasSubstr(name));
      const std::size_t begin = description.find(name, table) + name.size();
      const std::string value = description.substr(begin, description.find("  #", begin) - begin);
      EXPECT_THAT(value, HasSubstr(other_value)) << key.name;
      const bool has_one_value = key.words.size() == 1;
      EXPECT_TRUE(has_one_value || parse_value(key, other_value) != key.fallback) << key.name;
      EXPECT_NO_THROW(platform.build(2, Placement(), 1)) << key.name;
    }
  }
}

TEST(Overrides, AreNamedAsTheSourceOfWhatTheySet) {
  const Platform platform = Platform::load("loggp-example", Overrides{"network.latency=6 us"});
  EXPECT_THAT(platform.describe(), HasSubstr("\"network.latency\" = \"--set network.latency=6 us\""));
}

TEST(Extends, TakesOverWhatTheFileDoesNotSay) {
  const Platform platform =
      Platform::parse("extends = \"loggp-example\"\n[messages]\nsend-overhead = \"9 us\"\n", "my.toml");
  EXPECT_EQ(messages_of(platform).send_overhead, 9_us);
  EXPECT_EQ(messages_of(platform).receive_overhead, 1_us);
  EXPECT_EQ(platform.name(), "my");
  EXPECT_EQ(platform.description(), Platform::load("loggp-example").description());
}

TEST(Extends, FollowsPathsRelativeToTheFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "deep");
  folder.write("base.toml", "[messages]\nsend-overhead = \"3 us\"\nenvelope = \"16 B\"\n");
  folder.write("deep/middle.toml", "extends = \"../base.toml\"\n[messages]\nsend-overhead = \"4 us\"\n");
  const std::string top = folder.write("top.toml", "extends = \"deep/middle.toml\"\n");
  const Platform platform = Platform::load(top);
  EXPECT_EQ(messages_of(platform).send_overhead, 4_us);
  EXPECT_EQ(messages_of(platform).envelope, 16_B);
  EXPECT_EQ(platform.name(), "top");
}

TEST(Extends, RefusesCircles) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.toml", "extends = \"b.toml\"\n");
  folder.write("b.toml", "name = \"b\"\nextends = \"a.toml\"\n");
  expect_message(error_of([&] { Platform::load(a); }), {"b.toml:2:11", "a.toml"});
  const std::string self = folder.write("self.toml", "extends = \"./self.toml\"\n");
  expect_message(error_of([&] { Platform::load(self); }), "self.toml");
}

TEST(Extends, RefusesAnEndlessChain) {
  const TemporaryFolder folder;
  for (int i = 0; i < 30; ++i)
    folder.write(std::to_string(i) + ".toml", "extends = \"" + std::to_string(i + 1) + ".toml\"\n");
  expect_message(error_of([&] { Platform::load((folder.path() / "0.toml").string()); }),
                 {"FOLDER/15.toml:1:11", "0.toml -> 1.toml", "15.toml -> 16.toml"});
}

TEST(Extends, NamesTheFileInWhichAnErrorStands) {
  const TemporaryFolder folder;
  const std::string base = folder.write("base.toml", "[network]\nlatency = \"soon\"\n");
  const std::string top = folder.write("top.toml", "extends = \"base.toml\"\n");
  expect_message(error_of([&] { Platform::load(top); }), "FOLDER/base.toml:2:11: network.latency: \"soon\"");
}

TEST(Extends, AnotherKindForgetsWhatWasSetForTheFormerOne) {
  const Platform platform = Platform::parse(
      "extends = \"ethernet-10\"\n[network]\nkind = \"loggp\"\nlatency = \"9 us\"\n"
      "[transport]\nkind = \"direct\"\n",
      "my.toml");
  EXPECT_THAT(platform.describe(), HasSubstr("latency = \"9 us\""));
  EXPECT_THAT(platform.describe(), Not(HasSubstr("\nrate = ")));
  EXPECT_THAT(platform.describe(), Not(HasSubstr("\"network.rate\"")));
}

TEST(Sources, ComeFromTheFileThatSetTheValue) {
  const TemporaryFolder folder;
  folder.write("base.toml",
               "[network]\nlatency = \"3 us\"\ngap = \"1 us\"\n[source]\n\"network.latency\" = \"measured\"\n"
               "network = \"guessed\"\n");
  const std::string top =
      folder.write("top.toml", "extends = \"base.toml\"\nsource = \"me\"\n[network]\ngap = \"2 us\"\n");
  const std::string description = Platform::load(top).describe();
  EXPECT_THAT(description, HasSubstr("\"network.latency\" = \"measured\""));
  EXPECT_THAT(description, Not(HasSubstr("guessed")));
  EXPECT_THAT(description, HasSubstr("everything = \"me\""));
}

TEST(Sources, OfASectionHoldForItsKeys) {
  const std::string description =
      Platform::parse(
          "[network]\nlatency = \"3 us\"\ngap = \"1 us\"\n[source]\nnetwork = \"guessed\"\n"
          "\"network.gap\" = \"counted\"\n",
          "my.toml")
          .describe();
  EXPECT_THAT(description, HasSubstr("\"network.latency\" = \"guessed\""));
  EXPECT_THAT(description, HasSubstr("\"network.gap\" = \"counted\""));
}

TEST(ComputeScale, IsOneWhereItIsOpen) {
  const Platform platform = Platform::parse("", "my.toml");
  EXPECT_TRUE(platform.compute_scale_is_open());
  EXPECT_EQ(platform.compute_scale(), 1.0);
  EXPECT_FALSE(platform.ep_seconds_per_pair());
  EXPECT_THAT(platform.describe(), HasSubstr("compute-scale = \"auto\""));
}

TEST(ComputeScale, IsWhatTheFileSays) {
  const Platform platform = Platform::parse("[hosts]\ncompute-scale = 2\nep-time = \"8 s\"\n", "my.toml");
  EXPECT_FALSE(platform.compute_scale_is_open());
  EXPECT_EQ(platform.compute_scale(), 2.0);
  const std::vector<std::string> open{"hosts.compute-scale=auto"};
  EXPECT_TRUE(Platform::parse("[hosts]\ncompute-scale = 2\n", "my.toml", open).compute_scale_is_open());
}

TEST(ComputeScale, CanBeSettledOnceTheMachineIsKnown) {
  const Platform open = Platform::parse("[hosts]\nep-time = \"8.192 s\"\nep-pairs = 13\n", "my.toml");
  EXPECT_DOUBLE_EQ(open.ep_seconds_per_pair().value(), 1e-3);
  const Platform settled = open.with_compute_scale(2.5);
  EXPECT_EQ(settled.compute_scale(), 2.5);
  EXPECT_FALSE(settled.compute_scale_is_open());
  EXPECT_THAT(settled.describe(), HasSubstr("compute-scale = 2.5"));
  EXPECT_TRUE(open.compute_scale_is_open());
}

TEST(Description, IsAPlatformFileThatDescribesTheSame) {
  for (const std::string& name : Platform::names()) {
    const Platform platform = Platform::load(name);
    const Platform again = Platform::parse(platform.describe(), "again.toml");
    EXPECT_EQ(again.describe(), platform.describe()) << name;
    EXPECT_EQ(again.name(), name);
    EXPECT_EQ(again.description(), platform.description());
    EXPECT_EQ(again.native(), platform.native());
    EXPECT_EQ(again.compute_scale(), platform.compute_scale());
  }
}

TEST(Description, QuotesWhateverATextHolds) {
  const std::string text = "name = \"a\\\"b\\\\c\\n\\td\\u0001\"\ndescription = \"\u00fc\"\n";
  const Platform platform = Platform::parse(text, "my.toml");
  const Platform again = Platform::parse(platform.describe(), "again.toml");
  EXPECT_EQ(again.name(), "a\"b\\c\n\td\x01");
  EXPECT_EQ(again.description(), "\u00fc");
}

TEST(Description, KeepsLongTextsWordForWord) {
  const std::string words = "a  source with  double spaces, \\\"quotes\\\", and quite some more words ";
  std::string text = "source = \"";
  for (int i = 0; i < 9; ++i) text += words;
  text += "\"\n[network]\nlatency = \"1 us\"\n";
  const std::string description = Platform::parse(text, "my.toml").describe();
  EXPECT_EQ(Platform::parse(description, "my.toml").describe(), description);
  std::istringstream lines(description);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("  # ") == std::string::npos) {
      EXPECT_LE(line.size(), 112U) << line;
    }
  }
}

TEST(Description, NamesMeaningAndDefaultOfEveryValue) {
  const std::string description = Platform::load("loggp-example").describe();
  EXPECT_THAT(description, HasSubstr("# L: from the sending interface to the receiving one; default 0 s"));
  EXPECT_THAT(description, HasSubstr("allreduce = \"auto\""));
}

TEST(Collectives, NamedAlgorithmsReachTheMachine) {
  std::string known;
  for (const Key& key : collective_keys())
    if (key.name == "collectives.allreduce") known = key.words.at(1);
  ASSERT_NE(known, "");
  const Platform platform = Platform::parse(
      "", "my.toml", Overrides{"collectives.allreduce=" + known, "collectives.barrier=automatic"});
  const CollectiveTuning tuning = platform.build(2, Placement(), 1).collectives;
  EXPECT_EQ(tuning.algorithm.at("allreduce"), known);
  EXPECT_EQ(tuning.algorithm.count("barrier"), 0U);
}

TEST(Collectives, ProgressInCallsUnlessToldOtherwise) {
  const auto progress_with = [](const Overrides& overrides) {
    return Platform::parse("", "my.toml", overrides).build(2, Placement(), 1).collectives.progress;
  };
  EXPECT_EQ(progress_with({}), CollectiveTuning::Progress::in_calls);
  EXPECT_EQ(progress_with({"collectives.progress=in-calls"}), CollectiveTuning::Progress::in_calls);
  EXPECT_EQ(progress_with({"collectives.progress=asynchronous"}), CollectiveTuning::Progress::asynchronous);
}

TEST(Collectives, LibraryPiecesAndChainsReachTheMachine) {
  const auto with = [](const Overrides& overrides) {
    return Platform::parse("", "my.toml", overrides).build(2, Placement(), 1).collectives;
  };
  EXPECT_EQ(with({}).library, CollectiveLibrary::automatic);
  EXPECT_EQ(with({}).segment, Bytes());
  EXPECT_EQ(with({}).chains, 1U);
  EXPECT_EQ(with({"collectives.library=mpich"}).library, CollectiveLibrary::mpich);
  const CollectiveTuning tuning = with({"collectives.library=openmpi", "collectives.segment=8 KiB",
                                        "collectives.chains=4", "collectives.allreduce=segmented-ring"});
  EXPECT_EQ(tuning.library, CollectiveLibrary::openmpi);
  EXPECT_EQ(tuning.segment, Bytes(8192));
  EXPECT_EQ(tuning.chains, 4U);
  EXPECT_EQ(tuning.algorithm.at("allreduce"), "segmented-ring");
}

TEST(Library, IsTheFolderThatTheEnvironmentNames) {
  const TemporaryFolder folder;
  folder.write("mine.toml", "description = \"mine\"\n");
  ASSERT_EQ(setenv("MORGANA_PLATFORMS", folder.path().c_str(), 1), 0);
  EXPECT_EQ(Platform::names(), std::vector<std::string>{"mine"});
  EXPECT_EQ(Platform::load("mine").description(), "mine");
  ASSERT_EQ(setenv("MORGANA_PLATFORMS", "/nowhere/at/all", 1), 0);
  expect_message(error_of([] { Platform::load("ideal"); }), {"MORGANA_PLATFORMS", "/nowhere/at/all"});
  unsetenv("MORGANA_PLATFORMS");
}

TEST(Reference, IsTheOneInTheDocumentation) {
  std::ifstream file(MORGANA_REFERENCE);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == platform_reference())
      << "docs/platforms.md is not what the schema says; write it anew: morgana platforms --reference > "
         "docs/platforms.md";
}

TEST(Reference, NamesEveryKeyWithItsMeaning) {
  const std::string reference = platform_reference();
  for (const Section& section : schema()) {
    EXPECT_THAT(reference, HasSubstr("## [" + section.name + "]"));
    if (section.name == "collectives") continue;
    for (const Key& key : section.keys) {
      EXPECT_THAT(reference, HasSubstr("| `" + key.name.substr(section.name.size() + 1) + "` |"));
      EXPECT_THAT(reference, HasSubstr(key.meaning));
    }
  }
}

}  // namespace
}  // namespace morgana
