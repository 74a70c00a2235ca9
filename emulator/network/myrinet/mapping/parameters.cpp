#include "emulator/network/myrinet/mapping/parameters.h"

#include "emulator/core/error.h"

namespace morgana {

void MappingParameters::check() const {
  const auto demand = [](bool right, const char* what) {
    if (!right) throw Error(what);
  };
  demand(exploration.attempts > 0 && exploration.control_attempts > 0,
         "a mapper sends every probe at least once");
  demand(overhead >= SimTime(), "a mapper's overhead can't be negative");
  demand(restart_pause >= SimTime(), "a mapper's pause before it begins again can't be negative");
  demand(probe_patience > SimTime() && receipt_patience > SimTime() && succession > SimTime(),
         "a mapper's patience is more than 0 s");
  demand(largest_table > Bytes(0), "a packet of routes has room for at least one byte");
  demand(table_window > 0, "a leader has at least one packet of routes out at once");
  demand(table_attempts > 0 && table_attempts <= 20, "a leader sends a packet of routes 1 to 20 times");
  demand(period >= SimTime(), "a mapper's period can't be negative");
}

}  // namespace morgana
