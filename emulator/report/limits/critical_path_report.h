#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "emulator/report/limits/critical_path.h"

namespace morgana {

/// A kind's name for people: the wire of files is the network, NICs included.
std::string_view shown_name(PathKind kind);

/// For people: where the path's time goes, and by how much a run gets shorter at most if something on it
/// takes half as long.
/// @param services  the ranks before this one only serve the others, and are not counted
std::string critical_path_text(const CriticalPath& path, std::size_t services = 0);

/// Its shares and where it lies, in a line: "computing 14.9 %, network 85.1 %; through 4 ranks and 95
/// messages".
std::string critical_path_shares(const CriticalPath& path, std::size_t services = 0);

/// The same figures, times in whole picoseconds, and for each rank on the path what of it lies there.
nlohmann::ordered_json critical_path_json(const CriticalPath& path);

}  // namespace morgana
