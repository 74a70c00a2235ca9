#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>

#include "traces/otf2_error.h"
#include "traces/trace_definitions.h"

namespace morgana {
namespace {

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

/// The records as they come: they may name each other in any order.
struct Raw {
  TraceDefinitions definitions;
  std::map<OTF2_RegionRef, Region> regions;
  std::map<OTF2_GroupRef, Group> groups;
  std::map<OTF2_LocationRef, Location> locations;
  std::map<OTF2_LocationGroupRef, LocationGroup> location_groups;
  std::map<OTF2_SystemTreeNodeRef, OTF2_StringRef> nodes;
  std::map<OTF2_CommRef, Communicator> communicators;
  std::map<OTF2_AttributeRef, OTF2_StringRef> attributes;
  std::map<OTF2_ParameterRef, OTF2_StringRef> parameters;
  bool string_out_of_range = false;
};

Raw& raw(void* user) {
  return *static_cast<Raw*>(user);
}

OTF2_CallbackCode on_clock(void* user, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length,
                           std::uint64_t) {
  raw(user).definitions.ticks_per_second = resolution;
  raw(user).definitions.begin = offset;
  raw(user).definitions.length = length;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_string(void* user, OTF2_StringRef self, const char* text) {
  if (!raw(user).definitions.strings.add(self, text)) raw(user).string_out_of_range = true;
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

void read_raw(OTF2_Reader* reader, Raw& raw_definitions) {
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
  check_otf2(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, c, &raw_definitions), reading);
  std::uint64_t expected = 0;
  check_otf2(OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected), reading);
  std::uint64_t count = 0;
  check_otf2(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count), reading);
  check_otf2(OTF2_Reader_CloseGlobalDefReader(reader, definitions), reading);
  if (count < expected)
    throw Error(fmt::format("the trace's definitions end after {} of {}: record it again", count, expected));
  if (raw_definitions.string_out_of_range)
    throw Error("the trace defines a text under a number that is out of range: record it again");
}

std::string property(OTF2_Reader* reader, const char* name) {
  char* value = nullptr;
  if (OTF2_Reader_GetProperty(reader, name, &value) != OTF2_SUCCESS || value == nullptr) {
    take_otf2_message();
    return {};
  }
  std::string text = value;
  std::free(value);
  return text;
}

/// @return 0 if there is none, as in traces of before there were such
std::size_t count_property(OTF2_Reader* reader, const char* name) {
  const std::string text = property(reader, name);
  char* end = nullptr;
  const unsigned long count = std::strtoul(text.c_str(), &end, 10);
  if (*end != '\0')
    throw Error(fmt::format("the trace's property {} is \"{}\", not a number: record it again", name, text));
  return count;
}

void read_properties(OTF2_Reader* reader, TraceDefinitions& definitions) {
  char* creator = nullptr;
  if (OTF2_Reader_GetCreator(reader, &creator) == OTF2_SUCCESS && creator != nullptr) {
    definitions.ours = std::string_view(creator).starts_with(creator_prefix);
    std::free(creator);
  }
  definitions.properties.platform = "native";
  if (!definitions.ours) return;
  definitions.properties.program = property(reader, program_property);
  definitions.properties.platform = property(reader, platform_property);
  definitions.properties.services = count_property(reader, services_property);
  definitions.properties.ranks_at_start = count_property(reader, ranks_at_start_property);
  const std::string scale = property(reader, compute_scale_property);
  char* end = nullptr;
  definitions.properties.compute_scale = std::strtod(scale.c_str(), &end);
  if (scale.empty() || *end != '\0' || !(definitions.properties.compute_scale > 0) ||
      definitions.properties.compute_scale > 1e12)
    throw Error(fmt::format("the trace's property {} is \"{}\", not a number above 0: record it again",
                            compute_scale_property, scale));
}

/// Which location is which rank: the group of all locations that take part in MPI says it.
void find_ranks(Raw& from, std::map<std::uint64_t, Rank>& rank_of) {
  TraceDefinitions& to = from.definitions;
  const auto locations = std::ranges::find_if(from.groups, [](const auto& entry) {
    return entry.second.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && entry.second.paradigm == OTF2_PARADIGM_MPI;
  });
  if (locations == from.groups.end() || locations->second.members.empty())
    throw Error("the trace names no MPI processes: it is no recording of an MPI program");
  for (const std::uint64_t reference : locations->second.members) {
    const auto location = from.locations.find(reference);
    if (location == from.locations.end())
      throw Error(fmt::format("rank {} is location {}, which the trace does not define: record it again",
                              to.ranks.size(), reference));
    const Rank rank{static_cast<std::int32_t>(to.ranks.size())};
    if (!rank_of.try_emplace(reference, rank).second)
      throw Error(fmt::format("location {} is two ranks at once: record the trace again", reference));
    const LocationGroup process = from.location_groups[location->second.group];
    to.ranks.push_back({reference, to.text(process.name), location->second.records});
    const auto node = from.nodes.find(process.node);
    to.properties.host_of.push_back(node == from.nodes.end() ? "" : to.text(node->second));
  }
  for (const auto& [reference, location] : from.locations) {
    if (rank_of.contains(reference)) continue;
    ++(location.type == OTF2_LOCATION_TYPE_CPU_THREAD ? to.threads : to.other_locations);
  }
}

void add_members(const Raw& from, const std::map<std::uint64_t, Rank>& rank_of, OTF2_CommRef communicator,
                 OTF2_GroupRef reference, TraceCommunicator& to) {
  for (const std::uint64_t member : from.groups.at(reference).members) {
    Rank rank{static_cast<std::int32_t>(std::min<std::uint64_t>(member, 0x7FFFFFFF))};
    if (from.groups.at(reference).members_are_locations) {
      const auto found = rank_of.find(member);
      rank = found == rank_of.end() ? Rank{-1} : found->second;
    }
    if (rank < Rank{0} || index(rank) >= rank_of.size())
      throw Error(
          fmt::format("communicator {} has the member {}, but the trace has {} ranks: record it again",
                      communicator, member, rank_of.size()));
    to.members.push_back(rank);
  }
}

std::optional<Context> open_context_named(std::string_view name) {
  if (!name.starts_with(open_context_prefix)) return std::nullopt;
  name.remove_prefix(open_context_prefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number >= open_context_bit)
    return std::nullopt;
  return Context{open_context_bit | number};
}

void define_communicators(Raw& from, const std::map<std::uint64_t, Rank>& rank_of) {
  for (const auto& [reference, communicator] : from.communicators) {
    const auto first = from.groups.find(communicator.first);
    const auto second = from.groups.find(communicator.second);
    if (first == from.groups.end() || second == from.groups.end())
      throw Error(fmt::format("communicator {} has a group that the trace does not define: record it again",
                              reference));
    TraceCommunicator made;
    made.reference = reference;
    made.open_context = open_context_named(from.definitions.text(communicator.name));
    if (first->second.paradigm != OTF2_PARADIGM_MPI) {
      made.kind = TraceCommunicator::Kind::other;  // a team of threads, say
    } else if (first->second.type == OTF2_GROUP_TYPE_COMM_SELF) {
      made.kind = TraceCommunicator::Kind::self;
    } else {
      made.kind = communicator.between_groups ? TraceCommunicator::Kind::between_groups
                                              : TraceCommunicator::Kind::group;
      add_members(from, rank_of, reference, communicator.first, made);
      made.first_group = static_cast<std::uint32_t>(made.members.size());
      if (communicator.between_groups) add_members(from, rank_of, reference, communicator.second, made);
    }
    made.places.assign(rank_of.size(), -1);
    for (std::size_t i = 0; i < made.members.size(); ++i) {
      std::int32_t& place = made.places[index(made.members[i])];
      if (place >= 0)
        throw Error(fmt::format("communicator {} names rank {} twice: record the trace again", reference,
                                index(made.members[i])));
      place = static_cast<std::int32_t>(i);
    }
    if (!from.definitions.communicators.add(reference, std::move(made)))
      throw Error(fmt::format("communicator {} is out of range: record the trace again", reference));
  }
}

void define_regions(Raw& from) {
  TraceDefinitions& to = from.definitions;
  for (const auto& [reference, region] : from.regions) {
    TraceRegion made;
    made.name = to.text(region.name);
    made.call = call_of_region(made.name);
    made.traits = traits_of(made.name);
    made.is_call = region.paradigm == OTF2_PARADIGM_MPI ||
                   (to.ours && (made.call != Call::unknown || made.name == name_of(Call::unknown)));
    if (!to.regions.add(reference, std::move(made)))
      throw Error(fmt::format("region {} is out of range: record the trace again", reference));
  }
}

void define_attributes(Raw& from) {
  TraceDefinitions& to = from.definitions;
  if (!to.ours) return;
  for (const auto& [reference, name] : from.attributes) {
    const auto known = std::ranges::find(attributes, to.text(name), &AttributeDescription::name);
    if (known == attributes.end() || reference >= 1024) continue;
    if (reference >= to.attribute_of.size()) to.attribute_of.resize(reference + 1);
    to.attribute_of[reference] = static_cast<Attribute>(known - attributes.begin());
  }
  for (const auto& [reference, name] : from.parameters) {
    if (to.text(name) == operation_parameter) to.operation_parameter = reference;
    if (to.text(name) == completed_parameter) to.completed_parameter = reference;
  }
}

}  // namespace

std::optional<Rank> TraceCommunicator::peer(Rank me, std::uint32_t place) const {
  if (kind == Kind::self) return place == 0 ? std::optional(me) : std::nullopt;
  if (kind != Kind::between_groups)
    return place < members.size() ? std::optional(members[place]) : std::nullopt;
  const std::int32_t mine = places[index(me)];
  const bool in_first = mine >= 0 && static_cast<std::uint32_t>(mine) < first_group;
  const std::uint64_t begin = in_first ? first_group : 0;
  const std::uint64_t end = in_first ? members.size() : first_group;
  if (place >= end - begin) return std::nullopt;
  return members[begin + place];
}

const std::string& TraceDefinitions::text(OTF2_StringRef reference) const {
  static const std::string none;
  const std::string* found = strings.find(reference);
  return found == nullptr ? none : *found;
}

TraceDefinitions read_definitions(OTF2_Reader* reader) {
  Raw from;
  read_raw(reader, from);
  TraceDefinitions& definitions = from.definitions;
  if (definitions.ticks_per_second == 0)
    throw Error("the trace's clock has 0 ticks a second: record it again");
  read_properties(reader, definitions);
  std::map<std::uint64_t, Rank> rank_of;
  find_ranks(from, rank_of);
  define_regions(from);
  define_communicators(from, rank_of);
  define_attributes(from);
  return std::move(definitions);
}

}  // namespace morgana
