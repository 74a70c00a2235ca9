#pragma once

#include "emulator/core/random.h"
#include "emulator/operations/operation.h"
#include "pvmshim/channel/codec.h"

namespace morgana::testing {

/// Operations, completions and answers with anything in them that a record may hold.
class RandomOperations {
 public:
  /// @param ranks  peers and members lie below
  RandomOperations(std::uint64_t seed, std::uint64_t ranks) : random_(seed, "operations"), ranks_(ranks) {}

  Operation operation() {
    Operation operation;
    operation.kind = coin() ? enumerator(OperationKind::exit) : OperationKind::wait_part;
    operation.mode = enumerator(SendMode::ready);
    operation.completion = enumerator(Completion::some);
    operation.part = enumerator(CallPart::last);
    operation.call = static_cast<Call>(random_.below(static_cast<std::uint64_t>(Call::count_)));
    operation.wants_answer = coin();
    if (coin()) operation.peer = rank();
    if (coin()) operation.tag = Tag{static_cast<std::int32_t>(random_.below(1U << 31)) - 1};
    if (coin()) operation.context = Context{random_.next()};
    if (coin()) operation.request = RequestId{random_.next()};
    if (coin()) operation.bytes = size();
    if (coin()) operation.elapsed = time();
    if (coin()) operation.duration = time();
    if (coin()) operation.polled = time();
    if (coin()) operation.taken = RequestId{random_.next()};
    if (coin()) operation.reply = size();
    operation.exclusive = coin();
    operation.streamed = coin();
    if (coin()) operation.payload = random_.next();
    repeat([&] { operation.requests.push_back(RequestId{random_.next()}); });
    repeat([&] { operation.members.push_back(rank()); });
    repeat([&] { operation.parts.push_back(part_after(operation.parts)); });
    if (operation.kind == OperationKind::collective || coin()) operation.collective = collective();
    return operation;
  }

  Completed completed() {
    Completed one;
    one.request = RequestId{random_.next()};
    if (coin()) one.source = rank();
    if (coin()) one.tag = Tag{static_cast<std::int32_t>(random_.below(1U << 31)) - 1};
    one.bytes = size();
    one.payload = random_.next();
    one.cancelled = coin();
    one.outcome = static_cast<Outcome>(random_.below(static_cast<std::uint64_t>(last_outcome) + 1));
    if (one.bytes > Bytes() && coin())
      one.coming =
          Bytes(1 + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(one.bytes.count()))));
    repeat([&] { one.deposits.push_back(random_.next()); });
    return one;
  }

  Answer answer() {
    Answer answer;
    answer.clock = time();
    answer.quiet_until = coin() ? SimTime::max() : time();
    repeat([&] { answer.completed.push_back(completed()); });
    repeat([&] {
      answer.computing.push_back({Rank{static_cast<std::int32_t>(random_.below(ranks_))}, random_.next()});
    });
    if (!answer.computing.empty()) answer.quiet_but_for_computing = time();
    answer.news = static_cast<std::uint32_t>(random_.next());
    return answer;
  }

 private:
  bool coin() { return random_.chance(0.5); }
  template <typename Enum>
  Enum enumerator(Enum last) {
    return static_cast<Enum>(random_.below(static_cast<std::uint64_t>(last) + 1));
  }
  Rank rank() { return Rank{static_cast<std::int32_t>(random_.below(ranks_))}; }
  Bytes size() { return Bytes(static_cast<std::int64_t>(random_.next() >> (16 + random_.below(48)))); }
  SimTime time() {
    return SimTime::from_ps(static_cast<std::int64_t>(random_.next() >> (2 + random_.below(62))));
  }
  MessagePart part_after(const std::vector<MessagePart>& before) {
    MessagePart part;
    part.type = static_cast<std::int32_t>(random_.below(last_part_type + 1));
    part.count = static_cast<std::int32_t>(random_.below(std::uint64_t{1} << 31));
    const std::int64_t end = before.empty() ? 0 : before.back().end;
    const std::uint64_t room = static_cast<std::uint64_t>(largest_size - end) >> random_.below(48);
    part.end = end + static_cast<std::int64_t>(random_.below(room + 1));
    return part;
  }
  template <typename Action>
  void repeat(const Action& action) {
    for (std::uint64_t left = coin() ? random_.below(8) : 0; left > 0; --left) action();
  }
  CollectivePart collective() {
    CollectivePart part;
    part.kind = enumerator(CollectiveKind::create_context);
    part.root = static_cast<std::int32_t>(random_.below(1U << 31));
    part.first_group = static_cast<std::int32_t>(random_.below(1U << 31));
    part.commutative = coin();
    part.in_place = coin();
    part.blocking = coin();
    part.element = size() + Bytes(1);
    part.bytes = size();
    repeat([&] { part.send_sizes.push_back(size()); });
    repeat([&] { part.receive_sizes.push_back(size()); });
    repeat([&] { part.sources.push_back(static_cast<std::int32_t>(random_.below(1U << 31))); });
    repeat([&] { part.destinations.push_back(static_cast<std::int32_t>(random_.below(1U << 31))); });
    return part;
  }

  RandomStream random_;
  std::uint64_t ranks_;
};

}  // namespace morgana::testing
