#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/background_use.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/core/random.h"
#include "emulator/traffic/pattern.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Traffic beside a program: [background] of a platform.
struct BackgroundParameters {
  /// Payload bytes that each sending host offers, as a share of what its cable carries; 0: no traffic.
  double load = 0;
  TrafficPattern pattern;  ///< among `ends`
  Bytes message{65'536};   ///< of each message, > 0
  /// Messages of a host that may be under way, > 0: those beyond are held back, never to be sent.
  std::uint32_t outstanding = 64;
  enum class Arrivals : std::uint8_t {
    exponential,  ///< times between a host's messages are drawn
    constant      ///< they are equal, from an offset that is drawn
  } arrivals = Arrivals::exponential;
  std::optional<std::uint8_t> traffic_class;  ///< nothing: that of the program's messages
  std::uint64_t seed = 1;
};

/// An end of background traffic: a host of the transport, and what its cable carries.
struct BackgroundEnd {
  HostId host;
  BitRate rate;
};

/// Messages that hosts send to each other beside a program, over its transport, whatever becomes of them (an
/// open loop), as long as a host has no more under way than it may. No result of a rank's; they are delayed
/// by the program's messages and delay these. Where the transport has several channels between two hosts they
/// have their own. Where hosts write each other's memory they are RDMA writes.
///
/// They keep no run going: their generation is upkeep of the event queue. What of them is under way hides
/// from EventQueue::idle() that a program stands still, so only_background_goes_on() says it.
class BackgroundMessages final : private EventHandler, private ShipmentListener {
 public:
  /// Begins at once. @param ends  at least two
  /// @throws Error for a pattern that they are too few for, or that needs other numbers of hosts
  BackgroundMessages(EventQueue& events, Transport& transport, std::vector<BackgroundEnd> ends,
                     const BackgroundParameters& parameters);

  /// How long after its begin the traffic is what it will be: each host has offered 8 messages, on average.
  /// What is short is measured from then on.
  SimTime settles_after() const { return settles_after_; }
  /// Nothing more is offered, and what is delivered from now on no longer counts. The first time counts.
  void stop() { stopped_ = true; }
  BackgroundUse use() const;
  /// Whether it is time to look through the event queue: seldom enough that looking costs as much as the
  /// events that are handled in between.
  bool look_is_due();

 private:
  void handle(std::uint64_t what) override;
  SimTime distance(std::uint32_t end);
  void send(std::uint32_t from, HostNumber to);
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId id) override;
  void shipment_lost(MessageId id) override;
  void shipment_returned(MessageId id, Outcome) override { shipment_lost(id); }
  /// @return when it was offered
  SimTime end_of(MessageId id);

  EventQueue& events_;
  Transport& transport_;
  std::vector<BackgroundEnd> ends_;
  BackgroundParameters parameters_;
  Destinations destinations_;  // by place in ends_
  RandomStream times_, places_;
  std::vector<SimTime> intervals_;      // by place: mean time between messages
  std::vector<std::uint64_t> numbers_;  // by place: of messages offered
  struct UnderWay {
    SimTime offered;
    std::uint32_t from;  // place in ends_
  };
  Pool<UnderWay> under_way_;
  std::vector<std::uint32_t> outstanding_;  // by place: messages under way
  BackgroundUse use_;
  __extension__ using Sum = __int128;
  Sum latencies_ = 0;  // ps, of all messages delivered
  SimTime settles_after_;
  bool stopped_ = false;
  std::size_t calls_until_look_ = 0;
};

}  // namespace morgana
