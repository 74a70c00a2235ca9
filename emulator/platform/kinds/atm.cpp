#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/network/atm/atm_network.h"
#include "emulator/platform/kinds/atm_adapter.h"
#include "emulator/platform/kinds/atm_rates.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/kinds/pdu_costs.h"
#include "emulator/platform/kinds/transports.h"
#include "emulator/platform/route_table.h"
#include "emulator/topology/cable_plan.h"
#include "emulator/topology/network_topology.h"
#include "emulator/transport/aal5/aal5.h"
#include "emulator/transport/sscop/sscop.h"

namespace morgana {
namespace {

/// By which trunks connections are laid.
enum class AtmRoutes : std::uint8_t { shortest, listed };

/// [network] as it is written; AtmParameters is made of it.
struct AtmSettings {
  Link link{BitRate(155'520'000), SimTime()};
  atm::SwitchParameters at_switch;
  Bytes largest_packet{9180};
  AtmRoutes routes = AtmRoutes::shortest;
  std::vector<std::string> route_table;
  double load = 0;
  atm::BackgroundTraffic background{1, 0, 0, 1, SimTime::from_ps(1'000'000'000), 0.5, false};
  std::vector<std::string> loaded_hosts;
  std::vector<std::string> background_categories;
  AtmRateSettings rates;
};

const std::vector<std::string> categories{"cbr", "vbr", "abr", "ubr", "abt"};

TopologyRules atm_topology_rules() {
  return {.most_switches = "256"};
}

NetworkTopology topology_of(const AtmSettings& atm, const Settings& settings) {
  return {settings, atm_topology_rules(), atm.link};
}

Table<AtmSettings> atm_table() {
  using A = AtmSettings;
  using Background = atm::BackgroundTraffic;
  const auto background = [](auto Background::*member) {
    return [member](A & a) -> auto& {
      return a.background.*member;
    };
  };
  Table<A> table("network");
  table
      .key(
          "rate", [](A& a) -> BitRate& { return a.link.rate; },
          "of every link that says nothing else, cells' headers included")
      .key(
          "propagation", [](A& a) -> SimTime& { return a.link.propagation; },
          "along every link that says nothing else");
  table.also(topology_keys(atm_topology_rules()));
  table
      .choice(
          "routes", &A::routes, {"shortest", "listed"},
          "by which trunks connections are laid: the fewest, of equally long ways over the lowest port; or "
          "as route-table says")
      .list("route-table", &A::route_table, "entries", route_table_meaning)
      .key(
          "switch-delay", [](A& a) -> SimTime& { return a.at_switch.delay; },
          "from a cell's last bit to its output's queue")
      .key("buffer", [](A& a) -> std::int64_t& { return a.at_switch.buffer; },
           "of each switch, shared by its outputs",
           {.at_least = "1", .unit = "cells", .zero_word = "infinite"})
      .choice(
          "drop", [](A& a) -> atm::DropPolicy& { return a.at_switch.policy; },
          {"tail", "ppd", "epd", "push-out"},
          "what goes when the buffer is full: the cell that comes; also the rest of its packet; also "
          "whole packets from a threshold on; a UBR cell for any other (queues know priorities then)")
      .key("epd-threshold", [](A& a) -> std::int64_t& { return a.at_switch.epd_threshold; },
           "with more cells than this in the buffer, epd refuses new packets",
           {.at_least = "1", .unit = "cells", .zero_word = "half"})
      .key("estimate-buffer", [](A& a) -> std::int64_t& { return a.at_switch.estimate_buffer; },
           "counts the program's cells that find this many in a switch, without dropping any",
           {.at_least = "1", .unit = "cells", .zero_word = "none"})
      .key("largest-packet", &A::largest_packet, "for transports that know packets, not cells",
           {.at_least = "64 B", .at_most = "65535 B"})
      .share("background.load", &A::load, "mean share of each output's link that other traffic offers (rho)",
             {.at_most = "1000 %"})
      .key("background.sources", background(&Background::sources), "at each switch, all alike",
           {.at_least = "1", .at_most = "1000", .unit = "sources"})
      .share("background.low", background(&Background::low),
             "what a source offers while OFF, before copying, as a share of the rate", {.at_most = "1000 %"})
      .share("background.on-share", background(&Background::on_share),
             "share of the time that a source is ON; 100 %: always, Poisson traffic", {.at_least = "1 %"})
      .key("background.mean-on", background(&Background::mean_on), "mean time ON (exponential)",
           {.at_least = "1 us"})
      .share("background.copies", background(&Background::copy_probability),
             "probability with which each output gets a copy of a source's cell", {.at_least = "1 %"})
      .list("background.hosts", &A::loaded_hosts, "hosts",
            "by number: the only ones whose links that traffic loads; empty: every output of every switch")
      .choice("background.arrivals", background(&Background::constant), {"exponential", "constant"},
              "times between a source's cells while ON")
      .list(
          "background.category", &A::background_categories, "service categories",
          "cbr, vbr, abr or ubr, where priorities count: the first source has the first one and so on, over "
          "and over; empty: ubr");
  add_rate_keys(table, &A::rates);
  return table;
}

std::uint32_t host_number(const std::string& item) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
  if (error != std::errc() || end != item.data() + item.size())
    throw Error(fmt::format("\"{}\" is not a host's number; hosts are numbered from 0", item));
  return number;
}

/// Throws an Error for what is no category that a source of background traffic may have.
ServiceCategory background_category(const std::string& item) {
  const auto end = categories.begin() + 4;  // ABT's cells come in blocks that a source asks for
  const auto found = std::find(categories.begin(), end, item);
  if (found == end)
    throw Error(
        fmt::format("\"{}\" is not a service category of background traffic: cbr, vbr, abr or ubr", item));
  return static_cast<ServiceCategory>(found - categories.begin());
}

/// Each at the switch of its first station, by a link as hosts have it that say nothing else.
CabledGraph with_servers(const CabledGraph& network, std::size_t stations, const Link& link) {
  CablePlan plan = cable_plan_of(network);
  const std::size_t hosts = plan.hosts.size();
  for (std::size_t first = 0; first < hosts; first += stations)
    plan.hosts.push_back({plan.hosts[first].at, link});
  return plan.graph();
}

/// @param stations  hosts for each server; 0: there are no servers
AtmParameters parameters_of(const AtmSettings& settings, const CabledGraph& network,
                            const AtmInterface& interface, std::size_t stations) {
  AtmParameters parameters;
  parameters.network = stations > 0 ? with_servers(network, stations, settings.link) : network;
  if (settings.routes == AtmRoutes::listed)
    parameters.routing = route_table(settings.route_table, network.graph, parameters.network.graph);
  parameters.switches = settings.at_switch;
  if (settings.load > 0) {
    parameters.switches.background = settings.background;
    parameters.switches.background.set_load(settings.load);
  }
  if (!settings.background_categories.empty()) parameters.switches.background_categories.clear();
  for (const std::string& item : settings.background_categories)
    parameters.switches.background_categories.push_back(background_category(item));
  for (const std::string& host : settings.loaded_hosts) parameters.loaded_hosts.push_back(host_number(host));
  parameters.switches.feedback = settings.rates.feedback;
  parameters.rates = rates_of(settings.rates);
  parameters.interface = interface;
  parameters.largest_packet = settings.largest_packet;
  return parameters;
}

std::optional<Complaint> check_listed_routes(const AtmSettings& settings, const NetworkTopology& topology,
                                             std::int64_t hosts) {
  const bool listed = settings.routes == AtmRoutes::listed;
  if (!listed || (topology.hosts() == 0 && hosts == 0))
    return check_route_table(settings.route_table, listed, nullptr);
  const CabledGraph network = topology.network(static_cast<std::size_t>(hosts));
  return check_route_table(settings.route_table, listed, &network.graph);
}

std::optional<Complaint> check_atm(const AtmSettings& settings, const NetworkTopology& topology,
                                   std::int64_t hosts) {
  if (auto complaint = topology.check(hosts)) return complaint;
  if (auto complaint = check_listed_routes(settings, topology, hosts)) return complaint;
  if (auto complaint = check(settings.rates, settings.at_switch.policy)) return complaint;
  try {
    for (const std::string& item : settings.loaded_hosts)
      if (const std::uint32_t number = host_number(item); hosts > 0 && number >= hosts)
        return Complaint{"network.background.hosts",
                         fmt::format("there is no host {}: hosts.count is {}", number, hosts)};
  } catch (const Error& error) {
    return Complaint{"network.background.hosts", error.what()};
  }
  try {
    for (const std::string& item : settings.background_categories) background_category(item);
  } catch (const Error& error) {
    return Complaint{"network.background.category", error.what()};
  }
  if (settings.background_categories.size() > settings.background.sources)
    return Complaint{
        "network.background.category",
        fmt::format("there are {} categories for {} of background traffic; set "
                    "network.background.sources to at least {}",
                    settings.background_categories.size(),
                    settings.background.sources == 1 ? "1 source"
                                                     : fmt::format("{} sources", settings.background.sources),
                    settings.background_categories.size())};
  if (settings.load == 0) return std::nullopt;
  atm::BackgroundTraffic low_only = settings.background;
  low_only.peak = 0;
  if (settings.load >= low_only.load()) return std::nullopt;
  return Complaint{"network.background.low", "the sources offer more while OFF (" +
                                                 share_to_text(low_only.load()) +
                                                 " of an output on average) than network.background.load; "
                                                 "set a lower one"};
}

}  // namespace

NetworkKind atm_network_kind() {
  const auto table = atm_table();
  NetworkKind kind{
      "atm",
      "An ATM network, cell by cell: output-queued switches with a buffer shared by all outputs, static "
      "virtual channels, other users' ON-OFF traffic at each switch (Vila i Sallent 1997, appendix B).",
      table.keys(),
      [table](const Settings& settings) { return std::optional<Bytes>(table.read(settings).largest_packet); },
      [table](const Settings& settings) {
        const auto hosts = settings.find("hosts.count"), category = settings.find("transport.category");
        const AtmSettings read = table.read(settings);
        if (category != settings.end())
          if (auto complaint = check_contract(read.rates, std::get<std::string>(category->second)))
            return complaint;
        return check_atm(read, topology_of(read, settings),
                         hosts == settings.end() ? 0 : std::get<std::int64_t>(hosts->second));
      },
      [table](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t seed) {
        const AtmSettings read = table.read(settings);
        return std::make_unique<AtmNetwork>(
            events,
            parameters_of(read, topology_of(read, settings).network(ports), atm_interface(settings), 0),
            seed);
      },
      true,
      // Listed hosts are as many as are needed, at most.
      [table](const Settings& settings) {
        const auto per_switch = settings.find("network.hosts-per-switch");
        if (per_switch == settings.end() || std::get<std::int64_t>(per_switch->second) == 0)
          return std::size_t{0};
        return topology_of(table.read(settings), settings).hosts();
      },
      [table](const Settings& settings) { return topology_of(table.read(settings), settings).sketch(); },
      [table](const Settings& settings) { return topology_of(table.read(settings), settings); }};
  kind.make_with_servers = [table](const Settings& settings, EventQueue& events, std::size_t ports,
                                   std::uint64_t seed, std::size_t stations,
                                   std::vector<CellFault> faults) -> std::unique_ptr<Network> {
    const AtmSettings read = table.read(settings);
    auto network = std::make_unique<AtmNetwork>(
        events,
        parameters_of(read, topology_of(read, settings).network(ports), atm_interface(settings), stations),
        seed);
    if (faults.empty()) return network;
    return std::make_unique<CellFaults>(events, std::move(network), std::move(faults));
  };
  return kind;
}

TransportKind aal5_transport_kind() {
  using Parameters = Aal5Parameters;
  const auto table =
      Table<Parameters>("transport")
          .choice("layer", &Parameters::layer, {"aal5", "aal3/4"},
                  "how packets become cells: 48 bytes of each and a trailer, or 44 bytes of each")
          .key("packet", &Parameters::packet, "data in one packet; longer messages take several",
               {.at_least = "1 B", .at_most = "65535 B"})
          .key("send-per-message", &Parameters::send_per_message, "the sending host's work on each message")
          .key("receive-per-message", &Parameters::receive_per_message,
               "the receiving host's work on each message")
          .choice("category", &Parameters::category, categories, "service category of the connections")
          .choice(
              "stream", &Parameters::stream, {"off", "on"},
              "whether a receiver may take the first packets of a message while the others are under way; "
              "for messages whose packing is known (PVM's)");
  return {"aal5",
          "Packets cut into ATM cells with no protocol on top: what the network loses is lost. For networks "
          "of kind atm.",
          table.keys(),
          [](const Settings&, const UnitService&) { return std::optional<Complaint>(); },
          [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
            return std::make_unique<Aal5>(events, *network.extensions().cells, hosts, table.read(settings));
          },
          true};
}

TransportKind sscop_transport_kind() {
  using Parameters = SscopParameters;
  const auto table = with_pdu_costs(
      Table<Parameters>("transport")
          .key("frame", &Parameters::frame, "user data in one SD PDU; longer messages take several",
               {.at_least = "1 B", .at_most = "65528 B"})
          .key("window", &Parameters::window, "SD PDUs that a receiver accepts from the next in order on",
               {.at_least = "1", .at_most = "8388607", .unit = "frames"})
          .key("poll-every", &Parameters::poll_every,
               "SD PDUs after which a POLL goes, besides the timer (MaxPD)",
               {.at_least = "1", .unit = "frames", .zero_word = "never"})
          .key("poll", &Parameters::poll, "Timer_POLL: between POLL PDUs while data are unacknowledged",
               {.at_least = "1 us"})
          .key("keep-alive", &Parameters::keep_alive,
               "Timer_KEEP-ALIVE: between POLL PDUs when only an answer is missing", {.at_least = "1 us"})
          .key("no-response", &Parameters::no_response,
               "Timer_NO-RESPONSE: after so long without an answer a connection is released, and what had "
               "not come is given up",
               {.at_least = "1 us"})
          .key("idle", &Parameters::idle, "Timer_IDLE: without data, a POLL after so long",
               {.at_least = "1 us"})
          .key(
              "tries", &Parameters::tries,
              "repetitions of one SD PDU after which the load is called unstable, the connection is released "
              "and what had not come is given up",
              {.at_least = "1", .zero_word = "unlimited"})
          .choice("category", &Parameters::category, categories, "service category of the connections"));
  return {"sscop",
          "Reliable, ordered messages over AAL5: numbered SD PDUs, losses found by gaps (USTAT) and by polls "
          "(POLL, STAT), never by a time-out on data (ITU-T Q.2110). For networks of kind atm.",
          table.keys(),
          [table](const Settings& settings, const UnitService&) -> std::optional<Complaint> {
            const Parameters parameters = table.read(settings);
            if (parameters.no_response > parameters.poll && parameters.no_response > parameters.keep_alive)
              return std::nullopt;
            return Complaint{
                "transport.no-response",
                "must be longer than transport.poll and transport.keep-alive, or a connection is "
                "released before an answer can come"};
          },
          [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
            return std::make_unique<Sscop>(events, *network.extensions().cells, hosts, table.read(settings));
          },
          true,
          true};
}

}  // namespace morgana
