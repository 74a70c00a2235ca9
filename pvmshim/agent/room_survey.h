#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "pvmshim/agent/frame.h"
#include "pvmshim/launch/process/ranks_at_rest.h"

namespace morgana {

/// What an agent says of its ranks when it is asked (FrameKind::room).
struct RoomReply {
  std::uint64_t question = 0;  ///< its number
  RanksAtRest rest;
  /// How often it has told other agents that ranks here have read their payloads, and how often others have
  /// told it that.
  std::uint64_t told = 0, heard = 0;
};
std::vector<std::byte> encode(const RoomReply& reply);
/// @throws MalformedFrame
RoomReply decode_room_reply(std::span<const std::byte> content);

/// Finds out whether a run on several machines can't go on because a rank's memory is full of messages that
/// nobody reads: the rank sleeps until there is room. On one machine that is seen at once (LiveProgram).
///
/// When all has been still for a while, each agent is asked. If the ranks of all rest, one of them for lack
/// of room, if agents have heard all that they have told each other, and if the emulator has neither heard
/// from a rank nor answered one since it has asked, nothing is left that could wake a rank.
class RoomSurvey {
 public:
  using Clock = std::chrono::steady_clock;
  /// So long all must have been still, and as long passes at least between two questions.
  static constexpr std::chrono::seconds stillness{1};

  /// @param moves  how much ranks and emulator have said to each other so far; grows
  /// @return the number of the question that all agents are to be asked now; nothing if none is due, or if
  /// not all have replied to the last one, since which nothing was said
  std::optional<std::uint64_t> question_due(Clock::time_point now, std::uint64_t moves, std::size_t agents);
  void take(std::size_t agent, RoomReply reply);
  /// @return why the run can't go on, if it can't
  std::optional<std::string> why_stuck(std::size_t agents, std::uint64_t moves) const;

 private:
  std::uint64_t moves_ = 0;     ///< as it was last seen
  std::uint64_t asked_at_ = 0;  ///< likewise when the last question was issued
  Clock::time_point still_from_ = Clock::now();
  std::uint64_t question_ = 0;  ///< the last one's number
  std::map<std::size_t, RoomReply> replies_;
};

}  // namespace morgana
