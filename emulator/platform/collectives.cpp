#include <algorithm>
#include <cstddef>
#include <utility>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/collectives/nccl/nccl_tuner.h"
#include "emulator/core/bounded_file.h"
#include "emulator/platform/sections.h"

namespace morgana {
namespace {

/// Stands for the library's own choice.
const std::string automatic = "auto";
const std::string prefix = "collectives.";

const Table<CollectiveTuning>& tuning_table() {
  static const auto table =
      Table<CollectiveTuning>("collectives")
          .choice("progress", &CollectiveTuning::progress, {"in-calls", "asynchronous"},
                  "when nonblocking collectives go on: while their rank is in a call, on its processor, as "
                  "MPICH does, or at all times on a processor that each rank has for this alone")
          .choice(
              "library", &CollectiveTuning::library, {"auto", "mpich", "openmpi", "nccl"},
              "whose algorithms collectives have: MPICH 4.0's, Open MPI 4.1's, or, of `morgana collective` "
              "and execution traces, NCCL's, as [nccl] says. auto: Open MPI's for programs that were built "
              "for it, and MPICH's for all others; calls of MPI have these with nccl, too")
          .key("segment", &CollectiveTuning::segment,
               "of Open MPI's trees, chains and segmented ring, where a key names them: the size of the "
               "pieces of a "
               "message; 0 B: one piece, as where its decision functions choose",
               {.at_least = "0 B", .at_most = "1 GiB"})
          .key("chains", &CollectiveTuning::chains,
               "of Open MPI's algorithm \"chain\", where a key names it: how many chains start at the root",
               {.at_least = "1", .at_most = "32"});
  return table;
}

struct TunerFile {
  std::string name;
};

const Table<TunerFile>& tuner_table() {
  static const auto table = Table<TunerFile>("collectives")
                                .file("tuner", &TunerFile::name,
                                      "a table of NCCL's example tuner plug-in (CSV), whose first line that "
                                      "fits overrides NCCL's cost model; a relative name is looked up in the "
                                      "working folder");
  return table;
}

}  // namespace

std::vector<Key> collective_keys() {
  std::vector<Key> keys = tuning_table().keys();
  for (Key& key : tuner_table().keys()) keys.push_back(std::move(key));
  for (const AlgorithmChoice& choice : algorithm_choices()) {
    const std::string name = prefix + std::string(choice.kind);
    auto key = std::ranges::find(keys, name, &Key::name);
    if (key == keys.end()) key = keys.insert(key, {name, ValueForm::word, automatic, {}, {}, {automatic}});
    if (std::ranges::find(key->words, choice.algorithm) == key->words.end())
      key->words.emplace_back(choice.algorithm);
  }
  for (Key& key : keys)
    if (key.meaning.empty()) key.meaning = form_of(key);
  return keys;
}

CollectiveTuning read_collectives(const Settings& settings) {
  CollectiveTuning tuning = tuning_table().read(settings);
  for (const AlgorithmChoice& choice : algorithm_choices()) {
    const auto set = settings.find(prefix + std::string(choice.kind));
    if (set != settings.end() && std::get<std::string>(set->second) != automatic)
      tuning.algorithm[std::string(choice.kind)] = std::get<std::string>(set->second);
  }
  return tuning;
}

CollectiveLibrary read_collective_library(const Settings& settings) {
  return tuning_table().read(settings).library;
}

std::shared_ptr<const nccl::Tuner> read_tuner(const Settings& settings) {
  constexpr std::size_t largest_file = std::size_t{16} << 20;
  const std::string file = tuner_table().read(settings).name;
  if (file.empty()) return nullptr;
  return std::make_shared<const nccl::Tuner>(
      nccl::Tuner::parse(read_at_most(file, largest_file, "collectives.tuner"), file));
}

}  // namespace morgana
