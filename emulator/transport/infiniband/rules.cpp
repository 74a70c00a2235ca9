#include "emulator/transport/infiniband/rules.h"

#include <algorithm>
#include <array>
#include <string>

#include "emulator/core/error.h"
#include "emulator/transport/infiniband/packet_sizes.h"

namespace morgana::rc {
namespace {

void require_rc(bool holds, const std::string& what) {
  if (!holds) throw Error("reliable connections: " + what);
}

}  // namespace

Bytes Rules::largest_packet(const RcParameters& parameters) {
  const Bytes telemetry =
      parameters.control == RcParameters::Control::hpcc ? parameters.telemetry_header : Bytes();
  return transport_headers + parameters.global_header + reth + immediate_data + parameters.path_mtu +
         telemetry;
}

Rules::Rules(const RcParameters& parameters, Network& network)
    : parameters_(parameters),
      has_windows_(parameters.control == RcParameters::Control::hpcc ||
                   parameters.control == RcParameters::Control::swift ||
                   parameters.control == RcParameters::Control::timely ||
                   parameters.control == RcParameters::Control::dctcp),
      selective_(parameters.early == RcParameters::Early::selective),
      keeps_early_(selective_ || parameters.early == RcParameters::Early::kept ||
                   (parameters.early == RcParameters::Early::by_network &&
                    network.capabilities().order == NetworkCapabilities::Order::none)) {
  constexpr std::array<std::int64_t, 5> mtus{256, 512, 1024, 2048, 4096};
  require_rc(
      std::ranges::find(mtus, parameters.path_mtu.count()) != mtus.end(),
      "a path MTU is 256, 512, 1024, 2048 or 4096 bytes, not " + std::to_string(parameters.path_mtu.count()));
  require_rc(network.largest_unit() >= largest_packet(parameters),
             "packets of up to " + std::to_string(largest_packet(parameters).count()) +
                 " bytes don't fit into the network's units of " +
                 std::to_string(network.largest_unit().count()) + ": set a smaller path MTU");
  require_rc(parameters.timeout <= 31 && parameters.low_timeout <= 31 && parameters.retry_count <= 7 &&
                 parameters.rnr_retry <= 7,
             "timeouts go up to 31, retry counts up to 7");
  require_rc(parameters.outstanding_packets >= 1 && parameters.outstanding_packets <= most_outstanding_psns &&
                 parameters.outstanding_messages >= 1 && parameters.outstanding_reads >= 1,
             "a queue pair must be able to have at least one packet, message and read under way");
  require_rc(parameters.first_psn < psns && parameters.receives >= 0 && parameters.acknowledge_every >= 0 &&
                 parameters.rnr_timer > SimTime(),
             "a parameter is out of range");
  const bool is_controlled = parameters.control != RcParameters::Control::none;
  MarkingNetwork* const marking = is_controlled ? network.extensions().marking : nullptr;
  require_rc(!is_controlled || marking != nullptr,
             "congestion control needs a network that marks packets, as a fabric does");
  require_rc(!has_windows_ || network.extensions().telemetry != nullptr,
             "HPCC, Swift, TIMELY and DCTCP need a network that records telemetry, as a fabric does");
  require_rc(std::max(parameters.data_class, parameters.cnp_class) < network.capabilities().traffic_classes,
             "the network has fewer traffic classes than are used");
  const auto patience = [](unsigned exponent) {
    return exponent == 0 ? SimTime() : SimTime::from_ps(4'096'000) * (std::int64_t{1} << exponent);
  };
  patience_ = patience(parameters.timeout);
  low_patience_ = selective_ && parameters.low_timeout > 0 ? patience(parameters.low_timeout) : patience_;
  if (has_windows_) full_packet_ = marking->on_link(largest_packet(parameters) - reth - immediate_data);
}

std::uint64_t Rules::packets_of(Bytes message) const {
  const std::int64_t mtu = parameters_.path_mtu.count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>((message.count() + mtu - 1) / mtu, 1));
}

SimTime Rules::time_to_fetch(Bytes bytes) const {
  return parameters_.fetch_latency +
         parameters_.fetch_per_byte.time_for(std::min(bytes, parameters_.path_mtu));
}

std::uint32_t Rules::on_link(Psn psn) const {
  return static_cast<std::uint32_t>((psn + parameters_.first_psn) % psns);
}

Psn Rules::extended(std::uint32_t psn, Psn near) const {
  const std::uint32_t ahead = (psn - on_link(near)) % psns;
  return ahead < psns / 2 ? near + ahead : near - (psns - ahead);
}

Bytes Rules::packet_size(const Header& header, Bytes extension, Bytes payload) const {
  const bool carries_telemetry =
      parameters_.control == RcParameters::Control::hpcc && (header.counts() || is_report(header.kind));
  return transport_headers + parameters_.global_header + extension + padded(payload) +
         (carries_telemetry ? parameters_.telemetry_header : Bytes());
}

std::uint8_t Rules::telemetry_ports(const Header& header) const {
  if (parameters_.control != RcParameters::Control::hpcc || !header.counts()) return 0;
  constexpr std::int64_t most = 255;
  return static_cast<std::uint8_t>(
      std::min(most, (parameters_.telemetry_header - telemetry_fixed).count() / telemetry_record.count()));
}

}  // namespace morgana::rc
