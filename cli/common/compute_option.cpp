#include "cli/common/compute_option.h"

#include <fmt/core.h>

#include <string_view>

namespace morgana::cli {
namespace {

constexpr std::string_view recorded_prefix = "recorded:";

/// For CLI11: empty if it is fine.
std::string complaint_about(const std::string& compute) {
  if (compute == "measured" || compute == "none") return "";
  if (compute.starts_with(recorded_prefix) && compute.size() > recorded_prefix.size()) return "";
  return fmt::format("{} is not measured, none or recorded:TRACE", compute);
}

}  // namespace

void ComputeOption::add(Command& command) {
  command
      .add("--compute", &text,
           "Time that a live program's computing takes: measured (CPU time x the platform's scale), none, or "
           "recorded:TRACE (the times of a recorded run of the program x the scale). With none and recorded "
           "results are reproducible")
      ->type_name("measured|none|recorded:TRACE")
      ->check(complaint_about)
      ->show_default();
}

ComputeMode ComputeOption::mode() const {
  return text == "measured" ? ComputeMode::measured : ComputeMode::none;
}

std::string ComputeOption::recorded_trace() const {
  return text.starts_with(recorded_prefix) ? text.substr(recorded_prefix.size()) : "";
}

}  // namespace morgana::cli
