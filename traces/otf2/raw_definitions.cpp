#include "traces/otf2/raw_definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "traces/otf2/otf2_error.h"

namespace morgana {
namespace {

/// What the callbacks fill.
struct Reading {
  RawDefinitions read;
  bool string_out_of_range = false;
};

RawDefinitions& raw(void* user) {
  return static_cast<Reading*>(user)->read;
}

OTF2_CallbackCode on_clock(void* user, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length,
                           std::uint64_t) {
  raw(user).definitions.ticks_per_second = resolution;
  raw(user).definitions.begin = offset;
  raw(user).definitions.length = length;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_string(void* user, OTF2_StringRef self, const char* text) {
  if (!raw(user).definitions.strings.add(self, text)) static_cast<Reading*>(user)->string_out_of_range = true;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_attribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef,
                               OTF2_Type) {
  raw(user).attributes[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_parameter(void* user, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType) {
  raw(user).parameters[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_node(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef,
                          OTF2_SystemTreeNodeRef) {
  raw(user).nodes[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_location_group(void* user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType, OTF2_SystemTreeNodeRef node,
                                    OTF2_LocationGroupRef) {
  raw(user).location_groups[self] = {name, node};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType type,
                              std::uint64_t records, OTF2_LocationGroupRef group) {
  raw(user).locations[self] = {type, records, group};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                            OTF2_StringRef, std::uint32_t, std::uint32_t) {
  raw(user).regions[self] = {name, paradigm};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_group(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                           OTF2_Paradigm paradigm, OTF2_GroupFlag flags, std::uint32_t count,
                           const std::uint64_t* members) {
  raw(user).groups[self] = {type, paradigm, (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0,
                            std::vector<std::uint64_t>(members, members + count)};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_communicator(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                  OTF2_CommRef, OTF2_CommFlag) {
  raw(user).communicators[self] = {group, group, false, name};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_intercommunicator(void* user, OTF2_CommRef self, OTF2_StringRef name,
                                       OTF2_GroupRef first, OTF2_GroupRef second, OTF2_CommRef,
                                       OTF2_CommFlag) {
  raw(user).communicators[self] = {first, second, true, name};
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

RawDefinitions read_raw_definitions(OTF2_Reader* reader) {
  constexpr const char* reading = "read the trace's definitions";
  OTF2_GlobalDefReader* definitions = check_otf2(OTF2_Reader_GetGlobalDefReader(reader), reading);
  struct Delete {
    void operator()(OTF2_GlobalDefReaderCallbacks* c) const { OTF2_GlobalDefReaderCallbacks_Delete(c); }
  };
  const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, Delete> callbacks(
      check_otf2(OTF2_GlobalDefReaderCallbacks_New(), reading));
  OTF2_GlobalDefReaderCallbacks* c = callbacks.get();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetParameterCallback(c, on_parameter);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_location_group);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_communicator);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_intercommunicator);
  Reading state;
  check_otf2(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, c, &state), reading);
  std::uint64_t expected = 0;
  check_otf2(OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected), reading);
  std::uint64_t count = 0;
  // One more than there should be: those of a damaged file may have no end.
  const std::uint64_t most = std::max(expected, expected + 1);
  check_otf2(OTF2_Reader_ReadGlobalDefinitions(reader, definitions, most, &count), reading);
  check_otf2(OTF2_Reader_CloseGlobalDefReader(reader, definitions), reading);
  if (count < expected)
    throw Error(fmt::format("the trace's definitions end after {} of {}: record it again", count, expected));
  if (count > expected)
    throw Error(fmt::format(
        "the trace has more definitions than the {} that there should be: record it again", expected));
  if (state.string_out_of_range)
    throw Error("the trace defines a text under a number that is out of range: record it again");
  return std::move(state.read);
}

}  // namespace morgana
