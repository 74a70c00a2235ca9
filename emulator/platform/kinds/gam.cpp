// Generic Active Messages: the program of the interfaces, and the transport that the hosts' library is.
#include <cassert>

#include "emulator/interface/gam/interfaces.h"
#include "emulator/platform/kinds/interfaces.h"
#include "emulator/platform/kinds/myrinet_settings.h"
#include "emulator/transport/gam/gam.h"

namespace morgana {
namespace {

Table<gam::Parameters> program_table() {
  using P = gam::Parameters;
  return Table<P>("interface.gam")
      .key("dispatch", &P::dispatch, "until the processor has found the handler of a pending event",
           {.at_least = "1", .at_most = "100000", .unit = "cycles"})
      .key("handler", &P::handler, "of every handler", {.at_most = "100000", .unit = "cycles"})
      .key("send-buffers", &P::send_buffers, "fragments that an interface holds on their way out",
           {.at_least = "1", .unit = "fragments"})
      .key("receive-buffers", &P::receive_buffers,
           "fragments that it lets come in before the first of them is in the host's memory; with one, "
           "receiving and the host's DMA are one step",
           {.at_least = "1", .unit = "fragments"})
      .key("header", &P::header, "of every fragment on the network, behind its type", {.at_most = "1 KiB"})
      .key("short-message", &P::short_message,
           "up to this the hosts' processors write a message into the interface and read it there, without "
           "host DMA (their time is messages.send-overhead and receive-overhead); 0 B: none",
           {.at_most = "8 KiB"});
}

bool has_word(const Settings& settings, const std::string& key, const std::string& word) {
  const auto found = settings.find(key);
  return found != settings.end() && std::get<std::string>(found->second) == word;
}

Table<GamParameters> transport_table() {
  using P = GamParameters;
  return Table<P>("transport")
      .choice("fragmentation", &P::fragmentation, {"4096", "128", "whole", "fixed", "ramp", "optimal"},
              "into what messages are cut: 4096 bytes and a rest as GAM did, 128 as Fast Messages, not at "
              "all; or, from the platform's own stages for each message, equal fragments of the best number, "
              "sizes that rise and fall around the slowest stage, or the exact optimum")
      .key("fragments", &P::fragments, "with fragmentation \"fixed\": how many, if not the best number",
           {.at_least = "1", .at_most = "100000", .unit = "fragments", .zero_word = "best"})
      .key("copy-in", &P::send_overhead, "of each fragment's copy by the sender's processor",
           {.at_most = "1 s"})
      .key("copy-in-per-byte", &P::send_per_byte, "of the same")
      .key("copy-out", &P::receive_overhead, "of each fragment's copy by the receiver's processor",
           {.at_most = "1 s"})
      .key("copy-out-per-byte", &P::receive_per_byte, "of the same")
      .key("credits", &P::credits,
           "fragments from one host to another that may be unanswered; with any number none is answered",
           {.at_least = "1", .unit = "fragments", .zero_word = "unlimited"});
}

/// The four of the paper's Table 1, from what the platform says. The two on the interface are what one
/// fragment takes there by itself.
pipeline::Stages stages(const Settings& settings, const GamParameters& library, const Network& network) {
  using pipeline::real;
  const LanaiParameters lanai = lanai_parameters(settings);
  const gam::Parameters program = [&] {
    gam::Parameters read = program_table().read(settings);
    read.lanai = lanai;
    return read;
  }();
  const SimTime flit = parameters_of(myrinet_table().read(settings)).flit;
  const auto bus_cost = [](BitRate rate) {
    constexpr double bits = 8, ps_per_s = 1e12;
    return pipeline::RealCost(bits * ps_per_s / static_cast<double>(rate.bits_per_second()));
  };
  const SimTime fetch = 2 * program.event() + lanai.bus_latency;
  // What a fragment is spared that goes as a short message, of which the network's least latency is then.
  const SimTime spared =
      program.short_message > Bytes() ? 3 * program.event() + 2 * lanai.bus_latency : SimTime();
  const SimTime rest = network.least_latency() + spared - fetch + program.header.count() * flit;
  const pipeline::RealCost wire(static_cast<double>(flit.ps()));
  return {{"sender's copy", real(library.send_overhead), real(library.send_per_byte)},
          {"sender's host DMA", real(fetch), bus_cost(lanai.bus_rate)},
          {"network and receiver's host DMA", real(rest),
           pipeline::RealCost(wire.value() + bus_cost(lanai.rate_to_host()).value())},
          {"receiver's copy", real(library.receive_overhead), real(library.receive_per_byte)}};
}

bool needs_stages(const GamParameters& library) {
  if (library.fragmentation == Fragmentation::fixed) return library.fragments == 0;
  return library.fragmentation == Fragmentation::ramp || library.fragmentation == Fragmentation::optimal;
}

}  // namespace

LanaiProgram gam_program() {
  const auto table = program_table();
  return {"gam", table.keys(),
          [](const Settings& settings, const TransportKind&) -> std::optional<Complaint> {
            if (has_word(settings, "network.routes", "in-transit"))
              return Complaint{"network.routes",
                               "in-transit routes lead through hosts, and interface.program \"gam\" sends no "
                               "packet on; set it to \"up-down\" or interface.program = \"gm\""};
            return std::nullopt;
          },
          [table](const Settings& settings, const LanaiParameters& lanai, EventQueue& events,
                  std::unique_ptr<MyrinetNetwork> network, std::uint64_t) {
            gam::Parameters parameters = table.read(settings);
            parameters.lanai = lanai;
            return std::make_unique<gam::Interfaces>(events, std::move(network), parameters);
          }};
}

TransportKind gam_transport_kind() {
  const auto table = transport_table();
  return {
      "gam",
      "Generic Active Messages: the hosts' library copies messages in fragments to and from the interface "
      "while others of them are under way (R. Y. Wang, A. Krishnamurthy, R. P. Martin, T. E. Anderson, D. E. "
      "Culler: Towards a Theory of Optimal Communication Pipelines, 1998). It relies on the network: what "
      "that loses is lost.",
      table.keys(),
      [table](const Settings& settings, const UnitService& network) -> std::optional<Complaint> {
        const GamParameters library = table.read(settings);
        if (network.largest)
          return Complaint{"transport.kind",
                           "gam cuts messages into fragments of any size, and this network's frames have at "
                           "most " +
                               std::to_string(network.largest->count()) +
                               " B; set transport.kind = \"go-back-n\""};
        if (library.fragments > 0 && library.fragmentation != Fragmentation::fixed)
          return Complaint{"transport.fragments",
                           "only with transport.fragmentation = \"fixed\" the number of fragments is free; "
                           "set that, or leave it out"};
        if (needs_stages(library) && !has_word(settings, "interface.program", "gam"))
          return Complaint{"transport.fragmentation",
                           "the best sizes follow from the stages of an interface that runs GAM; set "
                           "interface.model = \"lanai\" and interface.program = \"gam\", or take \"4096\", "
                           "\"128\" or \"whole\""};
        const auto handling = settings.find("hosts.interrupts.handling");
        if (handling != settings.end() && std::get<std::string>(handling->second) != "polling")
          return Complaint{"hosts.interrupts.handling",
                           "hosts poll for what Generic Active Messages brings; set it to \"polling\" or "
                           "another transport.kind"};
        return std::nullopt;
      },
      [table](const Settings& settings, EventQueue& events, Network& network, std::size_t) {
        const GamParameters library = table.read(settings);
        return std::make_unique<Gam>(
            events, network, library,
            needs_stages(library) ? stages(settings, library, network) : pipeline::Stages());
      }};
}

}  // namespace morgana
