#include "emulator/platform/sections.h"
#include "emulator/process/collectives/algorithm_choice.h"

namespace morgana {
namespace {

/// Stands for MPICH's own choice.
const std::string automatic = "automatic";
const std::string prefix = "collectives.";

}  // namespace

std::vector<Key> collective_keys() {
  std::vector<Key> keys;
  for (const AlgorithmChoice& choice : algorithm_choices()) {
    const std::string name = prefix + std::string(choice.kind);
    if (keys.empty() || keys.back().name != name)
      keys.push_back({name, Form::word, automatic, {}, {}, {automatic}});
    keys.back().words.emplace_back(choice.algorithm);
  }
  for (Key& key : keys) key.meaning = form_of(key);
  return keys;
}

CollectiveTuning read_collectives(const Settings& settings) {
  CollectiveTuning tuning;
  for (const auto& [key, value] : settings)
    if (key.starts_with(prefix) && std::get<std::string>(value) != automatic)
      tuning.algorithm[key.substr(prefix.size())] = std::get<std::string>(value);
  return tuning;
}

}  // namespace morgana
