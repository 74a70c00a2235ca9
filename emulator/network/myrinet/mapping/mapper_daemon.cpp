#include "emulator/network/myrinet/mapping/mapper_daemon.h"

#include <algorithm>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/mapping/routes_for_map.h"

namespace morgana {

MapperDaemon::MapperDaemon(EventQueue& events, MapperHost& host, HostName name,
                           const MappingParameters& parameters)
    : events_(events), host_(host), name_(name), parameters_(parameters) {}

void MapperDaemon::schedule(SimTime in, What what, std::uint64_t detail) {
  events_.schedule(events_.now() + in, *this, detail << what_bits | what);
}

// Timers can't be cancelled: each tells what it was set for, and means nothing once that is over.
void MapperDaemon::handle(std::uint64_t event) {
  const std::uint64_t detail = event >> what_bits;
  switch (static_cast<What>(event & ((1U << what_bits) - 1))) {
    case probe_is_overdue:
      if (state_ != State::exploring || !exploration_ || detail != probe_number_) return;
      ++report_.unanswered;
      return learn(std::nullopt);
    case pause_is_over:
      if (state_ == State::exploring && detail == round_) explore_anew();
      return;
    case receipt_is_overdue:
      if (state_ == State::telling) overdue(detail);
      return;
    case routes_are_overdue:
      events_.upkeep_handled();
      if (state_ == State::standing_back && detail == round_) succeed();
      return;
    case next_round:
      events_.upkeep_handled();
      next_round_is_set_ = false;
      return begin();
  }
}

void MapperDaemon::begin() {
  if (busy()) return;
  ++round_;
  began_ = events_.now();
  report_ = {};
  report_.leader = name_;
  report_.began = began_;
  explore_anew();
}

void MapperDaemon::explore_anew() {
  state_ = State::exploring;
  exploration_.emplace(name_, parameters_.exploration);
  probe();
}

void MapperDaemon::probe() {
  const Probe& next = *exploration_->next();
  ++probe_number_;
  if (!exploration_->again()) first_number_ = probe_number_;
  ++report_.probes;
  MappingPacket packet;
  packet.kind = MappingPacket::Kind::probe;
  packet.mapper = name_;
  packet.round = round_;
  packet.number = probe_number_;
  packet.reply_along = next.answer_along;
  schedule(parameters_.overhead + parameters_.probe_patience, probe_is_overdue, probe_number_);
  host_.send(std::move(packet), next.route);
}

void MapperDaemon::answered(const MappingPacket& packet, HostName by) {
  // To an earlier copy of the present probe will do; what is later still tells nothing any more.
  if (state_ != State::exploring || !exploration_ || packet.round != round_ ||
      packet.number < first_number_) {
    return;
  }
  learn(by);
}

void MapperDaemon::learn(std::optional<HostName> answer) {
  try {
    exploration_->tell(answer);
  } catch (const Error& contradiction) {
    if (report_.restarts == parameters_.restarts) return end(contradiction.what());
    ++report_.restarts;
    exploration_.reset();
    return schedule(parameters_.restart_pause, pause_is_over, round_);
  }
  if (exploration_->next() != nullptr) return probe();
  lead();
}

void MapperDaemon::heard_of(HostName mapper) {
  if (!maps() || mapper >= name_) return;
  state_ = State::standing_back;
  forget_work();
  // Only while this mapper waits anybody depends on the timer.
  events_.schedule_upkeep(events_.now() + parameters_.succession, *this,
                          std::uint64_t{round_} << what_bits | routes_are_overdue);
  events_.hold();
}

void MapperDaemon::routes_came() {
  if (state_ != State::standing_back) return;
  events_.release();
  rounds_stood_back_ = 0;
  rest();
}

/// The mapper that this one has stood back for is heard of no more.
void MapperDaemon::succeed() {
  events_.release();
  if (++rounds_stood_back_ > parameters_.restarts) {
    return end("a mapper with a lower name is at work, but no routes come from it");
  }
  state_ = State::idle;
  begin();
}

void MapperDaemon::lead() {
  state_ = State::telling;
  report_.map = exploration_->map();
  report_.found = events_.now();
  const NetworkMap& map = report_.map;
  routes_ = routes_for(map, parameters_.routes, parameters_.routes_seed);
  HostTable own;
  missing_.assign(map.graph.hosts(), 0);
  first_part_ += static_cast<std::uint32_t>(parts_.size());
  parts_.clear();
  for (TablePacket& packet : distribute(map, *routes_, std::size_t(parameters_.largest_table.count()))) {
    if (packet.to == name_) {
      own.install(packet.payload);
      continue;
    }
    const auto place = std::lower_bound(map.names.begin(), map.names.end(), packet.to) - map.names.begin();
    ++missing_[static_cast<std::size_t>(place)];
    parts_.push_back({std::move(packet), static_cast<HostNumber>(place)});
  }
  for (Part& part : parts_) part.parts = missing_[part.to];
  next_part_ = out_ = settled_ = 0;
  report_.hosts_told = 1;
  host_.adopt(std::move(own));
  tell_more();
}

void MapperDaemon::tell_more() {
  for (; next_part_ < parts_.size() && out_ < parameters_.table_window; ++next_part_) {
    if (parts_[next_part_].settled) continue;
    ++out_;
    ++report_.table_packets;
    send_part(next_part_);
  }
  if (next_part_ == parts_.size() && out_ == 0) end({});
}

void MapperDaemon::send_part(std::size_t index) {
  Part& part = parts_[index];
  ++part.sent;
  const Header way_back = routes_->header(part.to, report_.map.mapper);
  MappingPacket packet;
  packet.kind = MappingPacket::Kind::table;
  packet.mapper = name_;
  packet.round = round_;
  packet.number = first_part_ + static_cast<std::uint32_t>(index);
  packet.host = part.packet.to;
  packet.parts = part.parts;
  packet.reply_along.assign(way_back.begin(), way_back.end());
  packet.routes = part.packet.payload;
  schedule(parameters_.overhead + parameters_.receipt_patience * (std::int64_t{1} << (part.sent - 1)),
           receipt_is_overdue, std::uint64_t{packet.number} << copy_bits | part.sent);
  host_.send(std::move(packet), part.packet.route);
}

/// @param copy  number of the part and of its copy
void MapperDaemon::overdue(std::uint64_t copy) {
  const std::uint64_t number = copy >> copy_bits;
  if (number < first_part_) return;  // of an earlier round
  const std::size_t index = number - first_part_;
  const Part& part = parts_[index];
  if (part.settled || part.sent != (copy & ((1U << copy_bits) - 1))) return;
  if (part.sent < parameters_.table_attempts) {
    ++report_.resent;
    return send_part(index);
  }
  give_up(part.to);
  tell_more();
}

void MapperDaemon::receipt(const MappingPacket& packet) {
  if (state_ != State::telling || packet.number < first_part_) return;
  const std::size_t index = packet.number - first_part_;
  if (index >= parts_.size() || parts_[index].settled) return;
  Part& part = parts_[index];
  settle(part);
  if (--missing_[part.to] == 0) ++report_.hosts_told;
  tell_more();
}

void MapperDaemon::settle(Part& part) {
  part.settled = true;
  ++settled_;
  if (part.sent > 0) --out_;
}

void MapperDaemon::give_up(HostNumber host) {
  report_.silent.push_back(report_.map.names[host]);
  for (Part& part : parts_)
    if (part.to == host && !part.settled) settle(part);
}

double MapperDaemon::share_told() const {
  if (state_ != State::telling || parts_.empty()) return 0;
  return static_cast<double>(settled_) / static_cast<double>(parts_.size());
}

void MapperDaemon::end(const std::string& failure) {
  report_.failure = failure;
  report_.ended = events_.now();
  rounds_stood_back_ = 0;
  const MappingReport report = std::move(report_);
  rest();
  host_.ended(report);
}

void MapperDaemon::forget_work() {
  exploration_.reset();
  routes_.reset();
}

void MapperDaemon::rest() {
  state_ = State::idle;
  forget_work();
  if (parameters_.period == SimTime() || next_round_is_set_) return;
  next_round_is_set_ = true;
  const SimTime at = std::max(events_.now(), began_ + parameters_.period);
  events_.schedule_upkeep(at, *this, next_round);
}

}  // namespace morgana
