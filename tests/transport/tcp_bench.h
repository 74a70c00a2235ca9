#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <set>
#include <string_view>
#include <variant>
#include <vector>

#include "emulator/transport/tcp/tcp.h"
#include "tests/transport/scripted_network.h"

/// What tests of TCP by hand share.
namespace morgana::testing::tcp_bench {

using Ordinals = std::set<std::uint64_t>;

inline constexpr std::int64_t ns = 1'000, ms = 1'000'000 * ns, s = 1'000 * ms;  ///< ps

/// Connections stand, each segment is acknowledged at once, without options, NewReno with 10 segments. A
/// message of 1,000 n - 1 bytes has n segments.
inline TcpParameters plain() {
  TcpParameters all;
  all.timestamps = false;
  all.sack = false;
  all.message_header = Bytes(1);
  all.handshake = false;
  all.quick_acknowledgements = 1'000;
  all.control = TcpParameters::Control::new_reno;
  return all;
}

inline TcpParameters with_sack() {
  TcpParameters all = plain();
  all.sack = true;
  return all;
}

inline TcpParameters with_handshake() {
  TcpParameters all = plain();
  all.handshake = true;
  return all;
}

/// Two hosts that carry a plan out. Segments carry 1,000 B and have 1,040 on the link, or 1,052 with
/// timestamps; 1 ns a byte and 10 us of latency: a segment comes 11,040 ns after it was sent, an
/// acknowledgement of 40 B 10,040 ns. Units that are lost and marked go from host 0 to host 1.
class TcpBench {
 public:
  TcpBench(const TcpParameters& parameters, const std::vector<TcpPlanned>& plan, const Ordinals& lost = {},
           const Ordinals& marked = {})
      : network_(events_, 2, Bytes(parameters.timestamps ? 1'052 : 1'040), SimTime::from_ps(ns),
                 [&](const Unit& unit, std::uint64_t ordinal) {
                   const bool there = unit.from == PortId{0};
                   return ScriptedNetwork::Fate{SimTime::from_ps(10'000 * ns),
                                                there && lost.contains(ordinal),
                                                there && marked.contains(ordinal)};
                 }),
        tcp_(events_, network_, 2, parameters),
        dispatch_(events_, tcp_) {
    dispatch_.run(plan);
  }

  struct Sent {
    std::int64_t at, size;
    bool operator==(const Sent&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Sent& sent) {
      return out << sent.size << " B at " << sent.at;
    }
  };
  std::vector<Sent> sent_by(std::uint32_t host) const {
    std::vector<Sent> all;
    for (const auto& [at, unit] : network_.injected)
      if (unit.from == PortId{host}) all.push_back({at, unit.size.count()});
    return all;
  }
  /// In ps; -1: never.
  std::int64_t when(std::size_t message, TcpDispatch::What what) const {
    return dispatch_.when(message, what).value_or(-1);
  }
  std::int64_t counted(std::string_view name) const {
    const CounterTable table = tcp_.counted().at(0);
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      if (table.columns[column].name == name) return std::get<std::int64_t>(table.rows.at(0)[column]);
    ADD_FAILURE() << "no " << name;
    return -1;
  }

 private:
  EventQueue events_;
  ScriptedNetwork network_;
  Tcp tcp_;
  TcpDispatch dispatch_;
};

}  // namespace morgana::testing::tcp_bench
