#include <cstddef>
#include <utility>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/collectives/nccl_tuner.h"
#include "emulator/core/bounded_file.h"
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
  std::string tuner;
};

const Table<LibraryChoice>& library_table() {
  static const auto table = Table<LibraryChoice>("collectives")
                                .choice("library", &LibraryChoice::library, {"mpich", "nccl"},
                                        "whose algorithms `morgana collective` and execution traces take: "
                                        "MPICH's, as calls of MPI do, or NCCL's, as [nccl] says; "
                                        "calls of MPI always have MPICH's")
                                .file("tuner", &LibraryChoice::tuner,
                                      "a table of NCCL's example tuner plug-in (CSV), whose first line that "
                                      "fits overrides NCCL's cost model; a relative name is looked up in the "
                                      "working folder");
  return table;
}

}  // namespace

std::vector<Key> collective_keys() {
  std::vector<Key> keys = progress_table().keys();
  for (Key& key : library_table().keys()) keys.push_back(std::move(key));
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

std::shared_ptr<const nccl::Tuner> read_tuner(const Settings& settings) {
  constexpr std::size_t largest_file = std::size_t{16} << 20;
  const std::string file = library_table().read(settings).tuner;
  if (file.empty()) return nullptr;
  return std::make_shared<const nccl::Tuner>(
      nccl::Tuner::parse(read_at_most(file, largest_file, "collectives.tuner"), file));
}

}  // namespace morgana
