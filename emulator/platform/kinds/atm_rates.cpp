#include "emulator/platform/kinds/atm_rates.h"

#include <fmt/format.h>

namespace morgana {
namespace {

atm::RateContract contract_of(BitRate peak, SimTime tolerance) {
  atm::RateContract contract;
  contract.peak = atm::cells_per_second(peak);
  contract.tolerance = tolerance;
  return contract;
}

std::string is_above(BitRate rate, const char* limit_key, BitRate limit) {
  return fmt::format("{} is above {} ({}): lower the first or raise the second", to_text(rate), limit_key,
                     to_text(limit));
}

}  // namespace

std::optional<Complaint> check(const AtmRateSettings& settings, atm::DropPolicy drop) {
  const bool by_priority = drop == atm::DropPolicy::push_out;
  if (settings.feedback.algorithm != atm::AbrFeedback::none && !by_priority)
    return Complaint{"network.abr.feedback",
                     "is for switches that know priorities; set network.drop = \"push-out\" as well"};
  if (settings.contracts == Contracts::policed && !by_priority)
    return Complaint{
        "network.contracts",
        "can be policed only by switches that know priorities; set network.drop = \"push-out\" as "
        "well"};
  if (settings.blocks.transmission != atm::BlockTransmission::none && !by_priority)
    return Complaint{"network.abt.transmission",
                     "is for switches that know priorities; set network.drop = \"push-out\" as well"};
  if (settings.feedback.very_congested < settings.feedback.congested)
    return Complaint{
        "network.abr.very-congested",
        fmt::format("{} cells are fewer than network.abr.congested ({} cells): raise the first or "
                    "lower the second",
                    settings.feedback.very_congested, settings.feedback.congested)};
  const BitRate none(0);
  if (settings.abr.peak > none && settings.abr.minimum > settings.abr.peak)
    return Complaint{"network.abr.minimum",
                     is_above(settings.abr.minimum, "network.abr.peak", settings.abr.peak)};
  if (settings.vbr_sustainable > settings.vbr_peak)
    return Complaint{"network.vbr.sustainable",
                     is_above(settings.vbr_sustainable, "network.vbr.peak", settings.vbr_peak)};
  const bool agreed = settings.cbr_peak > none || settings.vbr_peak > none;
  if (settings.contracts != Contracts::none && !agreed)
    return Complaint{"network.contracts", "has nothing to keep to; set network.cbr.peak or network.vbr.peak"};
  return std::nullopt;
}

std::optional<Complaint> check_contract(const AtmRateSettings& settings, const std::string& category) {
  if (settings.contracts == Contracts::none) return std::nullopt;
  const bool cbr = category == "cbr", vbr = category == "vbr";
  if ((!cbr || settings.cbr_peak > BitRate(0)) && (!vbr || settings.vbr_peak > BitRate(0)))
    return std::nullopt;
  return Complaint{"transport.category",
                   "\"" + category +
                       "\" asks for connections with a contract, which network.contracts "
                       "wants kept, and none is agreed on; set network." +
                       category + ".peak"};
}

AtmRates rates_of(const AtmRateSettings& settings) {
  AtmRates rates;
  rates.abr = settings.abr;
  rates.blocks = settings.blocks;
  rates.contracts = settings.contracts;
  rates.cbr = contract_of(settings.cbr_peak, settings.cbr_tolerance);
  rates.vbr = contract_of(settings.vbr_peak, settings.vbr_tolerance);
  rates.vbr.sustainable = atm::cells_per_second(settings.vbr_sustainable);
  rates.vbr.burst = settings.vbr_burst;
  return rates;
}

}  // namespace morgana
