#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/cells.h"

namespace morgana::testing {

/// A network of single cells on which each service category has a way of its own: a port sends one cell at a
/// time in 53 ns, and a script says how long each category's cells then take and which are lost (at the time
/// at which they would have come). Cells of one channel never overtake each other; an ABR channel's leave
/// `abr_pitch` apart at least, waiting at their source.
class CategoryCells : public CellNetwork, private EventHandler {
 public:
  using Latency = std::function<SimTime(ServiceCategory category, SimTime now)>;
  /// @param ordinal  of all cells, from 0
  using Lost = std::function<bool(ServiceCategory category, std::uint64_t ordinal)>;

  CategoryCells(EventQueue& events, std::size_t ports) : events_(events), port_free_(ports) {}

  /// A cell that is handed to an interface.
  struct Handed {
    SimTime at;
    PortId from, to;
    ServiceCategory category;
  };
  static constexpr SimTime usual_latency = SimTime::from_ps(1'000'000);
  Latency latency = [](ServiceCategory, SimTime) { return usual_latency; };
  Lost lost;
  /// Sees each cell, and says whether it is lost; instead of `lost`.
  std::function<bool(const Handed&)> watch;
  SimTime cell_time = SimTime::from_ps(53'000);
  SimTime abr_cell_time = cell_time;  ///< of a port's ABR cells, which go beside the others
  SimTime abr_pitch;
  SimTime arrival_pitch;  ///< of one channel's cells, at least

  ChannelId open(PortId from, PortId to, const TrafficContract& contract) override {
    channels_.push_back({from, to, contract.category, SimTime(), SimTime()});
    return static_cast<ChannelId>(channels_.size() - 1);
  }
  void report_to(ChannelId, UnitListener&) override {}
  using CellNetwork::report_to;
  void inject(const CellTrain& train) override {
    Channel& channel = channels_.at(static_cast<std::size_t>(train.channel));
    const bool is_lost = watch ? watch({events_.now(), channel.from, channel.to, channel.category})
                               : lost && lost(channel.category, cells_);
    ++cells_;
    ++cells_of_[static_cast<std::size_t>(channel.category)];
    SimTime& port_free = port_free_[static_cast<std::size_t>(channel.from)];
    SimTime leaves = std::max(port_free, events_.now()) + cell_time;
    if (channel.category == ServiceCategory::abr) {
      // It waits beside the port, which others use meanwhile.
      leaves = std::max(events_.now() + abr_cell_time, channel.left + abr_pitch);
    } else {
      port_free = leaves;
    }
    channel.left = leaves;
    channel.came = std::max(channel.came + arrival_pitch, leaves + latency(channel.category, leaves));
    happenings_.push_back({train.id, channel.from, true, false});
    events_.schedule(leaves, *this, happenings_.size() - 1);
    happenings_.push_back({train.id, channel.to, false, is_lost});
    events_.schedule(channel.came, *this, happenings_.size() - 1);
  }
  void inject(const Unit&) override {}
  Bytes largest_unit() const override { return Bytes(48); }
  SimTime least_latency() const override { return cell_time + usual_latency; }

  std::uint64_t cells() const { return cells_; }
  std::uint64_t cells_of(ServiceCategory category) const {
    return cells_of_[static_cast<std::size_t>(category)];
  }

 private:
  struct Channel {
    PortId from, to;
    ServiceCategory category;
    SimTime left, came;  ///< the last cell
  };
  struct Happening {
    UnitId id;
    PortId port;
    bool departure, loss;
  };
  void handle(std::uint64_t what) override {
    const Happening happening = happenings_[what];
    if (happening.departure)
      listener_->unit_departed(happening.id, happening.port);
    else if (happening.loss)
      listener_->unit_lost(happening.id);
    else
      listener_->unit_delivered(happening.id, happening.port);
  }

  EventQueue& events_;
  std::vector<SimTime> port_free_;
  std::vector<Channel> channels_;
  std::vector<Happening> happenings_;
  std::uint64_t cells_ = 0;
  std::array<std::uint64_t, 4> cells_of_ = {};
};

}  // namespace morgana::testing
