#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

#include "emulator/process/collectives/agreed_sizes.h"
#include "emulator/process/collectives/schedule.h"
#include "emulator/process/context_table.h"
#include "emulator/process/messenger.h"

namespace morgana {

/// The bit that tells a collective's messages from the program's own in the same context.
constexpr std::uint64_t collective_plane = std::uint64_t{1} << 63;

/// Told when a rank's part of a collective is done.
class CollectiveClient {
 public:
  /// @param done  >= now: the rank's processor may still be busy with the last message
  /// @param deposits  what every member has given so far, by its place; empty if no member gave anything
  virtual void collective_done(std::uint32_t request, SimTime done,
                               const std::vector<std::uint64_t>& deposits) = 0;

 protected:
  ~CollectiveClient() = default;
};

/// Carries out ranks' parts of collectives: each is a schedule of sends, receives and reductions, run step by
/// step on a clock of its own from the moment the rank enters, with the message layer's costs. A rank that
/// waits meanwhile spends that time in the call; one that computes (a nonblocking collective) is not slowed:
/// its progress is the library's own.
class CollectiveRunner : private EventHandler {
 public:
  /// Tokens of this runner's messages are those from `first_token` on.
  static constexpr std::uint32_t first_token = std::uint32_t{1} << 31;

  CollectiveRunner(Machine& machine, Messenger& messenger, CollectiveClient& client,
                   const ContextTable& contexts);

  /// @param rank  enters now with `operation`, a collective, under `request`
  /// @throws Error if it does not fit what other members have entered, or its sizes make no sense
  void enter(Rank rank, const Operation& operation, std::uint32_t request);

  // Of the messages with this runner's tokens:
  void sent(Token token);
  void received(Token token, SimTime cost);

 private:
  struct Instance {  // one collective of one context, as far as any member has come
    Context context{};
    CollectiveKind kind{};
    Call call{};
    std::int32_t root = 0, first_group = 0;
    Rank first_to_enter{};
    std::uint64_t sequence = 0;
    std::size_t members = 0, entered = 0, left = 0;
    std::vector<std::uint64_t> deposits;
    collectives::AgreedSizes sizes;  // as the first to enter has said
  };
  struct Part {  // one rank's
    Rank rank{};
    std::uint32_t request = 0, instance = 0;
    Envelope plane;  // of this collective's messages, source = the rank
    Schedule schedule;
    std::size_t next_step = 0;
    std::uint32_t pending = 0;  // messages of the group under way
    SimTime clock;
    SimTime owed;  // receives that completed while the group was being started
    bool starting = false;
  };

  std::uint32_t instance_for(Rank rank, const Operation& operation, std::size_t members,
                             std::uint64_t sequence);
  static bool same_root(const Instance& instance, const CollectivePart& part);
  void handle(std::uint64_t part) override;
  void run(std::uint32_t part);
  bool must_start_on_time(const Part& part) const;
  void start_group(std::uint32_t part);
  void finish(std::uint32_t part);

  Machine& machine_;
  Messenger& messenger_;
  CollectiveClient& client_;
  const ContextTable& contexts_;

  struct Turn {  // the how-manieth collective of a context
    Context context{};
    std::uint64_t sequence = 0;
    bool operator==(const Turn&) const = default;
  };
  struct TurnHash {
    std::size_t operator()(const Turn& turn) const;
  };
  tsl::robin_map<Turn, std::uint32_t, TurnHash> open_;
  std::vector<tsl::robin_map<Context, std::uint64_t>> turns_;  // by rank: collectives entered
  std::vector<Instance> instances_;
  std::vector<std::uint32_t> free_instances_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> free_parts_;
};

}  // namespace morgana
