#include "emulator/messaging/remote_access.h"

#include <algorithm>
#include <string>

#include "emulator/core/end_of_time.h"
#include "emulator/messaging/process_channel.h"

namespace morgana {

std::size_t RemoteAccess::LockNameHash::operator()(const LockName& name) const {
  const std::uint64_t mixed =
      static_cast<std::uint64_t>(name.window) * 0x9e3779b97f4a7c15 + static_cast<std::uint32_t>(name.target);
  return mixed ^ (mixed >> 29);
}

SimTime RemoteAccess::cost(Rank origin, Rank target, Bytes bytes, Bytes reply) const {
  const MessageLayer& layer = machine_.messages;
  if (machine_.share_host(origin, target))
    return time_before_end(layer.local_overhead + time_before_end(layer.copy_per_byte, bytes + reply));
  return layer.send_overhead;
}

void RemoteAccess::start(const Access& access) {
  machine_.count(access.origin, access.target, machine_.share_host(access.origin, access.target),
                 access.bytes + access.reply);
  const std::uint32_t number = accesses_.take(access);
  machine_.events->schedule(access.ready, *this, Number{number, Leg::start}.packed());
}

void RemoteAccess::handle(std::uint64_t what) {
  const auto [access, leg] = Number::unpacked(what);
  switch (leg) {
    case Leg::start:
      return go(access, Leg::there);
    case Leg::there:
      return arrived(access);
    case Leg::back:
      return done(access, Outcome::delivered);
  }
}

void RemoteAccess::shipment_delivered(MessageId id) {
  const auto [number, leg] = Number::unpacked(id.number);
  const By how = leg == Leg::there ? by(accesses_[number]) : By::messages;
  if (how == By::write) return;  // the origin does not know yet
  --machine_.under_way;
  accesses_[number].timer_wait += machine_.transport->timer_wait();
  if (how == By::read) return done(number, Outcome::delivered);
  handle(id.number);
}

void RemoteAccess::shipment_completed(MessageId id) {
  --machine_.under_way;
  const std::uint32_t number = Number::unpacked(id.number).message;
  accesses_[number].timer_wait += machine_.transport->timer_wait();
  done(number, Outcome::delivered);
}

RemoteAccess::By RemoteAccess::by(const Access& access) const {
  if (access.kind != Access::Kind::memory || !machine_.transport || !machine_.transport->remote_memory() ||
      machine_.share_host(access.origin, access.target))
    return By::messages;
  if (access.reply == Bytes()) return By::write;
  return access.bytes == Bytes() ? By::read : By::messages;
}

void RemoteAccess::go(std::uint32_t number, Leg leg) {
  const Access& access = accesses_[number];
  const std::uint64_t what = Number{number, leg}.packed();
  if (machine_.share_host(access.origin, access.target)) {
    machine_.events->schedule(machine_.events->now() + machine_.messages.local_latency, *this, what);
    return;
  }
  const Bytes data = leg == Leg::there ? access.bytes : access.reply;
  const Bytes size = std::max(data + machine_.messages.envelope, machine_.messages.control);
  const std::uint8_t nic = machine_.chooses_nics() ? nics_.of(access.origin) : std::uint8_t{0};
  const HostId origin = machine_.port_of(access.origin, nic), target = machine_.port_of(access.target, nic);
  const bool there = leg == Leg::there;
  const Rank sender = there ? access.origin : access.target, receiver = there ? access.target : access.origin;
  endpoints_.address({sender, receiver, Tag{0}});
  Shipment shipment{{what, this}, there ? origin : target, there ? target : origin, size};
  shipment.channel = channel_between(*machine_.transport, access.origin, access.target);
  if (const By how = there ? by(access) : By::messages; how != By::messages) {
    shipment.verb = how == By::write ? Verb::write : Verb::read;
    shipment.bytes = how == By::write ? access.bytes : access.reply;
    shipment.completes = how == By::write;
  }
  ++machine_.under_way;
  machine_.transport->send(shipment);
}

void RemoteAccess::arrived(std::uint32_t number) {
  const Access& access = accesses_[number];
  if (access.kind == Access::Kind::memory) return go(number, Leg::back);
  const LockName name{access.window, access.target};
  Lock& lock = locks_.try_emplace(name).first.value();
  if (access.kind == Access::Kind::lock) {
    lock.waiting.push_back(number);
  } else {
    if (lock.holders > 0) --lock.holders;
    go(number, Leg::back);
  }
  grant(lock);
  if (lock.holders == 0) locks_.erase(name);  // then nobody waits for it, either
}

void RemoteAccess::grant(Lock& lock) {
  while (!lock.waiting.empty()) {
    const std::uint32_t next = lock.waiting.front();
    const bool exclusive = accesses_[next].exclusive;
    if (lock.holders > 0 && (lock.exclusive || exclusive)) return;
    lock.waiting.pop_front();
    ++lock.holders;
    lock.exclusive = exclusive;
    go(next, Leg::back);
  }
}

void RemoteAccess::done(std::uint32_t number, Outcome outcome) {
  const std::uint32_t request = accesses_[number].request;
  const SimTime timer_wait = accesses_[number].timer_wait;
  accesses_.give_back(number);
  client_.access_done(request, outcome, timer_wait);
}

void RemoteAccess::note_undelivered(MessageId id, std::optional<Outcome> returned) {
  const auto [number, leg] = Number::unpacked(id.number);
  const Access& access = accesses_[number];
  const bool there = leg == Leg::there;
  --machine_.under_way;
  const char* const kind = access.kind == Access::Kind::memory ? "access to memory"
                           : access.kind == Access::Kind::lock ? "request for a window's lock"
                                                               : "return of a window's lock";
  losses_.add({there ? kind : std::string("answer to the ") + kind, access.window, access.origin,
               access.target, any_tag, there ? access.bytes : access.reply, machine_.events->now(), returned,
               machine_.transport->how_lost()});
}

void RemoteAccess::shipment_returned(MessageId id, Outcome why) {
  note_undelivered(id, why);
  const auto [access, leg] = Number::unpacked(id.number);
  if (leg == Leg::there) done(access, why);
}

}  // namespace morgana
