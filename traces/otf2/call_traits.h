#pragma once

#include <otf2/otf2.h>

#include <optional>
#include <string_view>

#include "emulator/operations/operation.h"

namespace morgana {

/// What the name of a call says of the operations in it.
struct CallTraits {
  OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_MPI;
  SendMode mode = SendMode::standard;
  Completion completion = Completion::all;
  bool nonblocking = false;    ///< starts operations without waiting for them
  bool neighbourhood = false;  ///< a collective among neighbours
};

/// @param name  "MPI_Isend"; unknown ones have the traits of a plain MPI function
CallTraits traits_of(std::string_view name);

/// The call of this region's name, also for the large-count forms ("MPI_Send_c").
Call call_of_region(std::string_view name);

/// OTF2's name of a kind of collective; a neighbourhood collective has that of the plain one.
OTF2_CollectiveOp otf2_collective(CollectiveKind kind);

/// The kind of collective behind OTF2's name; nothing for those that only free something.
std::optional<CollectiveKind> collective_kind(OTF2_CollectiveOp operation, bool neighbourhood);

/// Whether one member stands out: its place is CollectivePart::root.
bool has_root(CollectiveKind kind);
bool is_neighbourhood(CollectiveKind kind);
bool is_reduction(CollectiveKind kind);

}  // namespace morgana
