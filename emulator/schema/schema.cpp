#include "emulator/schema/schema.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "emulator/schema/nearest.h"

namespace morgana {
namespace {

/// Limits that every value of a form keeps, so that no sum of a run's times can overflow the clock.
Limits limits_of_form(ValueForm form) {
  switch (form) {
    case ValueForm::time:
      return {.at_most = "1000 s"};
    case ValueForm::size:
      return {.at_most = "1024 GiB"};
    case ValueForm::rate:
    case ValueForm::rate_or_share:
      return {.at_least = "1 kb/s", .at_most = "100 Tb/s"};
    case ValueForm::byte_cost:
      return {.at_most = "1 ms/B"};
    case ValueForm::share:
      return {.at_most = "100 %"};
    case ValueForm::factor:
      return {.at_most = "1000000"};
    case ValueForm::count:
      return {.at_most = "1000000"};
    case ValueForm::word:
    case ValueForm::text:
    case ValueForm::list:
    case ValueForm::file:
      return {};
  }
  return {};
}

Limits effective_limits(const Key& key) {
  Limits limits = key.limits;
  const Limits general = limits_of_form(key.form);
  if (limits.at_least.empty() && limits.more_than.empty()) limits.at_least = general.at_least;
  if (limits.at_most.empty()) limits.at_most = general.at_most;
  return limits;
}

std::string in_words(const Limits& limits) {
  std::string text;
  const auto add = [&](const char* relation, std::string_view bound) {
    if (!bound.empty()) text += (text.empty() ? "" : " and ") + std::string(relation) + std::string(bound);
  };
  add("at least ", limits.at_least);
  add("more than ", limits.more_than);
  add("at most ", limits.at_most);
  if (!text.empty() && !limits.zero_word.empty()) text += " or \"" + std::string(limits.zero_word) + "\"";
  return text;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) list += (i > 0 ? ", " : "") + words[i];
  return list;
}

Value parse_form(const Key& key, std::string_view text) {
  switch (key.form) {
    case ValueForm::time:
      return parse_time(text);
    case ValueForm::size:
      return parse_bytes(text);
    case ValueForm::rate:
      return parse_bit_rate(text);
    case ValueForm::rate_or_share:
      if (text.ends_with('%')) return parse_share(text);
      return parse_bit_rate(text);
    case ValueForm::byte_cost:
      return parse_byte_cost(text);
    case ValueForm::share:
      return parse_share(text);
    case ValueForm::factor:
      return parse_factor(text);
    case ValueForm::count:
      return parse_count(text, key.limits.unit);
    case ValueForm::word:
    case ValueForm::text:
    case ValueForm::file:
      return std::string(text);
    case ValueForm::list:
      return joined(items_of(text));
  }
  assert(false);
  return {};
}

/// A limit of a count of frames is "1", of a time "1 us": the same text as a value of that form.
void check_limits(const Key& key, const Value& value) {
  if (const auto* const part = std::get_if<double>(&value);
      part != nullptr && key.form == ValueForm::rate_or_share) {
    if (*part > 0 && *part <= 1) return;
    throw Error(share_to_text(*part) +
                " is out of range; a share of the link must be more than 0 % and at most 100 %");
  }
  const Limits limits = effective_limits(key);
  const auto bound = [&](std::string_view text) { return parse_form(key, text); };
  const bool low = (!limits.at_least.empty() && value < bound(limits.at_least)) ||
                   (!limits.more_than.empty() && value <= bound(limits.more_than));
  const bool high = !limits.at_most.empty() && bound(limits.at_most) < value;
  Key plain = key;  // the word for 0 is not what was written
  plain.limits.zero_word = {};
  if (low || high) throw Error(to_text(plain, value) + " is out of range; it must be " + limits_of(key));
}

Value zero_of(ValueForm form) {
  if (form == ValueForm::factor) return 0.0;
  if (form == ValueForm::rate || form == ValueForm::rate_or_share) return BitRate(0);
  return std::int64_t{0};
}

[[noreturn]] void refuse_number(const Key& key, const std::string& number) {
  const std::string example =
      key.form == ValueForm::list || key.form == ValueForm::text || key.form == ValueForm::file
          ? number
          : to_text(key, key.fallback);
  throw Error("the plain number " + number + " does not fit; write " + form_with_article(key) +
              " in quotes, such as \"" + example + "\"");
}

/// Of a plain number: as text it would not be read at all.
void refuse_negative(const Key& key, bool negative, const std::string& number) {
  if (!negative) return;
  const std::string limits = limits_of(key);
  throw Error(number + " is out of range; it can't be negative" +
              (limits.empty() ? "" : ", and must be " + limits));
}

void refuse_nan(const Key& key, double number) {
  if (!std::isnan(number)) return;
  const std::string limits = limits_of(key);
  throw Error(factor_to_text(number) + " is not a number; it must be " +
              (limits.empty() ? form_with_article(key) : limits));
}

}  // namespace

std::string full_name(std::string_view section, std::string_view name) {
  std::string full(section);
  full += '.';
  full += name;
  return full;
}

std::string joined(const std::vector<std::string>& items) {
  return list_of(items);
}

std::string joined_by_or(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " or " : ", ") + items[i];
  return text;
}

std::vector<std::string> items_of(std::string_view list) {
  std::vector<std::string> items;
  const auto trimmed = [](std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return std::string();
    return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
  };
  if (trimmed(list).empty()) return items;
  for (std::size_t begin = 0, comma = 0; comma != std::string_view::npos; begin = comma + 1) {
    comma = list.find(',', begin);
    items.push_back(trimmed(list.substr(begin, comma - begin)));
  }
  return items;
}

Value parse_value(const Key& key, std::string_view text) {
  const bool knows_auto = key.form == ValueForm::word
                              ? std::ranges::find(key.words, "auto") != key.words.end()
                              : key.limits.zero_word == "auto";
  if (text == "automatic" && knows_auto) text = "auto";
  if (key.form == ValueForm::word) {
    const std::string word(text);
    if (std::find(key.words.begin(), key.words.end(), word) != key.words.end()) return word;
    for (const auto& [synonym, meant] : key.synonyms)
      if (word == synonym) return meant;
    const auto near = nearest(word, key.words);
    throw Error("\"" + word + "\" is not one of its choices" +
                (near ? "; did you mean \"" + *near + "\"? It must be " : "; it must be ") + form_of(key));
  }
  if (!key.limits.zero_word.empty() && text == key.limits.zero_word) return zero_of(key.form);
  Value value = [&] {
    if (key.limits.zero_word.empty()) return parse_form(key, text);
    try {
      return parse_form(key, text);
    } catch (const Error& error) {
      throw Error(std::string(error.what()) + " or \"" + std::string(key.limits.zero_word) + "\"");
    }
  }();
  check_limits(key, value);
  return value;
}

Value value_of(const Key& key, std::int64_t number) {
  if (key.form == ValueForm::share || key.form == ValueForm::factor)
    return value_of(key, static_cast<double>(number));
  if (key.form != ValueForm::count) refuse_number(key, std::to_string(number));
  refuse_negative(key, number < 0, std::to_string(number));
  check_limits(key, number);
  return number;
}

Value value_of(const Key& key, double number) {
  if (key.form == ValueForm::count) {
    const std::string unit(key.limits.unit), word(key.limits.zero_word);
    throw Error("the plain number " + factor_to_text(number) + " does not fit; a count" +
                (unit.empty() ? "" : " of " + unit) + " is a whole number, such as 200" +
                (word.empty() ? "" : ", or \"" + word + "\""));
  }
  if (key.form != ValueForm::share && key.form != ValueForm::factor)
    refuse_number(key, factor_to_text(number));
  refuse_nan(key, number);
  refuse_negative(key, number < 0, factor_to_text(number));
  check_limits(key, number);
  return number;
}

std::string to_text(const Key& key, const Value& value) {
  switch (key.form) {
    case ValueForm::time:
      return to_text(std::get<SimTime>(value));
    case ValueForm::size:
      return to_text(std::get<Bytes>(value));
    case ValueForm::rate_or_share:
      if (const auto* const part = std::get_if<double>(&value)) return share_to_text(*part);
      [[fallthrough]];
    case ValueForm::rate:
      if (std::get<BitRate>(value) == BitRate(0) && !key.limits.zero_word.empty())
        return std::string(key.limits.zero_word);
      return to_text(std::get<BitRate>(value));
    case ValueForm::byte_cost:
      return to_text(std::get<ByteCost>(value));
    case ValueForm::share:
      return share_to_text(std::get<double>(value));
    case ValueForm::factor:
      if (std::get<double>(value) == 0 && !key.limits.zero_word.empty())
        return std::string(key.limits.zero_word);
      return factor_to_text(std::get<double>(value));
    case ValueForm::word:
    case ValueForm::text:
    case ValueForm::list:
    case ValueForm::file:
      return std::get<std::string>(value);
    case ValueForm::count:
      break;
  }
  const std::int64_t count = std::get<std::int64_t>(value);
  if (count == 0 && !key.limits.zero_word.empty()) return std::string(key.limits.zero_word);
  return count_to_text(count, key.limits.unit);
}

std::string form_of(const Key& key) {
  switch (key.form) {
    case ValueForm::time:
      return "time";
    case ValueForm::size:
      return "size";
    case ValueForm::rate:
      return key.limits.zero_word.empty() ? "rate" : "rate or " + std::string(key.limits.zero_word);
    case ValueForm::rate_or_share:
      return "rate or share of the link" +
             (key.limits.zero_word.empty() ? "" : " or " + std::string(key.limits.zero_word));
    case ValueForm::byte_cost:
      return "cost per byte";
    case ValueForm::share:
      return "share";
    case ValueForm::factor:
      return "factor";
    case ValueForm::word:
      return "one of " + list_of(key.words);
    case ValueForm::text:
      return "text";
    case ValueForm::list:
      return "list of " + std::string(key.limits.unit);
    case ValueForm::file:
      return "name of a file";
    case ValueForm::count:
      break;
  }
  return (key.limits.unit.empty() ? "count" : "count of " + std::string(key.limits.unit)) +
         (key.limits.zero_word.empty() ? "" : " or " + std::string(key.limits.zero_word));
}

std::string form_with_article(const Key& key) {
  return (key.form == ValueForm::word ? "" : "a ") + form_of(key);
}

std::string limits_of(const Key& key) {
  return in_words(effective_limits(key));
}

std::string own_limits_of(const Key& key) {
  return in_words(key.limits);
}

}  // namespace morgana
