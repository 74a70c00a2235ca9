#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana {
namespace {

constexpr SimTime latest = SimTime::from_ps(1'000'000'000'000'000);  // as of every time of a platform

class FaultItem {
 public:
  FaultItem(const std::string& item, const SwitchGraph& graph) : item_(item), text_(item), graph_(graph) {}

  NetworkFault read(Recovery recovery) {
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
    const std::size_t end = text_.find(" for ");
    fault.when = time(text_.substr(0, end));
    if (end == std::string_view::npos) return fault;
    if (recovery == Recovery::none)
      throw Error(fmt::format("\"{}\": on this network what fails stays so; leave out \"{}\"", item_,
                              text_.substr(end + 1)));
    const SimTime length = time(text_.substr(end + 5));
    if (length == SimTime()) throw Error(fmt::format("\"{}\": an outage must take some time", item_));
    fault.until = fault.when + length;
    return fault;
  }

 private:
  SimTime time(std::string_view text) const {
    SimTime time;
    try {
      time = parse_time(text);
    } catch (const Error& error) {
      throw Error(fmt::format("\"{}\": {}", item_, error.what()));
    }
    if (time > latest) throw Error(fmt::format("\"{}\": a time must be at most {}", item_, to_text(latest)));
    return time;
  }
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

NetworkFaults listed_faults(const std::vector<std::string>& items, const SwitchGraph& graph,
                            Recovery recovery) {
  NetworkFaults faults;
  for (const std::string& item : items) faults.push_back(FaultItem(item, graph).read(recovery));
  return faults;
}

}  // namespace morgana
