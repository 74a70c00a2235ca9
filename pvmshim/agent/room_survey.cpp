#include "pvmshim/agent/room_survey.h"

#include <algorithm>
#include <utility>

namespace morgana {

std::vector<std::byte> encode(const RoomReply& reply) {
  return ContentWriter()
      .number(reply.question)
      .number(reply.rest.all ? 1 : 0)
      .text(reply.rest.out_of_room)
      .number(reply.told)
      .number(reply.heard)
      .bytes();
}

RoomReply decode_room_reply(std::span<const std::byte> content) {
  ContentReader from(content);
  RoomReply reply;
  reply.question = from.number();
  reply.rest.all = from.number() != 0;
  reply.rest.out_of_room = from.text();
  reply.told = from.number();
  reply.heard = from.number();
  return reply;
}

std::optional<std::uint64_t> RoomSurvey::question_due(Clock::time_point now, std::uint64_t moves,
                                                      std::size_t agents) {
  if (std::exchange(moves_, moves) != moves) still_from_ = now;
  if (now - still_from_ < stillness) return std::nullopt;
  if (question_ > 0 && asked_at_ == moves && replies_.size() < agents) return std::nullopt;
  still_from_ = now;  // of the next question
  asked_at_ = moves;
  replies_.clear();
  return ++question_;
}

void RoomSurvey::take(std::size_t agent, RoomReply reply) {
  if (reply.question == question_) replies_[agent] = std::move(reply);
}

std::optional<std::string> RoomSurvey::why_stuck(std::size_t agents, std::uint64_t moves) const {
  if (moves != asked_at_ || replies_.size() < agents) return std::nullopt;
  std::uint64_t told = 0, heard = 0;
  std::optional<std::string> why;
  for (const auto& [agent, reply] : replies_) {
    if (!reply.rest.all) return std::nullopt;
    if (!why && !reply.rest.out_of_room.empty()) why = reply.rest.out_of_room;
    told += reply.told;
    heard += reply.heard;
  }
  return told == heard ? why : std::nullopt;
}

}  // namespace morgana
