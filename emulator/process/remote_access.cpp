#include "emulator/process/remote_access.h"

#include <algorithm>
#include <string>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

constexpr unsigned access_leg_bits = 2;

std::uint64_t code(std::uint32_t access, std::uint64_t leg) {
  return std::uint64_t{access} << access_leg_bits | leg;
}

}  // namespace

std::size_t RemoteAccess::LockNameHash::operator()(const LockName& name) const {
  const std::uint64_t mixed =
      static_cast<std::uint64_t>(name.window) * 0x9e3779b97f4a7c15 + static_cast<std::uint32_t>(name.target);
  return mixed ^ (mixed >> 29);
}

RemoteAccess::RemoteAccess(Machine& machine, Carrier& carrier, RemoteAccessClient& client)
    : machine_(machine), carrier_(carrier), client_(client) {
  carrier_.serve(Carrier::Desk::remote_access, *this);
}

SimTime RemoteAccess::cost(Rank origin, Rank target, Bytes bytes, Bytes reply) const {
  const MessageLayer& layer = machine_.messages;
  if (carrier_.is_local(origin, target))
    return time_before_end(layer.local_overhead + time_before_end(layer.copy_per_byte, bytes + reply));
  return layer.send_overhead;
}

void RemoteAccess::start(const Access& access) {
  carrier_.count(carrier_.is_local(access.origin, access.target), access.bytes + access.reply);
  const std::uint32_t number = accesses_.take(access);
  machine_.events->schedule(access.ready, *this, code(number, static_cast<std::uint64_t>(Leg::start)));
}

void RemoteAccess::handle(std::uint64_t what) {
  const auto number = static_cast<std::uint32_t>(what >> access_leg_bits);
  switch (static_cast<Leg>(what & ((1U << access_leg_bits) - 1))) {
    case Leg::start:
      return go(number, Leg::there);
    case Leg::there:
      return arrived(number);
    case Leg::back:
      return done(number, Outcome::delivered);
  }
}

void RemoteAccess::shipment_delivered(MessageId id) {
  handle(static_cast<std::uint64_t>(id));
}

void RemoteAccess::go(std::uint32_t number, Leg leg) {
  const Access& access = accesses_[number];
  const std::uint64_t what = code(number, static_cast<std::uint64_t>(leg));
  if (carrier_.is_local(access.origin, access.target)) {
    machine_.events->schedule(machine_.events->now() + machine_.messages.local_latency, *this, what);
    return;
  }
  const Bytes data = leg == Leg::there ? access.bytes : access.reply;
  const Bytes size = std::max(data + machine_.messages.envelope, machine_.messages.control);
  if (leg == Leg::there)
    carrier_.ship(Carrier::Desk::remote_access, what, access.origin, access.target, size);
  else
    carrier_.ship(Carrier::Desk::remote_access, what, access.target, access.origin, size);
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
  accesses_.give_back(number);
  client_.access_done(request, outcome);
}

void RemoteAccess::note_undelivered(MessageId id, std::optional<Outcome> returned) {
  const auto what = static_cast<std::uint64_t>(id);
  const Access& access = accesses_[static_cast<std::uint32_t>(what >> access_leg_bits)];
  const bool there = static_cast<Leg>(what & ((1U << access_leg_bits) - 1)) == Leg::there;
  const char* const kind = access.kind == Access::Kind::memory ? "access to memory"
                           : access.kind == Access::Kind::lock ? "request for a window's lock"
                                                               : "return of a window's lock";
  losses_.add({there ? kind : std::string("answer to the ") + kind, access.window, access.origin,
               access.target, any_tag, there ? access.bytes : access.reply, machine_.events->now(), returned,
               machine_.transport->how_lost()});
}

void RemoteAccess::shipment_returned(MessageId id, Outcome why) {
  note_undelivered(id, why);
  const auto what = static_cast<std::uint64_t>(id);
  if (static_cast<Leg>(what & ((1U << access_leg_bits) - 1)) == Leg::there)
    done(static_cast<std::uint32_t>(what >> access_leg_bits), why);
}

}  // namespace morgana
