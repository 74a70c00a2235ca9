#include "emulator/operations/call.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace morgana {
namespace {

constexpr auto call_names = std::to_array<std::string_view>({
    "unknown",
#define MORGANA_CALL(name) #name,
#include "emulator/operations/calls.def"
#undef MORGANA_CALL
});
static_assert(call_names.size() == static_cast<std::size_t>(Call::count_));

}  // namespace

std::string_view name_of(Call call) {
  return call_names.at(static_cast<std::size_t>(call));
}

std::optional<Call> call_named(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, Call> calls;
    for (std::size_t i = 1; i < call_names.size(); ++i) calls.emplace(call_names[i], static_cast<Call>(i));
    return calls;
  }();
  const auto found = by_name.find(name);
  if (found == by_name.end()) return std::nullopt;
  return found->second;
}

}  // namespace morgana
