#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <system_error>

#include "traces/otf2/otf2_error.h"
#include "traces/otf2/raw_definitions.h"

namespace morgana {
namespace {

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
  definitions.properties.broken_off = property(reader, broken_off_property);
  definitions.properties.tags_name_endpoints = property(reader, endpoints_property) == "tags";
  definitions.properties.built_for_openmpi = property(reader, mpi_property) == "openmpi";
  definitions.properties.waits_for_switches = property(reader, switches_property) == "waits";
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
void find_ranks(RawDefinitions& from, std::map<std::uint64_t, Rank>& rank_of) {
  TraceDefinitions& to = from.definitions;
  const auto locations = std::ranges::find_if(from.groups, [](const auto& entry) {
    return entry.second.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && entry.second.paradigm == OTF2_PARADIGM_MPI;
  });
  if (locations == from.groups.end() || locations->second.members.empty())
    throw Error("the trace names no MPI processes: it is not a recording of an MPI program");
  for (const std::uint64_t reference : locations->second.members) {
    const auto location = from.locations.find(reference);
    if (location == from.locations.end())
      throw Error(fmt::format("rank {} is location {}, which the trace does not define: record it again",
                              to.ranks.size(), reference));
    const Rank rank{static_cast<std::int32_t>(to.ranks.size())};
    if (!rank_of.try_emplace(reference, rank).second)
      throw Error(fmt::format("location {} is two ranks at once: record the trace again", reference));
    const RawDefinitions::LocationGroup process = from.location_groups[location->second.group];
    to.ranks.push_back({reference, to.text(process.name), location->second.records});
    const auto node = from.nodes.find(process.node);
    to.properties.host_of.push_back(node == from.nodes.end() ? "" : to.text(node->second));
  }
  for (const auto& [reference, location] : from.locations) {
    if (rank_of.contains(reference)) continue;
    // What the network did, in traces of ours (read_network_metrics).
    if (to.ours && location.type == OTF2_LOCATION_TYPE_METRIC) continue;
    ++(location.type == OTF2_LOCATION_TYPE_CPU_THREAD ? to.threads : to.other_locations);
  }
}

void add_members(const RawDefinitions& from, const std::map<std::uint64_t, Rank>& rank_of,
                 OTF2_CommRef communicator, OTF2_GroupRef reference, TraceCommunicator& to) {
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
  if (error != std::errc() || end != name.data() + name.size() || number >= planes::open) return std::nullopt;
  return open_context(number);
}

void define_communicators(RawDefinitions& from, const std::map<std::uint64_t, Rank>& rank_of) {
  for (const auto& [reference, communicator] : from.communicators) {
    const auto first = from.groups.find(communicator.first);
    const auto second = from.groups.find(communicator.second);
    if (first == from.groups.end() || second == from.groups.end())
      throw Error(fmt::format("communicator {} has a group that the trace does not define: record it again",
                              reference));
    TraceCommunicator made;
    made.reference = reference;
    if (from.definitions.ours)
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

void define_regions(RawDefinitions& from) {
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

void define_attributes(RawDefinitions& from) {
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
  RawDefinitions from = read_raw_definitions(reader);
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
