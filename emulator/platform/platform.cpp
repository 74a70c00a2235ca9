#include "emulator/platform/platform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "emulator/platform/library.h"
#include "emulator/platform/platform_network.h"
#include "emulator/platform/sections.h"
#include "emulator/platform/values.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_chain = 16;

const LayerEntry* entry_of(const Layer& layer, const std::string& key) {
  for (const LayerEntry& entry : layer.entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

/// The layers that a file's layer extends, the most basic first, and itself at the end.
std::vector<Layer> with_bases(Layer layer, const fs::path& file) {
  std::vector<Layer> derived_first{std::move(layer)};
  std::vector<fs::path> files{fs::weakly_canonical(file)};
  const fs::path library = fs::weakly_canonical(library_folder());
  const auto mark = [&] { derived_first.back().library = files.back().parent_path() == library; };
  mark();
  while (const LayerEntry* extends = entry_of(derived_first.back(), "extends")) {
    const std::string where = extends->where + ": extends: ";
    const fs::path base = find_platform(text_of(*extends), files.back().parent_path(), where);
    const fs::path canonical = fs::weakly_canonical(base);
    const bool circular = std::find(files.begin(), files.end(), canonical) != files.end();
    files.push_back(canonical);
    if (circular || files.size() > longest_chain) {
      std::string chain;
      for (const fs::path& each : files) chain += (chain.empty() ? "" : " -> ") + each.filename().string();
      throw Error(where + "platforms " +
                  (circular ? "extend each other in a circle" : "extend too many others") + ": " + chain +
                  "; take out one `extends`");
    }
    derived_first.push_back(read_layer(read_text(base, where), base.string()));
    mark();
  }
  std::reverse(derived_first.begin(), derived_first.end());
  return derived_first;
}

}  // namespace

Platform::Platform(std::shared_ptr<const Values> values) : values_(std::move(values)) {}

namespace {

bool takes_a_list(const std::string& name) {
  return std::ranges::any_of(schema(), [&](const Section& section) {
    return std::ranges::any_of(
        section.keys, [&](const Key& key) { return key.name == name && key.form == ValueForm::list; });
  });
}

/// An override of a number that lists several, as a sweep's axis does, is told where these belong.
std::string advised(std::string refusal, std::span<const std::string> overrides) {
  for (const std::string& override : overrides) {
    const std::string value = override.substr(std::min(override.find('='), override.size() - 1) + 1);
    const bool lists = !takes_a_list(override.substr(0, override.find('='))) &&
                       value.find(',') != std::string::npos && value.find_first_of("x0123456789") == 0;
    if (lists && refusal.starts_with("--set " + override + ':'))
      return refusal + "; several values, one run for each, are for `morgana sweep --over \"" + override +
             "\"`";
  }
  return refusal;
}

/// Keys of network and hosts that overrides change, ", here with network.leaves=4 and hosts.processors=2":
/// the description is of the platform as it comes. Empty where there are none, or overrides describe it anew.
std::string difference_text(const Layer& given, std::span<const std::string> overrides) {
  if (entry_of(given, "description") != nullptr) return "";
  std::vector<std::string> changed;
  for (const std::string& override : overrides)
    if (override.starts_with("network.") || override.starts_with("hosts.")) changed.push_back(override);
  return changed.empty() ? "" : fmt::format("; here with {}", fmt::join(changed, ", "));
}

struct Parsed {
  std::string name;
  Resolved resolved;
};

Parsed parsed(const std::string& text, const std::string& origin, std::span<const std::string> overrides,
              Checks checks) {
  std::vector<Layer> layers = with_bases(read_layer(text, origin), origin);
  Layer given = read_overrides(overrides);
  if (const LayerEntry* extends = entry_of(given, "extends"))
    throw Error(extends->where + ": extends can't be overridden; name the other platform instead");
  std::string name = fs::path(origin).stem().string();
  for (const Layer* layer : {&layers.back(), &given})
    for (const LayerEntry& entry : layer->entries)
      if (entry.key == "name") name = text_of(entry);
  const std::string difference = difference_text(given, overrides);
  layers.push_back(std::move(given));
  try {
    Parsed all{std::move(name), resolve(layers, checks)};
    if (!all.resolved.description.empty()) all.resolved.description += difference;
    return all;
  } catch (const Error& error) {
    throw Error(advised(error.what(), overrides));
  }
}

Parsed loaded(const std::string& name, std::span<const std::string> overrides, Checks checks) {
  const fs::path file = find_platform(name, fs::path(), "");
  const std::string text = read_text(file, "");
  // An ideal network is what a file without a network describes, but nobody means that by nothing at all.
  if (read_layer(text, file.string()).entries.empty())
    throw Error(file.string() +
                ": it sets no key, so it describes no platform; name one to begin with, such as "
                "`extends = \"fast-ethernet\"`, and set the keys that differ");
  return parsed(text, file.string(), overrides, checks);
}

}  // namespace

Platform Platform::load(const std::string& name, std::span<const std::string> overrides) {
  auto [own_name, resolved] = loaded(name, overrides, Checks::whole);
  return Platform(std::make_shared<Values>(Values{std::move(own_name), std::move(resolved)}));
}

Platform Platform::parse(const std::string& text, const std::string& origin,
                         std::span<const std::string> overrides) {
  auto [name, resolved] = parsed(text, origin, overrides, Checks::whole);
  return Platform(std::make_shared<Values>(Values{std::move(name), std::move(resolved)}));
}

Platform PlatformNetwork::load_alone(const std::string& name, std::span<const std::string> overrides) {
  auto [own_name, resolved] = loaded(name, overrides, Checks::network_alone);
  return Platform(
      std::make_shared<Platform::Values>(Platform::Values{std::move(own_name), std::move(resolved)}));
}

std::vector<std::string> Platform::names() {
  return library_names();
}

const std::string& Platform::name() const {
  return values_->name;
}

const std::string& Platform::description() const {
  return values_->resolved.description;
}

std::int64_t Platform::year() const {
  return values_->resolved.year;
}

const std::vector<std::string>& Platform::notices() const {
  return values_->resolved.notices;
}

bool Platform::native() const {
  return values_->resolved.native;
}

std::size_t Platform::hosts() const {
  return static_cast<std::size_t>(host_table().read(values_->resolved.settings).count);
}

double Platform::compute_scale() const {
  return compute_scale_is_open() ? 1 : host_table().read(values_->resolved.settings).compute_scale;
}

std::uint32_t Platform::cores_per_rank() const {
  return static_cast<std::uint32_t>(host_table().read(values_->resolved.settings).cores_per_rank);
}

Platform::Roofline Platform::roofline() const {
  const HostParameters hosts = host_table().read(values_->resolved.settings);
  return {hosts.peak_tflops, static_cast<double>(hosts.memory_rate.bits_per_second()) / 8};
}

CollectiveLibrary Platform::collective_library() const {
  return read_collective_library(values_->resolved.settings);
}

nccl::Parameters Platform::nccl() const {
  nccl::Parameters parameters = nccl_table().read(values_->resolved.settings);
  parameters.tuner = read_tuner(values_->resolved.settings);
  return parameters;
}

bool Platform::compute_scale_is_open() const {
  return host_table().read(values_->resolved.settings).compute_scale == 0;
}

std::optional<double> Platform::ep_seconds_per_pair() const {
  const HostParameters hosts = host_table().read(values_->resolved.settings);
  if (hosts.ep_time == SimTime()) return std::nullopt;
  return std::ldexp(hosts.ep_time.seconds(), -static_cast<int>(hosts.ep_pairs));
}

Platform Platform::with_compute_scale(double scale) const {
  auto values = std::make_shared<Values>(*values_);
  values->resolved.settings.insert_or_assign("hosts.compute-scale", scale);
  return Platform(std::move(values));
}

SimTime Platform::overheads() const {
  const MessageLayer messages = message_table().read(values_->resolved.settings);
  return messages.send_overhead + messages.receive_overhead;
}

Platform Platform::without_background() const {
  auto values = std::make_shared<Values>(*values_);
  values->resolved.settings.insert_or_assign("background.load", 0.0);
  return Platform(std::move(values));
}

}  // namespace morgana
