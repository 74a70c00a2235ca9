#pragma once

#include <optional>
#include <string>

#include "emulator/network/atm/atm_network.h"
#include "emulator/schema/complaint.h"
#include "emulator/schema/schema.h"

namespace morgana {

/// The keys network.abr, network.abt, network.cbr and network.vbr as they are written: how switches control
/// the rates of ABR's sources, the sources' parameters at set-up, how ABT's blocks go, and the rates that CBR
/// and VBR have agreed on. Rates count cells' headers.
struct AtmRateSettings {
  atm::FeedbackParameters feedback;
  atm::AbrParameters abr;
  atm::BlockParameters blocks;
  Contracts contracts = Contracts::none;
  BitRate cbr_peak{0};
  SimTime cbr_tolerance;
  BitRate vbr_peak{0}, vbr_sustainable{0};
  std::uint32_t vbr_burst = 1;
  SimTime vbr_tolerance;
};

/// What does not fit together. @param drop  what the switches do when buffers fill
std::optional<Complaint> check(const AtmRateSettings& settings, atm::DropPolicy drop);
/// Whether a transport's connections have the contract that they are to keep. Where no contracts are kept,
/// CBR and VBR are priorities alone. @param category  transport.category
std::optional<Complaint> check_contract(const AtmRateSettings& settings, const std::string& category);
AtmRates rates_of(const AtmRateSettings& settings);

/// Adds the keys to a network's table. @param rates  where they stand in its settings
template <class Parameters>
void add_rate_keys(Table<Parameters>& table, AtmRateSettings Parameters::*rates) {
  using Feedback = atm::FeedbackParameters;
  using Abr = atm::AbrParameters;
  const auto own = [rates](auto AtmRateSettings::*member) {
    return [=](Parameters & p) -> auto& {
      return p.*rates.*member;
    };
  };
  const auto feedback = [rates](auto Feedback::*member) {
    return [=](Parameters & p) -> auto& {
      return (p.*rates).feedback.*member;
    };
  };
  const auto abr = [rates](auto Abr::*member) {
    return [=](Parameters & p) -> auto& {
      return (p.*rates).abr.*member;
    };
  };
  const auto blocks = [rates](auto atm::BlockParameters::*member) {
    return [=](Parameters & p) -> auto& {
      return (p.*rates).blocks.*member;
    };
  };
  table
      .choice("abr.feedback", feedback(&Feedback::algorithm), {"none", "efci", "erica", "eprca", "capc"},
              "how outputs tell ABR connections what they may send: not at all (they send as UBR's do), by "
              "marking cells, or by one of three algorithms for explicit rates; needs drop = \"push-out\"")
      .share("abr.utilisation", feedback(&Feedback::utilisation), "of a link, that ERICA and CAPC aim at",
             {.at_least = "1 %", .at_most = "100 %"})
      .key("abr.interval", feedback(&Feedback::interval), "offered to an output, over which ERICA measures",
           {.at_least = "1", .unit = "cells"})
      .key("abr.averaging-time", feedback(&Feedback::averaging_time),
           "over which CAPC measures, whether or not cells come", {.at_least = "1 us", .at_most = "100 s"})
      .key("abr.congested", feedback(&Feedback::congested),
           "in an output's queue, from which on EFCI, EPRCA and CAPC see congestion",
           {.at_least = "1", .unit = "cells"})
      .key("abr.very-congested", feedback(&Feedback::very_congested),
           "the same, from which on EPRCA lowers all rates", {.at_least = "1", .unit = "cells"})
      .key("abr.peak", abr(&Abr::peak), "PCR, cells' headers included", {.zero_word = "link"})
      .key("abr.minimum", abr(&Abr::minimum), "MCR, which a source may always send", {.zero_word = "none"})
      .key("abr.initial", abr(&Abr::initial), "ICR, until feedback comes", {.zero_word = "peak"})
      .key("abr.nrm", abr(&Abr::nrm), "of which one is for resource management (Nrm)",
           {.at_least = "2", .at_most = "256", .unit = "cells"})
      .key("abr.trm", abr(&Abr::trm), "after so long one cell in three is for resource management (Trm)",
           {.at_least = "1 us"})
      .key("abr.adtf", abr(&Abr::adtf), "without such a cell for so long, the rate falls to ICR (ADTF)",
           {.at_least = "1 us"})
      .share("abr.increase", abr(&Abr::increase), "RIF: what the rate may rise by at once, of PCR",
             {.more_than = "0 %", .at_most = "100 %"})
      .share("abr.decrease", abr(&Abr::decrease), "RDF: what the rate falls by at CI, of the rate",
             {.at_most = "100 %"})
      .key("abr.missing", abr(&Abr::missing),
           "for resource management without an answer, and the rate falls (CRM)",
           {.at_least = "1", .unit = "cells"})
      .share("abr.cutoff", abr(&Abr::cutoff), "CDF: what it falls by then, of the rate", {.at_most = "100 %"})
      .choice("abt.transmission", blocks(&atm::BlockParameters::transmission),
              {"none", "delayed", "immediate"},
              "how the blocks of ABT connections go, each of which is a packet: as cells of CBR without a "
              "contract, "
              "when all switches have promised the block's rate, or at once (what cannot be carried then is "
              "discarded as a whole); needs drop = \"push-out\"")
      .key("abt.rate", blocks(&atm::BlockParameters::rate), "BCR of each block, cells' headers included",
           {.zero_word = "link"})
      .share("abt.reservable", blocks(&atm::BlockParameters::reservable),
             "of each link, what blocks, CBR and VBR may take together",
             {.at_least = "1 %", .at_most = "100 %"})
      .key("abt.retry", blocks(&atm::BlockParameters::retry),
           "delayed transmission: without a promise, a source asks again so long after it asked",
           {.at_least = "1 us"})
      .choice("contracts", own(&AtmRateSettings::contracts), {"none", "shaped", "policed"},
              "what becomes of CBR's and VBR's agreed rates: nobody looks at them (the categories are "
              "priorities alone), sources keep to them, or the first switch discards what does not conform "
              "(GCRA; needs drop = \"push-out\")")
      .key("cbr.peak", own(&AtmRateSettings::cbr_peak), "PCR of each CBR connection, cells' headers included",
           {.zero_word = "none"})
      .key("cbr.tolerance", own(&AtmRateSettings::cbr_tolerance), "CDVT: how much too early a cell may be")
      .key("vbr.peak", own(&AtmRateSettings::vbr_peak), "PCR of each VBR connection, cells' headers included",
           {.zero_word = "none"})
      .key("vbr.sustainable", own(&AtmRateSettings::vbr_sustainable), "SCR: the mean that it may send",
           {.zero_word = "none"})
      .key("vbr.burst", own(&AtmRateSettings::vbr_burst), "that may come at the peak rate (MBS)",
           {.at_least = "1", .at_most = "1000000", .unit = "cells"})
      .key("vbr.tolerance", own(&AtmRateSettings::vbr_tolerance), "CDVT of the peak rate");
}

}  // namespace morgana
