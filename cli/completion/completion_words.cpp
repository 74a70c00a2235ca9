#include "cli/completion/completion_words.h"

#include <algorithm>
#include <array>
#include <variant>

#include "cli/common/parser.h"
#include "emulator/platform/platform.h"
#include "experiments/experiment.h"

namespace morgana::cli {
namespace {

constexpr const char* platform_names = "morgana platforms --names 2>/dev/null";

struct ValueWords {
  std::string_view option;
  CompletionWords words;
};

const std::vector<ValueWords>& value_words() {
  static const std::vector<ValueWords> all{
      {"--platform", {{}, platform_names, false, true}},
      {"--platforms", {{}, platform_names, true, false}},
      {"--compute", {{"measured", "none", "recorded:"}, {}, false, false}},
      {"--api", {{"auto", "mpi", "pvm"}, {}, false, false}},
      {"--stdin", {{"0", "none"}, {}, false, false}},
      {"--from", {{"live", "traces", "live-everywhere"}, {}, false, false}},
      {"--map", {placement_rules(), {}, false, true}},
      {"--compare", {placement_rules(), {}, false, true}},
      {"--network",
       {{"torus", "express-torus", "cplant", "now", "irregular:32", "fat-tree:4x2"}, {}, false, true}},
      {"--routes", {{"up-down", "in-transit", "minimal", "shortest-up-down"}, {}, false, false}},
      {"--stages", {{"gam", "gms", "network+disk", "network+disk+network"}, {}, false, true}},
      {"--policy", {{"fixed", "ramp", "hierarchical", "optimal", "4096", "128"}, {}, false, false}},
      {"--routing-unit", {{"each-output", "each-switch"}, {}, false, false}},
      {"--pattern",
       {{"uniform", "bit-reversal", "bit-complement", "transpose", "tornado", "neighbour",
         "random-permutation", "permutation:", "hotspot:5%", "local:3",
         "next-group:", "group-to-group:", "incast:", "all-to-all"},
        {},
        false,
        false}},
      {"--figure", {{"total_ps", "communication_ps", "speedup", "efficiency"}, {}, false, false}},
      {"--scaling", {{"strong", "weak"}, {}, false, false}},
      {"--process", {{"constant", "exponential"}, {}, false, false}},
  };
  return all;
}

/// What is neither a file nor one of a few words.
constexpr std::array free_values{"--let",   "--set",       "--seed",           "--seeds", "--over",
                                 "--rows",  "--jobs",      "--runs",           "--ranks", "--ranks-per-host",
                                 "--bytes", "--fragments", "--least",          "--most",  "--burst",
                                 "--bound", "--env",       "--message-weight", "--steps"};

}  // namespace

CompletionWords words_for_value(const Option& option) {
  if (std::holds_alternative<bool*>(option.target)) return {};
  for (const std::string& name : names_of(option)) {
    const auto found = std::ranges::find(value_words(), name, &ValueWords::option);
    if (found != value_words().end()) return found->words;
    if (std::ranges::find(free_values, name) != free_values.end()) return {};
  }
  return {{}, {}, false, true};
}

CompletionWords words_for_argument(const Commands& all, const Command& command) {
  CompletionWords found{{}, {}, false, true};
  if (command.name == "platforms") return {{}, platform_names, false, true};
  if (command.name == "completion") return {{"bash", "zsh", "fish"}, {}, false, false};
  if (command.name == "manual") {
    found.files = false;
    for (const Command& one : all.all) found.words.push_back(one.name);
  }
  if (command.name == "reproduce") {
    found = {{"all"}, {}, false, false};
    for (const Experiment& experiment : experiments()) found.words.push_back(experiment.name);
  }
  return found;
}

std::string brief(const std::string& description) {
  std::size_t end = description.size();
  for (const char* stop : {". ", "; ", ": ", " ("}) end = std::min(end, description.find(stop));
  return description.substr(0, end);
}

}  // namespace morgana::cli
