#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/operations/operation.h"
#include "traces/import/mapped_text.h"

// The lines of SMPI's time-independent traces and their parameters.
namespace morgana::time_independent {

/// What SMPI writes for its MPI_UNDEFINED, MPI_ANY_TAG, MPI_ANY_SOURCE and MPI_PROC_NULL: a receive from any
/// source stands there as from an undefined rank.
constexpr int undefined_peer = -333, any_tag_there = -444, any_source_there = -555, nobody = -666;
constexpr std::int64_t most_elements = std::int64_t{1} << 47;

/// A rank's lines: of a file of its own, or of one for all.
struct RankLines {
  std::shared_ptr<MappedText> text;
  std::vector<std::pair<std::string_view, std::size_t>> shared;  ///< of one for all: lines and their numbers
  std::size_t at = 0;

  /// The words of the rank's next line that has any; nothing after the last.
  /// @throws Error if it begins with another rank
  std::optional<std::vector<std::string_view>> next(std::size_t rank);
  /// @throws Error: file, the line that was read last, and what is wrong there
  [[noreturn]] void refuse(const std::string& what) const;
};

/// One line's action and its parameters, read in order. Each throws Error naming `what` is missing or wrong.
class Action {
 public:
  /// @param words  the line's, at least a rank and an action
  /// @param type_size  of elements whose datatype is not given
  Action(const RankLines& lines, std::vector<std::string_view> words, std::size_t ranks,
         std::int64_t type_size)
      : lines_(lines), words_(std::move(words)), ranks_(ranks), type_size_(type_size) {}

  std::string_view name() const { return words_[1]; }
  /// Parameters that have not been read yet.
  std::size_t left() const { return words_.size() - at_; }
  int whole(const char* what);
  double number(const char* what);
  /// Of elements, >= 0.
  std::int64_t count(const char* what);
  /// One for each rank.
  std::vector<std::int64_t> counts(const char* what);
  /// Of a datatype's element, in bytes: 0 for a derived one, whose size such a trace does not have.
  std::int64_t type_size();
  /// Of elements whose datatype is not given.
  std::int64_t default_type_size() const { return type_size_; }
  /// Whether type_size() has met a derived datatype.
  bool has_derived_type() const { return has_derived_type_; }
  Rank peer(const char* what);
  /// 0 if there are no more parameters.
  std::int32_t root();
  [[noreturn]] void refuse(const std::string& what) const { lines_.refuse(what); }
  /// Of an action that can't be carried out: why.
  [[noreturn]] void refuse_action() const;

 private:
  std::string_view word(const char* what);

  const RankLines& lines_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 2, ranks_;
  std::int64_t type_size_;
  bool has_derived_type_ = false;
};

/// An action that starts a collective.
struct StartedCollective {
  Operation operation;   ///< without a request; the first part of the call if it blocks, else the whole call
  double combining = 0;  ///< flops that follow it
  bool blocks = true;
  int wait_tag = 0;  ///< of one that does not block: the tag under which a wait or test names it, < 0
};
/// The collective that the action starts; nothing if it is no collective.
std::optional<StartedCollective> collective_of(Action& action, int rank);

/// The tag under which SMPI's waits name a collective; nothing if the tag is a message's.
std::optional<int> collective_tag(int tag);

}  // namespace morgana::time_independent
