#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <vector>

#include "traces/otf2/trace_definitions.h"

namespace morgana {

/// The records of a trace's definitions as they come: they may name each other in any order.
struct RawDefinitions {
  struct Group {
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    bool members_are_locations;
    std::vector<std::uint64_t> members;
  };
  struct Location {
    OTF2_LocationType type;
    std::uint64_t records;
    OTF2_LocationGroupRef group;
  };
  struct LocationGroup {
    OTF2_StringRef name;
    OTF2_SystemTreeNodeRef node;
  };
  struct Communicator {
    OTF2_GroupRef first, second;
    bool between_groups;
    OTF2_StringRef name;
  };
  struct Region {
    OTF2_StringRef name;
    OTF2_Paradigm paradigm;
  };

  TraceDefinitions definitions;
  std::map<OTF2_RegionRef, Region> regions;
  std::map<OTF2_GroupRef, Group> groups;
  std::map<OTF2_LocationRef, Location> locations;
  std::map<OTF2_LocationGroupRef, LocationGroup> location_groups;
  std::map<OTF2_SystemTreeNodeRef, OTF2_StringRef> nodes;
  std::map<OTF2_CommRef, Communicator> communicators;
  std::map<OTF2_AttributeRef, OTF2_StringRef> attributes;
  std::map<OTF2_ParameterRef, OTF2_StringRef> parameters;
};

/// Reads all global definitions of an archive: its clock and its texts are already understood, the rest is
/// as it was written.
/// @throws Error if there are fewer or more than the archive announces, they can't be read, or a text's
/// number is out of range
RawDefinitions read_raw_definitions(OTF2_Reader* reader);

}  // namespace morgana
