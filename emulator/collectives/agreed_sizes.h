#pragma once

#include <vector>

#include "emulator/operations/operation.h"

namespace morgana::collectives {

/// What all members of an ordinary communicator must say alike of a collective: the sizes that its algorithm
/// and the messages of its schedule follow from. A program whose members differ is wrong, which is reported
/// by its own MPI library when the data come; but it must get there, as it would over a real network, and not
/// stand still because one half of its members follows one algorithm and one half another.
struct AgreedSizes {
  Bytes bytes, element;
  std::vector<Bytes> list;  ///< of reduce_scatter and allgatherv
};

/// Whether there is one size that all members know, so that all know when nothing moves.
bool has_one_size(const CollectivePart& part);

AgreedSizes agreed_sizes(const CollectivePart& part);
/// Whether a member says otherwise. Never for kinds whose members need not agree.
bool disagrees(const CollectivePart& part, const AgreedSizes& agreed);
/// That part of the collective with the sizes that have been agreed on.
CollectivePart with_sizes(CollectivePart part, const AgreedSizes& agreed);

}  // namespace morgana::collectives
