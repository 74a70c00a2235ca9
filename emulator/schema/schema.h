#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/core/quantity.h"

namespace morgana {

/// What a key of a platform file holds. Shares and factors are doubles, counts 64-bit integers.
using Value = std::variant<SimTime, Bytes, BitRate, ByteCost, double, std::int64_t, std::string>;

/// How a value is written.
/// `rate_or_share`: a BitRate, or a double that is a share of the links' rate.
enum class ValueForm : std::uint8_t {
  time,
  size,
  rate,
  rate_or_share,
  byte_cost,
  share,
  factor,
  count,
  word,
  text,
  list,
  file
};

/// Limits of a value and what else its form needs; limits are written like values ("0.1 us", "95 %").
struct Limits {
  std::string_view at_least = {};
  std::string_view more_than = {};
  std::string_view at_most = {};
  std::string_view unit = {};  ///< of a count: what is counted; of a list: what its items are
  /// Of a count, factor or rate: the word that stands for 0, which can't be written as 0.
  std::string_view zero_word = {};
};

/// One key that a platform file may hold.
struct Key {
  std::string name;  ///< in full: "network.latency"
  ValueForm form;
  Value fallback;  ///< where no file sets it
  std::string meaning;
  Limits limits = {};
  std::vector<std::string> words = {};  ///< form word: what may be chosen
  /// Form word: other words that are read, and the one of `words` that each stands for.
  std::vector<std::pair<std::string, std::string>> synonyms = {};
};

/// A list is carried as one text, its items joined by ", ".
std::string joined(const std::vector<std::string>& items);
/// "a", "a or b", "a, b or c".
std::string joined_by_or(const std::vector<std::string>& items);
std::vector<std::string> items_of(std::string_view list);

/// Reads a value as written in a file's string or in an override. @throws Error without place or key
Value parse_value(const Key& key, std::string_view text);
/// A plain number of a file, which only counts, shares and factors are. @throws Error as parse_value
Value value_of(const Key& key, std::int64_t number);
Value value_of(const Key& key, double number);
/// The value as parse_value reads it back.
std::string to_text(const Key& key, const Value& value);

/// "time", "count of frames", "one of direct, go-back-n": for the reference and for errors.
std::string form_of(const Key& key);
/// "a time", "one of direct, go-back-n": as the object of "write".
std::string form_with_article(const Key& key);
/// "at least 1 and at most 1000000", with what holds for every value of the form.
std::string limits_of(const Key& key);
/// Without that; may be empty.
std::string own_limits_of(const Key& key);

/// What a key is called in full: "network", "latency": "network.latency".
std::string full_name(std::string_view section, std::string_view name);

/// Values by full key; keys that are missing have their fallback.
using Settings = std::map<std::string, Value>;

/// A member of a member (of a member ...), as a Table takes it.
template <class Outer, class Part, class... Deeper>
constexpr auto nested(Part Outer::*part, Deeper... deeper) {
  return [=](Outer & outer) -> auto& {
    if constexpr (sizeof...(deeper) == 0)
      return outer.*part;
    else
      return nested(deeper...)(outer.*part);
  };
}

/// Describes the members of a parameter struct as keys; a key's fallback is the struct's own default, so each
/// default stands in one place. A member is a member pointer or a function from the struct to a reference.
template <class Parameters>
class Table {
 public:
  /// @param section  what comes before each key's name and a dot
  explicit Table(std::string section) : section_(std::move(section)) {}

  template <class Member>
  Table& key(std::string_view name, Member member, std::string_view meaning, Limits limits = {}) {
    Parameters defaults;
    using Held = std::remove_cvref_t<decltype(std::invoke(member, defaults))>;
    return add<Held>(name, member, meaning, limits, form_holding<Held>());
  }
  /// A double that is a part of a whole.
  template <class Member>
  Table& share(std::string_view name, Member member, std::string_view meaning, Limits limits = {}) {
    return add<double>(name, member, meaning, limits, ValueForm::share);
  }

  /// A rate, or a share of the links' rate ("95 %"). @param rate  the BitRate; 0 while there is a share
  /// @param share_member  the double; 0 while there is a rate
  template <class Member, class ShareMember>
  Table& rate_or_share(std::string_view name, Member rate, ShareMember share_member, std::string_view meaning,
                       Limits limits = {}) {
    Parameters defaults;
    entries_.push_back({Key{full_name(section_, name), ValueForm::rate_or_share,
                            Value(std::invoke(rate, defaults)), std::string(meaning), limits},
                        [rate, share_member](Parameters& parameters, const Value& value) {
                          const auto* const part = std::get_if<double>(&value);
                          std::invoke(share_member, parameters) = part != nullptr ? *part : 0;
                          std::invoke(rate, parameters) =
                              part != nullptr ? BitRate(0) : std::get<BitRate>(value);
                        }});
    return *this;
  }

  /// An enumeration; `words` name its values in their order. @param synonyms  Key::synonyms
  template <class Member>
  Table& choice(std::string_view name, Member member, std::vector<std::string> words,
                std::string_view meaning, std::vector<std::pair<std::string, std::string>> synonyms = {}) {
    Parameters defaults;
    using Held = std::remove_cvref_t<decltype(std::invoke(member, defaults))>;
    Key key{full_name(section_, name),
            ValueForm::word,
            words.at(static_cast<std::size_t>(std::invoke(member, defaults))),
            std::string(meaning),
            {},
            words,
            std::move(synonyms)};
    entries_.push_back({std::move(key), [member, words](Parameters& parameters, const Value& value) {
                          const auto place =
                              std::find(words.begin(), words.end(), std::get<std::string>(value));
                          std::invoke(member, parameters) = static_cast<Held>(place - words.begin());
                        }});
    return *this;
  }

  /// A list of texts, empty where no file sets it. @param items  what they are: "trunks"
  template <class Member>
  Table& list(std::string_view name, Member member, std::string_view items, std::string_view meaning) {
    entries_.push_back({Key{full_name(section_, name),
                            ValueForm::list,
                            std::string(),
                            std::string(meaning),
                            {.unit = items},
                            {}},
                        [member](Parameters& parameters, const Value& value) {
                          std::invoke(member, parameters) = items_of(std::get<std::string>(value));
                        }});
    return *this;
  }

  /// A text with a language of its own, which its reader checks.
  template <class Member>
  Table& text(std::string_view name, Member member, std::string_view meaning) {
    Parameters defaults;
    entries_.push_back({Key{full_name(section_, name), ValueForm::text,
                            std::string(std::invoke(member, defaults)), std::string(meaning)},
                        [member](Parameters& parameters, const Value& value) {
                          std::invoke(member, parameters) = std::get<std::string>(value);
                        }});
    return *this;
  }

  /// The name of a file, empty where no file is set.
  template <class Member>
  Table& file(std::string_view name, Member member, std::string_view meaning) {
    entries_.push_back(
        {Key{full_name(section_, name), ValueForm::file, std::string(), std::string(meaning), {}, {}},
         [member](Parameters& parameters, const Value& value) {
           std::invoke(member, parameters) = std::get<std::string>(value);
         }});
    return *this;
  }

  /// Keys that are read elsewhere, to be listed here.
  Table& also(const std::vector<Key>& keys) {
    for (const Key& key : keys) entries_.push_back({key, [](Parameters&, const Value&) {}});
    return *this;
  }

  std::vector<Key> keys() const {
    std::vector<Key> keys;
    for (const Entry& entry : entries_) keys.push_back(entry.key);
    return keys;
  }

  Parameters read(const Settings& settings) const {
    Parameters parameters;
    for (const Entry& entry : entries_)
      if (const auto set = settings.find(entry.key.name); set != settings.end())
        entry.assign(parameters, set->second);
    return parameters;
  }

 private:
  struct Entry {
    Key key;
    std::function<void(Parameters&, const Value&)> assign;
  };

  template <class Held>
  static constexpr ValueForm form_holding() {
    if constexpr (std::is_same_v<Held, SimTime>) return ValueForm::time;
    if constexpr (std::is_same_v<Held, Bytes>) return ValueForm::size;
    if constexpr (std::is_same_v<Held, BitRate>) return ValueForm::rate;
    if constexpr (std::is_same_v<Held, ByteCost>) return ValueForm::byte_cost;
    if constexpr (std::is_same_v<Held, double>) return ValueForm::factor;
    return ValueForm::count;
  }

  template <class Held, class Member>
  Table& add(std::string_view name, Member member, std::string_view meaning, Limits limits, ValueForm form) {
    // Counts travel as 64-bit integers whatever integer the struct has.
    using Carried = std::conditional_t<std::is_integral_v<Held>, std::int64_t, Held>;
    Parameters defaults;
    entries_.push_back(
        {Key{full_name(section_, name), form, Value(static_cast<Carried>(std::invoke(member, defaults))),
             std::string(meaning), limits},
         [member](Parameters& parameters, const Value& value) {
           std::invoke(member, parameters) = static_cast<Held>(std::get<Carried>(value));
         }});
    return *this;
  }

  std::string section_;
  std::vector<Entry> entries_;
};

}  // namespace morgana
