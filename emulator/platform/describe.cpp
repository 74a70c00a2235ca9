#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/platform_network.h"
#include "emulator/platform/sections.h"
#include "emulator/platform/values.h"

namespace morgana {
namespace {

/// A TOML string in quotes.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

bool is_plain_number(const Key& key) {
  return key.form == ValueForm::factor ||
         (key.form == ValueForm::count && key.limits.unit.empty() && key.limits.zero_word.empty());
}

bool is_zero_word(const Key& key, const Value& value) {
  return !key.limits.zero_word.empty() && to_text(key, value) == key.limits.zero_word;
}

std::string written(const Key& key, const Value& value) {
  return is_plain_number(key) && !is_zero_word(key, value) ? to_text(key, value)
                                                           : quoted(to_text(key, value));
}

constexpr std::size_t widest_line = 110;

/// Where to break a text so that lines have at most `width` characters, where words allow: between two words
/// that one space separates, since TOML drops the spaces at the beginning of a continued line.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t begin = 0, last_break = 0;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const bool breakable = text[i] == ' ' && text[i - 1] != ' ' && text[i + 1] != ' ';
    if (breakable && i - begin > width && last_break > begin) {
      lines.push_back(text.substr(begin, last_break - begin));
      begin = last_break + 1;
    }
    if (breakable) last_break = i;
  }
  if (text.size() - begin > width && last_break > begin) {
    lines.push_back(text.substr(begin, last_break - begin));
    begin = last_break + 1;
  }
  lines.push_back(text.substr(begin));
  return lines;
}

/// key = "text", over several lines if need be.
std::string text_setting(const std::string& key, const std::string& text) {
  const std::string plain = quoted(text);
  if (key.size() + 3 + plain.size() <= widest_line) return key + " = " + plain + "\n";
  std::string result = key + " = \"\"\"\\\n";
  const std::vector<std::string> lines = wrapped(plain.substr(1, plain.size() - 2), widest_line - 4);
  for (std::size_t i = 0; i < lines.size(); ++i)
    result += "  " + lines[i] + (i + 1 < lines.size() ? " \\\n" : "\"\"\"\n");
  return result;
}

std::string comment(const std::string& text) {
  std::string result;
  for (const std::string& line : wrapped(text, widest_line - 2)) result += "# " + line + "\n";
  return result;
}

struct Line {
  std::string setting, comment;
};

/// Comments stand in one column, unless a line is too long for it.
std::string aligned(const std::vector<Line>& lines) {
  constexpr std::size_t widest_column = 40;
  std::size_t column = 0;
  for (const Line& line : lines)
    if (line.setting.size() <= widest_column) column = std::max(column, line.setting.size());
  std::string text;
  for (const Line& line : lines) {
    const std::size_t padding = line.setting.size() < column ? column - line.setting.size() : 0;
    text += line.setting + std::string(padding, ' ') + "  # " + line.comment + "\n";
  }
  return text;
}

const std::string* source_of(const Resolved& platform, const std::string& key) {
  const auto source = platform.sources.find(key);
  return source == platform.sources.end() || source->second == platform.source ? nullptr : &source->second;
}

/// "kind" or "model": kind_key() without the section.
std::string kind_word(const Section& section) {
  return kind_key(section.name).name.substr(section.name.size() + 1);
}

/// Keys of other topologies than the one chosen are left out where nothing has set them.
bool shown(const Key& key, const Value& value, const std::optional<NetworkTopology>& topology) {
  return !topology || value != key.fallback || topology->uses(key.name);
}

/// Sections that a platform makes no use of are left out where nothing has set a key of theirs.
bool is_used(const Section& section, const Resolved& platform) {
  const bool optional =
      section.name == "background" ||
      (section.name == "nccl" && read_collective_library(platform.settings) != CollectiveLibrary::nccl);
  return !optional || std::ranges::any_of(
                          section.keys, [&](const Key& key) { return platform.settings.contains(key.name); });
}

std::string describe_section(const Section& section, const Resolved& platform) {
  const bool is_network = section.name == "network";
  std::optional<NetworkTopology> topology;
  if (is_network && network_kind(platform.network).topology)
    topology = network_kind(platform.network).topology(platform.settings);
  std::vector<Line> lines;
  if (!section.kind.empty())
    lines.push_back({kind_word(section) + " = " + quoted(section.kind), kind_key(section.name).meaning});
  for (const Key& key : section.keys) {
    const auto set = platform.settings.find(key.name);
    const Value& value = set == platform.settings.end() ? key.fallback : set->second;
    if (!shown(key, value, topology)) continue;
    const std::string fallback =
        value == key.fallback
            ? ""
            : "; default " + (to_text(key, key.fallback).empty() ? "empty" : to_text(key, key.fallback));
    lines.push_back(
        {key.name.substr(section.name.size() + 1) + " = " + written(key, value), key.meaning + fallback});
  }
  return "\n" + comment(section.meaning) + "[" + section.name + "]\n" + aligned(lines);
}

std::string describe_sources(const Resolved& platform) {
  std::string text;
  if (!platform.source.empty()) text += text_setting("everything", platform.source);
  for (const auto& [key, source] : platform.sources)
    if (source_of(platform, key)) text += text_setting(quoted(key), source);
  return text.empty() ? text : "\n# Who says that the values above are so.\n[source]\n" + text;
}

/// " Oversubscription of the leaves: 2:1."; empty where there is none to speak of: the switches that GPUs are
/// at are a node's, and no leaves.
std::string oversubscription_text(const Platform& platform) {
  if (platform.collective_library() == CollectiveLibrary::nccl) return "";
  const std::optional<double> factor = PlatformNetwork::oversubscription(platform);
  if (!factor) return "";
  return fmt::format(" Oversubscription of the leaves: {}.",
                     *factor < 1 ? fmt::format("1:{:.3g}", 1 / *factor) : fmt::format("{:.3g}:1", *factor));
}

}  // namespace

std::string Platform::describe() const {
  const Resolved& platform = values_->resolved;
  std::string text = "name = " + quoted(values_->name) + "\n";
  text += text_setting("description", platform.description);
  if (platform.year != 0) text += fmt::format("year = {}\n", platform.year);
  if (platform.native) {
    text += "native = true  # this machine's own MPI, measured; there is no model\n";
  } else {
    if (const auto figures = PlatformNetwork::figures(*this))
      text += "\n" + comment("Its network: " + morgana::describe(*figures) + oversubscription_text(*this));
    for (const Section* section : sections_of(platform))
      if (is_used(*section, platform)) text += describe_section(*section, platform);
  }
  return text + describe_sources(platform);
}

}  // namespace morgana
