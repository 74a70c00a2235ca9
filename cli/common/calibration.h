#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace morgana::cli {

/// The speed of one machine's processor, as `morgana calibrate` has measured it with the EP kernel (NAS
/// Parallel Benchmarks) and stored it in the user's calibration file.
struct Calibration {
  double ep_seconds_per_pair = 0;  ///< EP's CPU time for one pair of random numbers, 1e-12 to 1 (s)
  std::string processor;           ///< the model name of the processor measured; empty: not known
};

/// The path of the calibration file, which may not exist: $MORGANA_CALIBRATION; else
/// $XDG_CONFIG_HOME/morgana/calibration.toml; else $HOME/.config/morgana/calibration.toml.
/// @throws Error if none of the three variables is set
std::filesystem::path calibration_file();

/// The model name of this machine's processor (/proc/cpuinfo); empty if it is not known.
std::string this_processor();

/// @return nothing if there is no such file
/// @throws Error if the file can't be read, is not valid TOML, or has a time that is out of range
std::optional<Calibration> read_calibration(const std::filesystem::path& file);

/// The calibration of this machine, or why there is none.
struct UsableCalibration {
  double ep_seconds_per_pair = 0;  ///< as in Calibration (s); 0: there is no valid calibration
  /// If there is none: the rest of a sentence that begins with the machine's name, and the hint ("is not
  /// calibrated: run `morgana calibrate` there").
  std::string why_not = {};
};
/// The calibration in calibration_file(), if it is for this machine's processor. Errors go into `why_not`.
UsableCalibration calibration_here();

/// Creates missing folders and replaces the file in one step. On failure the old file stays.
/// @throws Error if the file can't be written
void write_calibration(const std::filesystem::path& file, const Calibration& calibration);

}  // namespace morgana::cli
