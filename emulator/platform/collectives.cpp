#include "emulator/collectives/algorithm_choice.h"
#include "emulator/platform/sections.h"

namespace morgana {
namespace {

/// Stands for MPICH's own choice.
const std::string automatic = "automatic";
const std::string prefix = "collectives.";

const Table<CollectiveTuning>& progress_table() {
  static const auto table =
      Table<CollectiveTuning>("collectives")
          .choice("progress", &CollectiveTuning::progress, {"in-calls", "asynchronous"},
                  "when nonblocking collectives go on: while their rank is in a call, on its processor, as "
                  "MPICH does, or at all times on a processor that each rank has for this alone");
  return table;
}

}  // namespace

std::vector<Key> collective_keys() {
  std::vector<Key> keys = progress_table().keys();
  for (const AlgorithmChoice& choice : algorithm_choices()) {
    const std::string name = prefix + std::string(choice.kind);
    if (keys.empty() || keys.back().name != name)
      keys.push_back({name, Form::word, automatic, {}, {}, {automatic}});
    keys.back().words.emplace_back(choice.algorithm);
  }
  for (Key& key : keys)
    if (key.meaning.empty()) key.meaning = form_of(key);
  return keys;
}

CollectiveTuning read_collectives(const Settings& settings) {
  CollectiveTuning tuning = progress_table().read(settings);
  for (const auto& [key, value] : settings)
    if (key.starts_with(prefix) && key != progress_table().keys().front().name &&
        std::get<std::string>(value) != automatic)
      tuning.algorithm[key.substr(prefix.size())] = std::get<std::string>(value);
  return tuning;
}

}  // namespace morgana
