#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace morgana::cli {

/// What `morgana calibrate` has measured and remembers, for one user on one kind of processor.
struct Calibration {
  double ep_seconds_per_pair =
      0;                  ///< EP's processor time on this machine for one pair of random numbers, > 0
  std::string processor;  ///< its model name; empty: not known
};

/// $MORGANA_CALIBRATION if set, else morgana/calibration.toml in $XDG_CONFIG_HOME or ~/.config.
/// @throws Error if none of these is set
std::filesystem::path calibration_file();

/// The model name of this machine's processor; empty if it does not say.
std::string this_processor();

/// Nothing if there is no file. @throws Error if it can't be read or makes no sense
std::optional<Calibration> read_calibration(const std::filesystem::path& file);

/// EP's time as this machine is calibrated.
struct UsableCalibration {
  double ep_seconds_per_pair = 0;  ///< 0: there is none that counts here
  std::string why_not = {};        ///< then: what this machine's name is to be followed by, with the remedy
};
/// Throws nothing.
UsableCalibration calibration_here();

/// Makes the folders that are missing; the file appears whole or not at all. @throws Error
void write_calibration(const std::filesystem::path& file, const Calibration& calibration);

}  // namespace morgana::cli
