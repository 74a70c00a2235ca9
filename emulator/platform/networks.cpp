#include "emulator/platform/networks.h"

#include <cassert>

#include "emulator/network/ethernet/frame.h"
#include "emulator/network/ethernet/segment.h"
#include "emulator/network/ethernet/switched.h"
#include "emulator/network/fddi/ring.h"
#include "emulator/network/logp/logp_network.h"
#include "emulator/network/smp/shared_bus.h"

namespace morgana {
namespace {

std::optional<Complaint> nothing_to_check(const Settings&) {
  return std::nullopt;
}

NetworkKind loggp() {
  const auto table =
      Table<LogpParameters>("network")
          .key("latency", &LogpParameters::latency, "L: from the sending interface to the receiving one")
          .key("gap", &LogpParameters::gap, "g: between consecutive messages at an interface")
          .key("gap-per-byte", &LogpParameters::gap_per_byte, "G: for each byte after the first")
          .key("latency-per-byte", &LogpParameters::latency_per_byte,
               "beyond LogGP: added to L for each of a message's first bytes, which adapters and buses pass "
               "on "
               "together")
          .key("latency-bytes", &LogpParameters::latency_bytes, "how many bytes of a message add to that");
  return {
      "loggp",
      "A network of which only latency and the interfaces' occupation are known (LogGP). Nothing is lost, "
      "messages of any length travel in one piece.",
      table.keys(),
      [](const Settings&) { return std::optional<Bytes>(); },
      nothing_to_check,
      [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t) {
        return std::make_unique<LogpNetwork>(events, ports, table.read(settings));
      }};
}

NetworkKind ethernet_shared() {
  using Segment = SegmentParameters;
  const auto table =
      Table<Segment>("network")
          .key("rate", &Segment::rate, "line rate")
          .key("propagation", &Segment::propagation, "between any two stations, less than half a slot time")
          .share("background.load", [](Segment& s) -> double& { return s.background.load; },
                 "mean share of the line rate that other stations offer", {.at_most = "95 %"})
          .key("background.stations", [](Segment& s) -> std::uint32_t& { return s.background.stations; },
               "other stations, each with an equal share of the load",
               {.at_least = "1", .at_most = "1000", .unit = "stations"})
          .key("background.frame", [](Segment& s) -> Bytes& { return s.background.frame; },
               "payload of their frames", {.at_least = "46 B", .at_most = "1500 B"})
          .key("background.mean-on", [](Segment& s) -> SimTime& { return s.background.mean_on; },
               "mean length of their bursts (exponential)", {.at_least = "1 us"})
          .share("background.on-share", [](Segment& s) -> double& { return s.background.on_share; },
                 "share of the time that each of them is in a burst", {.at_least = "1 %"});
  return {"ethernet-shared",
          "A shared Ethernet segment: carrier sense with collision detection, binary exponential backoff "
          "(IEEE 802.3), optionally with other stations' load. Frames are lost after 16 collisions.",
          table.keys(),
          [](const Settings&) { return std::optional<Bytes>(ethernet::largest_payload); },
          [table](const Settings& settings) -> std::optional<Complaint> {
            const Segment segment = table.read(settings);
            const SimTime slot = segment.rate.time_for_bits(ethernet::slot_bits);
            if (segment.propagation * 2 < slot) return std::nullopt;
            return Complaint{"network.propagation", to_text(segment.propagation) +
                                                        " is not less than half a slot time (512 bits at " +
                                                        to_text(segment.rate) + ": " + to_text(slot) +
                                                        "), so stations could not detect collisions"};
          },
          [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t seed) {
            return std::make_unique<EthernetSegment>(events, ports, table.read(settings), seed);
          }};
}

NetworkKind ethernet_switched() {
  using Switched = SwitchedEthernetParameters;
  const auto table =
      Table<Switched>("network")
          .key("rate", &Switched::rate, "line rate of each link, in both directions at once")
          .key("propagation", &Switched::propagation, "along each cable")
          .key("forwarding", &Switched::forwarding, "the switch's decision, once a frame is wholly in")
          .key("buffer", &Switched::buffer_frames,
               "room of each output, counting the frame in transmission; a frame that finds it full is lost",
               {.at_least = "1", .unit = "frames", .zero_word = "unlimited"})
          .key("largest-payload", &Switched::largest_payload, "of a frame; more than 1500 B: jumbo frames",
               {.at_least = "46 B", .at_most = "9000 B"});
  return {"ethernet-switched",
          "Hosts on full-duplex Ethernet links around one store-and-forward switch with a queue for each "
          "output.",
          table.keys(),
          [table](const Settings& settings) {
            return std::optional<Bytes>(table.read(settings).largest_payload);
          },
          nothing_to_check,
          [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t) {
            return std::make_unique<SwitchedEthernet>(events, ports, table.read(settings));
          }};
}

NetworkKind shared_bus() {
  using Bus = SharedBusParameters;
  const auto table =
      Table<Bus>("network")
          .key("cycle", &Bus::cycle, "of the bus", {.at_least = "1 ps"})
          .key("width", &Bus::width, "data that the bus moves in a cycle", {.at_least = "1 B"})
          .key("line", &Bus::line, "of the processors' caches: what one miss brings", {.at_least = "1 B"})
          .key("turnaround", &Bus::turnaround, "a line occupies the bus besides the cycles of its data",
               {.at_most = "1000", .unit = "cycles"})
          .key("miss", &Bus::miss, "from the grant of the bus until a processor has its line",
               {.at_least = "1", .at_most = "100000", .unit = "cycles"})
          .key("work", &Bus::work, "of a processor on each line that it copies, before it misses the next");
  return {"shared-bus",
          "Processors with caches on one bus in front of one memory: each host is a processor, and a message "
          "is copied into memory by its sender and out of it by its receiver, both missing every line. Lines "
          "contend for the bus. Nothing is lost.",
          table.keys(),
          [](const Settings&) { return std::optional<Bytes>(); },
          [table](const Settings& settings) -> std::optional<Complaint> {
            const Bus bus = table.read(settings);
            const std::int64_t occupancy = line_occupancy(bus);
            if (bus.miss >= occupancy) return std::nullopt;
            return Complaint{"network.miss",
                             "a miss can't take fewer cycles than its line occupies the bus (" +
                                 std::to_string(occupancy) + ")"};
          },
          [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t) {
            return std::make_unique<SharedBus>(events, ports, table.read(settings));
          }};
}

NetworkKind fddi_ring() {
  using Ring = FddiParameters;
  const auto table = Table<Ring>("network")
                         .key("rate", &Ring::rate, "of the ring")
                         .key("target-rotation", &Ring::target_rotation,
                              "TTRT: a token that is early by less lets a station send for that long",
                              {.at_least = "1 ms", .at_most = "1 s"})
                         .key("station-latency", &Ring::station_latency,
                              "of a station that repeats what comes in", {.at_most = "1 ms"})
                         .key("propagation", &Ring::propagation, "along the fibre to the next station",
                              {.at_least = "1 ps", .at_most = "1 ms"})
                         .key("largest-payload", &Ring::largest_payload, "of a frame",
                              {.at_least = "1 B", .at_most = "4478 B"});
  return {"fddi",
          "An FDDI ring: a token gives the right to send, for as long as it came early (timed token, ISO "
          "9314-2; all traffic asynchronous). Nothing is lost.",
          table.keys(),
          [table](const Settings& settings) {
            return std::optional<Bytes>(table.read(settings).largest_payload);
          },
          nothing_to_check,
          [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t) {
            return std::make_unique<FddiRing>(events, ports, table.read(settings));
          }};
}

}  // namespace

const std::vector<NetworkKind>& network_kinds() {
  static const std::vector<NetworkKind> kinds{
      loggp(),     ethernet_shared(),  ethernet_switched(),   shared_bus(),
      fddi_ring(), atm_network_kind(), myrinet_network_kind()};
  return kinds;
}

const NetworkKind& network_kind(const std::string& name) {
  for (const NetworkKind& kind : network_kinds())
    if (kind.name == name) return kind;
  assert(false);
  return network_kinds().front();
}

}  // namespace morgana
