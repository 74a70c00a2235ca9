#pragma once

#include <optional>
#include <string_view>

#include "emulator/operations/operation.h"

namespace morgana {

/// The name of a kind of collective in platform files, results and messages: "allreduce",
/// "reduce_scatter_block".
std::string_view name_of(CollectiveKind kind);
std::optional<CollectiveKind> collective_named(std::string_view name);

}  // namespace morgana
