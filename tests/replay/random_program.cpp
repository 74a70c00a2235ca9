#include "tests/replay/random_program.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace morgana::testing {

RandomProgram::RandomProgram(std::uint64_t seed, Rank rank, std::int32_t ranks)
    : random_(seed, "rank " + std::to_string(index(rank))), rank_(rank), ranks_(ranks) {
  std::vector<Rank> everyone(static_cast<std::size_t>(ranks));
  std::iota(reinterpret_cast<std::int32_t*>(everyone.data()),
            reinterpret_cast<std::int32_t*>(everyone.data()) + everyone.size(), 0);
  contexts_[world_context] = everyone;
}

std::vector<Ended> RandomProgram::run(std::size_t calls) {
  for (std::size_t i = 0; i < calls; ++i) random_call();
  add(OperationKind::exit, Call::unknown, CallPart::whole);
  return operations_;
}

void RandomProgram::random_call() {
  switch (below(11)) {
    case 0:
    case 1:
      return blocking_call();
    case 2:
    case 3:
      return nonblocking_call();
    case 4:
      return completing_call(false);
    case 5:
      return completing_call(true);
    case 6:
      return probing_call();
    case 7:
      return collective_call();
    case 8:
      return chance(0.5) ? several_starts() : one_sided_call();
    case 9:
      return chance(0.5) ? time_call() : cancelling_call();
    default:
      return communicator_call();
  }
}

Operation& RandomProgram::add(OperationKind kind, Call call, CallPart part) {
  Ended& ended = operations_.emplace_back();
  Operation& operation = ended.operation;
  operation.kind = kind;
  operation.call = call;
  operation.part = part;
  operation.wants_answer = chance(0.5);
  operation.payload = below(100);
  if (begins_call(part) || chance(0.02)) {
    operation.elapsed = chance(0.2) ? SimTime() : short_time();
    if (chance(0.1)) operation.polled = SimTime::from_ps(operation.elapsed.ps() / 3);
  }
  clock_ += operation.elapsed;
  ended.begin = ended.end = clock_;
  return operation;
}

std::pair<Context, std::vector<Rank>> RandomProgram::any_context() {
  auto context = contexts_.begin();
  std::advance(context, static_cast<std::ptrdiff_t>(below(contexts_.size())));
  return *context;
}

Operation RandomProgram::message(OperationKind kind, Call call, CallPart part) {
  const auto [context, members] = any_context();
  Operation message;
  message.kind = kind;
  message.call = call;
  message.part = part;
  message.context = context;
  message.peer = any_member(members);
  message.tag = Tag(static_cast<std::int32_t>(below(1U << (1 + below(30)))));
  message.bytes = Bytes(static_cast<std::int64_t>(below(1U << below(24))));
  message.request = new_request();
  if (kind == OperationKind::send) {
    message.mode = static_cast<SendMode>(below(4));
    std::int64_t end = 0;
    for (std::uint64_t parts = chance(0.3) ? below(5) : 0; parts > 0; --parts) {
      end += static_cast<std::int64_t>(below(static_cast<std::uint64_t>(message.bytes.count() - end) + 1));
      message.parts.push_back({static_cast<std::int32_t>(below(last_part_type + 1)),
                               static_cast<std::int32_t>(below(1U << 31)), end});
    }
  }
  if (kind == OperationKind::receive) {
    if (chance(0.3)) message.peer = any_rank;
    if (chance(0.3)) message.tag = any_tag;
    if (chance(0.1)) message.taken = RequestId(7'000'000 + below(1000));
  }
  return message;
}

void RandomProgram::add_message(const Operation& message) {
  Operation& added = add(message.kind, message.call, message.part);
  const SimTime elapsed = added.elapsed, polled = added.polled;
  added = message;
  added.elapsed = elapsed;
  added.polled = polled;
  if (message.kind == OperationKind::send) lasts(short_time());
}

Completed RandomProgram::completion(const Pending& pending, bool cancelled) {
  Completed completed;
  completed.request = pending.request;
  completed.cancelled = cancelled;
  if (pending.kind != OperationKind::receive || cancelled) return completed;
  const Operation& receive = pending.start;
  completed.source = receive.peer == any_rank ? any_member(contexts_.at(receive.context)) : receive.peer;
  completed.tag = receive.tag == any_tag ? Tag(static_cast<std::int32_t>(below(100))) : receive.tag;
  completed.bytes = chance(0.5) ? receive.bytes : Bytes(receive.bytes.count() / 2);
  completed.payload = below(10);
  return completed;
}

void RandomProgram::wait_for_all(Call call, CallPart part, const std::vector<Pending>& started) {
  Operation& wait = add(OperationKind::wait, call, part);
  for (const Pending& pending : started) {
    wait.requests.push_back(pending.request);
    operations_.back().completed.push_back(completion(pending));
  }
  lasts(short_time());
}

void RandomProgram::blocking_call() {
  static constexpr Call sends[] = {Call::MPI_Send, Call::MPI_Ssend, Call::MPI_Bsend, Call::MPI_Rsend};
  static constexpr SendMode modes[] = {SendMode::standard, SendMode::synchronous, SendMode::buffered,
                                       SendMode::ready};
  const std::uint64_t kind = below(4);
  std::vector<Operation> starts;
  Call call = Call::MPI_Sendrecv;
  if (kind == 0) {
    const std::uint64_t which = below(4);
    call = sends[which];
    starts.push_back(message(OperationKind::send, call, CallPart::first));
    if (chance(0.9)) starts.back().mode = modes[which];
  } else if (kind == 1) {
    call = Call::MPI_Recv;
    starts.push_back(message(OperationKind::receive, call, CallPart::first));
  } else {
    starts.push_back(message(OperationKind::receive, call, CallPart::first));
    starts.push_back(message(OperationKind::send, call, CallPart::middle));
    if (kind == 3) {  // the other way round: no form of Score-P's
      std::swap(starts[0], starts[1]);
      std::swap(starts[0].part, starts[1].part);
    }
  }
  std::vector<Pending> started;
  for (const Operation& start : starts) {
    add_message(start);
    started.push_back({start.request, start.kind, start});
  }
  wait_for_all(call, CallPart::last, started);
}

void RandomProgram::nonblocking_call() {
  Operation start;
  if (chance(0.3)) {
    const auto [context, members] = any_context();
    Operation& collective = add(OperationKind::collective, Call::MPI_Iallreduce, CallPart::whole);
    collective.context = context;
    collective.request = new_request();
    collective.collective =
        part(static_cast<CollectiveKind>(below(23)), static_cast<std::int32_t>(members.size()));
    collective.collective.blocking = false;
    start = collective;
  } else {
    const bool sends = chance(0.5);
    start = message(sends ? OperationKind::send : OperationKind::receive,
                    sends ? Call::MPI_Isend : Call::MPI_Irecv, CallPart::whole);
    add_message(start);
  }
  pending_.push_back({start.request, start.kind, start});
}

RandomProgram::Pending RandomProgram::take_pending(std::size_t i) {
  Pending taken = pending_[i];
  pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
  return taken;
}

void RandomProgram::completing_call(bool tests) {
  static constexpr Call calls[2][4] = {
      {Call::MPI_Wait, Call::MPI_Waitall, Call::MPI_Waitany, Call::MPI_Waitsome},
      {Call::MPI_Test, Call::MPI_Testall, Call::MPI_Testany, Call::MPI_Testsome}};
  static constexpr Completion modes[] = {Completion::all, Completion::all, Completion::any, Completion::some};
  const std::uint64_t which = below(4);
  Operation& operation =
      add(tests ? OperationKind::test : OperationKind::wait, calls[tests ? 1 : 0][which], CallPart::whole);
  operation.completion = chance(0.95) ? modes[which] : Completion::some;
  std::vector<Completed>& completed = operations_.back().completed;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < pending_.size(); ++i)
    if (chance(0.5)) chosen.push_back(i);
  if (chance(0.3)) std::ranges::reverse(chosen);
  for (const std::size_t i : chosen) operation.requests.push_back(pending_[i].request);
  if (chosen.empty() || (tests && chance(0.5))) return lasts(short_time());
  std::vector<std::size_t> done = chosen;
  if (operation.completion == Completion::any) done = {chosen[below(chosen.size())]};
  if (operation.completion == Completion::some) done.resize(1 + below(done.size()));
  for (const std::size_t i : done) completed.push_back(completion(pending_[i]));
  std::ranges::sort(done, std::greater());
  for (const std::size_t i : done) take_pending(i);
  lasts(short_time());
}

void RandomProgram::probing_call() {
  const bool tests = chance(0.5);
  const bool takes = chance(0.3);
  const Call call =
      takes ? (tests ? Call::MPI_Improbe : Call::MPI_Mprobe) : (tests ? Call::MPI_Iprobe : Call::MPI_Probe);
  const Operation probe =
      message(tests ? OperationKind::test_probe : OperationKind::probe, call, CallPart::whole);
  add_message(probe);
  Operation& added = operations_.back().operation;
  added.request = no_request;
  added.bytes = Bytes();
  if (takes) added.taken = RequestId(6'000'000 + operations_.size());
  if (chance(0.5)) added.peer = any_rank;
  if (!tests || chance(0.5)) {
    Completed found;
    found.request = added.taken;
    found.source = added.peer == any_rank ? any_member(contexts_.at(added.context)) : added.peer;
    found.tag = added.tag == any_tag ? Tag{5} : added.tag;
    operations_.back().completed.push_back(found);
  }
  lasts(short_time());
}

CollectivePart RandomProgram::part(CollectiveKind kind, std::int32_t members) {
  const auto size = [this] { return Bytes(static_cast<std::int64_t>(below(1U << below(20)))); };
  const auto sizes = [&](std::int32_t count) {
    std::vector<Bytes> list;
    const Bytes all = size();
    const bool equal = chance(0.5);
    for (std::int32_t i = 0; i < count; ++i) list.push_back(equal ? all : size());
    return list;
  };
  CollectivePart part;
  part.kind = kind;
  part.in_place = chance(0.2);
  part.commutative = chance(0.8);
  if (chance(0.5)) part.element = Bytes(8);
  part.bytes = size();
  if (chance(0.05) && members > 1) part.first_group = 1;
  switch (kind) {
    case CollectiveKind::barrier:
    case CollectiveKind::create_context:
      part = CollectivePart{};
      part.kind = kind;
      break;
    case CollectiveKind::broadcast:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
    case CollectiveKind::reduce:
      part.root = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(members)));
      break;
    case CollectiveKind::gatherv:
      part.root = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(members)));
      if (chance(0.5)) part.receive_sizes = sizes(members);
      break;
    case CollectiveKind::scatterv:
      part.root = static_cast<std::int32_t>(below(static_cast<std::uint64_t>(members)));
      if (chance(0.5)) part.send_sizes = sizes(members);
      break;
    case CollectiveKind::allgatherv:
      part.receive_sizes = sizes(members);
      break;
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      part.send_sizes = sizes(members);
      part.receive_sizes = sizes(members);
      break;
    case CollectiveKind::reduce_scatter:
      part.send_sizes = sizes(members);
      break;
    case CollectiveKind::neighbor_alltoallv:
    case CollectiveKind::neighbor_alltoallw:
      part.send_sizes = sizes(members);
      [[fallthrough]];
    case CollectiveKind::neighbor_allgatherv:
      part.receive_sizes = sizes(members);
      [[fallthrough]];
    case CollectiveKind::neighbor_allgather:
    case CollectiveKind::neighbor_alltoall:
      for (std::int32_t i = 0; i < members; ++i) {
        if (chance(0.7)) part.sources.push_back(i);
        if (chance(0.7)) part.destinations.push_back(members - 1 - i);
      }
      break;
    default:
      break;
  }
  return part;
}

void RandomProgram::collective_call() {
  static constexpr Call calls[] = {Call::MPI_Barrier,
                                   Call::MPI_Bcast,
                                   Call::MPI_Gather,
                                   Call::MPI_Gatherv,
                                   Call::MPI_Scatter,
                                   Call::MPI_Scatterv,
                                   Call::MPI_Allgather,
                                   Call::MPI_Allgatherv,
                                   Call::MPI_Alltoall,
                                   Call::MPI_Alltoallv,
                                   Call::MPI_Alltoallw,
                                   Call::MPI_Reduce,
                                   Call::MPI_Allreduce,
                                   Call::MPI_Reduce_scatter,
                                   Call::MPI_Reduce_scatter_block,
                                   Call::MPI_Scan,
                                   Call::MPI_Exscan,
                                   Call::MPI_Neighbor_allgather,
                                   Call::MPI_Neighbor_allgatherv,
                                   Call::MPI_Neighbor_alltoall,
                                   Call::MPI_Neighbor_alltoallv,
                                   Call::MPI_Neighbor_alltoallw,
                                   Call::MPI_Comm_dup};
  const std::uint64_t kind = below(23);
  const auto [context, members] = any_context();
  const Call call = chance(0.95) ? calls[kind] : Call::MPI_Win_fence;
  Operation& collective = add(OperationKind::collective, call, CallPart::first);
  collective.context = context;
  collective.request = new_request();
  collective.collective = part(static_cast<CollectiveKind>(kind), static_cast<std::int32_t>(members.size()));
  const Operation start = collective;
  wait_for_all(call, CallPart::last, {{start.request, start.kind, start}});
}

void RandomProgram::several_starts() {
  const std::uint64_t count = 2 + below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    const CallPart part = i == 0 ? CallPart::first : i + 1 < count ? CallPart::middle : CallPart::last;
    const Operation start =
        message(chance(0.5) ? OperationKind::send : OperationKind::receive, Call::MPI_Startall, part);
    add_message(start);
    pending_.push_back({start.request, start.kind, start});
  }
}

void RandomProgram::one_sided_call() {
  const OperationKind kind =
      static_cast<OperationKind>(static_cast<std::uint64_t>(OperationKind::access) + below(3));
  const bool waits = chance(0.5);
  Operation& access = add(kind, Call::MPI_Put, waits ? CallPart::first : CallPart::whole);
  access.context = Context{1'000 + below(5)};
  access.peer = Rank(static_cast<std::int32_t>(below(static_cast<std::uint64_t>(ranks_))));
  access.request = new_request();
  if (kind == OperationKind::access) {
    access.bytes = Bytes(static_cast<std::int64_t>(below(10'000)));
    access.reply = Bytes(static_cast<std::int64_t>(below(10'000)));
  }
  access.exclusive = kind == OperationKind::lock && chance(0.5);
  const Pending started{access.request, kind, access};
  lasts(short_time());
  if (waits)
    wait_for_all(Call::MPI_Put, CallPart::last, {started});
  else
    pending_.push_back(started);
}

void RandomProgram::time_call() {
  switch (below(4)) {
    case 0:
      add(OperationKind::read_clock, Call::MPI_Wtime, CallPart::whole);
      return;
    case 1:
      add(OperationKind::read_clock, Call::clock_gettime, CallPart::whole);
      return lasts(SimTime::from_ps(1 + static_cast<std::int64_t>(below(1000))));
    case 2: {
      Operation& sleep = add(OperationKind::sleep, Call::nanosleep, CallPart::whole);
      sleep.duration = short_time();
      return lasts(sleep.duration);
    }
    default:
      add(OperationKind::nothing, chance(0.5) ? Call::MPI_Init : Call::unknown, CallPart::whole);
  }
}

void RandomProgram::communicator_call() {
  const auto [parent, members] = any_context();
  Operation& agreeing = add(OperationKind::collective, Call::MPI_Comm_split, CallPart::first);
  agreeing.context = parent;
  agreeing.request = new_request();
  agreeing.collective.kind = CollectiveKind::create_context;
  const Operation start = agreeing;
  wait_for_all(Call::MPI_Comm_split, CallPart::middle, {{start.request, start.kind, start}});
  if (chance(0.2)) {
    add(OperationKind::nothing, Call::MPI_Comm_split, CallPart::last);
    return;
  }
  std::vector<Rank> chosen{rank_};
  for (const Rank member : members)
    if (member != rank_ && chance(0.5)) chosen.push_back(member);
  std::rotate(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(below(chosen.size())),
              chosen.end());
  // Numbers of pending operations' contexts stay; others may be used again.
  const Context context{(static_cast<std::uint64_t>(index(rank_)) + 1) * 100 + contexts_.size()};
  Operation& created = add(OperationKind::context_created, Call::MPI_Comm_split, CallPart::last);
  created.context = context;
  created.members = chosen;
  contexts_[context] = chosen;
}

void RandomProgram::cancelling_call() {
  const auto receive = std::ranges::find(pending_, OperationKind::receive, &Pending::kind);
  if (receive == pending_.end()) return;
  Operation& cancel = add(OperationKind::cancel, Call::MPI_Cancel, CallPart::whole);
  cancel.request = receive->request;
  const Pending cancelled = take_pending(static_cast<std::size_t>(receive - pending_.begin()));
  Operation& wait = add(OperationKind::wait, Call::MPI_Wait, CallPart::whole);
  wait.requests.push_back(cancelled.request);
  operations_.back().completed.push_back(completion(cancelled, chance(0.7)));
  lasts(short_time());
}

}  // namespace morgana::testing
