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
      if (senders++ == 0 && closed()) spread_ = time_alone(host);
      if (closed())
        for (unsigned n = 0; n < settings.outstanding; ++n) events_.schedule(first_start(), *this, host);
      else
        events_.schedule(distance(true), *this, host);
    }
    patience_ = patience * std::max(last(), std::uint64_t{senders} * settings.outstanding);
    next_look_ = patience * last();
    if (senders == 0) throw Error("no host sends anything in this pattern");
  }

  MessageLoopResult run() {
    while (done_ < settings_.messages && goes_on()) events_.handle_next();
    result_.measured =
        std::min(settings_.messages, generated_ > settings_.warm_up ? generated_ - settings_.warm_up : 0);
    result_.unfinished = result_.measured - done_;
    if (result_.unfinished > 0) {
      result_.standstill = network_->standstill();
      count_unfinished();
    }
    result_.lost = result_.all.lost;
    result_.lost_hosts = static_cast<std::size_t>(
        std::ranges::count_if(hosts_, [](const Host& host) { return host.has_lost; }));
    const double ns = nanoseconds(events_.now() - start_);
    if (ns > 0) result_.delivered = static_cast<double>(bytes_) / ns / static_cast<double>(hosts_.size());
    std::erase_if(result_.classes, [](const MessageTimes& one) {
      return one.ns.summary().count() + one.lost + one.unfinished == 0;
    });
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
    bool has_lost = false;  // a measured one
  };
  struct Packet {
    Slot message;
    Bytes size;
  };

  static double nanoseconds(SimTime time) { return static_cast<double>(time.ps()) / ps_per_ns; }
  bool closed() const { return settings_.outstanding > 0; }
  std::uint64_t last() const { return settings_.warm_up + settings_.messages; }
  bool is_measured(const Message& message) const {
    return message.number >= settings_.warm_up && message.number < last();
  }

  /// What a host's message of the mean size takes alone.
  SimTime time_alone(HostNumber host) {
    RandomStream place(settings_.seed, "first message");
    const auto mean = Bytes(static_cast<std::int64_t>(std::ceil(settings_.sizes.mean())));
    return SimTime::from_seconds(idle_.of(host, destinations_.draw(host, place, 0), mean) * 1e-9);
  }
  SimTime first_start() {
    return SimTime::from_ps(
        static_cast<std::int64_t>(times_.below(static_cast<std::uint64_t>(spread_.ps()) + 1)));
  }

  /// As long as packets of what is awaited come, and not ever more messages of an open loop are under way.
  bool goes_on() {
    // A network that has something to do by itself goes on for ever.
    constexpr std::uint64_t most_events = 20'000'000;
    return !events_.empty() && !result_.overloaded && generated_ - generated_when_moved_ <= patience_ &&
           events_since_moved_++ < most_events;
  }

  /// Of a load that the network does not carry, the messages under way grow with those generated.
  void look_at_backlog() {
    if (2 * generated_ == next_look_) backlog_ = under_way_;
    if (generated_ < next_look_) return;
    result_.overloaded = 2 * under_way_ > 3 * backlog_ + hosts_.size();
    backlog_ = under_way_;
    next_look_ *= 2;
  }

  void count_unfinished() {
    std::vector<bool> free(messages_.size());
    for (const Slot slot : free_messages_) free[slot] = true;
    for (Slot slot = 0; slot < messages_.size(); ++slot) {
      if (free[slot] || !is_measured(messages_[slot])) continue;
      ++class_of(messages_[slot].request).unfinished;
      ++result_.all.unfinished;
    }
  }

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
    ++under_way_;
    events_since_moved_ = 0;
    begin(message);
    if (closed()) return;
    look_at_backlog();
    events_.schedule(events_.now() + distance(false), *this, from);
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
    events_since_moved_ = 0;
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
    events_since_moved_ = 0;
    if (message.number < last()) generated_when_moved_ = generated_;
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
    --under_way_;
    const HostNumber from = message.is_reply ? message.to : message.from;
    const HostNumber to = message.is_reply ? message.from : message.to;
    // Of a host that loses all it sends, messages would follow each other without time passing.
    if (closed())
      events_.schedule(events_.now() + (message.lost ? wait_after(from, to, message) : SimTime()), *this,
                       from);
    if (!is_measured(message)) return;
    ++done_;
    if (message.lost) {
      hosts_[from].has_lost = true;
      ++class_of(message.request).lost;
      ++result_.all.lost;
      return;
    }
    const double idle = alone(from, to, message);
    const double ns = nanoseconds(events_.now() - message.generated);
    for (MessageTimes* const one : {&class_of(message.request), &result_.all}) {
      one->ns.add(ns);
      if (idle > 0) one->slowdowns.add(ns / idle);
      one->up_to = std::max(one->up_to, message.request);
    }
  }

  /// With its reply, in ns; 0 if that is not known.
  double alone(HostNumber from, HostNumber to, const Message& message) {
    const double request = idle_.of(from, to, message.request);
    if (settings_.reply == Bytes(0) || request <= 0) return request;
    const double reply = idle_.of(to, from, settings_.reply);
    return reply > 0 ? request + reply : 0;
  }
  SimTime wait_after(HostNumber from, HostNumber to, const Message& lost) {
    return std::max(least_wait, SimTime::from_seconds(alone(from, to, lost) * 1e-9));
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
  static constexpr std::uint64_t patience = 20;
  std::uint64_t generated_ = 0, done_ = 0;
  SimTime spread_;  // of a closed loop's first messages
  // What says whether it goes on
  std::uint64_t patience_ = 0;              // in messages generated
  std::uint64_t generated_when_moved_ = 0;  // a packet of what is awaited
  std::uint64_t events_since_moved_ = 0;    // anything
  std::uint64_t under_way_ = 0;             // messages of all
  std::uint64_t next_look_ = 0, backlog_ = 0;
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
