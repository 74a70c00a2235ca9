#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/host/host_memory.h"
#include "emulator/messaging/library_message.h"
#include "emulator/messaging/machine.h"

namespace morgana {

/// Is called when the data of a rendezvous have been copied within their host.
class HostCopyListener {
 public:
  virtual void copied_within_host(std::uint32_t message) = 0;

 protected:
  ~HostCopyListener() = default;
};

/// Copies of rendezvous within hosts, from one rank's memory to another's: what goes to the same receiver is
/// copied one after the other, in the order given; copies to different receivers share the host's memory
/// (HostMemory) if the machine has one.
class HostCopies : private EventHandler, private MemoryUser {
 public:
  /// All of them must outlive this object.
  HostCopies(Machine& machine, const LibraryMessageTable& messages, HostCopyListener& listener)
      : machine_(machine), messages_(messages), listener_(listener), until_(machine.host_of.size()) {}

  /// The message has met its receive: what is left of it is to be copied.
  void copy(std::uint32_t message);

 private:
  void begin(std::uint32_t message);
  void done(std::uint32_t message);
  void handle(std::uint64_t message) override { done(static_cast<std::uint32_t>(message)); }
  bool serves_program() const override { return true; }
  void memory_done(std::uint64_t message, CopyId) override { done(static_cast<std::uint32_t>(message)); }

  Machine& machine_;
  const LibraryMessageTable& messages_;
  HostCopyListener& listener_;
  std::vector<SimTime> until_;  // by receiver: end of its last copy, where nothing slows them
  // Where the host's memory may: by receiver, those that wait for its copies and the one under way.
  tsl::robin_map<std::uint32_t, std::deque<std::uint32_t>> lines_;
};

}  // namespace morgana
