#pragma once

#include <vector>

#include "emulator/operations/operation.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// What a message is made of, from how it was packed: runs of elements of one size, each as long as possible.
/// An element of a part takes its share of the part's bytes; where they can't be shared, as those of a string
/// with its length, the elements are bytes.
std::vector<ElementRun> element_runs(const std::vector<MessagePart>& parts);

}  // namespace morgana
