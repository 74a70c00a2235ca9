#include "emulator/platform/key_names.h"

#include <algorithm>

#include "emulator/core/error.h"
#include "emulator/platform/aliases.h"
#include "emulator/schema/nearest.h"

namespace morgana {
namespace {

using Names = std::vector<std::string>;

const Names file_keys{"name", "description", "year", "extends", "native", "source"};

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_keys(Names& names, const Section& section) {
  const auto add = [&](const std::string& key) {
    if (!contains(names, key)) names.push_back(key);
  };
  if (has_kinds(section.name)) add(kind_key(section.name).name);
  for (const Key& key : section.keys) add(key.name);
}

/// Every key of every kind, once.
const Names& all_keys() {
  static const Names keys = [] {
    Names all = file_keys;
    for (const Section& section : schema()) add_keys(all, section);
    return all;
  }();
  return keys;
}

/// What a file and --set may say of this platform: the keys of its kinds, and notions that its network has.
Names own_keys(const Resolved& platform) {
  Names own = file_keys;
  for (const Section* section : sections_of(platform)) add_keys(own, *section);
  for (const std::string& notion : alias_names())
    if (alias_on(platform.network, notion) != nullptr && !contains(own, notion)) own.push_back(notion);
  return own;
}

const Names& all_tables() {
  static const Names tables = [] {
    Names all{"source"};
    for (const std::string& key : all_keys()) {
      for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1)) {
        const std::string table = key.substr(0, dot);
        if (!contains(all, table)) all.push_back(table);
      }
    }
    return all;
  }();
  return tables;
}

std::string section_of(const std::string& key) {
  return key.substr(0, key.find('.'));
}

/// Whether the key has one of the words between its dots and hyphens.
bool speaks_of(const std::string& key, const Names& words) {
  constexpr const char* separators = ".-_";
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find_first_of(separators, begin), key.size());
    if (contains(words, key.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

/// Keys by words that others have for them, which no misspelling leads to.
void refuse_other_word(const std::string& unknown, const LayerEntry& entry, const Resolved& platform) {
  static const Names words_for_loss{"loss", "losses", "lost", "error", "errors"};
  if (section_of(entry.key) != "network" || !speaks_of(entry.key, words_for_loss)) return;
  const std::string corruption = "network.corruption";
  if (contains(own_keys(platform), corruption))
    throw Error(unknown + "; did you mean " + corruption +
                ", the share of packets that are lost on a cable?");
  std::string kinds;
  for (const Section& section : schema())
    for (const Key& key : section.keys)
      if (key.name == corruption) kinds += (kinds.empty() ? "\"" : " and \"") + section.kind + "\"";
  throw Error(unknown + "; packets are lost at random by " + corruption + ", which " +
              kind_key("network").name + " " + kinds + " has, but not \"" + platform.network + "\"");
}

[[noreturn]] void refuse_unknown(const LayerEntry& entry, const Resolved& platform) {
  const bool table = std::holds_alternative<LayerEntry::Table>(entry.value);
  const std::string unknown = entry.key_where + ": unknown " + (table ? "table " : "key ") + entry.key;
  refuse_other_word(unknown, entry, platform);
  const auto own = nearest(entry.key, table ? all_tables() : own_keys(platform));
  if (own) throw Error(unknown + "; did you mean " + *own + "?");
  const auto other = nearest(entry.key, all_keys());
  if (table || !other) throw Error(unknown + "; docs/platforms.md lists all keys");
  const std::string section = section_of(*other);
  throw Error(unknown + "; the nearest is " + *other + ", which does not go with " + kind_key(section).name +
              " \"" + kind_of_section(platform, section) + "\"");
}

[[noreturn]] void refuse_notion(const LayerEntry& entry, const Resolved& platform) {
  std::string keys;
  for (const Section* section : sections_of(platform))
    if (section->name == "network")
      for (const Key& key : section->keys) keys += (keys.empty() ? "" : ", ") + key.name;
  throw Error(entry.key_where + ": a network of kind \"" + platform.network + "\" has no " + entry.key +
              "; its keys are " + keys);
}

}  // namespace

bool names_a_table(const std::string& name) {
  return name.starts_with("source.") || contains(all_tables(), name);
}

std::string kinds_with_word(const Key& key, const std::string& word) {
  std::vector<std::string> kinds;
  for (const Section& section : schema())
    for (const Key& other : section.keys)
      if (other.name == key.name && !section.kind.empty() && contains(other.words, word))
        kinds.push_back(section.kind);
  if (key.form != ValueForm::word || kinds.empty()) return "";
  return "; \"" + word + "\" is a choice of " + kind_key(section_of(key.name)).name + " = " +
         joined_by_or(kinds);
}

void refuse_key(const LayerEntry& entry, const Resolved& platform) {
  std::vector<std::string> owners;
  for (const Section& section : schema())
    for (const Key& key : section.keys)
      if (key.name == entry.key) owners.push_back(section.kind);
  if (owners.empty() && !std::holds_alternative<LayerEntry::Table>(entry.value) &&
      contains(alias_names(), entry.key))
    refuse_notion(entry, platform);
  if (owners.empty()) refuse_unknown(entry, platform);
  const std::string section = section_of(entry.key);
  const std::string kind = kind_key(section).name;
  throw Error(entry.key_where + ": " + entry.key + " is a key of " + kind + " = " + joined_by_or(owners) +
              ", and " + kind + " is " + kind_of_section(platform, section) + " here: leave it out, set " +
              kind + ", or extend a platform that has it");
}

}  // namespace morgana
