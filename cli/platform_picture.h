#pragma once

#include <string>

#include "emulator/platform/platform.h"

namespace morgana::cli {

/// Draws the switches, hosts and cables of a platform's network.
/// @param name  of the platform, with what was overridden
/// @param file  its ending says as what: .svg or .png
/// @param after  a report of run, replay or traffic in JSON, whose links' utilisation colours the cables; may
/// be empty
/// @throws Error for a platform without cables, and for a report of another network
void draw_platform(const Platform& platform, const std::string& name, const std::string& file,
                   const std::string& after);

}  // namespace morgana::cli
