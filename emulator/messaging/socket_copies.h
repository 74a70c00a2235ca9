#pragma once

#include <tsl/robin_map.h>

#include <cstdint>

#include "emulator/messaging/library_message.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// The data of rendezvous that pass the sockets of both hosts (Transport::copies_in_kernels): what the
/// kernels copy, in pieces of at most the eager limit. A rank's messages are copied one after the other.
class SocketCopies {
 public:
  /// @param machine  must outlive this object
  explicit SocketCopies(const Machine& machine) : machine_(machine) {}

  bool pass(const LibraryMessage& message) const;
  /// Copies into the sender's socket cost nothing.
  bool are_free() const { return machine_.messages.send_per_byte == ByteCost(); }
  struct Copied {
    SimTime first_piece, all;
  };
  /// The sender's kernel begins to copy, after what it copies for other messages of the rank. @return when it
  /// has copied
  Copied copy_in(const LibraryMessage& message);
  /// The receiver's kernel has copied what had come while the rank waited, but for the last piece. Data do
  /// not come before they are sent. Adds that to what completing the receive takes.
  void copy_out(const LibraryMessage& message, ReceivedMessage& received) const;

 private:
  /// What is copied in one go.
  Bytes piece(const LibraryMessage& message) const;

  const Machine& machine_;
  tsl::robin_map<std::uint32_t, SimTime> until_;  // by sender: end of its last copy into a socket
};

}  // namespace morgana
