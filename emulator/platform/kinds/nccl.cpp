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

/// Of algorithms in which switches add up. @param number  Parameters::in_network
void add_network_costs(Table<Parameters>& table, std::size_t number, const std::string& which,
                       const std::string& of_nvls) {
  const auto cost = [number](auto Costs::*member) {
    return [ number, member ](Parameters & parameters) -> auto& {
      return parameters.in_network[number].*member;
    };
  };
  if (!of_nvls.empty())
    table.key(which + "-start", cost(&Costs::start), "once for each collective by " + of_nvls)
        .key(which + "-network-hop", cost(&Costs::network_hop),
             fmt::format("of each hop between nodes by {}, in addition to the network", of_nvls));
  else
    table
        .key(which + "-hop", cost(&Costs::hop),
             fmt::format("of each hop between GPUs of a node by {}, in addition to the network", which))
        .key(which + "-network-hop", cost(&Costs::network_hop),
             fmt::format(
                 "of the way of a node's data through the network's switches by {}, in addition to the "
                 "network",
                 which));
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
        .key("nvls-channels", &Parameters::nvls_channels,
             "of nvls and nvls-tree; nvls over several nodes uses nccl.channels of them at most",
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
    const auto of_pat = [](auto Costs::*member) {
      return [member](Parameters & parameters) -> auto& {
        return parameters.pat.*member;
      };
    };
    keys.key("pat-start", of_pat(&Costs::start), "once for each collective by pat")
        .key("pat-network-hop", of_pat(&Costs::network_hop),
             "of each level of pat's trees, in addition to the network")
        .key("pat-network-per-byte", of_pat(&Costs::network_per_byte),
             "work of a GPU at each hop by pat, for the data of all channels")
        .key("pat-block", &Parameters::pat_block,
             "work of a GPU for each rank's block that it sends by pat, once a block");
    keys.choice("nvls", &Parameters::nvls, {"no", "yes"},
                "whether the switch between a node's GPUs adds up what they send and multicasts results "
                "(NVLink SHARP): NCCL's nvls and nvls-tree")
        .choice("collnet", &Parameters::collnet, {"no", "yes"},
                "whether the switches between nodes add up and multicast (SHARP), and NCCL may use that "
                "(NCCL_COLLNET_ENABLE): its collnet-chain, collnet-direct, and nvls over several nodes")
        .share("nvls-efficiency", &Parameters::nvls_efficiency,
               "of a link between a GPU and a switch that adds up: the share of its bytes that is data",
               {.at_least = "1 %", .at_most = "100 %"})
        .share("collnet-direct-efficiency", &Parameters::collnet_direct_efficiency,
               "share of collnet-direct's bandwidth that NCCL counts on when it chooses",
               {.at_least = "1 %", .at_most = "100 %"});
    add_network_costs(keys, 0, "nvls", "nvls");
    add_network_costs(keys, 1, "nvls-tree", "nvls-tree");
    add_network_costs(keys, 2, "collnet-chain", "");
    add_network_costs(keys, 3, "collnet-direct", "");
    return keys;
  }();
  return table;
}

}  // namespace morgana
