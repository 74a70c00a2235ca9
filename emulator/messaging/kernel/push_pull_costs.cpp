#include "emulator/messaging/kernel/push_pull_costs.h"

#include <algorithm>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

std::int64_t whole_parts(Bytes bytes, Bytes part) {
  return (bytes.count() + part.count() - 1) / part.count();
}

}  // namespace

std::int64_t PushPullCosts::units(Bytes push) const {
  return std::max<std::int64_t>(whole_parts(layer_.envelope + push, unit_), 1);
}

Bytes PushPullCosts::in_first_unit(Bytes push) const {
  return std::min(push, std::max(unit_ - layer_.envelope, Bytes()));
}

std::int64_t PushPullCosts::slots_for(Bytes bytes) const {
  return whole_parts(bytes, kernel_.slot);
}

SimTime PushPullCosts::addresses(Bytes bytes) const {
  return time_before_end(static_cast<__int128>(kernel_.translate_page.ps()) * bytes.count() /
                         kernel_.page.count());
}

SimTime PushPullCosts::translation(Bytes bytes) const {
  return bytes == Bytes() ? SimTime() : time_before_end(kernel_.system_call + addresses(bytes));
}

PushPullCosts::Pushes PushPullCosts::pushes_of(bool local, Bytes bytes) const {
  const Bytes first = local ? layer_.local_push : layer_.push, second = local ? Bytes() : layer_.second_push;
  const Bytes whole = std::max(local ? layer_.local_eager_limit : layer_.eager_limit, first + second);
  return bytes <= whole ? Pushes{bytes, Bytes()} : Pushes{first, second};
}

Messenger::SendCost PushPullCosts::send_cost(bool local, Bytes bytes, SendMode mode) const {
  const SimTime kept = mode == SendMode::buffered ? time_before_end(layer_.copy_per_byte, bytes) : SimTime();
  const Pushes pushes = pushes_of(local, bytes);
  if (local) return {time_before_end(layer_.local_overhead + kept + addresses(pushes.first)), SimTime()};
  const Bytes first = in_first_unit(pushes.first);
  const std::int64_t others = units(pushes.first) - 1 + (pushes.second > Bytes() ? units(pushes.second) : 0);
  const SimTime launched = kernel_.launch + time_before_end(layer_.send_per_byte, first);
  const SimTime others_launched =
      time_before_end(time_before_end(static_cast<__int128>(kernel_.launch.ps()) * others) +
                      time_before_end(layer_.send_per_byte, pushes.first - first + pushes.second));
  const bool masked = masks_translation() && pushes.first + pushes.second < bytes;
  const SimTime before = layer_.send_overhead + kept + launched;
  return {time_before_end(masked ? before : before + translation(bytes)),
          time_before_end(masked ? others_launched + translation(bytes) : others_launched)};
}

SimTime PushPullCosts::second_launched(Bytes first, Bytes second) const {
  const Bytes before = first - in_first_unit(first) + in_first_unit(second);
  return kernel_.launch * units(first) + time_before_end(layer_.send_per_byte, before);
}

}  // namespace morgana
