#include "emulator/transport/ece/parameters.h"

#include "emulator/core/error.h"
#include "emulator/transport/ece/pdu.h"

namespace morgana {
namespace {

constexpr SimTime most_drift = SimTime::from_ps(1'000'000'000);

}  // namespace

void EceParameters::check() const {
  if (element < Bytes(1) || element > Bytes(ece::room_for_data))
    throw Error("ece: a cell must have room for a whole element: 1 to 32 bytes");
  if (window < 1 || window >= std::uint32_t{1} << 31)
    throw Error("ece: a window must be of 1 to 2^31 - 1 cells, or old numbers could pass for new ones");
  if (monitoring < least_monitoring)
    throw Error("ece: between monitoring cells there must be 10 us or more, as stamps count microseconds");
  if (polls < 1 || polls > 1000) throw Error("ece: every n-th monitoring is a POLL, with an n of 1 to 1000");
  if (missing <= SimTime()) throw Error("ece: a cell must have some time to come before it is missing");
  if (lower <= SimTime() || lower >= upper)
    throw Error(
        "ece: the latency below which the mode is low must be more than zero and less than the one "
        "above which it is high");
  if (no_response <= poll())
    throw Error(
        "ece: the time without response must be longer than that between polls, or connections are "
        "released before an answer can come");
  if (drift < SimTime() || drift > most_drift)
    throw Error("ece: clocks may gain or lose a millisecond in a second at most");
  if (resynchronisation != SimTime() && resynchronisation < least_monitoring)
    throw Error("ece: clocks are resynchronised never (0) or every 10 us or more");
}

}  // namespace morgana
