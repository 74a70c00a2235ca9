#include "emulator/process/losses.h"

#include <fmt/format.h>

namespace morgana {
namespace {
constexpr std::size_t listed = 5;
}

void Losses::add(const LostMessage& message) {
  ++count_;
  if (first_.size() < listed) first_.push_back(message);
}

std::string Losses::report(const std::string& remedy) const {
  if (count_ == 0) return {};
  std::string text = fmt::format("{} {} lost: whoever waits for {} waits for ever", count_,
                                 count_ == 1 ? "message was" : "messages were", count_ == 1 ? "it" : "them");
  if (!remedy.empty()) text += "; " + remedy;
  for (const LostMessage& lost : first_) {
    text += fmt::format("\n  {} of {} bytes with tag {} from rank {} to rank {}, at {:.9f} s", lost.what,
                        lost.bytes.count(), static_cast<std::int32_t>(lost.tag),
                        static_cast<std::int32_t>(lost.from), static_cast<std::int32_t>(lost.to),
                        lost.at.seconds());
    if (!lost.where.empty()) text += ": " + lost.where;
  }
  if (count_ > first_.size()) text += fmt::format("\n  and {} more", count_ - first_.size());
  return text;
}

}  // namespace morgana
