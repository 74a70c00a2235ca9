#include "emulator/platform/kinds/networks.h"

#include <cassert>

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
  NetworkKind kind{
      "loggp",
      "A network of which only latency and the interfaces' occupation are known (LogGP). Nothing is lost, "
      "messages of any length travel in one piece.",
      table.keys(),
      [](const Settings&) { return std::optional<Bytes>(); },
      nothing_to_check,
      [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t) {
        return std::make_unique<LogpNetwork>(events, ports, table.read(settings));
      }};
  kind.has_port_times = true;
  return kind;
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
      loggp(),     ethernet_shared_kind(), ethernet_switched_kind(), ethernet_cable_kind(), shared_bus(),
      fddi_ring(), atm_network_kind(),     myrinet_network_kind(),   fabric_network_kind()};
  return kinds;
}

const NetworkKind& network_kind(const std::string& name) {
  for (const NetworkKind& kind : network_kinds())
    if (kind.name == name) return kind;
  assert(false);
  return network_kinds().front();
}

UnitService unit_service(const NetworkKind& network, const Settings& settings) {
  if (network.offers) return network.offers(settings);
  return {.largest = network.largest_unit(settings)};
}

}  // namespace morgana
