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

struct LibraryChoice {
  CollectiveLibrary library = CollectiveLibrary::mpich;
};

const Table<LibraryChoice>& library_table() {
  static const auto table = Table<LibraryChoice>("collectives")
                                .choice("library", &LibraryChoice::library, {"mpich", "nccl"},
                                        "whose algorithms `morgana collective` and execution traces take: "
                                        "MPICH's, as calls of MPI do, or NCCL's, as [nccl] says; "
                                        "calls of MPI always have MPICH's");
  return table;
}

}  // namespace

std::vector<Key> collective_keys() {
  std::vector<Key> keys = progress_table().keys();
  keys.push_back(library_table().keys().front());
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
  for (const AlgorithmChoice& choice : algorithm_choices()) {
    const auto set = settings.find(prefix + std::string(choice.kind));
    if (set != settings.end() && std::get<std::string>(set->second) != automatic)
      tuning.algorithm[std::string(choice.kind)] = std::get<std::string>(set->second);
  }
  return tuning;
}

CollectiveLibrary read_collective_library(const Settings& settings) {
  return library_table().read(settings).library;
}

}  // namespace morgana
