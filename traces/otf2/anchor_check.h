#pragma once

#include <filesystem>

namespace morgana {

/// OTF2 trusts the anchor file, by which a trace is opened: a number of properties that can't be ends the
/// process inside of the library. So this looks before it does.
/// @throws Error if what the file announces does not fit into it; what is no anchor of a known version is
/// left to the library to refuse
void check_anchor(const std::filesystem::path& anchor);

}  // namespace morgana
