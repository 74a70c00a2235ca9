#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "emulator/collectives/tuning.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana::nccl {

class Tuner;

/// Which way data go. Tree: NCCL's double binary tree over nodes, with a chain inside of each node. Direct:
/// every rank sends to every other one. Pat: parallel aggregated trees (nccl_pat.h). The others let switches
/// add data up (nccl_in_network.h).
enum class Algorithm : std::uint8_t {
  ring,
  tree,
  direct,
  pat,
  nvls,
  nvls_tree,
  collnet_chain,
  collnet_direct
};
/// With each protocol; direct has the ring's.
inline constexpr std::size_t algorithms_with_costs = 2;
/// nvls and those after it, which go by Simple only.
inline constexpr std::size_t algorithms_in_network = 4;
constexpr bool is_in_network(Algorithm algorithm) {
  return algorithm >= Algorithm::nvls;
}
/// Whether NCCL has the algorithm with Simple alone.
constexpr bool is_by_simple_alone(Algorithm algorithm) {
  return algorithm == Algorithm::pat || is_in_network(algorithm);
}
/// Whether a node's GPUs are joined by the switch that adds their data up.
constexpr bool is_nvls(Algorithm algorithm) {
  return algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree;
}

/// How a receiver learns that data are there. LL: a flag of 4 B behind every 4 B of data; LL128: one of 8 B
/// behind every 120 B; Simple: a counter for each slice, at full bandwidth and with the longest latency.
enum class Protocol : std::uint8_t { ll, ll128, simple };
inline constexpr std::size_t protocols = 3;

std::string_view name_of(Algorithm algorithm);  ///< "ring"
std::string_view name_of(Protocol protocol);    ///< "ll128"

/// What an algorithm costs with a protocol, in addition to the network.
struct Costs {
  SimTime start;        ///< once for each collective
  SimTime hop;          ///< of each hop between GPUs of one node
  SimTime network_hop;  ///< of each hop between nodes
  /// Of a GPU for the bytes of all its channels, at each hop: in groups inside of one node.
  ByteCost per_byte;
  ByteCost network_per_byte;  ///< the same, in groups of several nodes
};

/// How NCCL runs on a platform's GPUs. A rank is a GPU. Defaults: the tables of NCCL 2.30.7,
/// src/graph/tuning.cc (baseLatencies, hwLatencies), without its limits of bandwidth.
struct Parameters {
  std::uint32_t gpus_per_node = 8;   ///< consecutive ranks in a scale-up domain
  std::uint32_t rails = 0;           ///< NICs of a node that a collective uses; 0: one for each GPU
  std::uint32_t channels = 16;       ///< of a collective, > 0: so many rings, or halves of double trees
  std::uint32_t nvls_channels = 16;  ///< of nvls and nvls_tree, > 0 (Hopper's NVLS_NCHANNELS_SM90)
  std::uint32_t slices = 2;          ///< of a chunk that goes by Simple along a ring
  SimTime launch;                    ///< of the kernel, in addition to Costs::start
  ByteCost reduce_per_byte;          ///< of adding what has come to what is there
  std::shared_ptr<const Tuner> tuner = {};  ///< overrides the cost model; null: nothing does
  std::array<std::array<Costs, protocols>, algorithms_with_costs> costs = {
      std::array<Costs, protocols>{Costs{us(6.6), us(0.6), us(2.7), {}, {}},
                                   Costs{us(14), us(1.9), us(4), {}, {}},
                                   Costs{us(8.4), us(3.4), us(14), {}, {}}},
      std::array<Costs, protocols>{Costs{us(6.8), us(0.6), us(5), {}, {}},
                                   Costs{us(14), us(1.25), us(8.5), {}, {}},
                                   Costs{us(8.4), us(4), us(14), {}, {}}}};

  /// Of pat: NCCL's estimate has a base, and 14 us / 3.5 for each level of the trees.
  Costs pat = {us(8), {}, us(4), {}, {}};
  SimTime pat_block = us(2.8);  ///< of each block that pat sends, once ("still a linear part")

  /// Whether the switch between a node's GPUs adds up and multicasts (NVLink SHARP).
  enum class Ability : std::uint8_t { no, yes } nvls = Ability::no;
  /// Whether the switches between nodes do, and NCCL may use it (SHARP, NCCL_COLLNET_ENABLE=1).
  Ability collnet = Ability::no;
  /// Of a link's bytes between a GPU and a switch that adds up, those that are data. Default: Hopper's
  /// (nvlsEfficiency).
  double nvls_efficiency = 0.85;
  /// Of CollNet direct's bandwidth as NCCL estimates it. Hopper's and later GPUs: 0.85.
  double collnet_direct_efficiency = 1;
  /// Of nvls, nvls_tree, collnet_chain, collnet_direct. NCCL has one latency of NVLS for the whole
  /// collective: `start`. CollNet's network_hop is the whole way through the network's switches.
  std::array<Costs, algorithms_in_network> in_network = {
      Costs{us(25), {}, us(18), {}, {}}, Costs{us(25), {}, us(20.9), {}, {}},
      Costs{{}, us(2.8), us(30), {}, {}}, Costs{{}, us(3.7), us(31), {}, {}}};

  const Costs& costs_of(Algorithm algorithm, Protocol protocol) const {
    if (algorithm == Algorithm::pat) return pat;
    if (is_in_network(algorithm))
      return in_network[static_cast<std::size_t>(algorithm) - static_cast<std::size_t>(Algorithm::nvls)];
    return costs[algorithm == Algorithm::tree ? 1 : 0][static_cast<std::size_t>(protocol)];
  }
  std::uint32_t rails_of_node() const { return rails > 0 ? rails : gpus_per_node; }

 private:
  static SimTime us(double microseconds) { return SimTime::from_ps(std::llround(microseconds * 1e6)); }
};

/// What data take on the wire. @param bytes  >= 0
constexpr Bytes on_wire(Protocol protocol, Bytes bytes) {
  switch (protocol) {
    case Protocol::ll:
      return bytes * 2;
    case Protocol::ll128:
      return Bytes((bytes.count() * 16 + 14) / 15);
    case Protocol::simple:
      break;
  }
  return bytes;
}

}  // namespace morgana::nccl
