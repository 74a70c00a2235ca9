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
  return fmt::format("{} is none of measured, none and recorded:TRACE", compute);
}

}  // namespace

void ComputeOption::add(Command& command) {
  command
      .add("--compute", &text,
           "Time that a live program's computing takes: measured processor time x the platform's scale, "
           "none, or what it took in a recorded run of the program x the scale (both reproducible)")
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
