#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/myrinet/worms.h"

namespace morgana::myrinet {

/// The packets under way and their passages, one for each channel that a packet reaches into. A packet's
/// place is free again when it has departed, its fate has been reported and no passage of it is left.
/// References are valid until the next packet or passage is added.
class PacketStore {
 public:
  /// @param type_bytes  of every packet, as MyrinetParameters::type_bytes
  explicit PacketStore(std::int64_t type_bytes) : type_bytes_(type_bytes) {}

  /// @param header  stays valid as long as the packet
  Index add(const Unit& unit, Header header);
  /// The header is copied.
  Index add_with_own_header(const Unit& unit, Header header);
  Index add_passage(Index packet, Count first, Count length, std::uint32_t position);
  /// A passage that ends as `like` does: its silence, its bad tail and the reason of it.
  Index add_passage(Index packet, Count first, Count length, std::uint32_t position, const Passage& like);
  void drop_passage(Index passage);
  void free_if_done(Index packet);

  Packet& packet(Index index) { return packets_[index]; }
  const Packet& packet(Index index) const { return packets_[index]; }
  Passage& passage(Index index) { return passages_[index]; }
  const Passage& passage(Index index) const { return passages_[index]; }
  Packet& packet_of(Index passage) { return packets_[passages_[passage].packet]; }
  /// The number of the flit behind the passage's last one.
  Count end(Index passage) const { return passages_[passage].first + passages_[passage].length; }

  /// What stands at the front of a passage is a byte of its route; else its type, or a bad tail alone.
  bool has_first_byte(const Passage& passage) const {
    return passage.position < packets_[passage.packet].header_length &&
           !(passage.bad_tail && passage.length == 1);
  }
  RouteByte first_byte(const Passage& passage) const {
    return packets_[passage.packet].header[passage.position];
  }
  bool starts_with_mark(const Passage& passage) const {
    return has_first_byte(passage) && first_byte(passage) == in_transit_mark;
  }
  /// Flits of an in-transit packet that its host's pool has to hold: all behind the mark.
  Count flits_behind_mark(const Passage& passage) const {
    return packets_[passage.packet].total - passage.position - 1;
  }

  /// To the end of what the channel brings to its receiver.
  void append(Channel& channel, Index passage);
  /// Takes the last of them away again: nothing of it ever comes.
  void forget_last(Channel& channel);

 private:
  std::int64_t type_bytes_;
  std::vector<Packet> packets_;
  std::vector<std::vector<RouteByte>> own_headers_;  // by packet: of those with a header of their own
  std::vector<Passage> passages_;
  Index free_packet_ = none, free_passage_ = none;
};

}  // namespace morgana::myrinet
