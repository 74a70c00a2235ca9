#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/options.h"
#include "emulator/traffic/open_loop.h"

namespace morgana::cli {

/// The options of `morgana traffic`.
struct TrafficOptions {
  /// The network: a platform's, or a named one with routes and routing unit; never both.
  std::string platform;  ///< empty: a named one
  std::vector<std::string> overrides;
  std::optional<std::string> network, routes, routing_unit;

  std::string pattern = "uniform";
  std::optional<std::string> given_process;
  std::string process() const { return given_process.value_or("constant"); }
  std::vector<double> loads;
  bool saturation = false, quiet = false;
  static constexpr std::int64_t usual_length = 512;
  std::int64_t given_length = 0;  ///< 0: usual_length
  std::int64_t length() const { return given_length > 0 ? given_length : usual_length; }
  /// Messages in many packets: sizes by chance, replies, or so many of each host under way.
  std::string sizes;
  std::int64_t reply = 0;
  std::uint32_t outstanding = 0;
  bool cuts_messages() const { return !sizes.empty() || reply > 0 || outstanding > 0; }
  std::uint64_t messages = 0;  ///< 0: until the network has settled, or by the senders
  std::uint64_t warm_up = 0, seed = 1;
  static constexpr std::uint64_t usual_batches = 20;
  std::uint64_t given_batches = 0;  ///< 0: usual_batches
  std::uint64_t batches() const { return given_batches > 0 ? given_batches : usual_batches; }
  std::string json, csv, plot, page;

  void add(Command& command);
  /// @throws Error for what doesn't go together, and for results that can't be written where they should go
  void check() const;
  /// @param senders  hosts that generate messages
  TrafficSettings settings(std::size_t senders) const;
};

}  // namespace morgana::cli
