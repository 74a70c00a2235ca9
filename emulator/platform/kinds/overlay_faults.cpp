#include "emulator/platform/kinds/overlay_faults.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"

namespace morgana {
namespace {

constexpr SimTime latest_fault = SimTime::from_ps(1'000'000'000'000'000);  // as of every time of a platform

class OverlayFaultItem {
 public:
  OverlayFaultItem(const std::string& item, std::optional<std::size_t> hosts, std::size_t stations)
      : item_(item), text_(item), hosts_(hosts), stations_(stations) {}

  CellFault read() {
    CellFault fault{};
    if (take("server ")) {
      fault.a = server();
    } else if (take("cable ")) {
      fault.a = server();
      if (!take("-")) refuse();
      fault.b = server();
      if (fault.b == fault.a) throw Error(fmt::format("\"{}\": a cable joins two different servers", item_));
    } else if (take("station ")) {
      fault.a = PortId{number("station", hosts_)};
    } else {
      refuse();
    }
    fault.what = item_.substr(0, item_.size() - text_.size());
    if (!take(" at ")) refuse();
    try {
      fault.when = parse_time(text_);
    } catch (const Error& error) {
      throw Error(fmt::format("\"{}\": {}", item_, error.what()));
    }
    if (fault.when > latest_fault)
      throw Error(fmt::format("\"{}\": a time must be at most {}", item_, to_text(latest_fault)));
    return fault;
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(
        fmt::format("\"{}\" can't be read; write \"server 1 at 10 ms\", \"cable 0-1 at 10 ms\" (between two "
                    "servers) or \"station 3 at 1 s\"",
                    item_));
  }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::uint32_t number(const char* what, std::optional<std::size_t> count) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) refuse();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (count && value >= *count)
      throw Error(
          fmt::format("\"{}\": there is no {} {}, only {} numbered from 0", item_, what, value, *count));
    return value;
  }
  PortId server() {
    const std::size_t hosts = hosts_.value_or(0);
    const std::uint32_t server =
        number("server", hosts_ ? std::optional((hosts + stations_ - 1) / stations_) : std::nullopt);
    return PortId{static_cast<std::uint32_t>(hosts + server)};
  }

  const std::string& item_;
  std::string_view text_;
  std::optional<std::size_t> hosts_;
  std::size_t stations_;
};

}  // namespace

std::vector<CellFault> overlay_faults(const std::vector<std::string>& items, std::optional<std::size_t> hosts,
                                      std::size_t stations) {
  std::vector<CellFault> faults;
  for (const std::string& item : items) faults.push_back(OverlayFaultItem(item, hosts, stations).read());
  return faults;
}

}  // namespace morgana
