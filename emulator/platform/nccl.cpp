#include <fmt/format.h>

#include <array>
#include <string>

#include "emulator/platform/sections.h"

namespace morgana {
namespace {

using nccl::Costs;
using nccl::Parameters;

void add_costs(Table<Parameters>& table, std::size_t algorithm, std::size_t protocol) {
  constexpr std::array<const char*, nccl::algorithms_with_costs> algorithms{"ring", "tree"};
  constexpr std::array<const char*, nccl::protocols> names{"ll", "ll128", "simple"};
  const std::string which = fmt::format("{}-{}", algorithms[algorithm], names[protocol]);
  const auto cost = [algorithm, protocol](auto Costs::*member) {
    return [ algorithm, protocol, member ](Parameters & parameters) -> auto& {
      return parameters.costs[algorithm][protocol].*member;
    };
  };
  const std::string by = algorithm == 0
                             ? fmt::format("along rings (and of all-to-all) by {}", names[protocol])
                             : fmt::format("of trees by {}", names[protocol]);
  table.key(which + "-start", cost(&Costs::start), "once for each collective " + by)
      .key(which + "-hop", cost(&Costs::hop),
           fmt::format("of each hop between GPUs of a node {}, in addition to the network", by))
      .key(which + "-network-hop", cost(&Costs::network_hop),
           fmt::format("of each hop between nodes {}, in addition to the network", by))
      .key(which + "-per-byte", cost(&Costs::per_byte),
           fmt::format("work of a GPU at each hop {}, for the data of all channels, in groups within a node",
                       by))
      .key(which + "-network-per-byte", cost(&Costs::network_per_byte),
           fmt::format("the same {}, in groups of several nodes", by));
}

}  // namespace

const Table<Parameters>& nccl_table() {
  static const auto table = [] {
    Table<Parameters> keys("nccl");
    keys.key("gpus-per-node", &Parameters::gpus_per_node,
             "consecutive ranks of a scale-up domain (NVLink); a rank is a GPU",
             {.at_least = "1", .at_most = "4096", .unit = "GPUs"})
        .key("rails", &Parameters::rails,
             "NICs of a node that collectives of several nodes use, NIC i for what enters a node at its GPU "
             "i; "
             "auto: one for each GPU",
             {.at_least = "1", .at_most = "4096", .unit = "rails", .zero_word = "auto"})
        .key("channels", &Parameters::channels,
             "of a collective: rings, or halves of double trees, that share its data",
             {.at_least = "1", .at_most = "64", .unit = "channels"})
        .key("slices", &Parameters::slices,
             "of a chunk that goes along a ring by Simple: each goes on when it is there",
             {.at_least = "1", .at_most = "8", .unit = "slices"})
        .key("launch", &Parameters::launch, "of the kernel, before each collective")
        .key("reduce-per-byte", &Parameters::reduce_per_byte,
             "of adding what has come, for the data of all channels of a GPU");
    for (std::size_t algorithm = 0; algorithm < nccl::algorithms_with_costs; ++algorithm)
      for (std::size_t protocol = 0; protocol < nccl::protocols; ++protocol)
        add_costs(keys, algorithm, protocol);
    return keys;
  }();
  return table;
}

}  // namespace morgana
