#pragma once

#include <string>

#include "emulator/platform/layer.h"
#include "emulator/platform/resolve.h"

namespace morgana {

/// Whether a section or a group of keys is called so: what may stand in a file as a table.
bool names_a_table(const std::string& name);

/// Refuses a key that the platform, as far as it is resolved, does not have: one of another kind, a notion of
/// --set where it means nothing, or an unknown one with the nearest that fits. The platform's own keys come
/// before those of other kinds.
[[noreturn]] void refuse_key(const LayerEntry& entry, const Resolved& platform);

/// Which other kinds give a key of this name such a word, as the end of a sentence that refuses it; empty if
/// none does.
std::string kinds_with_word(const Key& key, const std::string& word);

}  // namespace morgana
