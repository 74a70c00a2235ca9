#include "emulator/report/host_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulator/report/readable.h"

namespace morgana {

namespace {

std::string who_used_the_network(const HostUse& use, std::size_t ranks) {
  if (use.hosts == ranks) return ranks == 1 ? "1" : fmt::format("{}, one for each rank", use.hosts);
  std::string hosts = fmt::format("{} with {} processor{}{}", use.hosts, use.processors,
                                  use.processors == 1 ? "" : "s", use.hosts == 1 ? "" : " each");
  const std::uint64_t messages = use.within.messages + use.between.messages;
  if (messages == 0) return hosts;
  if (use.between.messages == 0) return hosts + "; no message used the network";
  if (use.within.messages == 0) return hosts + "; every message used the network";
  return fmt::format(
      "{}; {:.0f} % of the bytes ({} of {} messages, those of collectives included) stayed within a host",
      hosts, use.share_within() * 100, use.within.messages, messages);
}

}  // namespace

std::string text_of(const HostUse& use, std::size_t ranks) {
  std::string text = who_used_the_network(use, ranks);
  if (use.memory_wait > SimTime())
    text += fmt::format(
        "; copies waited {} for memory (hosts.memory-bandwidth), a host's was at its limit for {}",
        readable(use.memory_wait), readable(use.memory_at_limit));
  return text;
}

nlohmann::ordered_json host_use_json(const HostUse& use) {
  nlohmann::ordered_json json = {{"count", use.hosts},
                                 {"processors", use.processors},
                                 {"messages_within", use.within.messages},
                                 {"bytes_within", use.within.bytes.count()},
                                 {"messages_between", use.between.messages},
                                 {"bytes_between", use.between.bytes.count()}};
  if (use.memory_wait > SimTime()) {
    json["memory_wait_ps"] = use.memory_wait.ps();
    json["memory_at_limit_ps"] = use.memory_at_limit.ps();
  }
  return json;
}

std::string text_of(const BackgroundUse& use) {
  std::string text =
      fmt::format("{} of the cables of {} hosts: {} offered, {} delivered", readable_share(use.load),
                  use.hosts, readable(use.offered.bytes), readable(use.delivered.bytes));
  if (use.delivered.messages > 0)
    text +=
        fmt::format(" ({} messages, mean latency {})", use.delivered.messages, readable(use.mean_latency));
  if (use.lost > 0) text += fmt::format(", {} messages lost", use.lost);
  if (use.held_back > 0)
    text += fmt::format(", {} messages held back: the network does not carry the load", use.held_back);
  return text;
}

nlohmann::ordered_json background_use_json(const BackgroundUse& use) {
  return {{"load", use.load},
          {"hosts", use.hosts},
          {"messages_offered", use.offered.messages},
          {"bytes_offered", use.offered.bytes.count()},
          {"messages_held_back", use.held_back},
          {"messages_delivered", use.delivered.messages},
          {"bytes_delivered", use.delivered.bytes.count()},
          {"messages_lost", use.lost},
          {"mean_latency_ps", use.mean_latency.ps()}};
}

}  // namespace morgana
