#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace morgana {

/// A document as it is written to files and standard output: indented by two, with a line feed at its end.
/// What is no UTF-8 in a string (a program's arguments may be any bytes) becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace morgana
