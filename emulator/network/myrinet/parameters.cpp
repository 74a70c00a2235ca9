#include "emulator/network/myrinet/parameters.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"

namespace morgana {

std::optional<MyrinetParameters::Problem> MyrinetParameters::problem() const {
  const SimTime zero;
  const struct {
    const char* member;
    bool fine;
    const char* what;
  } rules[] = {
      {"flit", flit > zero, "a flit must last at least 1 ps"},
      {"cable", cable > zero, "a cable must take at least 1 ps"},
      {"control", control > zero, "a stop's or go's way must take at least 1 ps"},
      {"routing", routing > zero, "routing must take at least 1 ps"},
      {"type_bytes", type_bytes >= 1, "a packet's type has at least one byte"},
      {"detection", detection >= zero, "the time of detection can't be negative"},
      {"dma_programming", dma_programming >= zero, "the time of programming the DMA can't be negative"},
      {"host_memory_delay", host_memory_delay >= zero, "the time through host memory can't be negative"},
      {"deadlock_timeout", deadlock_timeout >= zero, "the deadlock timeout can't be negative"},
      {"go_below", go_below >= 1 && go_below <= stop_above + 1,
       "go must come below at least 1 flit and at most one more than stop"},
      {"priority_threshold", priority_threshold >= 0, "the priority threshold can't be negative"},
      {"pool", pool >= Bytes(0), "the pool for in-transit packets can't be negative"},
      {"corruption", corruption >= 0 && corruption <= 1,
       "the probability of corruption lies between 0 and 1"},
  };
  for (const auto& rule : rules)
    if (!rule.fine) return Problem{rule.member, rule.what};
  const std::int64_t way = (control + cable).ps();
  const std::int64_t on_the_way = (way + flit.ps() - 1) / flit.ps();
  const std::int64_t needed = stop_above + on_the_way + 1;
  if (needed <= slack) return std::nullopt;
  return Problem{"slack", fmt::format("a slack buffer of {} flits overflows if stop is sent above {}, for {} "
                                      "more come before it works (in {} of cable and control delay): give it "
                                      "at least {}",
                                      slack, stop_above, on_the_way, to_text(control + cable), needed)};
}

void MyrinetParameters::check() const {
  if (const auto wrong = problem()) throw Error("Myrinet: " + wrong->what);
}

}  // namespace morgana
