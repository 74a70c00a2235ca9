#include "emulator/messaging/kernel/kernel_messages.h"

#include <stdexcept>
#include <string>

namespace morgana {

void push_pull::refuse(int from, int to) {
  throw std::logic_error("a message's state can't go from " + std::to_string(from) + " to " +
                         std::to_string(to));
}

CounterTable KernelMessageCounters::table() const {
  CounterTable table{"push-pull messages", {{"party"}, {"state"}, {"messages"}}, {}};
  const auto add = [&](const char* party, const auto& names, const auto& counts) {
    for (std::size_t state = 1; state < names.size(); ++state)
      table.rows.push_back({party, std::string(names[state]), counts[state]});
  };
  add("sender", push_pull::names_of_sender, sender);
  add("receiver", push_pull::names_of_receiver, receiver);
  return table;
}

CounterTable KernelMessageCounters::buffer_table() const {
  return {"pushed buffers", {{"slots each"}, {"most taken at once"}}, {{slots, most_slots_taken}}};
}

}  // namespace morgana
