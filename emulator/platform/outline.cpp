// What lists of platforms show.
#include <fmt/format.h>

#include "emulator/platform/link_speed.h"
#include "emulator/platform/platform_network.h"
#include "emulator/platform/values.h"

namespace morgana {
namespace {

std::string set_text(const Resolved& platform, const std::string& name) {
  for (const Section* section : sections_of(platform))
    for (const Key& key : section->keys) {
      if (key.name != name) continue;
      const auto set = platform.settings.find(name);
      return to_text(key, set == platform.settings.end() ? key.fallback : set->second);
    }
  return "";
}

/// Of a link; of a network that is given by its gap per byte, that gap's reciprocal.
std::string rate_of(const Resolved& platform) {
  if (const std::string speed = set_text(platform, "network.link-speed"); !speed.empty() && speed != "rate")
    return speed == "HDR100" || speed == "NDR200" ? speed
                                                  : speed + " " + set_text(platform, "network.link-width");
  if (std::string rate = set_text(platform, "network.rate"); !rate.empty()) return rate;
  const auto gap = platform.settings.find("network.gap-per-byte");
  if (gap == platform.settings.end()) return "-";
  const auto* const cost = std::get_if<ByteCost>(&gap->second);
  if (cost == nullptr || cost->fs() == 0) return "-";
  constexpr double fs_per_second = 1e15, bits = 8, giga = 1e9, mega = 1e6;
  const double rate = bits * fs_per_second / static_cast<double>(cost->fs());
  return rate >= giga ? fmt::format("{:.3g} Gb/s", rate / giga) : fmt::format("{:.3g} Mb/s", rate / mega);
}

}  // namespace

Platform::Outline Platform::outline() const {
  const Resolved& platform = values_->resolved;
  if (platform.native) return {"-", "-", "none: this machine", "-", "-"};
  Outline outline{rate_of(platform), "-", platform.network, platform.transport, platform.interface};
  if (const std::string topology = set_text(platform, "network.topology"); !topology.empty()) {
    outline.topology = topology;
    if (const auto figures = PlatformNetwork::figures(*this); figures && figures->hosts)
      outline.topology += fmt::format(", {} hosts", *figures->hosts);
    if (const auto figures = PlatformNetwork::figures(*this); figures && !figures->hosts)
      outline.topology += fmt::format(", {} switch{}", figures->switches, figures->switches == 1 ? "" : "es");
  }
  return outline;
}

}  // namespace morgana
