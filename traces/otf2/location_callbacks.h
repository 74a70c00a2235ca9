#pragma once

#include <otf2/otf2.h>

namespace morgana {

/// What OTF2 calls for the records of a location; the user data is the LocationReader.
/// @return to be deleted with OTF2_EvtReaderCallbacks_Delete
OTF2_EvtReaderCallbacks* new_location_callbacks();

}  // namespace morgana
