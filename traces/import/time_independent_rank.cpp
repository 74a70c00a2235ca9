#include "traces/import/time_independent_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace morgana::time_independent {
namespace {

constexpr double longest_time = 4e6;  // seconds, below the end of simulated time

}  // namespace

struct TimeIndependentRank::SendAction {
  std::string_view name;
  Call call;
  SendMode mode;
  bool blocks;
};

const TimeIndependentRank::SendAction* TimeIndependentRank::find_send(std::string_view name) {
  static constexpr std::array all{SendAction{"send", Call::MPI_Send, SendMode::standard, true},
                                  SendAction{"isend", Call::MPI_Isend, SendMode::standard, false},
                                  SendAction{"Ssend", Call::MPI_Ssend, SendMode::synchronous, true},
                                  SendAction{"ISsend", Call::MPI_Issend, SendMode::synchronous, false},
                                  SendAction{"bsend", Call::MPI_Bsend, SendMode::buffered, true},
                                  SendAction{"ibsend", Call::MPI_Ibsend, SendMode::buffered, false}};
  const auto found = std::ranges::find(all, name, &SendAction::name);
  return found == all.end() ? nullptr : &*found;
}

Operation TimeIndependentRank::next(int rank, std::size_t ranks, std::optional<double> flops_per_second,
                                    ImportCounts& counts) {
  rank_ = rank;
  flops_per_second_ = flops_per_second;
  while (queue_.empty()) {
    auto words = lines.next(static_cast<std::size_t>(rank));
    if (!words) {
      queue().exit();
      break;
    }
    if (words->size() < 2) lines.refuse("a line is a rank, an action and its parameters");
    Action action(lines, std::move(*words), ranks, default_type_size_);
    act(action, ranks, counts);
  }
  return queue_.take();
}

void TimeIndependentRank::act(Action& action, std::size_t ranks, ImportCounts& counts) {
  const std::string_view name = action.name();
  if (name == "compute") {
    compute(action.number("what it computes"));
  } else if (name == "sleep") {
    sleep(action);
  } else if (const SendAction* how = find_send(name)) {
    send(action, *how);
  } else if (name == "recv" || name == "irecv") {
    receive(action, name == "recv");
  } else if (name == "sendRecv" || name == "sendrecv") {
    exchange(action);
  } else if (name == "wait" || name == "test") {
    wait_for(action, name == "test", ranks, counts);
  } else if (name == "waitall") {
    std::vector<RequestId> requests;
    for (const PendingRequest& one : pending_) requests.push_back(one.request);
    pending_.clear();
    if (ahead_ != nullptr) ahead_->clear();  // whatever tests before it have found, all is waited for
    if (!requests.empty()) queue().wait(Call::MPI_Waitall, CallPart::whole, requests);
  } else if (name == "init") {
    constexpr std::int64_t size_of_double = 8;
    default_type_size_ = action.left() > 0 ? size_of_double : 1;
  } else if (name == "comm_split" || name == "comm_dup") {
    ++counts.communicators;
  } else if (name != "finalize" && name != "comm_size" && name != "location") {
    auto started = collective_of(action, rank_);
    if (!started) action.refuse_action();
    collective(std::move(*started));
  }
  if (action.has_derived_type()) ++counts.derived_types;
}

void TimeIndependentRank::send(Action& action, const SendAction& how) {
  const Rank peer = action.peer("the peer");
  const int tag = action.whole("the tag");
  if (tag < 0) action.refuse(fmt::format("{} is not a tag", tag));
  if (peer == any_rank) action.refuse("a message goes to a rank");
  const std::int64_t count = action.count("the size");
  const Bytes bytes(count * action.type_size());
  if (peer == Rank{nobody}) return;
  const RequestId request = start(OperationKind::send, how.call,
                                  how.blocks ? CallPart::first : CallPart::whole, peer, tag, bytes, how.mode);
  if (how.blocks)
    queue().wait(how.call, CallPart::last, {&request, 1});
  else
    add_pending({rank_, static_cast<int>(peer), tag, request, false});
}

void TimeIndependentRank::receive(Action& action, bool blocks) {
  const Rank peer = action.peer("the peer");
  const int tag = action.whole("the tag");
  if (tag < 0 && tag != any_tag_there) action.refuse(fmt::format("{} is not a tag", tag));
  std::int64_t count = 0;  // not known
  if (action.left() > 0)
    count = static_cast<std::int64_t>(
        std::clamp(action.number("the size"), 0.0, static_cast<double>(most_elements)));
  const Bytes room(count * action.type_size());
  if (peer == Rank{nobody}) return;
  const Call call = blocks ? Call::MPI_Recv : Call::MPI_Irecv;
  const RequestId request = start(OperationKind::receive, call, blocks ? CallPart::first : CallPart::whole,
                                  peer, tag, room == Bytes() ? any_room : room);
  if (blocks) {
    queue().wait(call, CallPart::last, {&request, 1});
    return;
  }
  const int source = peer == any_rank ? undefined_peer : static_cast<int>(peer);
  add_pending({source, rank_, tag, request, true});
}

/// "sendRecv": both counts and peers; the tag is not told.
void TimeIndependentRank::exchange(Action& action) {
  const std::int64_t sent = action.count("the count sent");
  const Rank to = action.peer("the destination");
  const std::int64_t received = action.count("the count received");
  const Rank from = action.peer("the source");
  const Bytes bytes(sent * action.type_size());
  const Bytes room(received * action.type_size());
  if (to == any_rank) action.refuse("a message goes to a rank");
  std::vector<RequestId> requests;
  if (to != Rank{nobody})
    requests.push_back(start(OperationKind::send, Call::MPI_Sendrecv, CallPart::first, to, 0, bytes));
  if (from != Rank{nobody})
    requests.push_back(start(OperationKind::receive, Call::MPI_Sendrecv,
                             requests.empty() ? CallPart::first : CallPart::middle, from, 0,
                             room == Bytes() ? any_room : room));
  if (!requests.empty()) queue().wait(Call::MPI_Sendrecv, CallPart::last, requests);
}

void TimeIndependentRank::collective(StartedCollective started) {
  const Call call = started.operation.call;
  const RequestId request = queue().start(std::move(started.operation));
  if (started.blocks)
    queue().wait(call, CallPart::last, {&request, 1});
  else
    add_pending({undefined_peer, undefined_peer, started.wait_tag, request, false});
  compute(started.combining);
}

void TimeIndependentRank::add_pending(PendingRequest pending) {
  if (ahead_ == nullptr) return pending_.push_back(pending);
  const bool any = pending.receives && (pending.source == undefined_peer || pending.tag == any_tag_there);
  ahead_->push_back({RequestLine::Kind::starts, {pending.source, pending.destination, pending.tag}, any});
}

TimeIndependentRank::Pending TimeIndependentRank::find_pending(const RequestLine::Name& name,
                                                               bool of_collective) {
  const auto found = std::ranges::find_if(pending_, [&](const PendingRequest& one) {
    return one.source == name.source && one.destination == name.destination && one.tag == name.tag;
  });
  if (found != pending_.end() || of_collective) return found;
  return std::ranges::find_if(pending_, [&](const PendingRequest& one) {
    return one.receives && one.destination == name.destination &&
           (one.source == name.source || one.source == undefined_peer) &&
           (one.tag == name.tag || one.tag == any_tag_there);
  });
}

void TimeIndependentRank::wait_for(Action& action, bool tests, std::size_t ranks, ImportCounts& counts) {
  const int source = action.whole("the source"), destination = action.whole("the destination");
  const int tag = action.whole("the tag");
  const std::optional<int> of_collective = collective_tag(tag);
  const RequestLine::Name name = of_collective
                                     ? RequestLine::Name{undefined_peer, undefined_peer, *of_collective}
                                     : RequestLine::Name{source, destination, tag};
  const std::size_t test = tests ? tests_++ : 0;
  if (ahead_ != nullptr)
    return ahead_->push_back(
        {tests ? RequestLine::Kind::tests : RequestLine::Kind::waits, name, false, test});
  const Pending pending = find_pending(name, of_collective.has_value());
  if (pending == pending_.end()) {
    if (!tests) ++counts.waits_without_request;  // which SMPI ignores, too
    return;
  }
  const bool has_found = tests && has_test_found(test, ranks);
  const RequestId request = pending->request;
  if (!tests || has_found) {
    pending_.erase(pending);
    queue().wait(tests ? Call::MPI_Test : Call::MPI_Wait, CallPart::whole, {&request, 1});
    return;
  }
  // One that found nothing: nobody asks for its answer, so that it completes nothing here either, where all
  // messages have come at once.
  Operation operation;
  operation.kind = OperationKind::test;
  operation.call = Call::MPI_Test;
  operation.requests.push_back(request);
  queue().add(std::move(operation));
}

bool TimeIndependentRank::has_test_found(std::size_t test, std::size_t ranks) {
  if (!found_) found_ = tests_that_found(read_ahead(ranks));
  return std::ranges::binary_search(*found_, test);
}

std::vector<RequestLine> TimeIndependentRank::read_ahead(std::size_t ranks) {
  std::vector<RequestLine> ahead;
  TimeIndependentRank other;
  other.ahead_ = &ahead;
  other.lines.text = lines.shared.empty() ? std::make_shared<MappedText>(lines.text->file()) : lines.text;
  other.lines.shared.swap(lines.shared);  // an error over there is the end of this one, too
  ImportCounts ignored;
  while (other.next(rank_, ranks, flops_per_second_, ignored).kind != OperationKind::exit) {
  }
  lines.shared.swap(other.lines.shared);
  return ahead;
}

RequestId TimeIndependentRank::start(OperationKind kind, Call call, CallPart part, Rank peer, int tag,
                                     Bytes bytes, SendMode mode) {
  Operation operation;
  operation.kind = kind;
  operation.mode = mode;
  operation.call = call;
  operation.part = part;
  operation.peer = peer;
  operation.tag = tag == any_tag_there ? any_tag : Tag{tag};
  operation.bytes = bytes;
  return queue().start(std::move(operation));
}

void TimeIndependentRank::sleep(Action& action) {
  Operation operation;
  operation.kind = OperationKind::sleep;
  operation.call = Call::nanosleep;
  const double seconds = action.number("how long");
  if (seconds < 0 || seconds > longest_time) action.refuse("a sleep is 0 to 4,000,000 s long");
  operation.duration = SimTime::from_seconds(seconds);
  queue().add(std::move(operation));
}

void TimeIndependentRank::compute(double flops) {
  if (flops <= 0) return;
  if (!flops_per_second_)
    lines.refuse(
        "computing is given in floating-point operations: say how many a second the ranks make "
        "(--flops-per-second 1e9)");
  computed_ += flops / *flops_per_second_;
  if (computed_ > longest_time) lines.refuse("computes for longer than simulated time lasts, 53 days");
}

OperationQueue& TimeIndependentRank::queue() {
  queue_.compute(SimTime::from_seconds(std::exchange(computed_, 0)));
  return queue_;
}

}  // namespace morgana::time_independent
