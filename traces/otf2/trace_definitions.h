#pragma once

#include <otf2/otf2.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"
#include "traces/otf2/attributes.h"
#include "traces/otf2/call_traits.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {

/// Definitions of one kind by the reference under which a trace names them.
template <typename Definition>
class ByReference {
 public:
  static constexpr std::uint64_t limit = std::uint64_t{1}
                                         << 22;  // a trace numbers from 0: beyond lies garbage

  /// @return false if the reference is out of range; a second definition replaces the first
  bool add(std::uint64_t reference, Definition definition) {
    if (reference >= limit) return false;
    if (reference >= place_.size()) place_.resize(reference + 1, none);
    if (place_[reference] == none) {
      place_[reference] = static_cast<std::uint32_t>(all_.size());
      all_.push_back(std::move(definition));
    } else {
      all_[place_[reference]] = std::move(definition);
    }
    return true;
  }
  const Definition* find(std::uint64_t reference) const {
    if (reference >= place_.size() || place_[reference] == none) return nullptr;
    return &all_[place_[reference]];
  }
  std::vector<Definition>& all() { return all_; }
  const std::vector<Definition>& all() const { return all_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> place_;
  std::vector<Definition> all_;
};

struct TraceRegion {
  std::string name;
  bool is_call = false;  ///< a call of the message-passing library, or another whose operations we record
  Call call = Call::unknown;
  CallTraits traits;
};

struct TraceCommunicator {
  enum class Kind : std::uint8_t { group, self, between_groups, other } kind = Kind::other;
  std::uint32_t reference = 0;
  std::vector<Rank> members;            ///< between groups: the first, then the second
  std::uint32_t first_group = 0;        ///< between groups: how many of the members belong to the first
  std::vector<std::int32_t> places;     ///< by rank: index in members, -1 for none
  std::optional<Context> open_context;  ///< that it stands for, which is not announced

  /// Index of a rank in the members, -1 for none.
  std::int32_t place_of(Rank rank) const { return kind == Kind::self ? 0 : places[index(rank)]; }
  /// How many members collectives have.
  std::uint32_t size() const { return kind == Kind::self ? 1 : static_cast<std::uint32_t>(members.size()); }
  /// The rank that `me` means by `place` in a message; nothing if there is no such.
  std::optional<Rank> peer(Rank me, std::uint32_t place) const;
};

/// What stands before a trace's records.
struct TraceDefinitions {
  TraceProperties properties;  ///< host_of by rank
  bool ours = false;           ///< written by TraceWriter
  std::uint64_t ticks_per_second = 1;
  std::uint64_t begin = 0, length = 0;  ///< in ticks
  ByReference<std::string> strings;
  ByReference<TraceRegion> regions;
  ByReference<TraceCommunicator> communicators;
  std::vector<std::optional<Attribute>> attribute_of;  ///< by OTF2's reference
  std::optional<OTF2_ParameterRef> operation_parameter, completed_parameter;

  struct Location {
    OTF2_LocationRef reference = 0;
    std::string name;
    std::uint64_t records = 0;
  };
  std::vector<Location> ranks;        ///< each rank's main location
  std::uint64_t threads = 0;          ///< locations that are further threads of the ranks
  std::uint64_t other_locations = 0;  ///< accelerators, metrics

  const std::string& text(OTF2_StringRef reference) const;
  /// Whether a communicator is that of messages between PVM tasks and their machine (service_context), which
  /// are no part of the program's traffic.
  bool is_of_services(std::uint32_t communicator) const {
    const TraceCommunicator* found = communicators.find(communicator);
    return found != nullptr && found->open_context == service_context;
  }
};

/// Reads the definitions of an opened trace. @throws Error for what contradicts itself
TraceDefinitions read_definitions(OTF2_Reader* reader);

}  // namespace morgana
