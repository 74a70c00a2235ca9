#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"
#include "emulator/routing/switch_tables.h"

namespace morgana {

struct SwitchedEthernetParameters {
  BitRate rate{100'000'000};       ///< of every link, where they are not given one by one
  SimTime propagation;             ///< of every link, where they are not given one by one
  SimTime forwarding;              ///< a switch's decision, after a frame is wholly in (store and forward)
  std::int64_t buffer_frames = 0;  ///< at each output, the one in transmission included; 0: unlimited
  Bytes largest_payload{1500};     ///< up to 9000 with jumbo frames
  RoutesParameters routes;
  /// From a fault until the tables lead round it.
  SimTime convergence = SimTime::from_ps(50'000'000'000'000);
};

/// Hosts and store-and-forward switches on full-duplex links, with a first-in, first-out queue for each
/// output. A frame that finds its output's buffer full is lost. With W the time of a frame on the wire of a
/// link (preamble, header, padded payload, check sequence) and gap that of its interframe gap, a unit handed
/// over at t
///   - starts       at s = max(t, host's link free), which is then taken until s + W + gap,
///   - has departed at s + W,
/// and at each switch on its way
///   - is offered to its output at a = end of the last transmission + propagation + forwarding; a frame that
///     leaves at a has left,
///   - goes out     at r = max(a, output free), which is then taken until r + W + gap,
/// until it is delivered at the end of the last transmission + propagation.
/// Frames that reach an output at the same time queue in the order of injection. The ends of a link do not
/// slow each other down, hosts take whatever comes, and a switch's fabric is never the bottleneck.
///
/// Faults: nothing comes out of a cable after it has failed, and its sender goes on as if it did: a frame
/// whose last bit has not come out by then is lost when it should have. A frame that finds at a switch that
/// its way has changed since it came to its first one is lost there: so none overtakes another of the same
/// hosts.
///
/// With one switch, hosts equally far from it and fixed routes a frame has no event at its output: frames
/// come there in the order of their departures.
class SwitchedEthernet : public Network, private EventHandler, private OutputLoads {
 public:
  /// @throws Error for a root that there is not
  SwitchedEthernet(EventQueue& events, const CabledGraph& network,
                   const SwitchedEthernetParameters& parameters, const NetworkFaults& faults = {});
  /// With a routing of its own in place of parameters.routes, which may choose each frame's output by load.
  SwitchedEthernet(EventQueue& events, const CabledGraph& network,
                   const SwitchedEthernetParameters& parameters, std::shared_ptr<const Routing> routing);
  /// Hosts around one switch.
  SwitchedEthernet(EventQueue& events, std::size_t ports, const SwitchedEthernetParameters& parameters);
  ~SwitchedEthernet() override;
  /// @throws Error if the unit is larger than the largest payload
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override { return least_latency_; }
  /// A routing by load may let frames overtake each other.
  NetworkCapabilities capabilities() const override {
    using Order = NetworkCapabilities::Order;
    return {.order = by_load_ ? Order::none : Order::of_port_pair, .fails = faults_};
  }
  std::string how_lost() const override;
  std::string remedy() const override;
  std::vector<CounterTable> counted(SimTime until) override;
  /// In frames; what waits for the link counts, too. A link is utilised while it is taken, gaps included.
  NetworkLinks links(SimTime until) override;
  bool follow_ports(const std::vector<bool>& ports) override {
    followed_ = ports;
    return true;
  }

 private:
  SwitchedEthernet(EventQueue& events, CabledGraph network, const SwitchedEthernetParameters& parameters,
                   SwitchTables tables, const NetworkFaults& faults);
  using Slot = std::uint32_t;
  static constexpr Slot none = ~Slot{0};
  // The kind of an event is its lowest bits, a frame's slot, an output's channel or a switch above.
  enum What : std::uint64_t { departure, delivery, loss, offered_to_output, offered_to_switch };
  static constexpr unsigned what_bits = 3;
  static std::uint64_t event(What what, std::uint32_t number) {
    return std::uint64_t{number} << what_bits | what;
  }
  enum class Loss : std::uint8_t { buffer_full, dead_cable, no_way, way_changed };

  struct Frame {
    Unit unit{};
    std::uint64_t number = 0;  ///< in the order of injection
    Slot next_free = none;     ///< in the list of free slots
    std::uint32_t tables = 0;  ///< in force when it was offered at its first switch
    CableChannel at = 0;       ///< sent on last; of a lost frame: where, or for which, it was lost
    Loss why = Loss::buffer_full;
  };
  /// A time that a port is free between two frames.
  struct Pause {
    SimTime begin, end;
  };
  /// A port that sends: a host's or a switch's.
  struct Port {
    SimTime free;  ///< from then on
    SimTime gap, propagation;
    Bytes timed{-1};  ///< the last frame's payload, and
    SimTime wire;     ///< its time on the wire, gap not counted: most frames are as long as the one before
    BitRate rate;
    SimTime dead_from = SimTime::max();
    Neighbour to;
    std::int64_t frames = 0, lost = 0;  ///< sent, or waiting to be; that found the buffer full
    bool followed = false;              ///< a frame between ports that are followed was one of them
    SimTime taken;                      ///< by these frames and the gaps after them
    SimTime waited, longest_wait;       ///< at an output, from the offer to the start of transmission
    std::vector<Pause> pauses;          ///< to come, where an output's future is settled early
  };
  /// A frame on its way to an output.
  struct Offer {
    SimTime at;
    std::uint64_t number;
    Slot slot;
    bool operator<(const Offer& other) const {  // std::push_heap keeps the greatest in front
      return at != other.at ? at > other.at : number > other.number;
    }
  };

  void handle(std::uint64_t what) override;
  SimTime wait(SwitchPort output) const override;
  SimTime send(Port& port, const Unit& unit, SimTime start);
  void depart(Slot slot);
  void carry(Slot slot, CableChannel channel, SimTime left);
  void forward(Slot slot, SwitchId at, SimTime offered);
  std::optional<CableChannel> output_of(Slot slot, SwitchId at) const;
  void take_at_output(CableChannel output);
  void take_at_switch(SwitchId at);
  void take_later(Slot slot, std::uint32_t where, What what, SimTime offered);
  std::optional<SimTime> queue(Slot slot, CableChannel output, SimTime offered);
  Offer next_offer(std::uint32_t where);
  CableChannel channel_of(PortId host) const { return first_host_ + static_cast<CableChannel>(host); }
  void lose(Slot slot, Loss why, CableChannel at, SimTime when);
  void report_loss(Slot slot);
  void find_least_latency();
  /// How long it takes from then on to send what is queued.
  static SimTime queued(const Port& port, SimTime at);
  static double utilisation(const Port& port, SimTime until);
  std::string output_name(CableChannel output) const;
  Slot store(const Unit& unit);
  void release(Slot slot);

  EventQueue& events_;
  CabledGraph network_;
  SwitchedEthernetParameters parameters_;
  SwitchTables tables_;
  std::vector<Port> ports_;                   // by channel
  std::vector<bool> followed_;                ///< ports, by number; none: no ports are followed
  CableChannel first_host_;                   // the channel from host 0; those of the others follow
  std::vector<std::deque<SimTime>> leaving_;  // by output: when those in its buffer leave; if limited
  std::vector<std::vector<Offer>> offers_;    // by output, or by switch if its loads decide; as heaps
  bool by_load_;                              // frames' outputs are chosen when they are offered
  bool settled_at_departure_;                 // frames come to outputs in the order of their departures
  bool faults_;
  std::vector<CableChannel> output_to_;  // by host, if nothing but its link is left to choose
  SimTime least_latency_;
  std::uint64_t injected_ = 0;
  std::vector<Frame> frames_;  // by slot; a slot is free again once its frame is delivered or lost
  Slot first_free_ = none;
  std::uint64_t lost_on_dead_cables_ = 0, lost_without_way_ = 0, lost_with_their_way_ = 0;
  Frame lost_{};  // that is reported
  SimTime lost_at_;
};

}  // namespace morgana
