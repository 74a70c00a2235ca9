#include "runs/fit/nccl_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {
namespace {

std::vector<std::string_view> words_of_line(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) return words;
    words.push_back(line.substr(0, line.find_first_of(blanks)));
    line.remove_prefix(words.back().size());
  }
}

bool all_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Where a heading has the columns of the measurement out of place.
struct LogColumns {
  std::size_t time = 0, algbw = 0, busbw = 0, count = 0;  ///< count: of all columns
  std::size_t redop = 0, root = 0;                        ///< count, if there are none
};

std::optional<LogColumns> columns_of(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const std::vector<std::string_view> words = words_of_line(line.substr(1));
  const auto place = [&words](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(words, name) - words.begin());
  };
  const LogColumns columns{place("time"), place("algbw"), place("busbw"),
                           words.size(),  place("redop"), place("root")};
  if (words.empty() || words.front() != "size" ||
      std::max({columns.time, columns.algbw, columns.busbw}) >= words.size())
    return std::nullopt;
  return columns;
}

class NcclLogReader {
 public:
  explicit NcclLogReader(const std::string& origin) : origin_(origin) {}

  void read(std::string_view line) {
    ++line_;
    if (const auto found = columns_of(line)) {
      columns_ = found;
      return;
    }
    const std::vector<std::string_view> words = words_of_line(line);
    if (words.empty()) return;
    if (line.starts_with('#')) return read_rank(words);
    if (columns_ && all_digits(words.front())) read_row(words);
  }

  NcclLog finish() && {
    constexpr std::size_t least_sizes = 9, most_sizes = 256;
    const std::string all_reduce = "give the whole output of all_reduce_perf on one node";
    if (ranks_.empty()) fail("no line \"# Rank ...\" says how many GPUs there were: " + all_reduce);
    if (ranks_.size() == 1) fail("it is a log of one GPU, which sends nothing: " + all_reduce);
    if (hosts_.size() > 1)
      fail(
          fmt::format("its ranks are on {} hosts, and keys of hops within a node do not follow from that: {}",
                      hosts_.size(), all_reduce));
    check_collective();
    if (sums_.size() < least_sizes)
      fail(fmt::format("it has {} sizes above 0, and three lines of time over size need {}: {}", sums_.size(),
                       least_sizes, "measure from 8 B to 8 GiB (-b 8 -e 8G -f 2)"));
    if (sums_.size() > most_sizes)
      fail(fmt::format("it has {} sizes and not at most {}: measure with -f 2", sums_.size(), most_sizes));
    NcclLog log;
    log.origin = origin_;
    log.ranks = ranks_.size();
    for (const auto& [bytes, sum] : sums_) log.times.push_back({bytes, sum.first / sum.second});
    return log;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw Error(fmt::format("{}: {}", origin_, why)); }
  [[noreturn]] void fail_here(const std::string& why) const {
    throw Error(fmt::format("{}:{}: {}; record the log again, or leave the line out", origin_, line_, why));
  }

  /// "#  Rank  0 Group  0 Pid 42 on node1 device  0 [0x00] NVIDIA A100"
  void read_rank(const std::vector<std::string_view>& words) {
    if (words.size() < 3 || words[1] != "Rank" || !all_digits(words[2])) return;
    ranks_.insert(std::string(words[2]));
    const auto on = std::ranges::find(words, "on");
    if (on != words.end() && on + 1 != words.end()) hosts_.insert(std::string(*(on + 1)));
  }

  double number_at(const std::vector<std::string_view>& words, std::size_t place, const char* what) const {
    double number = 0;
    const std::string_view word = words[place];
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(number) || number < 0)
      fail_here(fmt::format("its {} is not a number of 0 or more", what));
    return number;
  }

  void read_row(const std::vector<std::string_view>& words) {
    // More than the heading names: something else was printed into the line.
    if (words.size() != columns_->count)
      fail_here(fmt::format("it has {} columns, and the heading {}", words.size(), columns_->count));
    check_operation(words);
    const double bytes = number_at(words, 0, "size"), us = number_at(words, columns_->time, "time");
    const double algbw = number_at(words, columns_->algbw, "algbw"),
                 busbw = number_at(words, columns_->busbw, "busbw");
    if (bytes < 1) return;
    if (!(us > 0)) fail_here("a collective can't take 0 us");
    // GB/s; printed with two digits behind the point.
    const double found = bytes / us / 1e3;
    if (std::abs(found - algbw) > 0.01 * found + 0.01)
      fail_here(fmt::format("{:.0f} B in {:g} us are {:.2f} GB/s, and its algbw is {:.2f}", bytes, us, found,
                            algbw));
    if (algbw >= 1) factors_.emplace_back(busbw / algbw, line_);
    auto& sum = sums_[bytes];
    sum.first += us;
    sum.second += 1;
  }

  /// Collectives that reduce nothing have "none", and those with a root its number instead of -1.
  void check_operation(const std::vector<std::string_view>& words) const {
    const bool reduces = columns_->redop == columns_->count || words[columns_->redop] != "none";
    const bool has_root = columns_->root < columns_->count && words[columns_->root] != "-1";
    if (reduces && !has_root) return;
    throw Error(fmt::format("{}:{}: {}: only logs of all_reduce_perf are fitted", origin_, line_,
                            reduces ? "its collective has a root" : "its collective reduces nothing"));
  }

  /// busbw is algbw times a factor that says which collective it is.
  void check_collective() {
    const auto n = static_cast<double>(ranks_.size());
    const double expected = 2 * (n - 1) / n;
    for (const auto& [factor, line] : factors_) {
      if (std::abs(factor - expected) <= 0.02) continue;
      line_ = line;
      throw Error(
          fmt::format("{}:{}: busbw is {:.3f} times algbw, and {:.3f} times in an all-reduce of {} "
                      "GPUs: only logs of all_reduce_perf are fitted",
                      origin_, line_, factor, expected, ranks_.size()));
    }
  }

  const std::string& origin_;
  std::size_t line_ = 0;
  std::optional<LogColumns> columns_;
  std::set<std::string> ranks_, hosts_;
  std::vector<std::pair<double, std::size_t>> factors_;  ///< busbw / algbw, by line
  std::map<double, std::pair<double, double>> sums_;     ///< by size: of times, and how many
};

template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    visit(text.substr(begin, end - begin));
  }
}

}  // namespace

bool is_nccl_log(std::string_view text) {
  bool found = false;
  for_each_line(text, [&found](std::string_view line) { found = found || columns_of(line).has_value(); });
  return found;
}

NcclLog read_nccl_log(std::string_view text, const std::string& origin) {
  if (!is_nccl_log(text))
    throw Error(
        fmt::format("{}: it has no table of nccl-tests: keep the heading \"# size count type redop "
                    "... time algbw busbw ...\"",
                    origin));
  NcclLogReader reader(origin);
  for_each_line(text, [&reader](std::string_view line) { reader.read(line); });
  return std::move(reader).finish();
}

}  // namespace morgana
