#pragma once

#include <string>

namespace morgana {

/// How much longer something takes, for people: "1.82 times as long", and below 1.05 times, where that says
/// little, "0.4 % longer" ("less than 0.1 % longer").
/// @param ratio  at least 1. @param than  what it is compared with, " as" or " than" before it; empty: none
std::string longer_text(double ratio, const std::string& than = "");
/// The same of speed: "3.00 times as fast", "0.4 % faster".
std::string faster_text(double ratio, const std::string& than = "");

}  // namespace morgana
