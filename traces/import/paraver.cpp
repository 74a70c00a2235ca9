#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "traces/import/imported_program.h"
#include "traces/import/operation_queue.h"
#include "traces/import/paraver_calls.h"
#include "traces/import/paraver_file.h"

namespace morgana {
namespace {

using paraver::CallRole;
using paraver::CallTable;
using paraver::KnownCall;
using paraver::MpiCall;
using paraver::PrvMessage;
using paraver::PrvTrace;

struct ParaverCounts {
  std::uint64_t messages_without_calls = 0;
  std::uint64_t sends = 0, receives = 0;  ///< calls without a record of a message
  std::uint64_t waits_for_sends = 0;      ///< waits in which no message came
  std::uint64_t waits_for_nothing = 0;    ///< and for which nothing is open, as far as records say
  std::uint64_t tests = 0;                ///< tests in which no message came
  std::uint64_t sizeless = 0;             ///< collectives without events of sizes
  std::uint64_t on_all = 0;               ///< collectives without a communicator
  std::uint64_t rootless = 0;             ///< collectives without a root
  std::uint64_t split = 0;                ///< collectives whose sizes by member are not known
  std::uint64_t on_files = 0;
  std::map<std::string, std::uint64_t> left_out;  ///< calls, by name
};

class ParaverProgram final : public ImportedProgram {
 public:
  explicit ParaverProgram(const std::filesystem::path& file);
  std::size_t ranks() const override { return ranks_.size(); }
  void next(Rank rank, Operation& operation) override;
  std::vector<std::string> notices() const override;

 private:
  /// A message, by its number, and the call that it has to do with.
  struct Link {
    std::uint32_t call, message;
  };
  struct RankState {
    std::vector<Link> sends, receives, completions;  ///< sorted by call
    std::size_t at_send = 0, at_receive = 0, at_completion = 0;
    std::size_t at_call = 0, at_pause = 0;
    SimTime left;  ///< the last call
    OperationQueue queue;
    UsedCommunicators used;
    std::unordered_map<std::uint32_t, RequestId> received;  ///< pending receives, by message
    std::deque<RequestId> started;                          ///< sends and collectives that no wait has ended
    std::uint64_t unknown = 0;                              ///< pending requests without a message
    std::unordered_map<std::int64_t, std::size_t> collectives, rooted;  ///< by communicator: how many so far
  };
  using Defined = NamedCommunicators::Defined;

  void link_messages();
  std::optional<std::uint32_t> take_call(std::int32_t rank, SimTime time, bool (*suits)(CallRole),
                                         SimTime MpiCall::*exact, std::vector<bool>& taken) const;
  void note_collectives();
  const Defined& communicator(const MpiCall& call, std::int64_t number, Rank rank) const;
  static std::vector<std::uint32_t> take(const std::vector<Link>& links, std::size_t& at, std::size_t call);
  void compute_until(Rank rank, SimTime until);
  void act(Rank rank, std::size_t call);
  void communicate(Rank rank, const KnownCall& known, const std::vector<std::uint32_t>& sends,
                   const std::vector<std::uint32_t>& receives);
  RequestId start(Rank rank, const KnownCall& known, std::uint32_t message, bool sends, CallPart part);
  void complete(Rank rank, const KnownCall& known, const std::vector<std::uint32_t>& completions);
  void collective(Rank rank, const MpiCall& call, const KnownCall& known);

  CallTable table_;
  PrvTrace trace_;
  CollectiveSums sums_;
  /// By communicator: places of the roots of its collectives that have one, in order; -1 where none says.
  std::map<std::int64_t, std::vector<std::int32_t>> roots_;
  std::vector<RankState> ranks_;
  ParaverCounts counts_;
  Defined everyone_;
};

bool sends_in(CallRole role) {
  return role == CallRole::send || role == CallRole::isend || role == CallRole::exchange ||
         role == CallRole::start;
}
bool receives_in(CallRole role) {
  return role == CallRole::receive || role == CallRole::ireceive || role == CallRole::exchange ||
         role == CallRole::start;
}
bool completes_in(CallRole role) {
  return role == CallRole::wait || role == CallRole::wait_some || role == CallRole::wait_all ||
         role == CallRole::test;
}

ParaverProgram::ParaverProgram(const std::filesystem::path& file) : trace_(paraver::read_prv(file)) {
  std::filesystem::path names = file;
  names.replace_extension(".pcf");
  std::error_code error;
  if (std::filesystem::is_regular_file(names, error)) table_.read_names(names);
  ranks_.resize(trace_.ranks());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].left = trace_.begin;
    const auto rank = static_cast<std::int32_t>(i);
    everyone_.members.push_back(Rank{rank});
    everyone_.places.emplace(rank, rank);
  }
  link_messages();
  note_collectives();
}

/// The call of a rank that a message belongs to, by its time: the first one that has no message yet, unless
/// it may have several. One that begins (of messages that come: ends) at just that time is preferred to one
/// that the time lies in.
/// @param taken  calls that have a message, by number
std::optional<std::uint32_t> ParaverProgram::take_call(std::int32_t rank, SimTime time,
                                                       bool (*suits)(CallRole), SimTime MpiCall::*exact,
                                                       std::vector<bool>& taken) const {
  const std::vector<MpiCall>& calls = trace_.calls[static_cast<std::size_t>(rank)];
  taken.resize(calls.size());
  std::optional<std::uint32_t> found;
  auto behind = std::ranges::upper_bound(calls, time, {}, &MpiCall::begin);
  while (behind != calls.begin()) {
    --behind;
    if (behind->end < time) break;
    const auto number = static_cast<std::size_t>(behind - calls.begin());
    const KnownCall& known = table_[behind->value];
    if (!suits(known.role) || (taken[number] && !known.several)) continue;
    const bool is_exact = (*behind).*exact == time;
    if (found && !is_exact) continue;
    found = static_cast<std::uint32_t>(number);
  }
  if (found) taken[*found] = true;
  return found;
}

void ParaverProgram::link_messages() {
  std::vector<std::vector<bool>> sent_in(ranks_.size()), posted_in(ranks_.size()),
      completed_in(ranks_.size());
  for (std::size_t i = 0; i < trace_.messages.size(); ++i) {
    const PrvMessage& message = trace_.messages[i];
    const auto number = static_cast<std::uint32_t>(i);
    const auto sender = static_cast<std::size_t>(message.from),
               receiver = static_cast<std::size_t>(message.to);
    const auto sent = take_call(message.from, message.sent, sends_in, &MpiCall::begin, sent_in[sender]);
    const auto posted =
        take_call(message.to, message.posted, receives_in, &MpiCall::begin, posted_in[receiver]);
    if (!sent || !posted) {
      if (sent) sent_in[sender][*sent] = false;
      if (posted) posted_in[receiver][*posted] = false;
      ++counts_.messages_without_calls;
      continue;
    }
    ranks_[sender].sends.push_back({*sent, number});
    RankState& to = ranks_[receiver];
    to.receives.push_back({*posted, number});
    const CallRole role = table_[trace_.calls[receiver][*posted].value].role;
    if (role != CallRole::ireceive && role != CallRole::start) continue;  // it waits itself
    const auto completed =
        take_call(message.to, message.received, completes_in, &MpiCall::end, completed_in[receiver]);
    if (completed && *completed > *posted) to.completions.push_back({*completed, number});
  }
  for (RankState& rank : ranks_)
    for (std::vector<Link>* links : {&rank.sends, &rank.receives, &rank.completions})
      std::ranges::stable_sort(*links, {}, &Link::call);
}

/// Number 0, which no definition has, stands for all ranks.
const NamedCommunicators::Defined& ParaverProgram::communicator(const MpiCall& call, std::int64_t number,
                                                                Rank rank) const {
  if (number == 0) return everyone_;
  const Defined* found = trace_.communicators.find(number);
  if (found == nullptr)
    trace_.refuse(call.line, fmt::format("communicator {} is not defined, or of ranks that there are not "
                                         "(c:1:{}:members:...)",
                                         number, number));
  if (!found->place_of(rank))
    trace_.refuse(call.line, fmt::format("task {} is not a member of communicator {}",
                                         static_cast<int>(rank) + 1, number));
  return *found;
}

/// What collectives' parts need of the other members.
void ParaverProgram::note_collectives() {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    std::map<std::int64_t, std::size_t> rooted;
    for (const MpiCall& call : trace_.calls[i]) {
      const KnownCall& known = table_[call.value];
      if (known.role != CallRole::collective && known.role != CallRole::icollective) continue;
      const std::int64_t number = call.communicator;
      const Defined& among = communicator(call, number, rank);
      const std::int32_t place = *among.place_of(rank);
      if (CollectiveSums::needs_all(known.kind)) sums_.add(number, place, among.members.size(), call.sums);
      if (!has_a_root(known.kind)) continue;
      std::vector<std::int32_t>& roots = roots_[number];
      const std::size_t so_far = rooted[number]++;
      if (so_far >= roots.size()) roots.resize(so_far + 1, -1);
      if (call.is_root) roots[so_far] = place;
    }
  }
}

std::vector<std::uint32_t> ParaverProgram::take(const std::vector<Link>& links, std::size_t& at,
                                                std::size_t call) {
  std::vector<std::uint32_t> messages;
  for (; at < links.size() && links[at].call == call; ++at) messages.push_back(links[at].message);
  return messages;
}

void ParaverProgram::next(Rank rank, Operation& operation) {
  RankState& state = ranks_[index(rank)];
  const std::vector<MpiCall>& calls = trace_.calls[index(rank)];
  while (state.queue.empty()) {
    if (state.at_call < calls.size()) {
      act(rank, state.at_call++);
      continue;
    }
    // What nothing in the trace waits for is awaited here; a message has come by then.
    std::vector<RequestId> rest(state.started.begin(), state.started.end());
    for (const Link& link : state.receives)
      if (const auto pending = state.received.find(link.message); pending != state.received.end())
        rest.push_back(pending->second);
    state.started.clear();
    state.received.clear();
    state.queue.wait(Call::MPI_Waitall, CallPart::whole, rest);
    compute_until(rank, trace_.ends[index(rank)]);
    state.queue.exit();
  }
  operation = state.queue.take();
}

/// What is neither in a call nor a pause is computing.
void ParaverProgram::compute_until(Rank rank, SimTime until) {
  RankState& state = ranks_[index(rank)];
  const std::vector<paraver::Pause>& pauses = trace_.pauses[index(rank)];
  while (state.at_pause < pauses.size() && pauses[state.at_pause].begin < until) {
    const paraver::Pause& pause = pauses[state.at_pause];
    if (pause.begin > state.left) state.queue.compute(pause.begin - state.left);
    if (pause.end > state.left) state.left = pause.end;
    if (pause.end > until) break;
    ++state.at_pause;
  }
  if (until > state.left) state.queue.compute(until - state.left);
  if (until > state.left) state.left = until;
}

void ParaverProgram::act(Rank rank, std::size_t number) {
  RankState& state = ranks_[index(rank)];
  const MpiCall& call = trace_.calls[index(rank)][number];
  const KnownCall& known = table_[call.value];
  const auto sends = take(state.sends, state.at_send, number);
  const auto receives = take(state.receives, state.at_receive, number);
  const auto completions = take(state.completions, state.at_completion, number);
  if (known.role == CallRole::file) {
    ++counts_.on_files;
    return;
  }
  compute_until(rank, call.begin);
  if (sends_in(known.role) || receives_in(known.role)) {
    communicate(rank, known, sends, receives);
  } else if (completes_in(known.role)) {
    complete(rank, known, completions);
  } else if (known.role == CallRole::collective || known.role == CallRole::icollective) {
    collective(rank, call, known);
  } else if (known.role == CallRole::untold) {
    ++counts_.left_out[known.name == "?" ? fmt::format("call {}", call.value) : known.name];
  }
  if (call.end > state.left) state.left = call.end;
}

RequestId ParaverProgram::start(Rank rank, const KnownCall& known, std::uint32_t number, bool sends,
                                CallPart part) {
  const PrvMessage& message = trace_.messages[number];
  Operation operation;
  operation.kind = sends ? OperationKind::send : OperationKind::receive;
  operation.call = known.call;
  operation.part = part;
  operation.peer = Rank{sends ? message.to : message.from};
  operation.tag = Tag{message.tag};
  operation.bytes = Bytes(message.bytes);
  if (sends) operation.mode = known.mode;
  return ranks_[index(rank)].queue.start(std::move(operation));
}

void ParaverProgram::communicate(Rank rank, const KnownCall& known, const std::vector<std::uint32_t>& sends,
                                 const std::vector<std::uint32_t>& receives) {
  RankState& state = ranks_[index(rank)];
  const bool blocks =
      known.role == CallRole::send || known.role == CallRole::receive || known.role == CallRole::exchange;
  if (sends_in(known.role) && known.role != CallRole::start && sends.empty()) ++counts_.sends;
  if (receives_in(known.role) && known.role != CallRole::start && receives.empty()) ++counts_.receives;
  if (!blocks && sends.empty() && receives.empty()) ++state.unknown;
  std::vector<RequestId> requests;
  const auto part = [&] {
    return !blocks ? CallPart::whole : requests.empty() ? CallPart::first : CallPart::middle;
  };
  for (const std::uint32_t message : sends) {
    const RequestId request = start(rank, known, message, true, part());
    requests.push_back(request);
    if (!blocks) state.started.push_back(request);
  }
  for (const std::uint32_t message : receives) {
    const RequestId request = start(rank, known, message, false, part());
    requests.push_back(request);
    if (!blocks) state.received.emplace(message, request);
  }
  if (blocks) state.queue.wait(known.call, CallPart::last, requests);
}

/// A trace has the messages that come while a rank waits, but no requests. So a wait in which none
/// comes is for the oldest send or collective that was started, and MPI_Waitall is for all of them.
void ParaverProgram::complete(Rank rank, const KnownCall& known,
                              const std::vector<std::uint32_t>& completions) {
  RankState& state = ranks_[index(rank)];
  std::vector<RequestId> requests;
  for (const std::uint32_t message : completions)
    if (const auto pending = state.received.find(message); pending != state.received.end()) {
      requests.push_back(pending->second);
      state.received.erase(pending);
    }
  const bool came = !requests.empty();
  if (known.role == CallRole::test) {
    if (!came) ++counts_.tests;
  } else if (known.role == CallRole::wait_all) {
    requests.insert(requests.end(), state.started.begin(), state.started.end());
    if (requests.empty()) ++counts_.waits_for_nothing;
    state.started.clear();
    state.unknown = 0;
  } else if (!came) {
    if (state.unknown > 0) {
      --state.unknown;
      ++counts_.waits_for_nothing;
    } else if (!state.started.empty()) {
      requests.push_back(state.started.front());
      state.started.pop_front();
      ++counts_.waits_for_sends;
    } else {
      ++counts_.waits_for_nothing;
    }
  }
  state.queue.wait(known.call, CallPart::whole, requests);
}

void ParaverProgram::collective(Rank rank, const MpiCall& call, const KnownCall& known) {
  RankState& state = ranks_[index(rank)];
  const std::int64_t number = call.communicator;
  const Defined& among = communicator(call, number, rank);
  if (number == 0 && known.kind != CollectiveKind::barrier) ++counts_.on_all;
  if (!call.has_size && known.kind != CollectiveKind::barrier) ++counts_.sizeless;
  const bool blocks = known.role == CallRole::collective;
  Operation operation;
  operation.kind = OperationKind::collective;
  operation.call = known.call;
  operation.part = blocks ? CallPart::first : CallPart::whole;
  operation.context = among.context;
  CollectivePart& part = operation.collective;
  part.kind = known.kind;
  part.blocking = blocks;
  if (has_a_root(known.kind)) {
    const std::int32_t root = roots_.at(number).at(state.rooted[number]++);
    if (root < 0) ++counts_.rootless;
    part.root = std::max(root, 0);
  }
  std::size_t& so_far = state.collectives[number];
  if (sums_.fill(part, number, *among.place_of(rank), among.members.size(), call.sums, so_far))
    ++counts_.split;
  if (CollectiveSums::needs_all(known.kind)) ++so_far;
  state.used.use(among, state.queue);
  const RequestId request = state.queue.start(std::move(operation));
  if (blocks)
    state.queue.wait(known.call, CallPart::last, {&request, 1});
  else
    state.started.push_back(request);
}

std::vector<std::string> ParaverProgram::notices() const {
  std::vector<std::string> all;
  const auto say = [&](std::uint64_t count, const char* one, const char* several, const char* what) {
    if (count > 0) all.push_back(fmt::format("{} {} {}", count, count == 1 ? one : several, what));
  };
  say(counts_.sends, "send has", "sends have",
      "no record of a message, so neither a receiver nor a size is known: left out");
  say(counts_.receives, "receive has", "receives have",
      "no record of a message, so neither a sender nor a size is known: left out");
  say(counts_.messages_without_calls, "record of a message belongs", "records of messages belong",
      "to no call that sends or receives at its times: left out");
  say(counts_.waits_for_sends, "wait is", "waits are",
      "without a message that came in it: taken for that of the oldest send or collective still to be "
      "awaited");
  say(counts_.waits_for_nothing, "wait is", "waits are",
      "without a message that came in it, or anything else in the trace to be awaited: left out");
  say(counts_.tests, "test is", "tests are", "without a message that came in it: left out");
  say(counts_.sizeless, "part in a collective has", "parts in collectives have",
      "no event of a size: taken for 0 bytes");
  say(counts_.on_all, "collective names", "collectives name", "no communicator: taken as one of all ranks");
  say(counts_.rootless, "part in a collective has", "parts in collectives have",
      "no root: the communicator's first rank is taken for it");
  say(counts_.split, "part in a collective is", "parts in collectives are",
      "of one whose sizes by member are not in the trace, which has sums only: each member gets an equal "
      "part");
  say(counts_.on_files, "call on files takes", "calls on files take", "its recorded time as computing");
  say(trace_.counts.of_threads, "record is", "records are", "of threads other than a task's first: left out");
  say(trace_.counts.of_applications, "record is", "records are",
      "of applications other than the first: left out");
  say(trace_.counts.stray, "event of a collective is", "events of collectives are",
      "outside of any call: left out");
  say(trace_.counts.odd_tags, "message has", "messages have", "an invalid tag: 2147483647 is used instead");
  say(trace_.counts.unended, "call has", "calls have", "no end in the trace");
  say(trace_.counts.disabled, "time was", "times were", "without tracing: what happened in it is not known");
  std::string left_out;
  for (const auto& [name, count] : counts_.left_out)
    left_out += fmt::format("{}{} {}", left_out.empty() ? "" : ", ", count, name);
  if (!left_out.empty()) all.push_back("left out, for the trace says too little of it: " + left_out);
  return all;
}

}  // namespace

std::unique_ptr<ImportedProgram> read_paraver(const std::filesystem::path& file) {
  return std::make_unique<ParaverProgram>(file);
}

}  // namespace morgana
