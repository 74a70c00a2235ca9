#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/messaging/leg_number.h"
#include "emulator/messaging/losses.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/message_endpoints.h"
#include "emulator/messaging/nic_choice.h"

namespace morgana {

/// Is called when an access, a lock or its return is complete at its origin, and for how long its messages
/// have waited for retransmission timers.
class RemoteAccessClient {
 public:
  virtual void access_done(std::uint32_t request, Outcome outcome, SimTime timer_wait) = 0;

 protected:
  ~RemoteAccessClient() = default;
};

/// One-sided communication: reading and writing the memory of another rank, and the locks of its windows. The
/// target's NIC (on a common host: the origin's processor) does the work; the target's processor has no
/// part in it.
///
/// An access is a message there (with what is written) and one back (with what is read, or the
/// acknowledgement). Where hosts read and write each other's memory (Transport::remote_memory), an access
/// that only writes is a write and is done when that is acknowledged, and one that only reads is a read. A
/// lock is a request to the target, which grants locks in the order in which they arrive, shared ones
/// together; giving it back is a message that is acknowledged. An access whose message there is returned is
/// done, without having taken place; if the message back is lost, its origin waits without bound.
class RemoteAccess : private ShipmentListener, private EventHandler {
 public:
  RemoteAccess(Machine& machine, RemoteAccessClient& client)
      : machine_(machine), nics_(machine), endpoints_(machine), client_(client) {}

  struct Access {
    enum class Kind : std::uint8_t { memory, lock, unlock } kind = Kind::memory;
    Rank origin{}, target{};
    Context window{};
    bool exclusive = false;  ///< of a lock
    Bytes bytes;             ///< there
    Bytes reply;             ///< back
    SimTime ready;           ///< when the origin's processor has done its part, >= now
    std::uint32_t request = 0;
    SimTime timer_wait{};  ///< so far
  };
  /// CPU time that the origin spends before the access is ready.
  SimTime cost(Rank origin, Rank target, Bytes bytes, Bytes reply) const;
  void start(const Access& access);

  const Losses& losses() const { return losses_; }

 private:
  enum class Leg : std::uint8_t { start, there, back };
  using Number = LegNumber<Leg>;
  struct Lock {
    std::uint32_t holders = 0;
    bool exclusive = false;
    std::deque<std::uint32_t> waiting;  // accesses
  };
  struct LockName {
    Context window{};
    Rank target{};
    bool operator==(const LockName&) const = default;
  };
  struct LockNameHash {
    std::size_t operator()(const LockName& name) const;
  };

  void handle(std::uint64_t what) override;
  bool serves_program() const override { return true; }
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId id) override;
  void shipment_completed(MessageId id) override;
  void shipment_lost(MessageId id) override { note_undelivered(id, std::nullopt); }
  void shipment_returned(MessageId id, Outcome why) override;

  enum class By : std::uint8_t { messages, write, read };
  By by(const Access& access) const;
  void go(std::uint32_t access, Leg leg);
  void arrived(std::uint32_t access);
  void grant(Lock& lock);
  void done(std::uint32_t access, Outcome outcome);
  void note_undelivered(MessageId id, std::optional<Outcome> returned);

  Machine& machine_;
  NicsOfRanks nics_;
  MessageEndpoints endpoints_;
  RemoteAccessClient& client_;
  Pool<Access> accesses_;
  tsl::robin_map<LockName, Lock, LockNameHash> locks_;
  Losses losses_;
};

}  // namespace morgana
