#pragma once

#include <map>
#include <string>

#include "emulator/report/pictures/link_map.h"

namespace morgana::itb_paper {

/// An 8 x 8 torus's cables in the colours of their utilisation; the switch of a hot host is named H.
/// @param network  torus or express-torus
/// @param figures  of a task of the kind load
/// @return without title
LinkMap network_map(const std::string& network, const std::map<std::string, double>& figures);

}  // namespace morgana::itb_paper
