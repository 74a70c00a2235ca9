#include "emulator/collectives/nccl/nccl_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "emulator/collectives/nccl/nccl_model.h"
#include "emulator/core/error.h"

namespace morgana::nccl {
namespace {

constexpr std::string_view columns =
    "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks[,numPipeOps[,regBuff]]";
constexpr std::size_t least_fields = 8, most_fields = 10;
constexpr std::int64_t most_channels = 64;  // MAXCHANNELS

using NamedCollective = std::pair<std::string_view, MeasuredCollective>;
constexpr std::array<NamedCollective, 5> tuned_collectives{
    NamedCollective{"broadcast", MeasuredCollective::broadcast},
    NamedCollective{"reduce", MeasuredCollective::reduce},
    NamedCollective{"allgather", MeasuredCollective::all_gather},
    NamedCollective{"reducescatter", MeasuredCollective::reduce_scatter},
    NamedCollective{"allreduce", MeasuredCollective::all_reduce}};
constexpr std::array<std::string_view, 7> algorithm_names{
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, protocols> protocol_names{"ll", "ll128", "simple"};

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// A field as an error shows it: of a damaged file it may be long, and no text.
std::string shown_field(std::string_view field) {
  constexpr std::size_t most_shown = 40;
  std::string text;
  for (const char c : field.substr(0, most_shown)) text += c >= ' ' && c <= '~' ? c : '?';
  return "\"" + text + (field.size() > most_shown ? "...\"" : "\"");
}

template <std::size_t count>
std::size_t word_in(std::string_view field, const std::array<std::string_view, count>& words,
                    std::string_view what, const std::string& where) {
  const auto found = std::ranges::find(words, field);
  if (found == words.end())
    throw Error(fmt::format("{}: the {} {} is not valid; write {}", where, what, shown_field(field),
                            fmt::join(words, ", ")));
  return static_cast<std::size_t>(found - words.begin());
}

std::int64_t number_in(std::string_view field, std::string_view what, std::int64_t least, std::int64_t most,
                       const std::string& where) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  const bool is_number = error == std::errc() && end == field.data() + field.size();
  if (is_number && number == -1) return -1;
  if (!is_number || number < least || number > most)
    throw Error(fmt::format("{}: the {} {} is not valid; write {}, or -1 for any", where, what,
                            shown_field(field),
                            most == std::numeric_limits<std::int64_t>::max()
                                ? fmt::format("a number from {} on", least)
                                : fmt::format("a number from {} to {}", least, most)));
  return number;
}

}  // namespace

Tuner::Line Tuner::read_line(std::string_view text, const std::string& where) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0, comma = 0; comma != std::string_view::npos; begin = comma + 1) {
    comma = text.find(',', begin);
    fields.push_back(without_blanks(text.substr(begin, comma - begin)));
  }
  if (fields.size() < least_fields || fields.size() > most_fields)
    throw Error(fmt::format("{}: {} {} and not {} to {}: a line is {}", where, fields.size(),
                            fields.size() == 1 ? "field" : "fields", least_fields, most_fields, columns));
  constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t most_ranks = std::numeric_limits<std::int32_t>::max();
  std::array<std::string_view, tuned_collectives.size()> collectives;
  std::ranges::transform(tuned_collectives, collectives.begin(), &NamedCollective::first);
  Line line{};
  line.collective = tuned_collectives[word_in(fields[0], collectives, "collective", where)].second;
  line.least = std::max<std::int64_t>(number_in(fields[1], "least size", 0, unlimited, where), 0);
  line.most = number_in(fields[2], "largest size", 0, unlimited, where);
  if (line.most == -1) line.most = unlimited;
  if (line.least > line.most)
    throw Error(fmt::format("{}: no size is at least {} and at most {}: write min_bytes, then max_bytes",
                            where, line.least, line.most));
  line.algorithm = static_cast<Named>(word_in(fields[3], algorithm_names, "algorithm", where));
  line.protocol = static_cast<Protocol>(word_in(fields[4], protocol_names, "protocol", where));
  line.channels = number_in(fields[5], "number of channels", 1, most_channels, where);
  line.nodes = number_in(fields[6], "number of nodes", 1, most_ranks, where);
  line.ranks = number_in(fields[7], "number of ranks", 1, most_ranks, where);
  line.pipe_operations =
      fields.size() > 8 ? number_in(fields[8], "number of pipeline operations", 0, most_ranks, where) : -1;
  line.registered = fields.size() > 9 ? number_in(fields[9], "registration of buffers", 0, 1, where) : -1;
  return line;
}

Tuner Tuner::parse(std::string_view text, const std::string& file) {
  Tuner tuner;
  tuner.file_ = file;
  std::size_t number = 0;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    ++number;
    const std::string_view line = without_blanks(text.substr(begin, end - begin));
    if (line.empty() || line.front() == '#') continue;
    tuner.lines_.push_back(read_line(line, fmt::format("{}:{}", file, number)));
    tuner.lines_.back().number = number;
  }
  if (tuner.lines_.empty()) throw Error(fmt::format("{}: it tunes nothing: write a line {}", file, columns));
  return tuner;
}

/// Whether NCCL has this algorithm and protocol for the collective (src/graph/tuning.cc).
bool Tuner::known_to_nccl(const Line& line) {
  const MeasuredCollective collective = line.collective;
  switch (line.algorithm) {
    case Named::ring:
      return true;
    case Named::tree:
      return collective == MeasuredCollective::all_reduce;
    case Named::collnet_chain:
    case Named::nvls_tree:
      return collective == MeasuredCollective::all_reduce && line.protocol == Protocol::simple;
    case Named::collnet_direct:
    case Named::nvls:
      return collective != MeasuredCollective::broadcast && collective != MeasuredCollective::reduce &&
             line.protocol == Protocol::simple;
    case Named::pat:
      return (collective == MeasuredCollective::all_gather ||
              collective == MeasuredCollective::reduce_scatter) &&
             line.protocol == Protocol::simple;
  }
  return false;
}

Algorithm Tuner::algorithm_of(Named algorithm) {
  switch (algorithm) {
    case Named::tree:
      return Algorithm::tree;
    case Named::ring:
      return Algorithm::ring;
    case Named::collnet_direct:
      return Algorithm::collnet_direct;
    case Named::collnet_chain:
      return Algorithm::collnet_chain;
    case Named::nvls:
      return Algorithm::nvls;
    case Named::nvls_tree:
      return Algorithm::nvls_tree;
    case Named::pat:
      break;
  }
  return Algorithm::pat;
}

std::optional<Tuner::Decision> Tuner::decide(MeasuredCollective collective, std::int64_t bytes,
                                             const GpuLayout& layout, const Parameters& parameters) const {
  const auto fits = [](std::int64_t asked, std::int64_t is) { return asked == -1 || asked == is; };
  for (const Line& line : lines_) {
    if (line.collective != collective || bytes < line.least || bytes > line.most ||
        !fits(line.nodes, layout.nodes()) || !fits(line.ranks, layout.ranks) ||
        !fits(line.pipe_operations, 1) || !fits(line.registered, 0) || !known_to_nccl(line))
      continue;
    const Algorithm algorithm = algorithm_of(line.algorithm);
    const std::optional<Refusal> refusal = why_not(algorithm, collective, layout, parameters);
    if (refusal && !refusal->by_model) continue;
    if (refusal)
      throw Error(fmt::format("{}:{}: it selects {} for {} of {} B over {} ranks, but {}; write ring{}{}",
                              file_, line.number, name_of(algorithm), name_of(collective), bytes,
                              layout.ranks, refusal->why,
                              collective == MeasuredCollective::all_reduce ? " or tree" : "",
                              layout.collnet == Reducers::may_fail ? ", or leave out network.faults" : ""));
    Decision decision;
    decision.algorithm = algorithm;
    decision.protocol = line.protocol;
    decision.channels = line.channels == -1 ? 0 : static_cast<std::uint32_t>(line.channels);
    decision.line = line.number;
    return decision;
  }
  return std::nullopt;
}

void refuse_tuner(const Tuner& tuner) {
  throw Error(fmt::format(
      "{}: MPICH has no tuner: set collectives.library=nccl, or leave out collectives.tuner", tuner.file()));
}

}  // namespace morgana::nccl
