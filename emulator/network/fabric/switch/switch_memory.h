#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/network/fabric/arbiter.h"
#include "emulator/network/fabric/core.h"
#include "emulator/network/fabric/switch/shared_buffer.h"

namespace morgana::fabric {

/// A switch's shared buffer as packets come and go, and the pauses that its inputs want. Space is given back
/// as soon as its time is known, which is before that time; it is free from then on.
class SwitchMemory {
 public:
  /// @param pauses  accounts are inputs' and want pauses; otherwise they are outputs'
  SwitchMemory(SharedBuffer buffer, bool pauses, unsigned ports, unsigned groups);

  /// Of (input, group) or (output, group), and of a routed packet.
  std::size_t account(PortNumber port, unsigned group) const { return std::size_t{port} * groups_ + group; }
  std::size_t account_of(const Packet& packet) const {
    return pauses() ? account(packet.input, packet.came_on) : account(packet.output, packet.group);
  }
  bool pauses() const { return !wanted_.empty(); }

  /// What has become free by now, before anything is admitted at this instant.
  void settle(SimTime now);
  /// @return whether there was space
  bool admit(std::size_t account, Bytes size);
  void release(std::size_t account, Bytes size, SimTime at);
  /// Space that is free at once, where nothing is paused.
  void release_now(std::size_t account, Bytes size) { buffer_.release(account, size.count()); }

  /// Whether the last frame's content is out of date.
  bool owes_frame(PortNumber port) const { return pauses() && wanted_[port] != told_[port]; }
  /// The groups that the last frame to the other end paused.
  GroupSet told(PortNumber port) const { return told_[port]; }
  /// The groups that the port's input wants paused, which now count as sent.
  GroupSet tell(PortNumber port) { return told_[port] = wanted_[port]; }
  /// Calls visit(port) for each that has come to owe a frame since the last call, or owed one already.
  template <typename Visit>
  void for_changed(Visit visit) {
    for (const PortNumber port : changed_) visit(port);
    changed_.clear();
  }
  /// for_changed has something to visit.
  bool has_changed() const { return !changed_.empty(); }
  /// When a pause may end, so that it has to be settled then; SimTime::max() if nothing is paused.
  SimTime next_end() const {
    return paused_ > 0 && !releases_.empty() ? releases_.front().at : SimTime::max();
  }

 private:
  struct Release {
    SimTime at;
    std::size_t account;
    Bytes size;
    bool operator<(const Release& other) const { return at > other.at; }  // std::push_heap keeps the soonest
  };
  void end_pauses();

  SharedBuffer buffer_;
  unsigned groups_;
  std::vector<GroupSet> wanted_, told_;  // by port; none without pauses
  std::size_t paused_ = 0;               // accounts
  std::vector<PortNumber> changed_;
  std::vector<Release> releases_;  // a heap
};

/// A switch's, by the parameters; null without one.
std::unique_ptr<SwitchMemory> make_switch_memory(const Core& core, SwitchId at);

}  // namespace morgana::fabric
