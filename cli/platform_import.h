#pragma once

#include <string>
#include <vector>

#include "emulator/topology/listed/network_file.h"

namespace morgana::cli {

/// A platform file that extends another and has the network of a file in its lists.
/// @param routes  entries of network.route-table; none: routes are the file's, if it has any and the base is
/// a fabric, else the base's
/// @param base  the platform's name. @param ports_have_numbers  a Myrinet's ports are named, and its cables
/// are alike
std::string platform_with(const topology::NetworkFile& network, const std::string& base,
                          const std::string& file, bool ports_have_numbers,
                          const std::vector<std::string>& routes, bool is_fabric);

/// The same of a file whose network is one of our topologies (NetworkFile::keys).
/// @param is_fabric  the base's network: it has the key link-speed, which would say the rate, and all routes
std::string platform_with_keys(const topology::NetworkFile& network, const std::string& base,
                               const std::string& file, bool is_fabric);

}  // namespace morgana::cli
