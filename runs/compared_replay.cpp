#include "runs/compared_replay.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace morgana {
namespace {

using nlohmann::json;

// Each takes its structure apart, so that a member more is not forgotten. Times are whole picoseconds.

json json_of(const Traffic& traffic) {
  const auto& [messages, bytes] = traffic;
  return {messages, bytes.count()};
}

Traffic traffic_of(const json& from) {
  Traffic traffic;
  traffic.messages = from.at(0);
  traffic.bytes = Bytes(from.at(1).get<std::int64_t>());
  return traffic;
}

json json_of(const HostUse& use) {
  const auto& [hosts, processors, within, between, memory_wait, memory_at_limit] = use;
  return {hosts, processors, json_of(within), json_of(between), memory_wait.ps(), memory_at_limit.ps()};
}

HostUse host_use_of(const json& from) {
  return {from.at(0),
          from.at(1),
          traffic_of(from.at(2)),
          traffic_of(from.at(3)),
          SimTime::from_ps(from.at(4).get<std::int64_t>()),
          SimTime::from_ps(from.at(5).get<std::int64_t>())};
}

json json_of(const BackgroundUse& use) {
  const auto& [load, hosts, offered, held_back, delivered, lost, mean_latency] = use;
  return {load, hosts, json_of(offered), held_back, json_of(delivered), lost, mean_latency.ps()};
}

BackgroundUse background_of(const json& from) {
  return {from.at(0),
          from.at(1),
          traffic_of(from.at(2)),
          from.at(3),
          traffic_of(from.at(4)),
          from.at(5),
          SimTime::from_ps(from.at(6).get<std::int64_t>())};
}

json json_of(const BusiestLink& link) {
  const auto& [text, utilisation] = link;
  return {text, utilisation};
}

BusiestLink busiest_link_of(const json& from) {
  return {from.at(0), from.at(1)};
}

json json_of(const PathTimes& times) {
  json all = json::array();
  for (const SimTime time : times) all.push_back(time.ps());
  return all;
}

PathTimes path_times_of(const json& from) {
  PathTimes times;
  for (std::size_t kind = 0; kind < path_kinds; ++kind)
    times.at(kind) = SimTime::from_ps(from.at(kind).get<std::int64_t>());
  return times;
}

json json_of(const CollectiveUse& use) {
  const auto& [what, times, total, longest, late, bus_bytes] = use;
  return {what, times, total.ps(), longest.ps(), late.ps(), bus_bytes};
}

json json_of(const ExecutionUse& use) {
  const auto& [computing, hidden, exposed, idle, collectives, working] = use;
  json of_collectives = json::array();
  for (const CollectiveUse& one : collectives) of_collectives.push_back(json_of(one));
  return {computing.ps(), hidden.ps(), exposed.ps(), idle.ps(), std::move(of_collectives), working.ps()};
}

ExecutionUse execution_of(const json& from) {
  const auto time = [](const json& ps) { return SimTime::from_ps(ps.get<std::int64_t>()); };
  ExecutionUse use{time(from.at(0)), time(from.at(1)), time(from.at(2)), time(from.at(3)), {},
                   time(from.at(5))};
  for (const json& one : from.at(4))
    use.collectives.push_back(
        {one.at(0), one.at(1), time(one.at(2)), time(one.at(3)), time(one.at(4)), one.at(5)});
  return use;
}

template <typename Value>
json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : json();
}

template <typename Value>
std::optional<Value> read(const json& from, Value (*value)(const json&)) {
  return from.is_null() ? std::nullopt : std::optional(value(from));
}

json json_of(const ComparedRun& run) {
  const auto& [platform, total, compute, communication, share, scale, ratio, messages, mean, median, p99,
               ranks, hosts, link, recorded, path, limit, background, execution, openmpi, stands_still] = run;
  return {{"platform", platform},
          {"total", total.ps()},
          {"compute", compute.ps()},
          {"communication", communication.ps()},
          {"share", share},
          {"scale", scale},
          {"ratio", ratio},
          {"messages", messages},
          {"latencies", {mean, median, p99}},
          {"ranks", ranks},
          {"hosts", json_of(hosts)},
          {"link", json_of(link)},
          {"recorded", static_cast<int>(recorded)},
          {"path", json_of(path)},
          {"limit", limit},
          {"background", json_of(background)},
          {"execution", json_of(execution)},
          {"openmpi", openmpi},
          {"stands_still", stands_still}};
}

ComparedRun run_of(const json& from) {
  ComparedRun run;
  run.platform = from.at("platform");
  run.total = SimTime::from_ps(from.at("total").get<std::int64_t>());
  run.compute = SimTime::from_ps(from.at("compute").get<std::int64_t>());
  run.communication = SimTime::from_ps(from.at("communication").get<std::int64_t>());
  run.communication_share = from.at("share");
  run.compute_scale = from.at("scale");
  run.ratio = from.at("ratio");
  run.messages = from.at("messages");
  run.mean_latency = from.at("latencies").at(0);
  run.median_latency = from.at("latencies").at(1);
  run.p99_latency = from.at("latencies").at(2);
  run.ranks = from.at("ranks");
  run.hosts = read(from.at("hosts"), host_use_of);
  run.busiest_link = read(from.at("link"), busiest_link_of);
  run.recorded = static_cast<Recorded>(from.at("recorded").get<int>());
  run.path = read(from.at("path"), path_times_of);
  run.openmpi_collectives = from.at("openmpi");
  run.stands_still = from.at("stands_still");
  run.limit = from.at("limit");
  run.background = read(from.at("background"), background_of);
  run.execution = read(from.at("execution"), execution_of);
  return run;
}

}  // namespace

std::string text_of(const ComparedReplay& replay) {
  return json{{"run", json_of(replay.run)},
              {"notices", replay.notices},
              {"page", replay.page},
              {"stands_still", replay.stands_still}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

ComparedReplay compared_replay_of(const std::string& text) {
  json from = json::parse(text);
  return {run_of(from.at("run")), from.at("notices").get<std::vector<std::string>>(),
          std::move(from.at("page")), from.at("stands_still")};
}

}  // namespace morgana
