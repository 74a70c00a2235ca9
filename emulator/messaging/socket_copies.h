#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <optional>

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
  /// Whether the receiver's processor reads its data piece by piece.
  bool are_read(const LibraryMessage& message) const {
    return machine_.messages.receive_per_byte != ByteCost() && pass(message);
  }
  /// What is copied in one go: at most the eager limit. The first piece is what is left over.
  Bytes piece(const LibraryMessage& message) const;
  /// What can be read of a message, and when more can, of what has come already.
  struct Readable {
    Bytes bytes;
    std::optional<SimTime> more_at;
  };
  /// Whole pieces alone are read, and none before the sender's kernel has copied it.
  /// @param come  of what is left, into the receiver's socket. @param copied  when the sender's kernel has
  /// copied all
  Readable readable(const LibraryMessage& message, Bytes come, SimTime copied) const;

 private:
  const Machine& machine_;
  tsl::robin_map<std::uint32_t, SimTime> until_;  // by sender: end of its last copy into a socket
};

}  // namespace morgana
