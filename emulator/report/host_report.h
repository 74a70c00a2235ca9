#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "emulator/core/background_use.h"
#include "emulator/core/host_use.h"

namespace morgana {

/// For people, in a few words: "4, one for each rank"; "1 of 2 processors: no message used the network".
/// @param ranks  that ran on them
std::string text_of(const HostUse& use, std::size_t ranks);

/// count, processors, messages_within, bytes_within, messages_between, bytes_between.
nlohmann::ordered_json host_use_json(const HostUse& use);

/// For people, in a line: load, bytes offered and delivered, latency.
std::string text_of(const BackgroundUse& use);

/// load, hosts, messages_offered, bytes_offered, messages_delivered, bytes_delivered, messages_lost,
/// mean_latency_ps.
nlohmann::ordered_json background_use_json(const BackgroundUse& use);

}  // namespace morgana
