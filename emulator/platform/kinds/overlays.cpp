#include "emulator/platform/kinds/overlays.h"

#include <cassert>
#include <string>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/platform/kinds/overlay_faults.h"
#include "emulator/transport/overlay/overlay.h"

namespace morgana {
namespace {

OverlayKind none() {
  return {
      "none",
      "Hosts are joined each to each: there are no servers.",
      {},
      [](const Settings&, const NetworkKind&, const TransportKind&) { return std::optional<Complaint>(); },
      [](const Settings&) { return std::size_t{0}; },
      [](const Settings&, std::size_t) { return std::vector<CellFault>(); },
      [](const Settings&, EventQueue&, std::unique_ptr<Transport> hops, std::size_t) { return hops; }};
}

Table<OverlayParameters> overlay_table() {
  using Parameters = OverlayParameters;
  return Table<Parameters>("overlay")
      .key("stations", &Parameters::stations,
           "hosts at each server, one server after the other; the last one may have fewer",
           {.at_least = "1", .at_most = "65536", .unit = "hosts"})
      .key("packet", &Parameters::packet,
           "data in a packet that servers relay, besides its header of 12 B; longer messages take several",
           {.at_least = "1 B"})
      .key("processors", &Parameters::processors, "of each server", {.at_least = "1", .at_most = "4096"})
      .key("relay", &Parameters::relay,
           "a server's CPU time for each packet: the interrupt, and finding out where it goes")
      .key("relay-per-byte", &Parameters::relay_per_byte,
           "a server's CPU time for each byte of a packet, header included: copying")
      .choice("direct", &Parameters::direct, {"never", "same-server", "any"},
              "between which stations there may be direct channels, which need no server: none, those of the "
              "same server, or any two")
      .choice("set-up", &Parameters::set_up, {"before-run", "on-demand"},
              "when direct channels are set up: before the run, those between near numbers first, as long as "
              "identifiers last; or with the first message, and servers relay until then")
      .key("identifiers", &Parameters::identifiers,
           "VPI/VCI that a station has, that of the channel to its server included; where they have run out, "
           "servers relay",
           {.at_least = "1", .at_most = "65536", .zero_word = "unlimited"})
      .key("signalling", &Parameters::signalling,
           "on demand: from a station's learning that its direct channel is granted until that is set up")
      .key("idle", &Parameters::idle,
           "on demand: a channel that nobody has used for so long may be released for another one, and a "
           "station that was refused a channel asks again after so long",
           {.at_least = "1 us"})
      .choice("between-servers", &Parameters::servers_direct, {"neighbours", "direct"},
              "which servers are joined: those that are neighbours in the ring or tree, or also any others, "
              "those of low numbers first, as long as identifiers last")
      .key("server-identifiers", &Parameters::server_identifiers,
           "VPI/VCI that a server has, those of the channels to its stations and neighbours included",
           {.at_least = "2", .at_most = "1000000", .zero_word = "unlimited"});
}

struct Faults {
  std::vector<std::string> items;
};

Table<Faults> fault_table() {
  return Table<Faults>("overlay").list("faults", &Faults::items, "faults",
                                       "what dies, and when: \"server 1 at 10 ms\", \"cable 0-1 at 10 ms\" "
                                       "(the virtual path between two servers), "
                                       "\"station 3 at 1 s\" (a host)");
}

std::vector<Key> with_faults(std::vector<Key> keys) {
  const std::vector<Key> faults = fault_table().keys();
  keys.insert(keys.end(), faults.begin(), faults.end());
  return keys;
}

OverlayKind of_servers(const std::string& name, OverlayParameters::Shape shape, const std::string& meaning,
                       const Table<OverlayParameters>& table) {
  const auto read = [table, shape](const Settings& settings) {
    OverlayParameters parameters = table.read(settings);
    parameters.shape = shape;
    return parameters;
  };
  return {name,
          meaning,
          with_faults(table.keys()),
          [read](const Settings& settings, const NetworkKind& network,
                 const TransportKind& transport) -> std::optional<Complaint> {
            if (!network.make_with_servers)
              return Complaint{"overlay.kind",
                               "servers relay on networks of kind atm only, not on \"" + network.name +
                                   "\"; set network.kind = \"atm\" or overlay.kind = \"none\""};
            const OverlayParameters parameters = read(settings);
            if (parameters.server_identifiers > 0 && parameters.server_identifiers < parameters.permanent())
              return Complaint{"overlay.server-identifiers",
                               "the channels to a server's stations and neighbours take " +
                                   std::to_string(parameters.permanent()) + "; set at least that"};
            try {
              overlay_faults(fault_table().read(settings).items, std::nullopt, parameters.stations);
            } catch (const Error& error) {
              return Complaint{"overlay.faults", error.what()};
            }
            if (!transport.in_kernel) return std::nullopt;
            return Complaint{"overlay.kind", "the hosts' kernels carry out transport.kind \"" +
                                                 transport.name +
                                                 "\", which servers can't relay; set another one, such as "
                                                 "\"sscop\", or overlay.kind = \"none\""};
          },
          [read](const Settings& settings) { return std::size_t{read(settings).stations}; },
          [read](const Settings& settings, std::size_t hosts) {
            try {
              return overlay_faults(fault_table().read(settings).items, hosts, read(settings).stations);
            } catch (const Error& error) {
              throw Error(std::string("overlay.faults: ") + error.what());
            }
          },
          [read](const Settings& settings, EventQueue& events, std::unique_ptr<Transport> hops,
                 std::size_t hosts) {
            return std::make_unique<Overlay>(events, std::move(hops), hosts, read(settings));
          }};
}

OverlayKind ring() {
  return of_servers("ring", OverlayParameters::Shape::ring,
                    "Parallel computing servers, each with stations of its own, permanently joined as a ring "
                    "(Vila i Sallent 1997, section 4.2.1). They relay packets between stations.",
                    overlay_table().choice(
                        "routing", &OverlayParameters::routing, {"shortest", "alternative", "replicated"},
                        "which way round packets go: the shorter one; the other one, too, where that has "
                        "failed; both, and the copy that comes first counts"));
}

OverlayKind tree() {
  return of_servers("tree", OverlayParameters::Shape::tree,
                    "Parallel computing servers, each with stations of its own, permanently joined as a tree "
                    "(Vila i Sallent 1997, section 4.2.1). They relay packets between stations.",
                    overlay_table().key("arity", &OverlayParameters::arity, "servers below each server",
                                        {.at_least = "1", .at_most = "64"}));
}

}  // namespace

const std::vector<OverlayKind>& overlay_kinds() {
  static const std::vector<OverlayKind> kinds{none(), ring(), tree()};
  return kinds;
}

const OverlayKind& overlay_kind(const std::string& name) {
  for (const OverlayKind& kind : overlay_kinds())
    if (kind.name == name) return kind;
  assert(false);
  return overlay_kinds().front();
}

}  // namespace morgana
