#include "emulator/network/rail_networks.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace morgana {
namespace {

std::string of_rail(std::string text, std::size_t rail) {
  return text.empty() ? text : "rail " + std::to_string(rail) + ": " + text;
}

/// One more than the largest number of a switch.
std::uint32_t switches_of(const NetworkLinks& links) {
  std::uint32_t count = 0;
  for (const LinkLoad& link : links.loads)
    for (const LinkEnd& end : {link.from, link.to})
      if (!end.is_host()) count = std::max(count, end.number + 1);
  return count;
}

}  // namespace

/// One of them, whose reports go on with the ports of all.
class RailNetworks::Rail final : private UnitListener {
 public:
  Rail(RailNetworks& all, std::size_t number, std::unique_ptr<Network> made)
      : network(std::move(made)), extensions(network->extensions()), all_(all), number_(number) {
    network->report_to(*this);
  }

  const std::unique_ptr<Network> network;
  NetworkExtensions extensions;

 private:
  PortId of_all(PortId port) const {
    return static_cast<PortId>(static_cast<std::size_t>(port) * all_.rails_.size() + number_);
  }
  UnitListener& begin() {
    all_.reporting_ = number_;
    return *all_.listener_;
  }
  void unit_departed(UnitId id, PortId from) override { begin().unit_departed(id, of_all(from)); }
  void unit_delivered(UnitId id, PortId to) override { begin().unit_delivered(id, of_all(to)); }
  void unit_lost(UnitId id) override {
    all_.lost_last_ = number_;
    begin().unit_lost(id);
  }

  RailNetworks& all_;
  std::size_t number_;
};

RailNetworks::RailNetworks(std::vector<std::unique_ptr<Network>> rails) {
  assert(!rails.empty());
  for (std::unique_ptr<Network>& rail : rails)
    rails_.push_back(std::make_unique<Rail>(*this, rails_.size(), std::move(rail)));
}

RailNetworks::~RailNetworks() = default;

void RailNetworks::inject(const Unit& unit) {
  const std::size_t from = static_cast<std::size_t>(unit.from), to = static_cast<std::size_t>(unit.to);
  assert(from % rails_.size() == to % rails_.size());
  Unit there = unit;
  there.from = static_cast<PortId>(from / rails_.size());
  there.to = static_cast<PortId>(to / rails_.size());
  rails_[from % rails_.size()]->network->inject(there);
}

Bytes RailNetworks::largest_unit() const {
  return rails_.front()->network->largest_unit();
}

SimTime RailNetworks::least_latency() const {
  SimTime least = SimTime::max();
  for (const auto& rail : rails_) least = std::min(least, rail->network->least_latency());
  return least;
}

NetworkCapabilities RailNetworks::capabilities() const {
  NetworkCapabilities all = rails_.front()->network->capabilities();
  for (const auto& rail : rails_) {
    const NetworkCapabilities one = rail->network->capabilities();
    if (one.order < all.order) all.order = one.order;
    all.lossless = all.lossless && one.lossless;
    all.fails = all.fails || one.fails;
  }
  return all;
}

NetworkExtensions RailNetworks::extensions() {
  const NetworkExtensions& one = rails_.front()->extensions;
  return {.marking = one.marking == nullptr ? nullptr : this,
          .telemetry = one.telemetry == nullptr ? nullptr : this,
          .trimming = one.trimming == nullptr ? nullptr : this};
}

std::string RailNetworks::how_lost() const {
  std::string text = rails_[lost_last_]->network->how_lost();
  return text.empty() ? text : text + " (rail " + std::to_string(lost_last_) + ")";
}

std::string RailNetworks::remedy() const {
  return rails_[lost_last_]->network->remedy();
}

std::string RailNetworks::standstill() const {
  std::string all;
  for (std::size_t rail = 0; rail < rails_.size(); ++rail) {
    const std::string one = of_rail(rails_[rail]->network->standstill(), rail);
    if (!one.empty()) all += (all.empty() ? "" : "\n") + one;
  }
  return all;
}

std::vector<CounterTable> RailNetworks::counted(SimTime until) {
  std::vector<CounterTable> all;
  for (std::size_t rail = 0; rail < rails_.size(); ++rail)
    for (CounterTable& table : rails_[rail]->network->counted(until)) {
      table.title = of_rail(std::move(table.title), rail);
      all.push_back(std::move(table));
    }
  return all;
}

std::vector<TroubleCount> RailNetworks::troubles(SimTime until) {
  std::vector<TroubleCount> all;
  for (std::size_t rail = 0; rail < rails_.size(); ++rail)
    for (TroubleCount& one : rails_[rail]->network->troubles(until)) all.push_back(std::move(one));
  return all;
}

NetworkLinks RailNetworks::links(SimTime until) {
  NetworkLinks all;
  const auto count = static_cast<std::uint32_t>(rails_.size());
  for (std::uint32_t rail = 0; rail < count; ++rail) {
    NetworkLinks one = rails_[rail]->network->links(until);
    const std::uint32_t switches = switches_of(one);
    all.unit = one.unit;
    all.others_unknown = all.others_unknown || one.others_unknown;
    for (LinkLoad& link : one.loads) {
      for (LinkEnd* const end : {&link.from, &link.to}) {
        end->on_rail = LinkEnd::OnRail{rail, end->number};
        end->number = end->is_host() ? end->number * count + rail : rail * switches + end->number;
      }
      all.loads.push_back(std::move(link));
    }
  }
  return all;
}

bool RailNetworks::follow_ports(const std::vector<bool>& ports) {
  bool follow = true;
  for (std::size_t rail = 0; rail < rails_.size(); ++rail) {
    std::vector<bool> own;
    for (std::size_t port = rail; port < ports.size(); port += rails_.size()) own.push_back(ports[port]);
    follow = rails_[rail]->network->follow_ports(own) && follow;
  }
  return follow;
}

NetworkExtensions& RailNetworks::reporting() const {
  return rails_[reporting_]->extensions;
}

BitRate RailNetworks::port_rate(PortId port) const {
  const auto number = static_cast<std::size_t>(port);
  return rails_[number % rails_.size()]->extensions.marking->port_rate(
      static_cast<PortId>(number / rails_.size()));
}

Bytes RailNetworks::on_link(Bytes unit) const {
  return rails_.front()->extensions.marking->on_link(unit);
}

bool RailNetworks::delivered_marked() const {
  return reporting().marking->delivered_marked();
}

std::span<const PortTelemetry> RailNetworks::delivered_telemetry() const {
  return reporting().telemetry->delivered_telemetry();
}

unsigned RailNetworks::delivered_hops() const {
  return reporting().telemetry->delivered_hops();
}

Trimmed RailNetworks::delivered_trimmed() const {
  return reporting().trimming->delivered_trimmed();
}

}  // namespace morgana
