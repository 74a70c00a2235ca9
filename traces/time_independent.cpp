#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "traces/imported_program.h"
#include "traces/time_independent_action.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using namespace time_independent;

/// Room of a receive whose size is unknown.
constexpr Bytes any_size{std::int64_t{1} << 40};

struct PendingRequest {
  int source, destination, tag;
  RequestId request;
  bool receives;
};

struct RankState {
  RankLines lines;
  std::deque<Operation> ready;  ///< made of lines that have been read
  std::vector<PendingRequest> pending;
  double computed = 0;  ///< seconds since the last operation
  std::uint64_t requests = 0;
  std::int64_t default_type_size = 1;
  RequestId tested = no_request;
};

class TimeIndependentProgram final : public ImportedProgram {
 public:
  TimeIndependentProgram(const fs::path& file, std::optional<double> flops_per_second);
  std::size_t ranks() const override { return ranks_.size(); }
  void next(Rank rank, Operation& operation) override;
  void found_complete(Rank rank) override;
  std::vector<std::string> notices() const override;

 private:
  using Words = std::vector<std::string_view>;
  void read_list(const fs::path& file);
  void read_shared(const std::shared_ptr<MappedText>& text);
  void act(RankState& state, int rank, Action& action);
  void message(RankState& state, int rank, Action& action, bool sends, bool blocks);
  void exchange(RankState& state, Action& action);
  void wait_for(RankState& state, Action& action, bool tests);
  static RequestId start(RankState& state, OperationKind kind, Call call, CallPart part, Rank peer, int tag,
                         Bytes bytes);
  static void wait(RankState& state, Call call, CallPart part, std::vector<RequestId> requests);
  void compute(RankState& state, double flops);
  static void add(RankState& state, Operation operation);

  std::vector<RankState> ranks_;
  std::optional<double> flops_per_second_;
  std::size_t waits_without_request_ = 0, communicators_ = 0;
};

TimeIndependentProgram::TimeIndependentProgram(const fs::path& file, std::optional<double> flops_per_second)
    : flops_per_second_(flops_per_second) {
  MappedText text(file);
  Words words;
  while (words.empty() || words[0].starts_with('#')) {
    const auto line = text.next_line();
    if (!line)
      throw Error(fmt::format("{}: holds neither actions nor names of files that do", file.string()));
    words = words_of(*line);
  }
  if (words.size() > 1 && parsed_number<int>(words[0])) {
    read_shared(std::make_shared<MappedText>(file));
  } else {
    read_list(file);
  }
}

/// Names of files are relative to where the command runs, as SMPI's are, or else to the list's folder.
void TimeIndependentProgram::read_list(const fs::path& file) {
  std::vector<std::shared_ptr<MappedText>> texts;
  MappedText lines(file);
  while (const auto line = lines.next_line()) {
    const Words words = words_of(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (words.size() > 1)
      lines.refuse(fmt::format(
          "\"{}\" is neither an action (a rank, its name, parameters) nor the name of a rank's file",
          line->substr(0, 60)));
    fs::path named(words[0]);
    if (!fs::exists(named) && named.is_relative()) named = file.parent_path() / named;
    if (!fs::exists(named)) lines.refuse(fmt::format("there is no file {}", words[0]));
    texts.push_back(std::make_shared<MappedText>(named));
  }
  if (texts.size() == 1) {
    read_shared(texts[0]);
    return;
  }
  for (auto& text : texts) ranks_.emplace_back().lines.text = std::move(text);
}

void TimeIndependentProgram::read_shared(const std::shared_ptr<MappedText>& text) {
  constexpr int most_ranks = 1'000'000;
  while (const auto line = text->next_line()) {
    const Words words = words_of(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    const auto rank = parsed_number<int>(words[0]);
    if (!rank || *rank < 0 || *rank >= most_ranks)
      text->refuse(
          fmt::format("a line begins with its rank's number, this one with \"{}\"", words[0].substr(0, 30)));
    if (static_cast<std::size_t>(*rank) >= ranks_.size()) ranks_.resize(static_cast<std::size_t>(*rank) + 1);
    ranks_[static_cast<std::size_t>(*rank)].lines.shared.emplace_back(*line, text->line());
  }
  for (RankState& state : ranks_) state.lines.text = text;
}

void TimeIndependentProgram::add(RankState& state, Operation operation) {
  operation.elapsed = SimTime::from_seconds(std::exchange(state.computed, 0));
  state.ready.push_back(std::move(operation));
}

void TimeIndependentProgram::compute(RankState& state, double flops) {
  constexpr double longest = 4e6;  // seconds, below the end of simulated time
  if (flops <= 0) return;
  if (!flops_per_second_)
    state.lines.refuse(
        "computing is told in floating-point operations: say how many a second the ranks make "
        "(--flops-per-second 1e9)");
  state.computed += flops / *flops_per_second_;
  if (state.computed > longest) state.lines.refuse("computes for longer than simulated time lasts, 53 days");
}

RequestId TimeIndependentProgram::start(RankState& state, OperationKind kind, Call call, CallPart part,
                                        Rank peer, int tag, Bytes bytes) {
  Operation operation;
  operation.kind = kind;
  operation.call = call;
  operation.part = part;
  operation.peer = peer;
  operation.tag = tag == any_tag_there ? any_tag : Tag{tag};
  operation.bytes = bytes;
  operation.request = RequestId{++state.requests};
  add(state, std::move(operation));
  return RequestId{state.requests};
}

void TimeIndependentProgram::wait(RankState& state, Call call, CallPart part,
                                  std::vector<RequestId> requests) {
  Operation operation;
  operation.kind = OperationKind::wait;
  operation.call = call;
  operation.part = part;
  operation.requests.assign(requests.begin(), requests.end());
  add(state, std::move(operation));
}

void TimeIndependentProgram::message(RankState& state, int rank, Action& action, bool sends, bool blocks) {
  const Rank peer = action.peer("the peer");
  const int tag = action.whole("the tag");
  if (tag < 0 && (sends || tag != any_tag_there)) action.refuse(fmt::format("{} is no tag", tag));
  if (sends && peer == any_rank) action.refuse("a message goes to a rank");
  std::int64_t count = 0;  // of a receive: not known
  if (sends) count = action.count("the size");
  if (!sends && action.left() > 0)
    count = static_cast<std::int64_t>(
        std::clamp(action.number("the size"), 0.0, static_cast<double>(most_elements)));
  const std::int64_t element = action.type_size();
  if (peer == Rank{nobody}) return;
  const Bytes bytes = !sends && count == 0 ? any_size : Bytes(count * element);
  const Call call = sends    ? (blocks ? Call::MPI_Send : Call::MPI_Isend)
                    : blocks ? Call::MPI_Recv
                             : Call::MPI_Irecv;
  const RequestId request = start(state, sends ? OperationKind::send : OperationKind::receive, call,
                                  blocks ? CallPart::first : CallPart::whole, peer, tag, bytes);
  if (blocks) {
    wait(state, call, CallPart::last, {request});
    return;
  }
  const int other = peer == any_rank ? undefined_peer : static_cast<int>(peer);
  state.pending.push_back({sends ? rank : other, sends ? other : rank, tag, request, !sends});
}

/// "sendRecv": both counts and peers; the tag is not told.
void TimeIndependentProgram::exchange(RankState& state, Action& action) {
  const std::int64_t sent = action.count("the count sent");
  const Rank to = action.peer("the destination");
  const std::int64_t received = action.count("the count received");
  const Rank from = action.peer("the source");
  const std::int64_t sent_element = action.type_size(), received_element = action.type_size();
  if (to == any_rank) action.refuse("a message goes to a rank");
  std::vector<RequestId> requests;
  if (to != Rank{nobody})
    requests.push_back(start(state, OperationKind::send, Call::MPI_Sendrecv, CallPart::first, to, 0,
                             Bytes(sent * sent_element)));
  if (from != Rank{nobody})
    requests.push_back(start(state, OperationKind::receive, Call::MPI_Sendrecv,
                             requests.empty() ? CallPart::first : CallPart::middle, from, 0,
                             received == 0 ? any_size : Bytes(received * received_element)));
  if (!requests.empty()) wait(state, Call::MPI_Sendrecv, CallPart::last, requests);
}

void TimeIndependentProgram::wait_for(RankState& state, Action& action, bool tests) {
  const int source = action.whole("the source"), destination = action.whole("the destination");
  const int tag = action.whole("the tag");
  auto found = std::ranges::find_if(state.pending, [&](const PendingRequest& one) {
    return one.source == source && one.destination == destination && one.tag == tag;
  });
  if (found == state.pending.end())
    found = std::ranges::find_if(state.pending, [&](const PendingRequest& one) {
      return one.receives && one.destination == destination &&
             (one.source == source || one.source == undefined_peer) &&
             (one.tag == tag || one.tag == any_tag_there);
    });
  if (found == state.pending.end()) {
    if (!tests) ++waits_without_request_;  // of one that a test has completed, which SMPI ignores, too
    return;
  }
  const RequestId request = found->request;
  if (!tests) {
    state.pending.erase(found);
    wait(state, Call::MPI_Wait, CallPart::whole, {request});
    return;
  }
  Operation test;
  test.kind = OperationKind::test;
  test.call = Call::MPI_Test;
  test.wants_answer = true;
  test.requests.push_back(request);
  add(state, std::move(test));
  state.tested = request;
}

void TimeIndependentProgram::found_complete(Rank rank) {
  RankState& state = ranks_[index(rank)];
  std::erase_if(state.pending, [&](const PendingRequest& one) { return one.request == state.tested; });
}

void TimeIndependentProgram::act(RankState& state, int rank, Action& action) {
  const std::string_view name = action.name();
  if (name == "compute") {
    compute(state, action.number("what it computes"));
  } else if (name == "sleep") {
    Operation sleep;
    sleep.kind = OperationKind::sleep;
    sleep.call = Call::nanosleep;
    const double seconds = action.number("how long");
    if (seconds < 0 || seconds > 4e6) action.refuse("a sleep is 0 to 4,000,000 s long");
    sleep.duration = SimTime::from_seconds(seconds);
    add(state, std::move(sleep));
  } else if (name == "send" || name == "isend") {
    message(state, rank, action, true, name == "send");
  } else if (name == "recv" || name == "irecv") {
    message(state, rank, action, false, name == "recv");
  } else if (name == "sendRecv" || name == "sendrecv") {
    exchange(state, action);
  } else if (name == "wait" || name == "test") {
    wait_for(state, action, name == "test");
  } else if (name == "waitall") {
    std::vector<RequestId> requests;
    for (const PendingRequest& one : state.pending) requests.push_back(one.request);
    state.pending.clear();
    if (!requests.empty()) wait(state, Call::MPI_Waitall, CallPart::whole, requests);
  } else if (name == "init") {
    state.default_type_size = action.left() > 0 ? 8 : 1;
  } else if (name == "comm_split" || name == "comm_dup") {
    ++communicators_;
  } else if (name != "finalize" && name != "comm_size" && name != "location") {
    double combining = 0;
    auto collective = collective_of(action, rank, combining);
    if (!collective) action.refuse(fmt::format("there is no action \"{}\"", name.substr(0, 40)));
    const RequestId request{++state.requests};
    const Call call = collective->call;
    collective->request = request;
    add(state, std::move(*collective));
    wait(state, call, CallPart::last, {request});
    compute(state, combining);
  }
}

void TimeIndependentProgram::next(Rank rank, Operation& operation) {
  RankState& state = ranks_[index(rank)];
  while (state.ready.empty()) {
    auto words = state.lines.next(index(rank));
    if (!words) {
      Operation exit;
      exit.kind = OperationKind::exit;
      add(state, std::move(exit));
      break;
    }
    if (words->size() < 2) state.lines.refuse("a line is a rank, an action and its parameters");
    Action action(state.lines, std::move(*words), ranks_.size(), state.default_type_size);
    act(state, static_cast<int>(index(rank)), action);
  }
  operation = std::move(state.ready.front());
  state.ready.pop_front();
}

std::vector<std::string> TimeIndependentProgram::notices() const {
  std::vector<std::string> all;
  if (waits_without_request_ > 0)
    all.push_back(fmt::format("{} {} for a request that is not pending: left out, as SMPI does",
                              waits_without_request_, waits_without_request_ == 1 ? "wait is" : "waits are"));
  if (communicators_ > 0)
    all.push_back(
        "communicators were made, of which such a trace does not tell: all of their collectives are on "
        "MPI_COMM_WORLD");
  return all;
}

}  // namespace

std::unique_ptr<ImportedProgram> read_time_independent(const fs::path& file,
                                                       std::optional<double> flops_per_second) {
  return std::make_unique<TimeIndependentProgram>(file, flops_per_second);
}

}  // namespace morgana
