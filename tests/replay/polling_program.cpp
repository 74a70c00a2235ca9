#include "tests/replay/polling_program.h"

#include <algorithm>
#include <stdexcept>

namespace morgana::testing {
namespace {

Rank rank_of(std::size_t i) {
  return Rank(static_cast<std::int32_t>(i));
}

}  // namespace

PollingProgram::PollingProgram(std::uint64_t seed, std::size_t ranks, std::size_t rounds)
    : random_(seed, "program"), scripts_(ranks) {
  split();
  for (std::size_t i = 0; i < rounds; ++i) {
    tag_ = Tag(static_cast<std::int32_t>(i));  // so that wildcards get nothing of another round
    switch (random_.below(7)) {
      case 0:
      case 1:
        ring();
        break;
      case 2:
        farm();
        break;
      case 3:
        collective(random_.chance(0.5));
        break;
      case 4:
        probes();
        break;
      case 5:
        overlapped();
        break;
      default:
        accesses();
    }
  }
  exit();
}

bool PollingProgram::next(Rank rank, Operation& operation) {
  // A machine that never completes anything would fill the disk with the trace of polls.
  if (++operations_ > most_operations) throw std::runtime_error("the program polls without end");
  Script& script = scripts_[index(rank)];
  operation = script.steps[script.at].operation;
  if (script.steps[script.at].kind == Step::Kind::once)
    ++script.at;
  else
    operation.wants_answer = true;
  return true;
}

void PollingProgram::answer(Rank rank, const Answer& answer) {
  Script& script = scripts_[index(rank)];
  Step& step = script.steps[script.at];
  if (step.kind == Step::Kind::until_found) {
    if (!answer.completed.empty()) ++script.at;
    return;
  }
  if (step.kind != Step::Kind::until_all_done) return;
  for (const Completed& completed : answer.completed) {
    auto& requests = step.operation.requests;
    requests.erase(std::find(requests.begin(), requests.end(), completed.request));
  }
  if (step.operation.requests.empty()) ++script.at;
}

Operation& PollingProgram::add(std::size_t rank, OperationKind kind, Call call, CallPart part,
                               Step::Kind repetition) {
  Step& step = scripts_[rank].steps.emplace_back();
  step.kind = repetition;
  step.operation.kind = kind;
  step.operation.call = call;
  step.operation.part = part;
  if (begins_call(part) && random_.chance(0.7))
    step.operation.elapsed = SimTime::from_ps(static_cast<std::int64_t>(random_.below(20'000'000)));
  // Whatever polls computes in between, as a real program would: slow networks would make millions of polls.
  if (repetition != Step::Kind::once) step.operation.elapsed += SimTime::from_ps(10'000'000);
  return step.operation;
}

Operation& PollingProgram::add_message(std::size_t rank, OperationKind kind, Call call, CallPart part,
                                       std::size_t peer, RequestId request, Bytes bytes) {
  Operation& operation = add(rank, kind, call, part);
  operation.peer = rank_of(peer);
  operation.tag = tag_;
  operation.request = request;
  operation.bytes = bytes;
  return operation;
}

/// In one of the ways in which programs do it.
void PollingProgram::finish(std::size_t rank, const std::vector<RequestId>& requests, bool may_poll) {
  struct Way {
    OperationKind kind;
    Call call;
    Completion completion;
  };
  static constexpr Way ways[] = {
      {OperationKind::wait, Call::MPI_Waitall, Completion::all},
      {OperationKind::wait, Call::MPI_Waitany, Completion::any},
      {OperationKind::wait, Call::MPI_Waitsome, Completion::some},
      {OperationKind::test, Call::MPI_Testall, Completion::all},
      {OperationKind::test, Call::MPI_Testany, Completion::any},
      {OperationKind::test, Call::MPI_Testsome, Completion::some},
  };
  const Way& way = ways[random_.below(may_poll ? std::size(ways) : 3)];
  Operation& operation = add(rank, way.kind, way.call, CallPart::whole, Step::Kind::until_all_done);
  operation.completion = way.completion;
  operation.requests.assign(requests.begin(), requests.end());
}

void PollingProgram::ring() {
  const std::size_t count = ranks();
  const bool large = random_.chance(0.2);
  const Bytes bytes = large ? Bytes(100'000) : size();
  const bool blocking = random_.chance(0.4);
  const bool wildcard = random_.chance(0.4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = (i + count - 1) % count, after = (i + 1) % count;
    const Call receives = blocking ? Call::MPI_Sendrecv : Call::MPI_Irecv;
    Operation& receive =
        add_message(i, OperationKind::receive, receives, blocking ? CallPart::first : CallPart::whole, before,
                    RequestId{1}, Bytes(bytes.count() + 100));
    if (wildcard) receive.peer = any_rank;
    Operation& send = add_message(i, OperationKind::send, blocking ? Call::MPI_Sendrecv : Call::MPI_Issend,
                                  blocking ? CallPart::middle : CallPart::whole, after, RequestId{2}, bytes);
    if (!blocking) send.mode = SendMode::synchronous;
    if (!blocking) {
      finish(i, {RequestId{1}, RequestId{2}}, !large);
      continue;
    }
    Operation& wait = add(i, OperationKind::wait, Call::MPI_Sendrecv, CallPart::last);
    wait.requests = {RequestId{1}, RequestId{2}};
  }
  if (large) barrier();
}

void PollingProgram::barrier() {
  for (std::size_t i = 0; i < ranks(); ++i) {
    Operation& part = add(i, OperationKind::collective, Call::MPI_Barrier, CallPart::first);
    part.request = RequestId{3};
    add(i, OperationKind::wait, Call::MPI_Barrier, CallPart::last).requests = {RequestId{3}};
  }
}

void PollingProgram::farm() {
  const bool any = random_.chance(0.5);
  std::vector<RequestId> requests;
  for (std::size_t i = 1; i < ranks(); ++i) {
    Operation& receive = add_message(0, OperationKind::receive, Call::MPI_Irecv, CallPart::whole, 0,
                                     RequestId{i}, Bytes{1 << 20});
    receive.peer = any_rank;
    if (any) receive.tag = any_tag;
    requests.push_back(RequestId{i});
    add_message(i, OperationKind::send, Call::MPI_Send, CallPart::first, 0, RequestId{1}, size());
    add(i, OperationKind::wait, Call::MPI_Send, CallPart::last).requests = {RequestId{1}};
  }
  if (!requests.empty()) finish(0, requests, true);
  if (any) barrier();
}

void PollingProgram::collective(bool halves) {
  struct Named {
    Call blocking, nonblocking;
    CollectiveKind kind;
  };
  static constexpr Named all[] = {
      {Call::MPI_Barrier, Call::MPI_Ibarrier, CollectiveKind::barrier},
      {Call::MPI_Bcast, Call::MPI_Ibcast, CollectiveKind::broadcast},
      {Call::MPI_Allreduce, Call::MPI_Iallreduce, CollectiveKind::allreduce},
      {Call::MPI_Reduce, Call::MPI_Ireduce, CollectiveKind::reduce},
      {Call::MPI_Alltoall, Call::MPI_Ialltoall, CollectiveKind::alltoall},
      {Call::MPI_Allgatherv, Call::MPI_Iallgatherv, CollectiveKind::allgatherv},
      {Call::MPI_Scan, Call::MPI_Iscan, CollectiveKind::scan},
  };
  const Named& named = all[random_.below(std::size(all))];
  const bool blocking = random_.chance(0.5);
  const Bytes bytes = size();
  for (std::size_t i = 0; i < ranks(); ++i) {
    Operation& part = add(i, OperationKind::collective, blocking ? named.blocking : named.nonblocking,
                          blocking ? CallPart::first : CallPart::whole);
    std::size_t members = ranks();
    if (halves) {
      part.context = Context{10 + i % 2};
      members = i % 2 == 0 ? (ranks() + 1) / 2 : ranks() / 2;
    }
    part.request = RequestId{3};
    part.collective.kind = named.kind;
    part.collective.blocking = blocking;
    part.collective.bytes = Bytes(bytes.count() * 8);
    part.collective.element = Bytes(8);
    if (named.kind == CollectiveKind::allgatherv)
      for (std::size_t m = 0; m < members; ++m)
        part.collective.receive_sizes.push_back(Bytes(static_cast<std::int64_t>(8 * m)));
    if (blocking)
      add(i, OperationKind::wait, named.blocking, CallPart::last).requests = {RequestId{3}};
    else
      finish(i, {RequestId{3}}, true);
  }
}

/// Two nonblocking collectives and a ring of messages under way at once.
void PollingProgram::overlapped() {
  const Bytes bytes = size();
  const std::size_t count = ranks();
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = [&](Call call, CollectiveKind kind, RequestId request) {
      Operation& part = add(i, OperationKind::collective, call, CallPart::whole);
      part.request = request;
      part.collective.kind = kind;
      part.collective.blocking = false;
      part.collective.bytes = Bytes(bytes.count() * 8);
      part.collective.element = Bytes(8);
    };
    begin(Call::MPI_Iallreduce, CollectiveKind::allreduce, RequestId{3});
    add_message(i, OperationKind::receive, Call::MPI_Irecv, CallPart::whole, (i + count - 1) % count,
                RequestId{1}, Bytes(bytes.count() + 100));
    add_message(i, OperationKind::send, Call::MPI_Issend, CallPart::whole, (i + 1) % count, RequestId{2},
                bytes)
        .mode = SendMode::synchronous;
    begin(Call::MPI_Ibcast, CollectiveKind::broadcast, RequestId{4});
    if (random_.chance(0.5)) {
      finish(i, {RequestId{1}, RequestId{2}}, true);
      finish(i, {RequestId{3}, RequestId{4}}, true);
    } else {
      finish(i, {RequestId{1}, RequestId{2}, RequestId{3}, RequestId{4}}, true);
    }
  }
}

void PollingProgram::probes() {
  const bool polls = random_.chance(0.5);
  const bool takes = random_.chance(0.5);
  for (std::size_t i = 1; i < ranks(); ++i) {
    add_message(i, OperationKind::send, Call::MPI_Send, CallPart::first, 0, RequestId{1}, size());
    add(i, OperationKind::wait, Call::MPI_Send, CallPart::last).requests = {RequestId{1}};
    Operation& probe = add(0, polls ? OperationKind::test_probe : OperationKind::probe,
                           takes ? Call::MPI_Improbe : Call::MPI_Iprobe, CallPart::whole,
                           polls ? Step::Kind::until_found : Step::Kind::once);
    probe.tag = tag_;
    probe.peer = takes ? any_rank : rank_of(i);
    if (takes) probe.taken = RequestId{99};
    Operation& receive = add_message(0, OperationKind::receive, takes ? Call::MPI_Mrecv : Call::MPI_Recv,
                                     CallPart::first, i, RequestId{1}, Bytes{1 << 20});
    if (takes) {
      receive.peer = any_rank;
      receive.tag = any_tag;
      receive.taken = RequestId{99};
    }
    add(0, OperationKind::wait, takes ? Call::MPI_Mrecv : Call::MPI_Recv, CallPart::last).requests = {
        RequestId{1}};
  }
}

void PollingProgram::accesses() {
  for (std::size_t i = 0; i < ranks(); ++i) {
    const bool exclusive = random_.chance(0.5);
    const auto one_sided = [&](OperationKind kind, Call call) -> Operation& {
      Operation& access = add(i, kind, call, CallPart::first);
      access.context = Context{77};
      access.peer = Rank{0};
      access.request = RequestId{4};
      access.exclusive = exclusive;
      return access;
    };
    const auto wait = [&](Call call) {
      add(i, OperationKind::wait, call, CallPart::last).requests = {RequestId{4}};
    };
    one_sided(OperationKind::lock, Call::MPI_Win_lock);
    wait(Call::MPI_Win_lock);
    Operation& access = one_sided(OperationKind::access, Call::MPI_Put);
    access.bytes = size();
    access.reply = Bytes(8);
    wait(Call::MPI_Put);
    one_sided(OperationKind::unlock, Call::MPI_Win_unlock);
    wait(Call::MPI_Win_unlock);
    if (random_.chance(0.3)) {
      Operation& sleep = add(i, OperationKind::sleep, Call::usleep, CallPart::whole);
      sleep.duration = SimTime::from_ps(5'000'000);
    }
    if (random_.chance(0.3)) add(i, OperationKind::read_clock, Call::MPI_Wtime, CallPart::whole);
  }
}

void PollingProgram::split() {
  for (std::size_t i = 0; i < ranks(); ++i) {
    Operation& agreeing = add(i, OperationKind::collective, Call::MPI_Comm_split, CallPart::first);
    agreeing.request = RequestId{5};
    agreeing.collective.kind = CollectiveKind::create_context;
    add(i, OperationKind::wait, Call::MPI_Comm_split, CallPart::middle).requests = {RequestId{5}};
    Operation& half = add(i, OperationKind::context_created, Call::MPI_Comm_split, CallPart::last);
    half.context = Context{10 + i % 2};
    for (std::size_t member = i % 2; member < ranks(); member += 2) half.members.push_back(rank_of(member));
  }
}

void PollingProgram::exit() {
  for (std::size_t i = 0; i < ranks(); ++i) add(i, OperationKind::exit, Call::unknown, CallPart::whole);
}

}  // namespace morgana::testing
