#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "emulator/platform/kinds/interfaces.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/kinds/overlays.h"
#include "emulator/platform/kinds/transports.h"
#include "emulator/platform/layer.h"
#include "emulator/platform/platform_hint.h"
#include "emulator/platform/sections.h"

namespace morgana {

/// What layers add up to: every key checked, later layers before earlier ones.
struct Resolved {
  std::string description;
  bool native = false;
  std::string source;  ///< of the last file as a whole
  std::string network = network_kinds().front().name;
  std::string transport;
  std::string interface = interface_kinds().front().name;
  std::string overlay = overlay_kinds().front().name;
  Settings settings;                           ///< what is set, without the kinds
  std::map<std::string, std::string> where;    ///< of each setting and kind that is set, for messages
  std::map<std::string, std::string> sources;  ///< by key: who says that the value is so
  std::int64_t year = 0;                       ///< of the technology; 0: of no particular one
  std::vector<std::string> notices;            ///< see platform_notices()
  std::vector<PlatformHint> hints;             ///< see platform_hints()
};

/// What must fit together.
enum class Checks : std::uint8_t {
  whole,          ///< all of it
  network_alone,  ///< for what sends no messages by it: of [messages], [transport] and the like each key
                  ///< alone
};

/// Choosing another network.kind, transport.kind, interface.model or overlay.kind than an earlier layer
/// forgets the keys that the earlier layers set for the former kind. Keys `name` and `extends` are the
/// caller's.
/// @throws Error naming place, key, and what fits or is nearest
Resolved resolve(std::span<const Layer> layers, Checks checks = Checks::whole);

/// The sections of a platform: the plain ones and those of the chosen kinds.
std::vector<const Section*> sections_of(const Resolved& platform);

/// The kind that was chosen for a section that comes in kinds.
const std::string& kind_of_section(const Resolved& platform, const std::string& section);

/// The text of an entry that must be a string. @throws Error naming its place
const std::string& text_of(const LayerEntry& entry);

}  // namespace morgana
