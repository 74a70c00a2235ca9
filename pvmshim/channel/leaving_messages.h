#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/machine_streams.h"
#include "pvmshim/channel/marked_payload.h"
#include "pvmshim/channel/message_frames.h"
#include "pvmshim/channel/payload_arenas.h"

namespace morgana {

/// The values of ChannelHeader::leaving: whether messages to other machines wait for the agent to send them.
/// Ranks change only `none` to `left`, and then wake the agent.
enum class Leaving : std::uint32_t {
  none,  ///< no messages wait
  left,  ///< messages wait, and the agent has not checked since
  soon   ///< the agent checks again soon without being woken, as more may follow what it has just sent
};

/// A rank has put some on a line's list. @return whether the agent must be rung for
inline bool leave_to_agent(std::atomic<std::uint32_t>& leaving) {
  std::atomic_thread_fence(std::memory_order_seq_cst);  // either the agent sees the list, or we that it ends
  auto none = static_cast<std::uint32_t>(Leaving::none);
  return leaving.compare_exchange_strong(none, static_cast<std::uint32_t>(Leaving::left));
}

/// The agent looks. @param any  whether any list has some
/// @return whether it must send what there is
template <typename Any>
bool look_for_left(std::atomic<std::uint32_t>& leaving, const Any& any) {
  switch (static_cast<Leaving>(leaving.load(std::memory_order_relaxed))) {
    case Leaving::none:
      return false;
    case Leaving::soon:
      if (any()) return true;
      leaving.store(static_cast<std::uint32_t>(Leaving::none), std::memory_order_seq_cst);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      return any();
    default:
      leaving.store(static_cast<std::uint32_t>(Leaving::soon), std::memory_order_seq_cst);
      return true;
  }
}

/// A rank's messages to ranks on other machines, as far as they are announced to their receivers when they
/// are sent. They go on the list of their machine's line; the holder of the line sends all that is there: the
/// rank when it has to wait, or has waited, the agent otherwise.
class LeavingMessages {
 public:
  /// @param channel  the rank's
  LeavingMessages(std::string channel, Rank own) : streams_(std::move(channel)), own_(own) {}

  /// One more, addressed. @param own  the sender's slot. @param line  to the receiver's machine
  void put(RankSlot& own, MachineLine& line, std::uint32_t machine, const PayloadArenas& arenas,
           std::uint64_t payload) {
    const std::uint64_t mark = own.marks.fetch_add(1, std::memory_order_relaxed) | whole_by_owner;
    arenas.mark(payload, mark);
    last_ = payload;
    last_marked_ = marked(payload, short_mark(mark));
    line.promised.fetch_add(1, std::memory_order_release);
    arenas.put_on_list(line.leaving, payload);
    if (std::ranges::find(machines_, machine) == machines_.end()) machines_.push_back(machine);
  }
  /// Its operation as the agent must see it: with the mark.
  const Operation& as_told(const Operation& operation) {
    if (last_ == 0 || operation.kind != OperationKind::send || operation.payload != last_) return operation;
    told_ = operation;
    told_.payload = last_marked_;
    last_ = 0;
    return told_;
  }
  bool empty() const { return machines_.empty(); }
  /// Whether any has not left. @param line_to  a machine's line
  template <typename LineTo>
  bool has_any(const LineTo& line_to) {
    std::erase_if(machines_, [&](std::uint32_t machine) {
      return line_to(machine).leaving.load(std::memory_order_relaxed) == 0;
    });
    return !machines_.empty();
  }

  /// Sends all to the machines to which it has put any.
  /// @param line_to  a machine's line. @param throw_if_gone  called again and again while others hold it
  /// @return whether it could; what is left over is the agent's
  template <typename LineTo, typename ThrowIfGone>
  bool send(const LineTo& line_to, const PayloadArenas& arenas, const ThrowIfGone& throw_if_gone) {
    bool all = true;
    for (const std::uint32_t machine : std::exchange(machines_, {})) {
      MachineLine& line = line_to(machine);
      if (line.leaving.load(std::memory_order_relaxed) == 0) continue;
      const int socket = streams_.to(machine);
      if (socket < 0 || !send_on(line, machine, socket, arenas, throw_if_gone)) all = false;
    }
    return all;
  }

 private:
  /// @return false: the agent must look
  template <typename ThrowIfGone>
  bool send_on(MachineLine& line, std::uint32_t machine, int socket, const PayloadArenas& arenas,
               const ThrowIfGone& throw_if_gone) {
    const HeldLine held(line, throw_if_gone);
    if (line.broken.load(std::memory_order_relaxed)) return true;
    if (!streams_.has(machine)) return false;  // the program has closed it
    handles_.clear();
    arenas.take_list(line.leaving, handles_);
    if (send_messages(socket, arenas, handles_)) return true;
    line.break_off(static_cast<std::int32_t>(own_), errno);
    return false;
  }

  MachineStreams streams_;
  Rank own_;
  std::vector<std::uint32_t> machines_;
  std::vector<std::uint64_t> handles_;        // scratch
  std::uint64_t last_ = 0, last_marked_ = 0;  ///< whose operation has not been sent to the emulator
  Operation told_;                            // scratch
};

}  // namespace morgana
