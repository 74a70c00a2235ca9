#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "emulator/platform/platform.h"

namespace morgana::cli {

/// A platform of which it is settled how compute times are scaled, and why so.
struct ScaledPlatform {
  Platform platform;
  std::string why;  ///< "x 306: ..."; empty for a native platform
};

/// Where the platform leaves hosts.compute-scale open and names the speed of its processors, the scale is its
/// EP time over that of this machine, if the user has calibrated it; else 1.
/// @throws Error if what the calibration remembers can't be read
ScaledPlatform scaled_for_this_machine(const Platform& platform);
/// The same for what runs as a graph (GOAL, Chakra): its times are the file's, and none was measured here, so
/// that they are multiplied by hosts.compute-scale only.
ScaledPlatform scaled_for_a_schedule(const Platform& platform);
/// Whichever of the two what is replayed needs. @param trace  empty: a live program
ScaledPlatform scaled_for(const Platform& platform, const std::filesystem::path& trace);

/// Where compute times of one program are multiplied differently: a sentence that says so, with a hint;
/// else empty. A native platform's are what they are: x 1.
std::string caution_about_scales(std::span<const Platform> platforms);
/// What it means if platforms' hosts and libraries take different times for a message. Empty: they don't.
std::string caution_about_libraries(std::span<const Platform> platforms);

}  // namespace morgana::cli
