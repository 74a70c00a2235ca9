#include "traces/import/time_independent_action.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "emulator/core/error.h"

namespace morgana::time_independent {
namespace {

/// Sizes of SMPI's datatypes by their numbers, as SMPI itself has them (src/smpi/mpi/smpi_datatype.cpp of
/// SimGrid 3.32), whatever the MPI standard says of INTEGER1 and COMPLEX32.
constexpr std::array<std::int64_t, 60> type_sizes{
    8,  4,  1,  2,  8,  4, 1,  // double, int, char, short, long, float, byte
    8,  1,  1,  2,  4,  8, 8,  // long long, signed and unsigned char, unsigned short, int, long, long long
    16, 4,  1,                 // long double, wchar, C bool
    1,  2,  4,  8,  1,  2, 4,
    8,           // int8 to int64, uint8 to uint64
    8,  16, 32,  // complex of float, double, long double
    8,  8,       // Aint, Offset
    8,  16, 16, 8,  8,  8, 16,
    16,                  // float-int, long-int, double-int, short-int, 2 int, 2 float, 2 double, 2 long
    4,  4,  8,  16,      // Fortran: real, real4, real8, real16
    8,  16, 16,          // complex8, complex16, complex32
    4,  2,  4,  8,  16,  // integer1, integer2, integer4, integer8, integer16
    32, 1,  8,  16, 32,  // long-double-int; C++: bool, complex of float, double, long double
    0,  0,  1,  8,  8};  // UB, LB, packed, pointer, Count
constexpr int derived_type = -1;

/// Why an action that smpirun writes can't be carried out. SMPI's own replay does not know these either.
constexpr std::string_view which_requests =
    "the trace does not tell which requests are meant: record a program that calls MPI_Wait or MPI_Waitall";
constexpr std::string_view which_direction =
    "the trace does not tell whether a persistent request sends or receives: record a program that calls "
    "MPI_Isend and MPI_Irecv";
constexpr std::string_view one_sided =
    "one-sided communication can't be replayed from such a trace, which tells neither windows nor groups";
constexpr std::string_view files = "accesses to files can't be replayed";

struct Untold {
  std::string_view name;  ///< what the action's name begins with
  std::string_view why;
};
constexpr std::array untold_actions{Untold{"waitAny", which_requests},
                                    Untold{"testany", which_requests},
                                    Untold{"testall", which_requests},
                                    Untold{"testsome", which_requests},
                                    Untold{"Start", which_direction},
                                    Untold{"Win_", one_sided},
                                    Untold{"Put", one_sided},
                                    Untold{"Get", one_sided},
                                    Untold{"Accumulate", one_sided},
                                    Untold{"Rput", one_sided},
                                    Untold{"Rget", one_sided},
                                    Untold{"Raccumulate", one_sided},
                                    Untold{"Compare_and_swap", one_sided},
                                    Untold{"IO", files}};

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
  if (!number) refuse(fmt::format("\"{}\" of \"{}\" is not a whole number: write {}", text, name(), what));
  return *number;
}

double Action::number(const char* what) {
  const std::string_view text = word(what);
  const auto number = parsed_number<double>(text);
  if (!number || !std::isfinite(*number))
    refuse(fmt::format("\"{}\" of \"{}\" is not a number: write {}", text, name(), what));
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
  if (type == derived_type) {
    has_derived_type_ = true;
    return 0;
  }
  if (type < 0 || static_cast<std::size_t>(type) >= type_sizes.size())
    refuse(fmt::format("{} is not a datatype of SMPI's: their numbers are 0 to {}, and -1 for a derived one",
                       type, type_sizes.size() - 1));
  return type_sizes[static_cast<std::size_t>(type)];
}

void Action::refuse_action() const {
  for (const Untold& untold : untold_actions)
    if (name().starts_with(untold.name))
      refuse(fmt::format("\"{}\" can't be carried out: {}", name(), untold.why));
  refuse(fmt::format("SMPI has no action \"{}\"", name().substr(0, 40)));
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
