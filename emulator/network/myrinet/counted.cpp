#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {
namespace {

constexpr const char* reasons[myrinet::loss_kinds] = {"deadlock",        "no such port",      "route used up",
                                                      "route left over", "at a wrong host",   "corrupted",
                                                      "dead cable",      "no room in transit"};

CounterTable::Value count(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::vector<CounterTable> MyrinetNetwork::counted(SimTime) {
  CounterTable table{"Myrinet packets", {{"what became of them"}, {"packets"}}, {}};
  std::uint64_t in_transit = 0, overflows = 0;
  for (HostNumber host = 0; host < hosts(); ++host) {
    in_transit += this->in_transit(host).packets;
    overflows += this->in_transit(host).overflows;
  }
  table.rows = {{"injected", count(totals().injected)},
                {"delivered", count(totals().delivered)},
                {"received in transit", count(in_transit)},
                {"found no room in transit", count(overflows)}};
  table.trouble_rows = {3};
  for (std::size_t why = 0; why < myrinet::loss_kinds; ++why)
    if (totals().lost[why] > 0) {
      table.trouble_rows.push_back(table.rows.size());
      table.rows.push_back({std::string("lost: ") + reasons[why], count(totals().lost[why])});
    }
  return {table};
}

}  // namespace morgana
