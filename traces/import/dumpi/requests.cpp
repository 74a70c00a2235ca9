// Waiting and testing. As in a replay of a recorded trace a rank waits for what the program found completed.

#include "traces/import/dumpi/rank.h"

namespace morgana::dumpi {
namespace {

Call requests_call(const Record& record) {
  return call_named(call_form(static_cast<std::uint16_t>(record.function)).name).value_or(Call::unknown);
}

}  // namespace

bool DumpiRankCalls::act_on_requests(const Record& record) {
  const auto& numbers = record.numbers;
  const auto one = static_cast<std::int32_t>(numbers.empty() ? 0 : numbers[0]);
  switch (record.function) {
    case Function::wait:
      wait_for_all(record, {&one, 1});
      return true;
    case Function::waitall:
      wait_for_all(record, record.lists[0]);
      return true;
    case Function::waitany:
      wait_for_one(record, numbers[1]);
      return true;
    case Function::waitsome:
      wait_for_some(record);
      return true;
    case Function::test:
      if (numbers[1] != 0)
        wait_for_all(record, {&one, 1});
      else
        test(record, {&one, 1}, Completion::all);
      return true;
    case Function::testall:
      if (numbers[1] != 0)
        wait_for_all(record, record.lists[0]);
      else
        test(record, record.lists[0], Completion::all);
      return true;
    case Function::testany:  // index, flag
      if (numbers[2] != 0)
        wait_for_one(record, numbers[1]);
      else
        test(record, record.lists[0], Completion::any);
      return true;
    case Function::testsome:
      if (record.lists[1].empty())
        test(record, record.lists[0], Completion::some);
      else
        wait_for_some(record);
      return true;
    case Function::start:
      start(record, numbers[0], 0);
      return true;
    case Function::startall:
      for (std::size_t i = 0; i < record.lists[0].size(); ++i) start(record, record.lists[0][i], i);
      return true;
    case Function::cancel:
      cancel(record);
      return true;
    case Function::request_free:
      // What it has started goes on, and nobody waits for it.
      pending_.erase(numbers[0]);
      return true;
    default:
      return false;
  }
}

/// What the requests have started, which is then complete.
std::vector<RequestId> DumpiRankCalls::take(std::span<const std::int32_t> requests) {
  // Others may be below 0: libdumpi numbers requests in 16 bits.
  constexpr std::int32_t unknown_request = 0, null_request = 1;
  std::vector<RequestId> active;
  for (const std::int32_t request : requests) {
    if (request == unknown_request || request == null_request) continue;
    const auto found = pending_.find(request);
    if (found == pending_.end()) {
      ++counts_->unknown_requests;
      continue;
    }
    if (found->second.active != no_request) active.push_back(std::exchange(found->second.active, no_request));
    if (!found->second.persistent) pending_.erase(found);
  }
  return active;
}

void DumpiRankCalls::wait_for_all(const Record& record, std::span<const std::int32_t> requests) {
  queue_.wait(requests_call(record), CallPart::whole, take(requests));
}

void DumpiRankCalls::wait_for_one(const Record& record, std::int64_t place) {
  const std::vector<std::int32_t>& requests = record.lists[0];
  if (place < 0 || static_cast<std::size_t>(place) >= requests.size()) return;  // none was active
  wait_for_all(record, std::span(requests).subspan(static_cast<std::size_t>(place), 1));
}

void DumpiRankCalls::wait_for_some(const Record& record) {
  std::vector<std::int32_t> completed;
  for (const std::int32_t place : record.lists[1])
    if (place >= 0 && static_cast<std::size_t>(place) < record.lists[0].size())
      completed.push_back(record.lists[0][static_cast<std::size_t>(place)]);
  wait_for_all(record, completed);
}

/// What found nothing may find a message elsewhere. Sends are not asked for: on the ideal platform of an
/// import they end at once, and a replay, which waits for what a test found, would wait for them there.
void DumpiRankCalls::test(const Record& record, std::span<const std::int32_t> requests,
                          Completion completion) {
  Operation operation = plain(record, OperationKind::test);
  operation.completion = completion;
  operation.wants_answer = true;
  for (const std::int32_t request : requests) {
    const auto found = pending_.find(request);
    if (found != pending_.end() && found->second.active != no_request && !found->second.sends)
      operation.requests.push_back(found->second.active);
  }
  if (!operation.requests.empty()) queue_.add(std::move(operation));
}

void DumpiRankCalls::found_complete(std::span<const Completed> completed) {
  for (const Completed& one : completed) {
    if (one.request == no_request) continue;
    for (auto pending = pending_.begin(); pending != pending_.end(); ++pending) {
      if (pending->second.active != one.request) continue;
      pending->second.active = no_request;
      break;
    }
  }
}

void DumpiRankCalls::start(const Record& record, std::int64_t request, std::size_t place) {
  const auto found = pending_.find(request);
  if (found == pending_.end() || !found->second.persistent)
    file_.refuse(record,
                 "starts a request that no call before has made; record the program from its beginning on");
  if (found->second.wild) return start_wild(record, found->second, place);
  if (found->second.persistent->kind == OperationKind::nothing) return;  // of MPI_PROC_NULL
  Operation operation = *found->second.persistent;
  operation.call = requests_call(record);
  found->second.active = queue_.start(std::move(operation));
}

/// Each start of a receive without a source may get something else.
void DumpiRankCalls::start_wild(const Record& record, Pending& pending, std::size_t place) {
  const auto got = got_.find(record.offset + place);
  std::int64_t source = pending.source, tag = pending.tag;
  if (!settle(got == got_.end() ? nullptr : &got->second, source, tag)) return;
  Operation operation = message(record, OperationKind::receive, source, tag, pending.communicator);
  operation.bytes = pending.persistent->bytes;
  operation.call = requests_call(record);
  pending.active = queue_.start(std::move(operation));
}

/// What was not cancelled in the recorded run came.
void DumpiRankCalls::cancel(const Record& record) {
  const auto found = pending_.find(record.numbers[0]);
  if (found == pending_.end() || found->second.active == no_request) return;
  const auto did = cancelled_.find(record.offset);
  if (did != cancelled_.end() && !did->second) return;
  if (did == cancelled_.end()) ++counts_->unknown_cancels;
  Operation operation = plain(record, OperationKind::cancel);
  operation.request = found->second.active;
  queue_.add(std::move(operation));
}

}  // namespace morgana::dumpi
