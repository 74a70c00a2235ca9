#include "pvmshim/agent/waiting_answers.h"

#include <fmt/format.h>

#include <utility>

#include "pvmshim/agent/frame.h"
#include "pvmshim/channel/marked_payload.h"

namespace morgana {
namespace {

template <typename SomeAnswer, typename What>
void for_each_payload(SomeAnswer& answer, const What& what) {
  for (auto& completed : answer.completed) {
    if (completed.payload != 0) what(completed.payload);
    for (auto& deposit : completed.deposits)
      if (deposit != 0) what(deposit);
  }
}

}  // namespace

void WaitingAnswers::expect(std::int32_t agent, std::uint64_t sent) {
  if (agent < 0 || static_cast<std::size_t>(agent) >= expected_.size())
    throw MalformedFrame(fmt::format("there is no agent {}", agent));
  expected_[static_cast<std::size_t>(agent)] = sent;
}

void WaitingAnswers::add(Rank rank, Answer answer) {
  waiting_.push_back({rank, std::move(answer), expected_});
  has_any_ = true;
}

bool WaitingAnswers::add_or_give(Rank rank, Answer answer) {
  add(rank, std::move(answer));
  bool is_given = false;
  try {
    is_given = give(waiting_.back());
  } catch (...) {
    waiting_.pop_back();
    has_any_ = !waiting_.empty();
    throw;
  }
  if (is_given) waiting_.pop_back();
  has_any_ = !waiting_.empty();
  return is_given;
}

bool WaitingAnswers::give_all() {
  has_any_ = !waiting_.empty();
  std::erase_if(waiting_, [this](Waiting& waiting) { return give(waiting); });
  has_any_ = !waiting_.empty();
  return waiting_.empty();
}

/// Asks for payloads that are not here.
bool WaitingAnswers::has_all(const Waiting& waiting) {
  for (std::size_t agent = 0; agent < come_.size(); ++agent)
    if (come_[agent] < waiting.expected[agent]) return false;
  bool is_whole = true;
  for_each_payload(waiting.answer, [&](std::uint64_t payload) {
    if (surroundings_.is_here(payload)) {
      asked_for_.erase(payload);
      return;
    }
    is_whole = false;
    if (asked_for_.insert(payload).second) surroundings_.ask_for(payload);
  });
  return is_whole;
}

bool WaitingAnswers::give(Waiting& waiting) {
  if (!has_all(waiting)) return false;
  for_each_payload(waiting.answer, [](std::uint64_t& payload) { payload = without_mark(payload); });
  surroundings_.give(waiting.rank, waiting.answer);
  return true;
}

}  // namespace morgana
