#include "pvmshim/channel/rank_end.h"

#include <algorithm>

#include "pvmshim/channel/processor_clock.h"

namespace morgana {
namespace {

/// A nap that is counted after a look may have begun before it; the one after that has not.
constexpr std::uint32_t naps_that_prove = 2;

}  // namespace

std::optional<int> RankEnd::pid() const {
  std::int32_t pid = pid_.load(std::memory_order_relaxed);
  if (pid == 0) {
    pid = slot_.pid.load(std::memory_order_acquire);
    if (pid > 0) pid_.store(pid, std::memory_order_relaxed);
  }
  if (pid <= 0) return std::nullopt;
  return pid;
}

bool RankEnd::attaches() {
  if (has_attached_ || slot_.pid.load(std::memory_order_relaxed) == 0) return false;
  return has_attached_ = true;
}

bool RankEnd::take(Operation& operation) {
  const std::uint64_t available = operations_.available();
  if (available == 0) return false;
  if (available > OperationRing::capacity) throw MalformedRecord("malformed ring");
  if (!collect(static_cast<std::size_t>(available))) return false;
  decode(record_, operation);
  record_.clear();
  return true;
}

/// @return whether the next record is whole
bool RankEnd::collect(std::size_t available) {
  if (record_.empty()) {
    record_.resize(1);
    operations_.read(record_);
    --available;
  }
  const std::size_t length = record_length(record_[0]);
  if (length < 1 || length > longest_record) throw MalformedRecord("malformed record: a wrong length");
  const std::size_t have = record_.size();
  record_.resize(have + std::min(available, length - have));
  operations_.read(std::span(record_).subspan(have));
  if (operations_.passed_mark()) ring(slot_, SleepsFor::ring);
  return record_.size() == length;
}

std::span<const Word> RankEnd::tell(std::span<const Word> words) {
  const std::size_t written = answers_.write(words);
  told_ += written;
  ring(slot_);
  return words.subspan(written);
}

EmulatorChannel::Rest RankEnd::rest() {
  using Rest = EmulatorChannel::Rest;
  const Sleep sleep(slot_.sleeps.load());
  const std::uint32_t naps = slot_.naps.load(std::memory_order_acquire);
  const std::uint64_t unheard = operations_.available();
  const std::uint64_t taken = operations_.read_so_far();
  const Standing now{taken + unheard, taken, told_, sleep, naps};
  if (!standing_ || !now.goes_on_as(*standing_)) {
    standing_ = now;
    return Rest::none;
  }
  if (now.naps - standing_->naps < naps_that_prove) return Rest::none;
  // What was released may have come after it looked last.
  if (sleep.is_for(SleepsFor::memory)) return slot_.released.load() == 0 ? Rest::for_room : Rest::none;
  if (unheard != 0) return Rest::otherwise;
  if (sleep.is_for(SleepsFor::message))
    return slot_.announced.load() == 0 && record_.empty() ? Rest::for_message : Rest::otherwise;
  return record_.empty() ? Rest::for_answer : Rest::in_an_operation;
}

std::optional<std::chrono::nanoseconds> RankEnd::computed() const {
  if (!record_.empty()) return std::nullopt;
  if (!pid()) return std::chrono::nanoseconds(0);
  const std::chrono::nanoseconds bound(read_clock_page());
  // Last: had the rank posted before the page was read, the numbers could belong to its next operation.
  if (has_words()) return std::nullopt;
  return bound;
}

SimTime RankEnd::reached() const {
  const std::int64_t reached = slot_.clock.reached_ps.load(std::memory_order_acquire);
  const bool computes = record_.empty() && !has_words();
  return computes && reached > 0 ? SimTime::from_ps(reached) : SimTime();
}

std::int64_t RankEnd::read_clock_page() const {
  const ClockPage& page = slot_.clock;
  const std::uint64_t before = page.stretch.load(std::memory_order_acquire);
  const std::int64_t computed = page.computed_ns.load(std::memory_order_relaxed);
  if (before % 2 == 0) return std::max<std::int64_t>(0, computed);
  const std::int64_t at_leave = page.cpu_at_leave_ns.load(std::memory_order_relaxed);
  const auto now = processor_ns_of(pid_.load(std::memory_order_relaxed));
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // After the clock: what a thread has used that the number lacks is not in it.
  const std::uint32_t threads = std::max(1U, page.threads.beside.load(std::memory_order_seq_cst));
  const bool still_in_program = page.stretch.load(std::memory_order_seq_cst) == before;
  if (!now || !still_in_program) return std::max<std::int64_t>(0, computed);
  return std::max<std::int64_t>(
      0, computed + stretch_ns(at_leave, *now, page.overhead_ns.load(std::memory_order_relaxed)) / threads);
}

}  // namespace morgana
