#include "emulator/transport/ece/ece.h"

#include "emulator/platform/kinds/transports.h"

namespace morgana {
namespace {

Table<EceParameters> ece_keys() {
  using Parameters = EceParameters;
  return Table<Parameters>("transport")
      .choice("engine", &Parameters::engine, {"switching", "duplicating"},
              "while latency over UBR is high, data go over ABR instead, or over both")
      .key("lme.interval", &Parameters::monitoring,
           "T_LME: between the cells by which a receiver measures latency over UBR", {.at_least = "10 us"})
      .key("lme.polls", &Parameters::polls, "N_POLL: each so many of them one is a POLL",
           {.at_least = "1", .at_most = "1000", .unit = "monitorings"})
      .key("lme.missing", &Parameters::missing,
           "T_L: after so long such a cell is missing, which counts as high latency", {.at_least = "1 us"})
      .key("lme.upper", &Parameters::upper,
           "T_M: a cell that takes longer over UBR makes the mode one of high latency",
           {.at_least = "2 us", .at_most = "1000 s"})
      .key("lme.lower", &Parameters::lower,
           "T_m: a cell that takes less time over UBR makes the mode one of low latency",
           {.at_least = "1 us", .at_most = "1000 s"})
      .key("element", &Parameters::element,
           "what messages count as made of that come without their packing; no cell divides an element",
           {.at_least = "1 B", .at_most = "32 B"})
      .key("window", &Parameters::window, "cells of data that a receiver accepts from the next in order on",
           {.at_least = "1", .at_most = "2147483647", .unit = "cells"})
      .key("no-response", &Parameters::no_response,
           "after so long without an answer connections are released, and what had not come is given up",
           {.at_least = "10 us"})
      .key("tries", &Parameters::tries,
           "repetitions of one cell after which the load is called unstable, connections are released and "
           "what had not come is given up",
           {.at_least = "1", .zero_word = "unlimited"})
      .choice("stream", &Parameters::stream, {"off", "on"},
              "whether a receiver may take the first elements of a message while the others are under way; "
              "for messages whose packing is known (PVM's)")
      .key("clock.drift", &Parameters::drift,
           "what the slowest clock loses in a second and the fastest gains: the first host's and the last's, "
           "the others' between them by number",
           {.at_most = "1 ms"})
      .key("clock.resynchronise", &Parameters::resynchronisation,
           "between the cells by which a sender tells its time over CBR; 0: it is not told");
}

std::optional<Complaint> complaint_about(const EceParameters& parameters) {
  if (parameters.lower >= parameters.upper)
    return Complaint{"transport.lme.lower",
                     "must be below transport.lme.upper, or one latency would ask for both modes"};
  if (parameters.no_response <= parameters.poll())
    return Complaint{"transport.no-response",
                     "must be longer than transport.lme.polls times transport.lme.interval, the time between "
                     "POLLs, or connections are released before an answer can come"};
  if (parameters.resynchronisation > SimTime() &&
      parameters.resynchronisation < EceParameters::least_monitoring)
    return Complaint{"transport.clock.resynchronise",
                     "must be 0, for never, or at least 10 us: a cell takes some of them"};
  return std::nullopt;
}

}  // namespace

TransportKind ece_transport_kind() {
  const auto table = ece_keys();
  return {
      "ece",
      "The Effective Communication Engine: reliable, ordered messages over several service categories, "
      "pc-aal's cells over UBR, whose latency the receiver measures (Latency Monitoring Engine), and "
      "while it "
      "is high over ABR as well or instead; answers over VBR (Vila i Sallent 1997, chapter 6). For "
      "networks of kind atm.",
      table.keys(),
      [table](const Settings& settings, const UnitService&) { return complaint_about(table.read(settings)); },
      [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
        return std::make_unique<Ece>(events, *network.extensions().cells, hosts, table.read(settings));
      },
      true,
      true};
}

}  // namespace morgana
