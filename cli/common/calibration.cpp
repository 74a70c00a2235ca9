#include "cli/common/calibration.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "emulator/core/bounded_file.h"
#include "emulator/core/error.h"
#include "emulator/core/unfinished_path.h"
#include "emulator/platform/toml_keys.h"

namespace morgana::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* time_key = "ep-seconds-per-pair";
constexpr const char* processor_key = "processor";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw Error(fmt::format("{}: {}; `morgana calibrate` writes it anew", file.string(), why));
}

}  // namespace

fs::path calibration_file() {
  if (const std::string file = variable("MORGANA_CALIBRATION"); !file.empty()) return file;
  const fs::path own = fs::path("morgana") / "calibration.toml";
  // The XDG specification: relative paths there are to be ignored.
  if (const std::string config = variable("XDG_CONFIG_HOME"); config.starts_with('/')) return config / own;
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".config" / own;
  throw Error("no place to remember a calibration: set HOME, XDG_CONFIG_HOME or MORGANA_CALIBRATION");
}

std::string this_processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::optional<Calibration> read_calibration(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) return std::nullopt;
  constexpr std::size_t largest_file = 1024 * 1024, most_parts = 64;
  const std::string text =
      read_at_most(file, largest_file, variable("MORGANA_CALIBRATION").empty() ? "" : "MORGANA_CALIBRATION");
  if (line_of_key_deeper_than(most_parts, text)) refuse(file, "there is a key of too many parts");
  toml::table table;
  try {
    table = toml::parse(text, file.string());
  } catch (const toml::parse_error& why) {
    refuse(file, std::string(why.description()));
  }
  Calibration calibration;
  calibration.ep_seconds_per_pair = table[time_key].value_or(0.0);
  // From a picosecond, which no processor reaches, to a second.
  if (!(calibration.ep_seconds_per_pair >= 1e-12 && calibration.ep_seconds_per_pair <= 1))
    refuse(file, fmt::format("{} must be a number from 1e-12 to 1", time_key));
  calibration.processor = table[processor_key].value_or(std::string());
  return calibration;
}

UsableCalibration calibration_here() {
  try {
    const std::optional<Calibration> calibration = read_calibration(calibration_file());
    if (!calibration) return {0, "is not calibrated: run `morgana calibrate` there"};
    if (calibration->processor.empty() || calibration->processor == this_processor())
      return {calibration->ep_seconds_per_pair};
    return {0, fmt::format("has a calibration for another processor ({}): set MORGANA_CALIBRATION to a file "
                           "of its own there and run `morgana calibrate`",
                           calibration->processor)};
  } catch (const Error& error) {
    return {0, fmt::format("has a calibration that can't be used ({})", error.what())};
  }
}

void write_calibration(const fs::path& file, const Calibration& calibration) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  const fs::path fresh = file.string() + ".new";
  const UnfinishedPath unfinished(fresh.string());
  std::ofstream out(fresh);
  out << "# Measured by `morgana calibrate`: the CPU time of EP (NAS Parallel Benchmarks) on this "
         "machine.\n"
      << toml::table{{time_key, calibration.ep_seconds_per_pair}, {processor_key, calibration.processor}}
      << '\n';
  out.close();
  if (out) fs::rename(fresh, file, error);
  if (out && !error) return;
  fs::remove(fresh, error);
  throw Error(
      fmt::format("cannot write {}: set MORGANA_CALIBRATION to a file that can be written", file.string()));
}

}  // namespace morgana::cli
