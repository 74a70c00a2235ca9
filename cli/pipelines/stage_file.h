#pragma once

#include <string>
#include <vector>

#include "emulator/pipeline/stage.h"

namespace morgana::cli {

/// "gam", "gms", "network+disk" and "network+disk+network": those that need no file.
std::vector<std::string> known_pipelines();

/// A pipeline by name, or from a TOML file with a table for each stage:
///
///     [[stage]]
///     name = "sender copy"   # may be left out
///     overhead = "7.2 us"    # for each fragment
///     cost = "7.2 us/KB"     # for each byte; or rate = "1.1 Gb/s"
///
/// @throws Error naming file, line and column for anything else
pipeline::Stages load_stages(const std::string& name);

}  // namespace morgana::cli
