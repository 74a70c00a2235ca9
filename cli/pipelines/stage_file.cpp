#include "cli/pipelines/stage_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "emulator/core/bounded_file.h"
#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/platform/toml_keys.h"
#include "emulator/schema/nearest.h"

namespace morgana::cli {
namespace {

using pipeline::RealCost;
using pipeline::RealTime;
using pipeline::Stage;
using pipeline::Stages;

constexpr const char* stage_example = "a stage is [[stage]], overhead = \"7.2 us\" and cost = \"24.9 us/KB\"";

Stages network_and_disk() {
  Stages stages = pipeline::slow_network();
  stages.push_back(pipeline::disk());
  return stages;
}

Stages network_disk_network() {
  Stages stages = network_and_disk();
  for (Stage& stage : pipeline::slow_network()) stages.push_back(std::move(stage));
  return stages;
}

struct KnownPipeline {
  const char* name;
  Stages (*stages)();
};
constexpr KnownPipeline pipelines_by_name[]{{"gam", pipeline::gam},
                                            {"gms", pipeline::gms},
                                            {"network+disk", network_and_disk},
                                            {"network+disk+network", network_disk_network}};

class StageFile {
 public:
  explicit StageFile(const std::string& file) : file_(file) {
    constexpr std::size_t largest_file = std::size_t{1024} * 1024, most_parts = 64;
    const std::string text = read_at_most(file, largest_file, "--stages");
    if (line_of_key_deeper_than(most_parts, text))
      throw Error(fmt::format("{}: there is a key of too many parts; {}", file, stage_example));
    try {
      table_ = toml::parse(text, file);
    } catch (const toml::parse_error& why) {
      throw Error(fmt::format("{}: this is not TOML: {}; correct the line (text values are in quotes)",
                              place(why.source()), why.description()));
    }
  }

  Stages stages() const {
    check_keys(table_, {"stage"});
    const toml::array* list = table_["stage"].as_array();
    if (list == nullptr || list->empty()) throw Error(fmt::format("{}: no stages; {}", file_, stage_example));
    constexpr std::size_t most_stages = 64;
    if (list->size() > most_stages)
      throw Error(fmt::format("{}: {} stages; a pipeline has {} at most", file_, list->size(), most_stages));
    Stages stages;
    for (const toml::node& node : *list) {
      const toml::table* one = node.as_table();
      if (one == nullptr)
        throw Error(fmt::format("{}: this is no stage; {}", place(node.source()), stage_example));
      stages.push_back(stage(*one, stages.size() + 1));
    }
    return stages;
  }

 private:
  std::string place(const toml::source_region& region) const {
    return fmt::format("{}:{}:{}", file_, region.begin.line, region.begin.column);
  }

  void check_keys(const toml::table& table, const std::vector<std::string>& keys) const {
    for (const auto& [key, node] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
      const auto meant = nearest(key.str(), keys);
      throw Error(fmt::format("{}: there is no key {} here{}; {}", place(key.source()), key.str(),
                              meant ? " (did you mean " + *meant + "?)" : "", stage_example));
    }
  }

  /// A key's text, read by a quantity's parser. @throws Error with its place
  template <class Parse>
  auto read(const toml::table& stage, const std::string& key, const Parse& parse) const
      -> std::optional<decltype(parse(std::string()))> {
    const toml::node* node = stage.get(key);
    if (node == nullptr) return std::nullopt;
    const auto* text = node->as_string();
    if (text == nullptr)
      throw Error(fmt::format("{}: {} is a text in quotes, with its unit; {}", place(node->source()), key,
                              stage_example));
    try {
      return parse(text->get());
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}: {}", place(node->source()), key, error.what()));
    }
  }

  Stage stage(const toml::table& table, std::size_t number) const {
    check_keys(table, {"name", "overhead", "cost", "rate"});
    const auto name = read(table, "name", [](const std::string& text) { return text; });
    const auto overhead = read(table, "overhead", parse_time);
    const auto cost = read(table, "cost", parse_byte_cost);
    const auto rate = read(table, "rate", parse_bit_rate);
    if (!overhead || cost.has_value() == rate.has_value())
      throw Error(fmt::format("{}: a stage needs an overhead and either a cost or a rate; {}",
                              place(table.source()), stage_example));
    constexpr double bits_per_byte = 8, ps_per_s = 1e12;
    return {name.value_or(fmt::format("stage {}", number)), pipeline::real(*overhead),
            cost ? pipeline::real(*cost)
                 : RealCost(bits_per_byte * ps_per_s / static_cast<double>(rate->bits_per_second()))};
  }

  std::string file_;
  toml::table table_;
};

}  // namespace

std::vector<std::string> known_pipelines() {
  std::vector<std::string> names;
  for (const KnownPipeline& one : pipelines_by_name) names.emplace_back(one.name);
  return names;
}

Stages load_stages(const std::string& name) {
  for (const KnownPipeline& one : pipelines_by_name)
    if (name == one.name) return one.stages();
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    const auto meant = nearest(name, known_pipelines());
    throw Error(
        fmt::format("--stages {}: there is no such file, and no pipeline of that name{}; there are {}", name,
                    meant ? " (did you mean " + *meant + "?)" : "", fmt::join(known_pipelines(), ", ")));
  }
  return StageFile(name).stages();
}

}  // namespace morgana::cli
