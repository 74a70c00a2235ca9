#include "emulator/traffic/message_loop.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "emulator/core/error.h"

namespace morgana {
namespace {

class MessageLoop : private EventHandler, private UnitListener {
 public:
  MessageLoop(const NetworkUnderTest& under_test, const Destinations& destinations,
              const MessageLoopSettings& settings)
      : settings_(settings),
        destinations_(destinations),
        network_(under_test.make(events_, settings.seed)),
        idle_(under_test, settings.seed, settings.packet),
        times_(settings.seed, "message times"),
        places_(settings.seed, "message destinations"),
        sizes_(settings.seed, "message sizes"),
        hosts_(destinations.hosts()) {
    network_->report_to(*this);
    unsigned senders = 0;
    for (HostNumber host = 0; host < hosts_.size(); ++host) {
      if (!destinations.sends(host)) continue;
      ++senders;
      if (closed())
        for (unsigned n = 0; n < settings.outstanding; ++n) events_.schedule(SimTime(), *this, host);
      else
        events_.schedule(distance(true), *this, host);
    }
    if (senders == 0) throw Error("no host sends anything in this pattern");
  }

  MessageLoopResult run() {
    // Of a load that the network does not carry, messages are generated without end.
    constexpr std::uint64_t patience = 20;
    const std::uint64_t last = settings_.warm_up + settings_.messages;
    while (done_ < settings_.messages && generated_ < patience * last && !events_.empty())
      events_.handle_next();
    result_.measured =
        std::min(settings_.messages, generated_ > settings_.warm_up ? generated_ - settings_.warm_up : 0);
    result_.unfinished = result_.measured - done_;
    if (result_.unfinished > 0) result_.standstill = network_->standstill();
    const double ns = nanoseconds(events_.now() - start_);
    if (ns > 0) result_.delivered = static_cast<double>(bytes_) / ns / static_cast<double>(hosts_.size());
    std::erase_if(result_.classes, [](const MessageTimes& one) { return one.ns.summary().count() == 0; });
    return std::move(result_);
  }

 private:
  using Slot = std::uint32_t;
  /// A request or its reply.
  struct Message {
    HostNumber from = 0, to = 0;
    Bytes size, handed;          // over to the NIC
    std::int64_t under_way = 0;  // packets
    SimTime generated;           // the request
    Bytes request;
    std::uint64_t number = 0;  // in the order of generation
    bool is_reply = false, lost = false;
  };
  struct Host {
    std::deque<Slot> sending;  // messages with packets that the NIC has not, whose turn it is in front
    unsigned ahead = 0;        // packets in the NIC
    std::uint64_t messages = 0;
  };
  struct Packet {
    Slot message;
    Bytes size;
  };

  static double nanoseconds(SimTime time) { return static_cast<double>(time.ps()) / ps_per_ns; }
  bool closed() const { return settings_.outstanding > 0; }

  SimTime distance(bool first) {
    const SimTime interval = SimTime::from_seconds(settings_.sizes.mean() / settings_.load * 1e-9);
    if (settings_.process == TrafficSettings::Process::exponential) return times_.exponential(interval);
    if (!first) return interval;
    return SimTime::from_ps(
        static_cast<std::int64_t>(times_.below(static_cast<std::uint64_t>(interval.ps()) + 1)));
  }

  /// A host generates a message.
  void handle(std::uint64_t what) override {
    const auto from = static_cast<HostNumber>(what);
    Message message;
    message.from = from;
    message.to = destinations_.draw(from, places_, hosts_[from].messages++);
    message.size = message.request = settings_.sizes.draw(sizes_);
    message.generated = events_.now();
    message.number = generated_++;
    if (message.number == settings_.warm_up) {
      start_ = events_.now();
      bytes_ = 0;
    }
    begin(message);
    if (!closed()) events_.schedule(events_.now() + distance(false), *this, from);
  }

  void begin(const Message& message) {
    Slot slot = static_cast<Slot>(messages_.size());
    if (free_messages_.empty()) {
      messages_.push_back(message);
    } else {
      slot = free_messages_.back();
      free_messages_.pop_back();
      messages_[slot] = message;
    }
    hosts_[message.from].sending.push_back(slot);
    hand_over(message.from);
  }

  void hand_over(HostNumber host) {
    Host& sender = hosts_[host];
    while (sender.ahead < packets_ahead && !sender.sending.empty()) {
      const Slot slot = sender.sending.front();
      sender.sending.pop_front();
      Message& message = messages_[slot];
      const Bytes size = std::min(settings_.packet, message.size - message.handed);
      message.handed += size;
      ++message.under_way;
      ++sender.ahead;
      if (message.handed < message.size) sender.sending.push_back(slot);
      std::uint64_t packet = packets_.size();
      if (free_packets_.empty()) {
        packets_.push_back({slot, size});
      } else {
        packet = free_packets_.back();
        free_packets_.pop_back();
        packets_[packet] = {slot, size};
      }
      network_->inject({.id = UnitId{packet},
                        .from = PortId{message.from},
                        .to = PortId{message.to},
                        .size = size,
                        .entropy = static_cast<std::uint32_t>(message.number)});
    }
  }

  void unit_departed(UnitId, PortId from) override {
    const auto host = static_cast<HostNumber>(from);
    --hosts_[host].ahead;
    hand_over(host);
  }
  void unit_delivered(UnitId id, PortId) override { arrived(id, false); }
  void unit_lost(UnitId id) override { arrived(id, true); }

  void arrived(UnitId id, bool lost) {
    const auto number = static_cast<std::uint64_t>(id);
    const Packet packet = packets_[number];
    free_packets_.push_back(number);
    Message& message = messages_[packet.message];
    --message.under_way;
    message.lost = message.lost || lost;
    if (!lost) bytes_ += packet.size.count();
    if (message.handed < message.size || message.under_way > 0) return;
    const Message whole = message;
    free_messages_.push_back(packet.message);
    if (!whole.lost && !whole.is_reply && settings_.reply > Bytes(0)) {
      Message reply = whole;
      std::swap(reply.from, reply.to);
      reply.size = settings_.reply;
      reply.handed = Bytes(0);
      reply.is_reply = true;
      return begin(reply);
    }
    finish(whole);
  }

  void finish(const Message& message) {
    const HostNumber from = message.is_reply ? message.to : message.from;
    if (closed()) events_.schedule(events_.now(), *this, from);
    if (message.number < settings_.warm_up || message.number >= settings_.warm_up + settings_.messages)
      return;
    ++done_;
    if (message.lost) {
      ++result_.lost;
      return;
    }
    const HostNumber to = message.is_reply ? message.from : message.to;
    double idle = idle_.of(from, to, message.request);
    if (message.is_reply) idle += idle_.of(to, from, settings_.reply);
    const double ns = nanoseconds(events_.now() - message.generated);
    for (MessageTimes* const one : {&class_of(message.request), &result_.all}) {
      one->ns.add(ns);
      if (idle > 0) one->slowdowns.add(ns / idle);
      one->up_to = std::max(one->up_to, message.request);
    }
  }

  MessageTimes& class_of(Bytes size) {
    constexpr std::int64_t least = 1'000, factor = 10;
    std::size_t number = 0;
    std::int64_t end = least;
    for (; size.count() > end; end *= factor) ++number;
    while (result_.classes.size() <= number) {
      MessageTimes next;
      next.up_to = result_.classes.empty() ? Bytes(least) : factor * result_.classes.back().up_to;
      result_.classes.push_back(next);
    }
    return result_.classes[number];
  }

  const MessageLoopSettings& settings_;
  const Destinations& destinations_;
  EventQueue events_;
  std::unique_ptr<Network> network_;
  IdleTimes idle_;
  RandomStream times_, places_, sizes_;
  std::vector<Host> hosts_;
  std::vector<Message> messages_;
  std::vector<Slot> free_messages_;
  std::vector<Packet> packets_;  // by the unit's number
  std::vector<std::uint64_t> free_packets_;
  std::uint64_t generated_ = 0, done_ = 0;
  std::int64_t bytes_ = 0;
  SimTime start_;
  MessageLoopResult result_;
};

}  // namespace

MessageLoopResult run_messages(const NetworkUnderTest& network, const Destinations& destinations,
                               const MessageLoopSettings& settings) {
  return MessageLoop(network, destinations, settings).run();
}

}  // namespace morgana
