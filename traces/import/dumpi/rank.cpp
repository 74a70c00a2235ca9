#include "traces/import/dumpi/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace morgana::dumpi {
namespace {

constexpr SimTime longest_total = SimTime::from_ps(4'000'000'000'000'000'000);
constexpr std::int64_t ps_per_ns = 1000;
/// Seconds are recorded in 16 bits.
constexpr std::int64_t wrap_of_seconds = std::int64_t{1'000'000'000} << 16;
/// Sources that name no member of a communicator: below any_source it is MPI_PROC_NULL or MPI_ROOT.
constexpr std::int64_t any_source = -1;

Call call_of(const Record& record) {
  return call_named(call_form(static_cast<std::uint16_t>(record.function)).name).value_or(Call::unknown);
}

bool is_no_call(const Record& record) {
  return (record.function >= Function::first_of_files && record.function <= Function::last_of_files) ||
         record.function >= Function::function_enter;
}

}  // namespace

DumpiRankCalls::DumpiRankCalls(Rank rank, std::size_t ranks, RankFile& file,
                               const Communicators& communicators, RankScan scan, bool nobody_is_any_source)
    : rank_(rank),
      ranks_(ranks),
      file_(file),
      communicators_(communicators),
      got_(std::move(scan.got)),
      cancelled_(std::move(scan.cancelled)),
      nobody_is_any_source_(nobody_is_any_source),
      types_(file) {}

Operation DumpiRankCalls::next(DumpiCounts& counts) {
  counts_ = &counts;
  while (queue_.empty()) {
    if (ended_ || !file_.next(record_)) {
      ended_ = true;
      queue_.exit();
      break;
    }
    if (record_.thread != 0) ++counts.of_threads;
    note_time(record_);
    act(record_);
  }
  return queue_.take();
}

/// A rank computes between its calls. What calls on files take is not modelled, and counts as computing, too.
void DumpiRankCalls::note_time(const Record& record) {
  if (record.function >= Function::function_enter) return;
  if (is_no_call(record)) {
    ++counts_->on_files;
    return;
  }
  if (!record.timed) {
    ++counts_->untimed;
    return;
  }
  if (left_) {
    std::int64_t computed = record.enter - *left_;
    if (computed < -wrap_of_seconds / 2) computed += wrap_of_seconds;
    if (computed < 0) ++counts_->back_in_time;
    const SimTime time = SimTime::from_ps(std::max<std::int64_t>(computed, 0) * ps_per_ns);
    total_ += time;
    if (total_ > longest_total)
      file_.refuse(record, "computes for longer than simulated time lasts, 53 days");
    queue_.compute(time);
  }
  left_ = record.leave;
}

void DumpiRankCalls::act(const Record& record) {
  if (act_on_message(record) || act_on_requests(record) || act_on_collective(record)) return;
  if (makes_communicator(record.function)) return make_communicator(record);
  switch (record.function) {
    case Function::op_create:
      commutes_[record.numbers[1]] = record.numbers[0] != 0;
      break;
    case Function::comm_rank:
    case Function::comm_size:
      check_rank(record);
      break;
    case Function::finalize:
      break;
    default:
      types_.see(record);
  }
}

bool DumpiRankCalls::act_on_message(const Record& record) {
  switch (record.function) {
    case Function::send:
    case Function::isend:
      send(record, SendMode::standard, record.function == Function::send);
      return true;
    case Function::bsend:
    case Function::ibsend:
      send(record, SendMode::buffered, record.function == Function::bsend);
      return true;
    case Function::ssend:
    case Function::issend:
      send(record, SendMode::synchronous, record.function == Function::ssend);
      return true;
    case Function::rsend:
    case Function::irsend:
      send(record, SendMode::ready, record.function == Function::rsend);
      return true;
    case Function::receive:
    case Function::ireceive:
      receive(record, record.function == Function::receive);
      return true;
    case Function::sendrecv:
    case Function::sendrecv_replace:
      exchange(record, record.function == Function::sendrecv_replace);
      return true;
    case Function::send_init:
    case Function::receive_init:
      make_persistent(record, SendMode::standard);
      return true;
    case Function::bsend_init:
      make_persistent(record, SendMode::buffered);
      return true;
    case Function::ssend_init:
      make_persistent(record, SendMode::synchronous);
      return true;
    case Function::rsend_init:
      make_persistent(record, SendMode::ready);
      return true;
    case Function::probe:
    case Function::iprobe:
      probe(record);
      return true;
    default:
      return false;
  }
}

Operation DumpiRankCalls::plain(const Record& record, OperationKind kind, CallPart part) const {
  Operation operation;
  operation.kind = kind;
  operation.call = call_of(record);
  operation.part = part;
  return operation;
}

const TracedCommunicator& DumpiRankCalls::communicator(const Record& record, std::int64_t handle) {
  if (handle == world_communicator) return communicators_[Communicators::world];
  if (handle == self_communicator) {
    const TracedCommunicator& self = communicators_[communicators_.self(rank_)];
    if (!self_announced_) {
      Operation announced;
      announced.kind = OperationKind::context_created;
      announced.context = self.context;
      announced.members = self.members;
      queue_.add(std::move(announced));
      self_announced_ = true;
    }
    return self;
  }
  const auto found = handles_.find(handle);
  if (found == handles_.end())
    file_.refuse(record, fmt::format("no call before has made communicator {}", handle));
  return communicators_[found->second];
}

/// @param peer  a member of the communicator, or any_source
Operation DumpiRankCalls::message(const Record& record, OperationKind kind, std::int64_t peer,
                                  std::int64_t tag, std::int64_t handle) {
  const TracedCommunicator& among = communicator(record, handle);
  Operation operation = plain(record, kind);
  operation.context = among.context;
  if (peer != any_source) {
    if (peer < 0 || static_cast<std::size_t>(peer) >= among.members.size())
      file_.refuse(record,
                   fmt::format("names rank {} of a communicator of {} ranks", peer, among.members.size()));
    operation.peer = among.members[static_cast<std::size_t>(peer)];
  }
  if (tag < 0 && (kind == OperationKind::send || tag != -1))
    file_.refuse(record, fmt::format("{} is not a tag", tag));
  operation.tag = tag < 0 ? any_tag : Tag{static_cast<std::int32_t>(tag)};
  return operation;
}

bool DumpiRankCalls::settle(const ReceiveStatus* got, std::int64_t& source, std::int64_t& tag) {
  if (source < any_source) return false;
  if (source >= 0 && tag >= 0) return true;
  if (got == nullptr) {
    if (source == any_source && tag >= 0 && nobody_is_any_source_) {
      ++counts_->nobodies;
      return false;
    }
    ++counts_->wildcards;
    return true;
  }
  // MPICH's MPI_PROC_NULL has the number of any_source here.
  if (source == any_source && got->source < 0) return false;
  if (source == any_source) source = got->source;
  if (tag < 0 && got->tag >= 0) tag = got->tag;
  return true;
}

// Arguments: count, type, destination, tag, communicator, and the request.
void DumpiRankCalls::send(const Record& record, SendMode mode, bool blocks) {
  const auto& numbers = record.numbers;
  if (numbers[2] < 0) {  // MPI_PROC_NULL
    if (!blocks) put_pending(record, {});
    return;
  }
  Operation operation = message(record, OperationKind::send, numbers[2], numbers[3], numbers[4]);
  operation.bytes = times(record, numbers[0], numbers[1]);
  operation.mode = mode;
  if (blocks) operation.part = CallPart::first;
  const RequestId request = queue_.start(std::move(operation));
  if (blocks)
    queue_.wait(call_of(record), CallPart::last, {&request, 1});
  else
    put_pending(record, {.active = request, .persistent = std::nullopt, .sends = true});
}

// Arguments: as of a send, with the source.
void DumpiRankCalls::receive(const Record& record, bool blocks) {
  const auto& numbers = record.numbers;
  std::int64_t source = numbers[2], tag = numbers[3];
  const ReceiveStatus* got = nullptr;
  if (blocks && !record.statuses.empty()) got = &record.statuses[0];
  if (const auto later = got_.find(record.offset); later != got_.end()) got = &later->second;
  if (!settle(got, source, tag)) {
    if (!blocks) put_pending(record, {});
    return;
  }
  Operation operation = message(record, OperationKind::receive, source, tag, numbers[4]);
  operation.bytes = types_.size(numbers[1]) ? times(record, numbers[0], numbers[1]) : any_room;
  if (blocks) operation.part = CallPart::first;
  const RequestId request = queue_.start(std::move(operation));
  if (blocks)
    queue_.wait(call_of(record), CallPart::last, {&request, 1});
  else
    put_pending(record, {.active = request, .persistent = std::nullopt});
}

/// A request that a call has made, by its last argument. Of 8 bits of its number not even those of a null
/// request can be told from others.
void DumpiRankCalls::put_pending(const Record& record, Pending pending) {
  constexpr std::int64_t null_request = 1;
  const auto [place, fresh] = pending_.try_emplace(record.numbers[5]);
  const bool is_taken = !fresh && place->second.active != no_request;
  if (!file_.has_whole_requests() && (is_taken || record.numbers[5] <= null_request))
    file_.refuse(
        record,
        fmt::format("request {} is pending already, or null: versions of DUMPI before 0.6.7 recorded 8 "
                    "bits of a request's number, which do not tell more than 256 requests from each "
                    "other; record the program again with a newer one",
                    record.numbers[5]));
  if (is_taken) ++counts_->overwritten;
  place->second = std::move(pending);
}

void DumpiRankCalls::make_persistent(const Record& record, SendMode mode) {
  const auto& numbers = record.numbers;
  const bool receives = record.function == Function::receive_init;
  const std::int64_t peer = numbers[2], tag = numbers[3];
  Pending made;
  made.persistent.emplace();  // of MPI_PROC_NULL: starting it starts nothing
  if (receives ? peer >= any_source : peer >= 0) {
    made.sends = !receives;
    made.wild = receives && (peer == any_source || tag < 0);
    made.source = peer;
    made.tag = tag;
    made.communicator = numbers[4];
    Operation operation =
        message(record, receives ? OperationKind::receive : OperationKind::send, peer, tag, numbers[4]);
    operation.bytes = receives && !types_.size(numbers[1]) ? any_room : times(record, numbers[0], numbers[1]);
    operation.mode = mode;
    made.persistent = std::move(operation);
  }
  put_pending(record, std::move(made));
}

// Arguments: count, type, destination, tag of what is sent; count, type, source, tag of what is received,
// without count and type where it replaces that; communicator.
void DumpiRankCalls::exchange(const Record& record, bool replaces) {
  const auto& numbers = record.numbers;
  const std::size_t received = replaces ? 0 : 4, from = replaces ? 4 : 6;
  const std::int64_t handle = numbers[from + 2];
  std::vector<RequestId> requests;
  if (numbers[2] >= 0) {
    Operation sending = message(record, OperationKind::send, numbers[2], numbers[3], handle);
    sending.bytes = times(record, numbers[0], numbers[1]);
    sending.part = CallPart::first;
    requests.push_back(queue_.start(std::move(sending)));
  }
  std::int64_t source = numbers[from], tag = numbers[from + 1];
  if (settle(record.statuses.empty() ? nullptr : &record.statuses[0], source, tag)) {
    Operation receiving = message(record, OperationKind::receive, source, tag, handle);
    receiving.bytes = types_.size(numbers[received + 1])
                          ? times(record, numbers[received], numbers[received + 1])
                          : any_room;
    receiving.part = requests.empty() ? CallPart::first : CallPart::middle;
    requests.push_back(queue_.start(std::move(receiving)));
  }
  queue_.wait(call_of(record), CallPart::last, requests);
}

// Arguments: source, tag, communicator, and whether something was found.
void DumpiRankCalls::probe(const Record& record) {
  const auto& numbers = record.numbers;
  const bool found = record.function == Function::probe || numbers[3] != 0;
  std::int64_t source = numbers[0], tag = numbers[1];
  if (!found && source < any_source) return;
  if (found && !settle(record.statuses.empty() ? nullptr : &record.statuses[0], source, tag)) return;
  Operation operation =
      message(record, found ? OperationKind::probe : OperationKind::test_probe, source, tag, numbers[2]);
  operation.wants_answer = !found;
  queue_.add(std::move(operation));
}

void DumpiRankCalls::make_communicator(const Record& record) {
  const std::int64_t parent_handle =
      record.function == Function::cart_sub || record.function == Function::graph_create ? record.numbers[1]
                                                                                         : record.numbers[0];
  Operation meeting = plain(record, OperationKind::collective, CallPart::first);
  meeting.context = communicator(record, parent_handle).context;
  meeting.collective.kind = CollectiveKind::create_context;
  const RequestId request = queue_.start(std::move(meeting));
  queue_.wait(call_of(record), CallPart::middle, {&request, 1});
  const std::optional<std::uint32_t> made = communicators_.made_by(rank_)[made_++];
  Operation last =
      plain(record, made ? OperationKind::context_created : OperationKind::nothing, CallPart::last);
  if (made) {
    last.context = communicators_[*made].context;
    last.members = communicators_[*made].members;
    handles_[record.numbers.back()] = *made;
  }
  queue_.add(std::move(last));
  if (made && !communicators_[*made].order_known) ++counts_->reordered;
}

/// A file under another rank's name would make another program of the trace; other ranks in a communicator
/// other messages.
void DumpiRankCalls::check_rank(const Record& record) {
  const std::int64_t handle = record.numbers[0], recorded = record.numbers[1];
  if (handle != world_communicator) {
    const auto made = handles_.find(handle);
    if (made == handles_.end()) return;
    const std::vector<Rank>& members = communicators_[made->second].members;
    const auto size = static_cast<std::int64_t>(members.size());
    const std::int64_t place = std::ranges::find(members, rank_) - members.begin();
    if (record.function == Function::comm_size ? recorded != size : recorded != place)
      file_.refuse(
          record,
          fmt::format("the communicator had another order or size than the calls that made it say: the "
                      "program was told {}, but it is {}; record it with `morgana capture`",
                      recorded, record.function == Function::comm_size ? size : place));
    return;
  }
  if (record.function == Function::comm_size && recorded != static_cast<std::int64_t>(ranks_))
    file_.refuse(record,
                 fmt::format("the program had {} ranks, but there are files of {}; name the .meta file "
                             "of this run, with the files of all its ranks beside it",
                             recorded, ranks_));
  if (record.function == Function::comm_rank && recorded != static_cast<std::int64_t>(rank_))
    file_.refuse(record, fmt::format("this is rank {}'s file, but it is named as rank {}'s; rename it",
                                     recorded, static_cast<std::int64_t>(rank_)));
}

}  // namespace morgana::dumpi
