#include "cli/common/compute_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/common/calibration.h"
#include "emulator/report/readable.h"
#include "replay/replay_input.h"

namespace morgana::cli {

ScaledPlatform scaled_for_this_machine(const Platform& platform) {
  if (platform.native()) return {platform, ""};
  if (!platform.compute_scale_is_open())
    return {platform, fmt::format("x {}: hosts.compute-scale", readable_number(platform.compute_scale()))};
  const std::optional<double> there = platform.ep_seconds_per_pair();
  if (!there) return {platform, "x 1: as on this machine, the platform names no processor (hosts.ep-time)"};
  const std::optional<Calibration> here = read_calibration(calibration_file());
  if (!here)
    return {platform,
            "x 1: as on this machine, which is not calibrated to the platform's processors; run "
            "`morgana calibrate` once"};
  if (!here->processor.empty() && here->processor != this_processor())
    return {platform,
            fmt::format("x 1: as on this machine, which is another than the calibrated one ({}); run "
                        "`morgana calibrate` here",
                        here->processor)};
  const double scale = *there / here->ep_seconds_per_pair;
  return {platform.with_compute_scale(scale),
          fmt::format("x {:.4g}: EP takes {:.4g} ns a pair on the platform's processors, {:.4g} ns here",
                      scale, *there * 1e9, here->ep_seconds_per_pair * 1e9)};
}

ScaledPlatform scaled_for_a_schedule(const Platform& platform) {
  if (platform.native()) return {platform, ""};
  if (platform.compute_scale_is_open()) return {platform, "as the schedule has it"};
  return {platform, fmt::format("as the schedule has it, x {}: hosts.compute-scale",
                                readable_number(platform.compute_scale()))};
}

ScaledPlatform scaled_for(const Platform& platform, const std::filesystem::path& trace) {
  refuse_missing_trace(trace);
  return !trace.empty() && is_graph(trace) ? scaled_for_a_schedule(platform)
                                           : scaled_for_this_machine(platform);
}

std::string caution_about_scales(std::span<const Platform> platforms) {
  std::vector<std::pair<double, std::string>> scales;  // with those that have it
  for (const Platform& platform : platforms) {
    const double scale = platform.native() ? 1 : platform.compute_scale();
    const auto known =
        std::find_if(scales.begin(), scales.end(), [&](const auto& s) { return s.first == scale; });
    if (known == scales.end())
      scales.emplace_back(scale, platform.name());
    else if ((", " + known->second + ",").find(", " + platform.name() + ",") == std::string::npos)
      known->second += ", " + platform.name();
  }
  if (scales.size() < 2) return "";
  std::string text;
  for (const auto& [scale, names] : scales)
    text += fmt::format("{}x {} on {}", text.empty() ? "" : "; ", readable_number(scale), names);
  return fmt::format(
      "processors differ, not only networks: compute times are {}; --set hosts.compute-scale=1 computes "
      "everywhere as here",
      text);
}

std::string caution_about_libraries(std::span<const Platform> platforms) {
  std::vector<std::pair<SimTime, std::string>> overheads;  // with those that have it
  for (const Platform& platform : platforms) {
    if (platform.native()) continue;
    const auto known =
        std::ranges::find(overheads, platform.overheads(), [](const auto& o) { return o.first; });
    if (known == overheads.end())
      overheads.emplace_back(platform.overheads(), platform.name());
    else if ((", " + known->second + ",").find(", " + platform.name() + ",") == std::string::npos)
      known->second += ", " + platform.name();
  }
  if (overheads.size() < 2) return "";
  std::string text;
  for (const auto& [overhead, names] : overheads)
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", readable(overhead), names);
  return fmt::format(
      "libraries differ, not only networks: what a message costs its two processors at least is {}; --set "
      "messages.send-overhead and messages.receive-overhead make them alike",
      text);
}

}  // namespace morgana::cli
