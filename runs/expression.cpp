#include "runs/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace morgana {
namespace {

__extension__ using Wide = __int128;

constexpr std::string_view digits_of_numbers = "0123456789";
constexpr Wide largest = 999'999'999'999'999'999;  // of numerators and denominators: products fit a Wide

Wide greatest_divisor(Wide a, Wide b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a < 0 ? -a : a;
}

/// In lowest terms, the denominator > 0.
struct Fraction {
  Wide numerator = 0, denominator = 1;
};

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool continues_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Recursive descent: sum = product {+|- product}, product = factor {*|/ factor},
/// factor = [-] (number | name | "(" sum ")").
class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, std::span<const NamedValue> names, const std::string& where)
      : text_(text), names_(names), where_(where) {}

  Fraction whole() {
    const Fraction result = sum();
    if (!at_end()) refuse(fmt::format("\"{}\" can't follow there", text_.substr(at_)));
    return result;
  }
  std::set<std::string> used() const { return used_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(fmt::format("{}: {}", where_, why)); }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Fraction reduced(Wide numerator, Wide denominator) const {
    if (denominator < 0) {
      numerator = -numerator;
      denominator = -denominator;
    }
    const Wide divisor = greatest_divisor(numerator, denominator);
    const Fraction result{numerator / divisor, denominator / divisor};
    if (result.numerator > largest || result.numerator < -largest || result.denominator > largest)
      refuse("a number in it takes more than 18 digits");
    return result;
  }

  Fraction sum() {
    Fraction result = product();
    while (true) {
      const bool plus = take('+');
      if (!plus && !take('-')) return result;
      const Fraction next = product();
      const Wide left = result.numerator * next.denominator, right = next.numerator * result.denominator;
      result = reduced(plus ? left + right : left - right, result.denominator * next.denominator);
    }
  }

  Fraction product() {
    Fraction result = factor();
    while (true) {
      const bool times = take('*');
      if (!times && !take('/')) return result;
      const Fraction next = factor();
      if (!times && next.numerator == 0) refuse("it divides by 0" + values_here());
      result = times ? reduced(result.numerator * next.numerator, result.denominator * next.denominator)
                     : reduced(result.numerator * next.denominator, result.denominator * next.numerator);
    }
  }

  Fraction factor() {
    constexpr int deepest = 100;
    if (++depth_ > deepest) refuse("its parentheses and signs are nested too deep");
    Fraction result;
    if (take('-')) {
      result = factor();
      result.numerator = -result.numerator;
    } else if (take('(')) {
      result = sum();
      if (!take(')')) refuse("a \")\" is missing");
    } else {
      result = operand();
    }
    --depth_;
    return result;
  }

  Fraction operand() {
    if (at_end()) refuse("a number, a name or \"(\" is missing at its end");
    if (const NamedValue* named = longest_name()) {
      at_ += named->name.size();
      used_.insert(named->name);
      return value_of(*named);
    }
    if (const std::optional<Fraction> number = take_number()) return *number;
    const std::size_t from = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    if (at_ == from)
      refuse(fmt::format("a number, a name or \"(\" is missing before \"{}\"", text_.substr(at_)));
    refuse(fmt::format("{} is not one of the names that it may use: {}", text_.substr(from, at_ - from),
                       all_names()));
  }

  /// A name may hold "-" and end in digits: the longest that stands here and goes on with none of its
  /// letters.
  const NamedValue* longest_name() const {
    const NamedValue* found = nullptr;
    for (const NamedValue& one : names_) {
      const std::string_view rest = text_.substr(at_);
      if (!rest.starts_with(one.name)) continue;
      if (rest.size() > one.name.size() && continues_name(rest[one.name.size()])) continue;
      if (found == nullptr || one.name.size() > found->name.size()) found = &one;
    }
    return found;
  }

  std::optional<Fraction> take_number() {
    const std::size_t end = std::min(text_.find_first_not_of("0123456789.", at_), text_.size());
    const std::string_view number = text_.substr(at_, end - at_);
    if (number.find_first_of(digits_of_numbers) == std::string_view::npos) return std::nullopt;
    if (std::ranges::count(number, '.') > 1) refuse(fmt::format("{} is not a number", number));
    Wide numerator = 0, denominator = 1;
    for (const char c : number) {
      if (c == '.') continue;
      numerator = numerator * 10 + (c - '0');
      if (numerator > largest) refuse(fmt::format("{} takes more than 18 digits", number));
    }
    if (const std::size_t point = number.find('.'); point != std::string_view::npos)
      for (std::size_t i = point + 1; i < number.size(); ++i) {
        denominator *= 10;
        if (denominator > largest) refuse(fmt::format("{} takes more than 18 digits", number));
      }
    at_ = end;
    if (at_ < text_.size() && continues_name(text_[at_]))
      refuse(fmt::format("\"{}\" can't follow the number {}", text_.substr(at_), number));
    return reduced(numerator, denominator);
  }

  Fraction value_of(const NamedValue& named) const {
    std::string_view value = without_blanks(named.value);
    const bool negative = value.starts_with('-');
    if (negative) value.remove_prefix(1);
    if (value.empty() || value.find_first_not_of("0123456789.") != std::string_view::npos)
      refuse(fmt::format("{} has the value {}, and it can compute with plain numbers only", named.name,
                         named.value));
    ExpressionReader reader(value, {}, where_);
    Fraction result = reader.whole();
    if (negative) result.numerator = -result.numerator;
    return result;
  }

  std::string all_names() const {
    std::string all;
    for (const NamedValue& one : names_) all += (all.empty() ? "" : ", ") + one.name;
    return all.empty() ? "there are none, as nothing is swept by --over" : all;
  }
  std::string values_here() const {
    std::string all;
    for (const NamedValue& one : names_)
      if (used_.contains(one.name))
        all += fmt::format("{}{} is {}", all.empty() ? " where " : ", ", one.name, one.value);
    return all;
  }

  std::string_view text_;
  std::span<const NamedValue> names_;
  const std::string& where_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::set<std::string> used_;
};

std::string decimal_text(const Fraction& number) {
  constexpr int decimals = 12;
  constexpr std::int64_t scale = 1'000'000'000'000;
  const bool negative = number.numerator < 0;
  const Wide whole = (negative ? -number.numerator : number.numerator) / number.denominator;
  const Wide rest = (negative ? -number.numerator : number.numerator) % number.denominator;
  const Wide rounded = (2 * rest * scale + number.denominator) / (2 * number.denominator);
  const auto units = static_cast<std::int64_t>(whole + rounded / scale);
  std::string text = fmt::format("{}.{:0{}}", units, static_cast<std::int64_t>(rounded % scale), decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return negative && text != "0" ? '-' + text : text;
}

}  // namespace

Binding parse_binding(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string_view all = text;
  Binding binding;
  binding.name = without_blanks(all.substr(0, equals));
  if (equals != std::string::npos) binding.expression = without_blanks(all.substr(equals + 1));
  if (binding.name.empty() || binding.expression.empty())
    throw Error(fmt::format(
        "--let {}: what is bound is a name, \"=\" and an expression over the names of --over, such as "
        "\"n=256*ranks\"",
        text));
  return binding;
}

Evaluation evaluate(const std::string& expression, std::span<const NamedValue> names,
                    const std::string& where) {
  ExpressionReader reader(expression, names, where);
  const Fraction result = reader.whole();
  return {decimal_text(result), reader.used()};
}

}  // namespace morgana
