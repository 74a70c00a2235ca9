#include <fmt/format.h>

#include <unordered_set>

#include "traces/import/dumpi/communicators.h"

namespace morgana::dumpi {
namespace {

bool makes_group(Function function) {
  return function == Function::comm_group ||
         (function >= Function::group_union && function <= Function::group_range_excl);
}

/// Why a call can't be carried out; null if it can.
const char* why_refused(const Record& record) {
  const Function function = record.function;
  if (function == Function::comm_disconnect) return nullptr;  // frees a communicator
  if (function == Function::comm_get_parent && record.numbers[0] <= null_communicator) return nullptr;
  if (function >= Function::first_access && function <= Function::last_access)
    return "one-sided communication can't be imported; record the program with `morgana capture`";
  if (function >= Function::first_port && function <= Function::last_port)
    return "processes that join or are spawned can't be imported; record the program with `morgana capture`";
  if (function == Function::intercomm_create || function == Function::intercomm_merge)
    return "intercommunicators can't be imported; record the program with `morgana capture`";
  return nullptr;
}

/// Statuses of completions say what receives without a source or a tag got, and what was cancelled.
class WildcardReceives {
 public:
  explicit WildcardReceives(RankScan& scan) : scan_(scan) {}

  void see(const Record& record) {
    const auto& numbers = record.numbers;
    switch (record.function) {
      case Function::ireceive:
      case Function::receive_init:
        post(record);
        break;
      case Function::start:
        start(numbers[0], record.offset);
        break;
      case Function::startall:
        for (std::size_t i = 0; i < record.lists[0].size(); ++i) start(record.lists[0][i], record.offset + i);
        break;
      case Function::cancel:
        cancelled_[numbers[0]] = record.offset;
        break;
      case Function::request_free:
        posted_.erase(numbers[0]);
        persistent_.erase(numbers[0]);
        cancelled_.erase(numbers[0]);
        break;
      case Function::wait:
        complete(record, numbers[0], 0);
        break;
      case Function::test:
        if (numbers[1] != 0) complete(record, numbers[0], 0);
        break;
      case Function::waitany:
        complete_one_of(record, numbers[1]);
        break;
      case Function::testany:
        if (numbers[2] != 0) complete_one_of(record, numbers[1]);
        break;
      case Function::waitall:
        complete_all(record);
        break;
      case Function::testall:
        if (numbers[1] != 0) complete_all(record);
        break;
      case Function::waitsome:
      case Function::testsome:
        for (std::size_t i = 0; i < record.lists[1].size(); ++i)
          complete_one_of(record, record.lists[1][i], i);
        break;
      default:
        break;
    }
  }

 private:
  void post(const Record& record) {
    constexpr std::size_t source = 2, tag = 3, request = 5;
    const std::int64_t number = record.numbers[request];
    const bool wild = record.numbers[source] < 0 || record.numbers[tag] < 0;
    posted_.erase(number);
    persistent_.erase(number);
    if (wild && record.function == Function::ireceive) posted_[number] = record.offset;
    if (wild && record.function == Function::receive_init) persistent_.insert(number);
  }
  void start(std::int64_t request, std::size_t place) {
    if (persistent_.contains(request)) posted_[request] = place;
  }
  void complete_all(const Record& record) {
    for (std::size_t i = 0; i < record.lists[0].size(); ++i) complete(record, record.lists[0][i], i);
  }
  void complete_one_of(const Record& record, std::int64_t place, std::size_t status = 0) {
    if (place >= 0 && static_cast<std::size_t>(place) < record.lists[0].size())
      complete(record, record.lists[0][static_cast<std::size_t>(place)], status);
  }
  void complete(const Record& record, std::int64_t request, std::size_t status) {
    const bool known = status < record.statuses.size();
    if (const auto cancel = cancelled_.find(request); cancel != cancelled_.end()) {
      if (known) scan_.cancelled[cancel->second] = record.statuses[status].cancelled;
      cancelled_.erase(cancel);
    }
    const auto posted = posted_.find(request);
    if (posted == posted_.end()) return;
    if (known) scan_.got[posted->second] = record.statuses[status];
    posted_.erase(posted);
  }

  RankScan& scan_;
  std::unordered_map<std::int64_t, std::size_t> posted_;     ///< request -> a key of RankScan::got
  std::unordered_set<std::int64_t> persistent_;              ///< requests that name no source or no tag
  std::unordered_map<std::int64_t, std::size_t> cancelled_;  ///< request -> offset of MPI_Cancel
};

/// Whether a call shows that MPI_PROC_NULL is -1: no message is sent to any source.
bool shows_nobody_at_any_source(const Record& record) {
  constexpr std::int64_t any_source = -1;
  const auto& numbers = record.numbers;
  switch (record.function) {
    case Function::send:
    case Function::bsend:
    case Function::ssend:
    case Function::rsend:
    case Function::isend:
    case Function::ibsend:
    case Function::issend:
    case Function::irsend:
    case Function::send_init:
    case Function::bsend_init:
    case Function::ssend_init:
    case Function::rsend_init:
    case Function::sendrecv:
    case Function::sendrecv_replace:
      return numbers[2] == any_source;
    case Function::cart_shift:  // communicator, direction, displacement, source, destination
      return numbers[3] == any_source || numbers[4] == any_source;
    default:
      return false;
  }
}

}  // namespace

bool makes_communicator(Function function) {
  switch (function) {
    case Function::comm_dup:
    case Function::comm_create:
    case Function::comm_split:
    case Function::cart_create:
    case Function::graph_create:
    case Function::cart_sub:
      return true;
    default:
      return false;
  }
}

RankScan scan(RankFile& file) {
  RankScan result;
  WildcardReceives wildcards(result);
  std::unordered_map<std::int64_t, std::size_t> made;  ///< communicators' steps
  Record record;
  file.rewind();
  while (file.next(record)) {
    if (const char* why = why_refused(record))
      file.refuse(record,
                  fmt::format("{}: {}", call_form(static_cast<std::uint16_t>(record.function)).name, why));
    if (makes_communicator(record.function)) made[record.numbers.back()] = result.steps.size();
    if (makes_group(record.function) || makes_communicator(record.function))
      result.steps.push_back({record.offset, record.function, record.numbers, record.lists, std::nullopt});
    else
      wildcards.see(record);
    if (record.function == Function::comm_rank)  // which says in which place a topology has put the rank
      if (const auto step = made.find(record.numbers[0]); step != made.end())
        result.steps[step->second].rank = record.numbers[1];
    result.nobody_is_any_source = result.nobody_is_any_source || shows_nobody_at_any_source(record);
  }
  file.rewind();
  return result;
}

}  // namespace morgana::dumpi
