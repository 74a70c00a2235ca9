#include "runs/sweep/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace morgana {
namespace {

constexpr std::size_t most_values = 10'000;
constexpr std::size_t most_digits = 15;

constexpr const char* forms = "write values with commas between them, or FROM..TO:STEP, or FROM..TO:xFACTOR";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A decimal number without exponent, and what follows it: digits x 10^-decimals.
struct Decimal {
  std::int64_t digits = 0;
  int decimals = 0;
  std::string unit;
};

std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal result;
  text = trimmed(text);
  std::size_t at = 0, count = 0;
  bool behind_point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (text[at] < '0' || text[at] > '9') break;
    if (++count > most_digits) return std::nullopt;
    result.digits = result.digits * 10 + (text[at] - '0');
    result.decimals += behind_point ? 1 : 0;
  }
  if (count == 0) return std::nullopt;
  result.unit = trimmed(text.substr(at));
  return result;
}

double value_of(const Decimal& number) {
  return static_cast<double>(number.digits) / std::pow(10.0, number.decimals);
}

std::string with_unit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + ' ' + unit;
}

/// The digits of a number with so many decimals; none that are 0 at the end.
std::string text_of(std::int64_t digits, int decimals) {
  std::string text = fmt::format("{:0{}}", digits, decimals + 1);
  if (decimals == 0) return text;
  text.insert(text.size() - static_cast<std::size_t>(decimals), 1, '.');
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Where the text's first value ends: at a comma that is not within a list's brackets, or at the end.
/// @throws Error for a list without its end
std::size_t end_of_value(std::string_view text, const std::string& where) {
  if (const std::size_t begin = text.find_first_not_of(' ');
      begin == std::string_view::npos || text[begin] != '[')
    return std::min(text.find(','), text.size());
  const std::size_t closed = text.find(']');
  if (closed == std::string_view::npos)
    throw Error(fmt::format("{}: the list {} has no end; write it as [3,1]", where, trimmed(text)));
  const std::size_t comma = std::min(text.find(',', closed), text.size());
  if (const auto behind = trimmed(text.substr(closed + 1, comma - closed - 1)); !behind.empty())
    throw Error(fmt::format("{}: \"{}\" follows the list {}; write a comma between values", where, behind,
                            trimmed(text.substr(0, closed + 1))));
  return comma;
}

void check_distinct(std::vector<std::string> values, const std::string& where) {
  std::sort(values.begin(), values.end());
  if (const auto twice = std::adjacent_find(values.begin(), values.end()); twice != values.end())
    throw Error(fmt::format("{}: {} is given twice; leave one out", where, *twice));
}

/// FROM..TO:STEP, taken apart.
class Range {
 public:
  Range(std::string_view text, const std::string& where) : text_(text), where_(where) {
    const std::size_t dots = text.find("..");
    const std::size_t colon = text.find(':', dots + 2);
    if (colon == std::string_view::npos) refuse("a range needs a step");
    from_ = number(text.substr(0, dots));
    to_ = number(text.substr(dots + 2, colon - dots - 2));
    std::string_view step = trimmed(text.substr(colon + 1));
    factor_ = !step.empty() && step.front() == 'x';
    if (factor_) step.remove_prefix(1);
    step_ = number(step);
    for (const Decimal* one : {&from_, &to_, &step_}) {
      if (one->unit.empty()) continue;
      if (!unit_.empty() && one->unit != unit_)
        refuse(fmt::format("it mixes the units {} and {}", unit_, one->unit));
      unit_ = one->unit;
    }
    if (value_of(to_) < value_of(from_)) refuse("it ends before it begins");
  }

  void add_to(std::vector<std::string>& values) const {
    if (factor_) {
      multiply(values);
    } else {
      count_up(values);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(fmt::format("{}: {} is not a range: {}; {}", where_, text_, why, forms));
  }
  Decimal number(std::string_view text) const {
    const auto read = read_decimal(text);
    if (!read) refuse(fmt::format("\"{}\" does not begin with a number", trimmed(text)));
    return *read;
  }
  void check_room(std::size_t count) const {
    if (count >= most_values) refuse(fmt::format("it has more than {} values", most_values));
  }
  void count_up(std::vector<std::string>& values) const {
    if (step_.digits == 0) refuse("its step is 0");
    const int decimals = std::max({from_.decimals, to_.decimals, step_.decimals});
    const auto scaled = [decimals](const Decimal& number) {
      __extension__ __int128 digits = number.digits;
      for (int i = number.decimals; i < decimals; ++i) digits *= 10;
      return digits;
    };
    const auto last = scaled(to_), step = scaled(step_);
    if (last > std::int64_t{1} << 62) refuse("its numbers have too many digits");
    std::size_t count = 0;
    for (auto at = scaled(from_); at <= last; at += step) {
      check_room(count++);
      values.push_back(with_unit(text_of(static_cast<std::int64_t>(at), decimals), unit_));
    }
  }
  void multiply(std::vector<std::string>& values) const {
    const double factor = value_of(step_), last = value_of(to_);
    if (factor <= 1) refuse("its factor must be more than 1");
    if (from_.digits == 0) refuse("multiplying 0 leads nowhere");
    if (!step_.unit.empty()) refuse("its factor has a unit");
    std::size_t count = 0;
    // A little beyond the end, which rounding may have moved.
    for (double at = value_of(from_); at <= last * (1 + 1e-12); at *= factor) {
      check_room(count++);
      values.push_back(with_unit(fmt::format("{}", std::stod(fmt::format("{:.12g}", at))), unit_));
    }
  }

  std::string_view text_;
  const std::string& where_;
  Decimal from_, to_, step_;
  std::string unit_;
  bool factor_ = false;
};

}  // namespace

std::vector<std::string> parse_values(std::string_view text, const std::string& where) {
  std::vector<std::string> values;
  while (true) {
    const std::size_t end = end_of_value(text, where);
    const std::string_view item = trimmed(text.substr(0, end));
    if (item.empty()) throw Error(fmt::format("{}: a value is missing; {}", where, forms));
    // Two dots between numbers; a file's name may hold them too.
    const std::size_t dots = item.find("..");
    if (dots != std::string_view::npos && read_decimal(item.substr(0, dots))) {
      Range(item, where).add_to(values);
    } else {
      values.emplace_back(item);
    }
    if (values.size() > most_values)
      throw Error(fmt::format("{}: more than {} values; sweep fewer", where, most_values));
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  check_distinct(values, where);
  return values;
}

Axis parse_axis(const std::string& text) {
  const std::string where = "--over " + text;
  const std::size_t equals = text.find('=');
  Axis axis;
  axis.key = trimmed(std::string_view(text).substr(0, equals));
  if (equals == std::string::npos || axis.key.empty())
    throw Error(where +
                ": what to sweep is a key, \"=\" and values, such as \"network.rate=10 Mb/s,100 Mb/s\"");
  axis.values = parse_values(std::string_view(text).substr(equals + 1), where);
  return axis;
}

void share_last_unit(Axis& axis) {
  const auto last = read_decimal(axis.values.back());
  // A share without its unit is one, too: 0.1 is 10 %.
  if (!last || last->unit.empty() || last->unit == "%" || last->unit.find(' ') != std::string::npos) return;
  for (std::string& value : axis.values)
    if (const auto number = read_decimal(value); number && number->unit.empty())
      value = with_unit(value, last->unit);
  check_distinct(axis.values, "--over " + axis.key);
}

std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  const auto whole = [&](std::string_view number) {
    std::uint64_t value = 0;
    number = trimmed(number);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size())
      throw Error(
          fmt::format("--seeds {}: seeds are a number of them, or FROM..TO, such as 10 or 11..20", text));
    return value;
  };
  const std::size_t dots = text.find("..");
  const std::uint64_t first = dots == std::string::npos ? 1 : whole(std::string_view(text).substr(0, dots));
  const std::uint64_t last =
      whole(dots == std::string::npos ? std::string_view(text) : std::string_view(text).substr(dots + 2));
  if (last < first || last - first >= most_values)
    throw Error(fmt::format("--seeds {}: that is none, or more than {}; give 1 or more", text, most_values));
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = first; seed - first <= last - first; ++seed) seeds.push_back(seed);
  return seeds;
}

bool leading_number(const std::string& value, double& number, std::string& unit) {
  const auto read = read_decimal(value);
  if (!read) return false;
  number = value_of(*read);
  unit = read->unit;
  return true;
}

}  // namespace morgana
