#include "traces/time_independent_action.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "emulator/core/error.h"

namespace morgana::time_independent {
namespace {

/// Sizes of datatypes by their numbers.
constexpr std::array<std::int64_t, 7> type_sizes{8, 4, 1, 2, 8, 4, 1};

}  // namespace

void RankLines::refuse(const std::string& what) const {
  const std::size_t number = shared.empty() ? text->line() : shared[at - 1].second;
  throw Error(fmt::format("{}:{}: {}", text->file().string(), number, what));
}

std::optional<std::vector<std::string_view>> RankLines::next(std::size_t rank) {
  if (!shared.empty()) {
    if (at == shared.size()) return std::nullopt;
    return words_of(shared[at++].first);
  }
  while (const auto line = text->next_line()) {
    auto words = words_of(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (parsed_number<std::size_t>(words[0]) != rank)
      refuse(fmt::format("this is the file of rank {}, but the line begins with \"{}\"", rank,
                         words[0].substr(0, 30)));
    return words;
  }
  return std::nullopt;
}

std::string_view Action::word(const char* what) {
  if (left() == 0) refuse(fmt::format("\"{}\" lacks {}", name(), what));
  return words_[at_++];
}

int Action::whole(const char* what) {
  const std::string_view text = word(what);
  const auto number = parsed_number<int>(text);
  if (!number) refuse(fmt::format("\"{}\" of \"{}\" is no whole number: {} is meant", text, name(), what));
  return *number;
}

double Action::number(const char* what) {
  const std::string_view text = word(what);
  const auto number = parsed_number<double>(text);
  if (!number || !std::isfinite(*number))
    refuse(fmt::format("\"{}\" of \"{}\" is no number: {} is meant", text, name(), what));
  return *number;
}

std::int64_t Action::count(const char* what) {
  const double read = number(what);
  if (read < 0 || read > static_cast<double>(most_elements))
    refuse(fmt::format("{} of \"{}\" is {}, which no message can have", what, name(), words_[at_ - 1]));
  return static_cast<std::int64_t>(read);
}

std::vector<std::int64_t> Action::counts(const char* what) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < ranks_; ++i) all.push_back(count(what));
  return all;
}

std::int64_t Action::type_size() {
  if (left() == 0) return type_size_;
  const int type = whole("a datatype's number");
  if (type < 0 || static_cast<std::size_t>(type) >= type_sizes.size())
    refuse(fmt::format(
        "{} is no datatype that SMPI writes: 0 double, 1 int, 2 char, 3 short, 4 long, 5 float, 6 byte",
        type));
  return type_sizes[static_cast<std::size_t>(type)];
}

Rank Action::peer(const char* what) {
  const int rank = whole(what);
  if (rank == undefined_peer || rank == any_source_there) return any_rank;
  if (rank != nobody && (rank < 0 || static_cast<std::size_t>(rank) >= ranks_))
    refuse(fmt::format("{} of \"{}\" is rank {}, but the ranks are 0 to {}", what, name(), rank, ranks_ - 1));
  return Rank{rank};
}

std::int32_t Action::root() {
  if (left() == 0) return 0;
  const int rank = whole("the root");
  if (rank < 0 || static_cast<std::size_t>(rank) >= ranks_)
    refuse(fmt::format("the root of \"{}\" is rank {}, but the ranks are 0 to {}", name(), rank, ranks_ - 1));
  return rank;
}

}  // namespace morgana::time_independent
