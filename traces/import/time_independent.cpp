#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "traces/import/imported_program.h"
#include "traces/import/time_independent_action.h"
#include "traces/import/time_independent_rank.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using namespace time_independent;

class TimeIndependentProgram final : public ImportedProgram {
 public:
  TimeIndependentProgram(const fs::path& file, std::optional<double> flops_per_second);
  std::size_t ranks() const override { return ranks_.size(); }
  void next(Rank rank, Operation& operation) override;
  std::vector<std::string> notices() const override;

 private:
  using Words = std::vector<std::string_view>;
  void read_list(const fs::path& file);
  void read_shared(const std::shared_ptr<MappedText>& text);

  std::vector<TimeIndependentRank> ranks_;
  std::optional<double> flops_per_second_;
  ImportCounts counts_;
};

TimeIndependentProgram::TimeIndependentProgram(const fs::path& file, std::optional<double> flops_per_second)
    : flops_per_second_(flops_per_second) {
  MappedText text(file);
  Words words;
  while (words.empty() || words[0].starts_with('#')) {
    const auto line = text.next_line();
    if (!line)
      throw Error(fmt::format("{}: holds neither actions nor names of files that do", file.string()));
    words = words_of(*line);
  }
  if (words.size() > 1 && parsed_number<int>(words[0])) {
    read_shared(std::make_shared<MappedText>(file));
  } else {
    read_list(file);
  }
}

/// Names of files are relative to where the command runs, as SMPI's are, or else to the list's folder.
void TimeIndependentProgram::read_list(const fs::path& file) {
  std::vector<std::shared_ptr<MappedText>> texts;
  MappedText lines(file);
  while (const auto line = lines.next_line()) {
    const Words words = words_of(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (words.size() > 1)
      lines.refuse(fmt::format(
          "\"{}\" is neither an action (a rank, its name, parameters) nor the name of a rank's file",
          line->substr(0, 60)));
    fs::path named(words[0]);
    if (!fs::exists(named) && named.is_relative()) named = file.parent_path() / named;
    if (!fs::exists(named))
      lines.refuse(fmt::format(
          "there is no file {}, which this list names: an SMPI trace (ti) lists its ranks' files, one a line",
          words[0]));
    texts.push_back(std::make_shared<MappedText>(named));
  }
  if (texts.size() == 1) {
    read_shared(texts[0]);
    return;
  }
  for (auto& text : texts) ranks_.emplace_back().lines.text = std::move(text);
}

void TimeIndependentProgram::read_shared(const std::shared_ptr<MappedText>& text) {
  constexpr int most_ranks = 1'000'000;
  while (const auto line = text->next_line()) {
    const Words words = words_of(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    const auto rank = parsed_number<int>(words[0]);
    if (!rank || *rank < 0 || *rank >= most_ranks)
      text->refuse(
          fmt::format("a line begins with its rank's number, this one with \"{}\"", words[0].substr(0, 30)));
    if (static_cast<std::size_t>(*rank) >= ranks_.size()) ranks_.resize(static_cast<std::size_t>(*rank) + 1);
    ranks_[static_cast<std::size_t>(*rank)].lines.shared.emplace_back(*line, text->line());
  }
  for (TimeIndependentRank& rank : ranks_) rank.lines.text = text;
}

void TimeIndependentProgram::next(Rank rank, Operation& operation) {
  operation = ranks_[index(rank)].next(static_cast<int>(rank), ranks_.size(), flops_per_second_, counts_);
}

std::vector<std::string> TimeIndependentProgram::notices() const {
  std::vector<std::string> all;
  if (counts_.waits_without_request > 0)
    all.push_back(fmt::format("{} {} for a request that is not pending: left out, as SMPI does",
                              counts_.waits_without_request,
                              counts_.waits_without_request == 1 ? "wait is" : "waits are"));
  if (counts_.communicators > 0)
    all.push_back(
        "communicators were made, of which such a trace does not tell: all of their collectives are on "
        "MPI_COMM_WORLD");
  if (counts_.derived_types > 0)
    all.push_back(fmt::format(
        "{} {} derived datatypes, whose size such a trace does not tell: they move nothing, as in SMPI's "
        "own replay",
        counts_.derived_types, counts_.derived_types == 1 ? "action names" : "actions name"));
  return all;
}

}  // namespace

std::unique_ptr<ImportedProgram> read_time_independent(const fs::path& file,
                                                       std::optional<double> flops_per_second) {
  return std::make_unique<TimeIndependentProgram>(file, flops_per_second);
}

}  // namespace morgana
