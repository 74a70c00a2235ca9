#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/topology/listed_items.h"

namespace morgana {
namespace {

constexpr SimTime latest = SimTime::from_ps(1'000'000'000'000'000);  // as of every time of a platform

class FaultItem {
 public:
  FaultItem(const std::string& item, const SwitchGraph& graph) : item_(item), text_(item), graph_(graph) {}

  NetworkFault read() {
    NetworkFault fault;
    if (take("switch ")) {
      fault.part = NetworkFault::Part::a_switch;
      const auto found = take_end(text_);
      if (!found || found->port) refuse();
      check_switch(found->at, item_, graph_);
      fault.at.at = found->at;
    } else if (take("cable ")) {
      const auto found = take_cable(text_, item_, graph_);
      if (!found) refuse();
      fault.at = *found;
    } else {
      refuse();
    }
    if (!take(" at ")) refuse();
    try {
      fault.when = parse_time(text_);
    } catch (const Error& error) {
      throw Error(fmt::format("\"{}\": {}", item_, error.what()));
    }
    if (fault.when > latest)
      throw Error(fmt::format("\"{}\": a time must be at most {}", item_, to_text(latest)));
    return fault;
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(
        fmt::format("\"{}\" can't be read; write \"cable 0.4 at 10 ms\" (at port 4 of switch 0), "
                    "\"cable 0-1 at 10 ms\" (between two switches) or \"switch 7 at 2 s\"",
                    item_));
  }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  const std::string& item_;
  std::string_view text_;
  const SwitchGraph& graph_;
};

}  // namespace

NetworkFaults listed_faults(const std::vector<std::string>& items, const SwitchGraph& graph) {
  NetworkFaults faults;
  for (const std::string& item : items) faults.push_back(FaultItem(item, graph).read());
  return faults;
}

}  // namespace morgana
