#pragma once

#include <cstdint>
#include <string>

#include "emulator/core/time.h"

namespace morgana::assured {

// Sentences for people about messages that were returned.

/// @param unit  the protocol's word for its frames
std::string sent_too_often(const char* unit, std::uint32_t tries);
/// @param last_loss  how the last frame was lost; empty where that is not known
std::string not_answered(SimTime no_response, const char* unit, const std::string& last_loss);
std::string how_to_lose_less(const char* protocol, const char* unit);

}  // namespace morgana::assured
