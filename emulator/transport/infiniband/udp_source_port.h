#pragma once

#include <cstdint>

namespace morgana::rc {

/// The UDP source port of a queue pair's packets with RoCE v2, the same in both directions. Switches that
/// hash flows see it: two queue pairs of the same hosts may go different ways. Sources: InfiniBand
/// Architecture Specification, volume 1, annex A17 (RoCE v2: packets of different source ports need not keep
/// their order); Rosenbaum, "RoCE v2.0 Entropy - IPv6 Flow Label and UDP Source Port", linux-rdma, 2020, as
/// Linux has it (rdma_calc_flow_label and rdma_flow_label_to_udp_sport, include/rdma/ib_verbs.h): a flow
/// label of 20 bits from the product of the two queue pairs' numbers, folded into the ports from 49,152 on.
constexpr std::uint16_t udp_source_port(std::uint32_t queue_pair, std::uint32_t other) {
  std::uint64_t product = std::uint64_t{queue_pair} * other;
  product ^= product >> 20;
  product ^= product >> 40;
  const auto flow_label = static_cast<std::uint32_t>(product & 0xFFFFF);
  return static_cast<std::uint16_t>(0xC000 | ((flow_label ^ flow_label >> 14) & 0x3FFF));
}

/// That of the queue pairs of two processes. The numbers of queue pairs depend on what a host has created
/// before: here the channel (Shipment::channel) draws both.
constexpr std::uint16_t udp_source_port(std::uint64_t channel) {
  const auto drawn = [](std::uint64_t number) {  // SplitMix64 (Steele, Lea and Flood 2014)
    number *= 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((number ^ number >> 31) & 0xFFFFFF);
  };
  return udp_source_port(drawn(2 * channel + 1), drawn(2 * channel + 2));
}

}  // namespace morgana::rc
