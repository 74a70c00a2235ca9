#include "emulator/transport/pcaal/pcaal.h"

#include "emulator/platform/kinds/pdu_costs.h"
#include "emulator/platform/kinds/transports.h"

namespace morgana {

TransportKind pcaal_transport_kind() {
  using Parameters = PcAalParameters;
  const auto table = with_pdu_costs(
      Table<Parameters>("transport")
          .choice("packing", &Parameters::packing, {"single", "several"},
                  "elements of a message (PC-PDUs) in a cell: one, or as many as 35 B hold")
          .key("element", &Parameters::element,
               "what messages count as made of that come without their packing; no cell divides an element. "
               "At "
               "most 35 B, 37 B if a cell holds one",
               {.at_least = "1 B", .at_most = "37 B"})
          .key("window", &Parameters::window,
               "cells of data that a receiver accepts from the next in order on",
               {.at_least = "1", .at_most = "2147483647", .unit = "cells"})
          .key("poll", &Parameters::poll, "T_POLL: between POLL cells while data are unacknowledged",
               {.at_least = "1 us"})
          .key("no-response", &Parameters::no_response,
               "after so long without an answer a connection is released, and what had not come is given up",
               {.at_least = "1 us"})
          .key("tries", &Parameters::tries,
               "repetitions of one cell after which the load is called unstable, the connection is released "
               "and what had not come is given up",
               {.at_least = "1", .zero_word = "unlimited"})
          .choice("category", &Parameters::category, {"cbr", "vbr", "abr", "ubr", "abt"},
                  "service category of the connections")
          .choice(
              "stream", &Parameters::stream, {"off", "on"},
              "whether a receiver may take the first elements of a message while the others are under way; "
              "for messages whose packing is known (PVM's)"));
  return {
      "pc-aal",
      "Reliable, ordered messages with a frame in each cell: numbered cells that hold whole elements, losses "
      "found by gaps (USTAT) and by polls (POLL, STAT), only lost cells sent again (Vila i Sallent 1997, "
      "chapter 5). For networks of kind atm.",
      table.keys(),
      [table](const Settings& settings, const UnitService&) -> std::optional<Complaint> {
        const Parameters parameters = table.read(settings);
        if (parameters.packing == pcaal::Packing::several &&
            parameters.element > Bytes(pcaal::room_for_several))
          return Complaint{"transport.element",
                           "a cell that may hold several elements has room for 35 B; set at most that, or "
                           "transport.packing = \"single\""};
        if (parameters.no_response > parameters.poll) return std::nullopt;
        return Complaint{"transport.no-response",
                         "must be longer than transport.poll, or a connection is released before an answer "
                         "can come"};
      },
      [table](const Settings& settings, EventQueue& events, Network& network, std::size_t hosts) {
        return std::make_unique<PcAal>(events, *network.extensions().cells, hosts, table.read(settings));
      },
      true,
      true};
}

}  // namespace morgana
