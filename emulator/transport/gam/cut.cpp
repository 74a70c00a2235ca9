#include "emulator/transport/gam/cut.h"

#include <algorithm>

#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/exit_times.h"
#include "emulator/pipeline/optimum.h"
#include "emulator/pipeline/ramp.h"
#include "emulator/pipeline/schedule.h"

namespace morgana {
namespace {

using namespace pipeline;

/// Up to which number unequal fragments are looked for; longer messages get equal ones.
constexpr std::size_t most_searched = 64;

std::size_t fragments_of(Bytes message, Bytes each) {
  return static_cast<std::size_t>(
      std::max<std::int64_t>((message.count() + each.count() - 1) / each.count(), 1));
}

/// The rising sizes match the bottleneck and the stage before it, the falling ones it and the stage behind
/// it; which of them arrive first is found with all stages.
Sizes ramp(const Stages& stages, RealBytes message, std::size_t equal) {
  const std::size_t middle = bottleneck(stages, message / static_cast<double>(equal));
  Sizes best{message};
  RealTime earliest = latency(stages, best);
  const auto consider = [&](const std::optional<Sizes>& sizes) {
    if (!sizes) return;
    const RealTime time = latency(stages, *sizes);
    if (time < earliest) {
      earliest = time;
      best = *sizes;
    }
  };
  const bool has_before = middle > 0, has_behind = middle + 1 < stages.size();
  const std::size_t most = std::min(most_searched, 2 * equal + 2);
  for (std::size_t count = 2; count <= most; ++count) {
    if (has_before && has_behind)
      for (std::size_t up = 1; up <= count; ++up)
        consider(
            ramp_up_and_down(std::span<const Stage, 3>(&stages[middle - 1], 3), message, up, count - up + 1));
    else if (has_before || has_behind)
      consider(ramp_up(stages[has_before ? middle - 1 : middle], stages[has_before ? middle : middle + 1],
                       message, count));
  }
  return best;
}

}  // namespace

/// Boundaries between equal fragments are moved to the nearest byte.
Bytes Cut::size(std::size_t fragment) const {
  if (sizes_ != nullptr) return (*sizes_)[fragment];
  if (each_ > Bytes()) {
    const Bytes before = static_cast<std::int64_t>(fragment) * each_;
    return std::min(each_, message_ - before);
  }
  const auto boundary = [this](std::size_t number) {
    const auto count = static_cast<__int128>(count_);
    return static_cast<std::int64_t>((2 * static_cast<__int128>(message_.count()) * number + count) /
                                     (2 * count));
  };
  return Bytes(boundary(fragment + 1) - boundary(fragment));
}

Cut Cutter::cut(Bytes message) {
  if (message <= Bytes(1) || fragmentation_ == Fragmentation::whole) return {message, 1};
  constexpr std::int64_t gam = 4096, fm = 128;
  if (fragmentation_ == Fragmentation::by_4096 || fragmentation_ == Fragmentation::by_128) {
    const Bytes each(fragmentation_ == Fragmentation::by_4096 ? gam : fm);
    Cut cut(message, fragments_of(message, each));
    cut.each_ = each;
    return cut;
  }
  const std::size_t equal = equal_count(message);
  Cut cut(message, equal);
  if (fragmentation_ == Fragmentation::fixed || equal > most_searched) return cut;
  const auto [found, fresh] = sizes_.try_emplace(message.count());
  if (fresh) found->second = varying(message);
  cut.count_ = found->second.size();
  cut.sizes_ = &found->second;
  return cut;
}

std::size_t Cutter::equal_count(Bytes message) {
  if (fragmentation_ == Fragmentation::fixed && equal_ > 0)
    return std::min(equal_, static_cast<std::size_t>(message.count()));
  const auto [found, fresh] = counts_.try_emplace(message.count());
  if (fresh) found->second = best_equal_count(stages_, real(message));
  return found->second;
}

std::vector<Bytes> Cutter::varying(Bytes message) const {
  const RealBytes size = real(message);
  const Sizes sizes = fragmentation_ == Fragmentation::ramp
                          ? ramp(stages_, size, best_equal_count(stages_, size))
                          : search_optimum(stages_, size, most_searched).best.sizes;
  return whole_bytes(sizes, message);
}

}  // namespace morgana
