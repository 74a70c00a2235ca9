#pragma once

#include <string>
#include <vector>

#include "cli/traffic/traffic_network.h"
#include "emulator/report/table.h"
#include "emulator/traffic/message_loop.h"

namespace morgana::cli {

/// A load of messages of many sizes, requests with replies, or a closed loop, and what became of it.
struct MessagePoint {
  double load = 0;  ///< in the network's unit; 0 of a closed loop
  MessageLoopResult result;
};

struct MessageOutcome {
  std::vector<MessagePoint> points;
  MessageLoopSettings settings;  ///< but for the load
  double injection_limit = 0;    ///< in the loads' unit
  double hosts_per_switch = 1;
  std::uint64_t senders = 0;
  /// Of a load: with the replies that it brings about.
  double with_replies(double load) const {
    const double request = settings.sizes.mean();
    return load * (request + static_cast<double>(settings.reply.count())) / request;
  }
};

/// @throws Error for a network that carries no packets of several sizes side by side (a Myrinet)
MessageOutcome measure_messages(const TrafficOptions& options, const TrafficNetwork& network);

/// A line for each class of sizes at each load, and one for all. @param all_columns  those, too, that say of
/// how many messages something is missing, though it is of none
TextTable messages_table(const MessageOutcome& outcome, bool all_columns);
std::string messages_text(const TrafficOptions& options, const TrafficNetwork& network,
                          const MessageOutcome& outcome);
std::string messages_json(const TrafficOptions& options, const TrafficNetwork& network,
                          const MessageOutcome& outcome);

}  // namespace morgana::cli
