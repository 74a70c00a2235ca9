#pragma once

#include <string>

#include "emulator/topology/network_file.h"

namespace morgana::cli {

/// A platform file that extends another and has the network of a file in its lists.
/// @param base  the platform's name. @param ports_have_numbers  a Myrinet's ports are named, and its cables
/// are alike
std::string platform_with(const topology::NetworkFile& network, const std::string& base,
                          const std::string& file, bool ports_have_numbers);

}  // namespace morgana::cli
