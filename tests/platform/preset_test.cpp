// The platforms that come with Morgana: they load, build and give the times that their files claim.

#include <algorithm>
#include <optional>
#include <sstream>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "tests/engine/scripted_source.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::uint64_t seed = 1;

class Preset : public ::testing::TestWithParam<std::string> {};

TEST_P(Preset, BuildsForEveryNumberOfRanks) {
  const Platform platform = Platform::load(GetParam());
  EXPECT_EQ(platform.name(), GetParam());
  EXPECT_NE(platform.description(), "");
  if (platform.native()) return;
  // Two hosts of four processors at the ends of a cable; four nodes of eight GPUs.
  std::size_t most = 64;
  if (GetParam().starts_with("smp-push-")) most = 8;
  if (GetParam() == "dgx-a100" || GetParam() == "dgx-h100") most = 32;
  for (std::size_t ranks = 1; ranks <= most; ++ranks) {
    for (const char* placement : {"block", "cyclic"}) {
      const Machine machine = platform.build(ranks, read_placement(placement), seed);
      EXPECT_EQ(machine.host_of.size(), ranks);
      EXPECT_NE(machine.network, nullptr);
      EXPECT_NE(machine.transport, nullptr);
      EXPECT_GT(machine.messages.poll_cost, 0_ps);
    }
  }
}

TEST_P(Preset, NamesTheSourceOfEveryValueThatItSets) {
  const Platform platform = Platform::load(GetParam());
  if (platform.native()) return;
  // What a value's description calls different from its default must be told by somebody.
  const std::string description = platform.describe();
  const std::string sources = description.substr(std::min(description.find("[source]"), description.size()));
  if (sources.find("everything = ") != std::string::npos) return;
  std::string section;
  std::istringstream lines(description);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) section = line.substr(1, line.find(']') - 1);
    if (line.find("; default ") == std::string::npos) continue;
    const std::string key = section + "." + line.substr(0, line.find(" ="));
    EXPECT_THAT(sources, HasSubstr("\"" + key + "\" = ")) << line;
  }
}

/// How long receives have taken to be posted.
class PostedReceives : public OperationObserver {
 public:
  void operation_ended(Rank /*rank*/, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> /*completed*/) override {
    if (operation.kind == OperationKind::receive) took.push_back(end - begin);
  }
  std::vector<SimTime> took;
};

// A message that has come before its receive is posted, one that a probe has taken, and one that comes later.
TEST_P(Preset, PostsReceivesInNoTimeWhereItPromisesThat) {
  const Platform platform = Platform::load(GetParam());
  if (platform.native()) return;
  for (const std::int64_t bytes : {8, 50'000}) {
    Machine machine = platform.build(2, read_placement("cyclic"), seed);
    Operation take = script::plain(OperationKind::probe);
    take.peer = Rank{0};
    take.tag = Tag{2};
    take.taken = RequestId{9};
    take.wants_answer = true;
    Operation taken = script::receive(0, bytes, 2, 2);
    taken.taken = RequestId{9};
    using namespace script;
    ScriptedSource source({{send(1, bytes, 1, 1), send(1, bytes, 2, 2), after(2'000_ms, send(1, bytes, 3, 3)),
                            wait({1, 2, 3}), script::exit()},
                           {after(1'000_ms, receive(0, bytes, 1, 1)), take, taken, receive(0, bytes, 3, 3),
                            wait({1, 2, 3}), script::exit()}});
    PostedReceives posted;
    OperationObserver* const observer = &posted;
    const bool promises = receives_take_no_time(machine);
    Engine(machine, source, {&observer, 1}).run();
    ASSERT_EQ(posted.took.size(), 3U);
    for (const SimTime took : posted.took) EXPECT_TRUE(took == 0_ps || !promises) << bytes << " bytes";
  }
}

// Kernels that carry messages, and processors that are shared, may take time then.
TEST(Presets, PromiseReceivesInNoTimeWhereOnlyTheLibraryWorks) {
  const auto promise = [](const std::string& platform, const std::vector<std::string>& overrides = {}) {
    return receives_take_no_time(
        Platform::load(platform, overrides).build(2, read_placement("cyclic"), seed));
  };
  EXPECT_TRUE(promise("fast-ethernet"));
  EXPECT_TRUE(promise("infiniband-hdr"));
  EXPECT_TRUE(promise("ethernet-25g-tcp"));
  EXPECT_FALSE(promise("smp-push-pull"));
  EXPECT_FALSE(promise("infiniband-hdr", {"hosts.quantum=10 ms"}));
}

INSTANTIATE_TEST_SUITE_P(All, Preset, ::testing::ValuesIn(Platform::names()), [](const auto& preset) {
  std::string name = preset.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Presets, AreTheOnesThatTheGuideNames) {
  for (const char* name : {"ideal",
                           "loggp-example",
                           "ethernet-10",
                           "ethernet-10-loaded",
                           "fast-ethernet",
                           "native",
                           "roce-100g",
                           "roce-100g-loggp",
                           "roce-400g",
                           "uec-800g",
                           "cloud-efa-like",
                           "ethernet-25g-tcp",
                           "infiniband-hdr",
                           "sgi-powerchallenge",
                           "ibm-sp2",
                           "fddi-100",
                           "hdr-fat-tree",
                           "ndr-fat-tree",
                           "edr-fat-tree-2to1",
                           "atm-ideal",
                           "atm-oc3",
                           "atm-oc3-loaded",
                           "atm-taxi-140",
                           "atm-loaded",
                           "atm-slow-hosts",
                           "atm-tcpip",
                           "atm-api-aal5",
                           "atm-api-aal34",
                           "atm-sockets",
                           "atm-pvm",
                           "atm-rpc",
                           "atm-pvm-aal5",
                           "atm-pvm-aal34",
                           "atm-pvm-ip",
                           "atm-sunatm",
                           "atm-fore",
                           "atm-rpc-140",
                           "atm-active-messages",
                           "myrinet-ud",
                           "myrinet-itb",
                           "myrinet-gm",
                           "fast-ethernet-tree",
                           "fast-ethernet-smp",
                           "smp-push-pull",
                           "smp-push-zero",
                           "smp-push-all",
                           "myrinet-gam",
                           "atm-oc3-sscop",
                           "atm-oc3-abr",
                           "atm-oc3-abt",
                           "atm-oc3-ece",
                           "atm-oc3-ece-duplicating",
                           "atm-oc3-pcaal",
                           "atm-oc3-pcaal-single",
                           "atm-overlay-ring",
                           "atm-overlay-tree",
                           "myrinet-push-pull",
                           "atm-oc3-push-pull",
                           "myrinet-am2"})
    EXPECT_THAT(Platform::names(), Contains(name));
}

TEST(Presets, NativeHasNoModel) {
  const Platform native = Platform::load("native");
  EXPECT_TRUE(native.native());
  EXPECT_EQ(native.compute_scale(), 1.0);
  expect_message(error_of([&] { native.build(2, Placement(), seed); }), "platform native");
}

TEST(Presets, IdealCostsNothingButPolls) {
  const MessageLayer messages = Platform::load("ideal").build(2, Placement(), seed).messages;
  EXPECT_EQ(messages.send_overhead + messages.receive_overhead + messages.local_overhead, 0_ps);
  EXPECT_EQ(messages.local_latency, 0_ps);
  EXPECT_EQ(messages.copy_per_byte, ByteCost());
  EXPECT_EQ(messages.poll_cost, 100_ns);
}

/// One message from host 0 to host 1 of an otherwise quiet platform.
class SingleTrip : private ShipmentListener {
 public:
  explicit SingleTrip(const std::string& platform, std::vector<std::string> overrides = {})
      : machine_(
            Platform::load(platform, with_one_processor(std::move(overrides))).build(2, Placement(), seed)) {}

  /// From the beginning of the send to the end of the receive, both sides having waited for it.
  SimTime of(Bytes bytes) {
    delivered_.reset();
    const SimTime begin = machine_.events->now();
    machine_.transport->send({{next_++, this}, HostId{0}, HostId{1}, bytes + machine_.messages.envelope});
    while (!delivered_) machine_.events->handle_next();
    const SimTime under_way = *delivered_ - begin;
    while (!machine_.events->empty() && machine_.events->next_time() < begin + 100_s)
      machine_.events->handle_next();
    const MessageLayer& layer = machine_.messages;
    return layer.send_overhead + layer.send_per_byte.time_for(bytes) + under_way + layer.receive_overhead +
           layer.receive_per_byte.time_for(bytes);
  }

 private:
  static std::vector<std::string> with_one_processor(std::vector<std::string> overrides) {
    overrides.push_back("hosts.processors=1");
    return overrides;
  }
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId) override { delivered_ = machine_.events->now(); }
  void shipment_lost(MessageId) override { FAIL() << "nothing is lost here"; }
  void shipment_returned(MessageId, Outcome) override { FAIL() << "nothing is returned here"; }

  Machine machine_;
  std::uint64_t next_ = 1;
  std::optional<SimTime> delivered_;
};

double megabits_per_second(Bytes bytes, SimTime time) {
  return 8e-6 * static_cast<double>(bytes.count()) / time.seconds();
}

TEST(Presets, LoggpExampleTakesOverheadsLatencyAndGapPerByte) {
  EXPECT_EQ(SingleTrip("loggp-example").of(1_B), 1_us + 5_us + 1_us);
  EXPECT_EQ(SingleTrip("loggp-example").of(1001_B), 1_us + 5_us + 1000 * 1_ns + 1_us);
}

TEST(Presets, Ethernet10StartsUpAsSocketsDid) {
  // 1.053 ms for 4 bytes: Lin et al., 1995, in Vila i Sallent, 1997, Table 3.1.
  EXPECT_NEAR(SingleTrip("ethernet-10").of(4_B).seconds(), 1.053e-3, 0.005e-3);
}

TEST(Presets, Ethernet10HasTheThroughputOfSockets) {
  // 8.40 Mb/s for sockets, 8.608 Mb/s for PVM, 9.0 Mb/s for TCP: Tables 3.1, 3.5 and 1.1 there.
  const Bytes megabyte = 1_MiB;
  const double throughput = megabits_per_second(megabyte, SingleTrip("ethernet-10").of(megabyte));
  EXPECT_GT(throughput, 8.35);
  EXPECT_LT(throughput, 9.0);
  RecordProperty("throughput_mbit_per_second", std::to_string(throughput));
}

TEST(Presets, Ethernet10LoadedIsSlowerThanSilent) {
  const SimTime silent = SingleTrip("ethernet-10").of(1_MiB),
                loaded = SingleTrip("ethernet-10-loaded").of(1_MiB);
  EXPECT_GT(loaded, silent);
  EXPECT_LT(loaded, 3 * silent);  // 70 % of the segment is left
}

TEST(Presets, Fddi100StartsUpAsSocketsDid) {
  // 1.833 ms for 4 bytes: Lin et al., 1995, in Vila i Sallent, 1997, Table 3.1.
  EXPECT_NEAR(SingleTrip("fddi-100").of(4_B).seconds(), 1.833e-3, 0.005e-3);
}

TEST(Presets, Fddi100HasTheThroughputOfSockets) {
  // 17.20 Mb/s: the same table.
  const Bytes megabyte = 1_MiB;
  EXPECT_NEAR(megabits_per_second(megabyte, SingleTrip("fddi-100").of(megabyte)), 17.20, 0.1);
}

TEST(Presets, SgiPowerChallengeMissesEveryLineTwice) {
  // Overheads, and for 4096 bytes 32 lines of 128 bytes in and out, 22 cycles of 21 ns each; two copies.
  EXPECT_EQ(SingleTrip("sgi-powerchallenge").of(0_B), 14_us + 2 * 462_ns);
  EXPECT_EQ(SingleTrip("sgi-powerchallenge").of(4096_B), 14_us + 2 * 32 * 462_ns + 2 * 4096 * 5_ns);
}

TEST(Presets, IbmSp2BringsAHeaderIn39us) {
  EXPECT_EQ(SingleTrip("ibm-sp2").of(0_B), 39_us);
  const SimTime one = SingleTrip("ibm-sp2").of(1_MiB), two = SingleTrip("ibm-sp2").of(2_MiB);
  EXPECT_EQ(two - one, (1 << 20) * 25_ns);  // 40 MB/s
}

TEST(Presets, ProcessorsDifferAsTheEpRowOfTheThesisDoes) {
  // Vila i Sallent, 1997, Table 2.2: 53.6, 68.2, 9.3, 42.7 and 38.5 s.
  const auto ep = [](const char* name) { return Platform::load(name).ep_seconds_per_pair().value(); };
  EXPECT_DOUBLE_EQ(ep("ethernet-10-loaded") / ep("ethernet-10"), 68.2 / 53.6);
  EXPECT_DOUBLE_EQ(ep("sgi-powerchallenge") / ep("ethernet-10"), 9.3 / 53.6);
  EXPECT_DOUBLE_EQ(ep("ibm-sp2") / ep("ethernet-10"), 42.7 / 53.6);
  EXPECT_DOUBLE_EQ(ep("atm-ideal") / ep("ethernet-10"), 38.5 / 53.6);
  EXPECT_FALSE(Platform::load("fast-ethernet").ep_seconds_per_pair());
}

TEST(Presets, FastEthernetTakesTheTripThatItsFileCalculates) {
  // Overheads, twice the least frame (72 bytes at 100 Mb/s), two cables, the switch.
  EXPECT_EQ(SingleTrip("fast-ethernet").of(0_B), 10_us + 2 * 5'760_ns + 2 * 250_ns + 3_us + 10_us);
  // The interrupt and what is left of o_r take as long as o_r did.
  EXPECT_EQ(SingleTrip("fast-ethernet-smp").of(0_B), SingleTrip("fast-ethernet").of(0_B));
}

// Vila i Sallent, 1997, Tables 6.4 and 5.6: two interfaces of 8.25 us, two cells, 0.5 us of switch, an
// interrupt of 12.5 us are 35.557 us; with 0.85 us of bus at both ends 37.257 us.
TEST(Presets, AtmTaxi140TakesThePapersLatencyForACell) {
  EXPECT_NEAR(SingleTrip("atm-taxi-140").of(40_B).seconds(), 35.557e-6, 0.001e-6);
  EXPECT_NEAR(SingleTrip("atm-taxi-140", {"interface.bus=0.85 us"}).of(40_B).seconds(), 37.257e-6, 0.001e-6);
}

// Table B.4 there: 72 us for a cell and back, which the sum of Table B.3's parts comes to within 1 us; 652 us
// for 29 cells and back, which no sum comes to: 533 us pipelined, 703 us serial.
TEST(Presets, AtmTaxi140TakesTheRoundTripsOfThePapersEmulator) {
  const auto round_trip = [](Bytes bytes, const char* sending) {
    return 2 * SingleTrip("atm-taxi-140", {"interface.sending=" + std::string(sending)}).of(bytes);
  };
  for (const char* sending : {"serial", "pipelined"}) {
    EXPECT_GT(round_trip(40_B, sending), 71_us);
    EXPECT_LT(round_trip(40_B, sending), 72_us);
  }
  const Bytes twenty_nine_cells{29 * 48 - 8};
  EXPECT_NEAR(round_trip(twenty_nine_cells, "pipelined").seconds(), 533.1e-6, 0.1e-6);
  EXPECT_NEAR(round_trip(twenty_nine_cells, "serial").seconds(), 702.7e-6, 0.1e-6);
}

struct Stack {
  const char* platform;
  double start_up;    ///< s, for 4 bytes
  double throughput;  ///< Mb/s
  std::int64_t size;  ///< bytes of one message for that
};

// Vila i Sallent, 1997, Tables 3.3 (very large messages), 3.5 (262,144 bytes) and 3.6.
TEST(Presets, StacksOnAtmStartUpAndTransferAsMeasured) {
  const Stack stacks[] = {
      {"atm-rpc", 2.957e-3, 12.72, 64 << 20},        {"atm-pvm", 2.766e-3, 12.16, 64 << 20},
      {"atm-sockets", 1.960e-3, 16.72, 64 << 20},    {"atm-api-aal34", 1.034e-3, 32.56, 64 << 20},
      {"atm-api-aal5", 0.869e-3, 31.68, 64 << 20},   {"atm-pvm-aal5", 1.617e-3, 26.608, 262'144},
      {"atm-pvm-aal34", 1.646e-3, 17.776, 262'144},  {"atm-pvm-ip", 1.234e-3, 16.848, 262'144},
      {"atm-active-messages", 26e-6, 60.0, 64 << 20}};
  for (const Stack& stack : stacks) {
    SCOPED_TRACE(stack.platform);
    EXPECT_NEAR(SingleTrip(stack.platform).of(4_B).seconds(), stack.start_up, 0.003 * stack.start_up);
    const Bytes size{stack.size};
    EXPECT_NEAR(megabits_per_second(size, SingleTrip(stack.platform).of(size)), stack.throughput,
                0.005 * stack.throughput);
  }
}

// Table 1.1 there: 1261 + 0.32 n and 1432 + 0.32 n us.
TEST(Presets, UdpOverAtmTakesTheRoundTripsThatWereMeasured) {
  for (const auto& [platform, start] : {std::pair("atm-sunatm", 1261e-6), std::pair("atm-fore", 1432e-6)})
    for (const std::int64_t bytes : {0, 1000, 4000, 8000})
      EXPECT_NEAR(2 * SingleTrip(platform).of(Bytes(bytes)).seconds(),
                  start + 0.32e-6 * static_cast<double>(bytes), 0.015e-3)
          << platform << ", " << bytes << " bytes";
}

// Table 3.2 there: 164 us for one cell and back, 776 us for 29 cells and one back.
TEST(Presets, AtmRpc140TakesTheCallsThatWereMeasured) {
  const SimTime cell = SingleTrip("atm-rpc-140").of(40_B);
  EXPECT_NEAR(2 * cell.seconds(), 164e-6, 0.5e-6);
  EXPECT_NEAR((cell + SingleTrip("atm-rpc-140").of(Bytes(29 * 48 - 8))).seconds(), 776e-6, 1e-6);
}

TEST(Presets, AtmTcpipTakesItsWorkForEachPacket) {
  // 48 + 40 bytes are two cells; a second packet waits for the sender's work on the first only.
  const SimTime cell = SimTime::from_ps(2'726'337);
  EXPECT_EQ(SingleTrip("atm-tcpip").of(40_B), 200_us + 3 * cell + 2 * 850_ns + 275_us);
  EXPECT_LT(SingleTrip("atm-tcpip").of(Bytes(2 * 9140)), 2 * (200_us + 192 * cell + 275_us));
}

// Vila i Sallent, 1997, 2.2.3: 500 us for each cell at both ends, and load.
TEST(Presets, AtmSlowHostsTakeHalfAMillisecondForEveryCellAtBothEnds) {
  const double time = SingleTrip("atm-slow-hosts").of(8192_B).seconds();
  EXPECT_GT(time, 172 * 500e-6);
  EXPECT_LT(time, 173 * 500e-6);
  EXPECT_LT(SingleTrip("atm-loaded").of(8192_B), 2_ms);
}

TEST(Presets, AtmOc3TakesTwoCellsOfStm1AndOneMoreForEachSwitch) {
  const SimTime cell = SimTime::from_ps(2'726'337);
  EXPECT_EQ(SingleTrip("atm-ideal").of(40_B), 2 * cell);
  EXPECT_EQ(SingleTrip("atm-ideal").of(8192_B), 172 * cell);
  EXPECT_EQ(SingleTrip("atm-oc3").of(40_B), 2 * 8250_ns + 2 * cell + 500_ns + 12500_ns);
  for (const std::int64_t switches : {1, 2, 4}) {
    const std::vector<std::string> chain{"network.switches=" + std::to_string(switches),
                                         "network.propagation=5 us"};
    EXPECT_EQ(SingleTrip("atm-ideal", chain).of(40_B), (switches + 1) * (cell + 5_us));
  }
}

TEST(Presets, AtmOc3LoadedIsSlowerThanSilent) {
  EXPECT_GT(SingleTrip("atm-oc3-loaded").of(1_MiB), SingleTrip("atm-oc3").of(1_MiB));
}

// Hosts 0 and 1 are at the same switch: overheads of 1.9 and 4 us, 150 ns of routing, two cables of 49.2 ns,
// and 6.25 ns for each byte of message and envelope, the type and the CRC.
TEST(Presets, MyrinetTakesRoutingCablesAndFlits) {
  for (const char* name : {"myrinet-ud", "myrinet-itb"}) {
    const Bytes envelope = Platform::load(name).build(2, Placement(), seed).messages.envelope;
    EXPECT_EQ(SingleTrip(name).of(512_B), 5'900_ns + 248'400_ps + (512 + envelope.count() + 2) * 6'250_ps);
  }
}

/// All pairs of every eighth host at once, 512 bytes: how long until the last message is there.
SimTime exchange(const std::string& platform) {
  struct Last : ShipmentListener {
    void shipment_departed(MessageId) override {}
    void shipment_delivered(MessageId) override { ++delivered; }
    void shipment_lost(MessageId) override { FAIL() << "nothing is lost here"; }
    void shipment_returned(MessageId, Outcome) override { FAIL() << "nothing is returned here"; }
    std::size_t delivered = 0;
  } listener;
  const Machine machine =
      Platform::load(platform, std::vector<std::string>{"hosts.count=512"}).build(512, Placement(), seed);
  std::uint64_t sent = 0;
  for (std::uint32_t from = 0; from < 512; from += 8) {
    for (std::uint32_t to = 0; to < 512; to += 8)
      if (from != to) machine.transport->send({{sent++, &listener}, HostId{from}, HostId{to}, 512_B});
  }
  // Switches' timers may go off later.
  while (listener.delivered < sent && !machine.events->empty()) machine.events->handle_next();
  EXPECT_EQ(listener.delivered, sent);
  return machine.events->now();
}

TEST(Presets, InTransitBuffersBearMoreTrafficThanUpDownRoutes) {
  EXPECT_LT(exchange("myrinet-itb"), exchange("myrinet-ud"));
}

TEST(Presets, InfinibandHdrMatchesTheMeasurementsThatItNames) {
  SingleTrip trip("infiniband-hdr");
  EXPECT_EQ(trip.of(0_B), 1'620_ns);
  // 23476.61 MB/s: the bytes between two long messages, at the network alone.
  const SimTime four = trip.of(4_MiB), eight = trip.of(8_MiB);
  const Machine machine = Platform::load("infiniband-hdr").build(2, Placement(), seed);
  const ByteCost copies =
      ByteCost::from_fs(machine.messages.send_per_byte.fs() + machine.messages.receive_per_byte.fs());
  const SimTime on_the_wire = eight - four - copies.time_for(4_MiB);
  EXPECT_NEAR(static_cast<double>((4_MiB).count()) * 1e-6 / on_the_wire.seconds(), 23476.61, 1.0);
}

TEST(Presets, Roce100gAddsUpToTheLatencyThatItNames) {
  EXPECT_EQ(SingleTrip("roce-100g-loggp").of(0_B), 150_ns + 1'270_ns + 150_ns);
}

}  // namespace
}  // namespace morgana
