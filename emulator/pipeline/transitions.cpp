#include "emulator/pipeline/transitions.h"

namespace morgana::pipeline {
namespace {

struct Probed {
  Bytes size;
  std::size_t bottleneck;
};

void bisect(const std::function<std::size_t(Bytes)>& bottleneck_at, Probed low, Probed high,
            std::vector<Transition>& found) {
  if (low.bottleneck == high.bottleneck) return;
  const Bytes middle((low.size.count() + high.size.count()) / 2);
  if (middle == low.size) return found.push_back({high.size, low.bottleneck, high.bottleneck});
  const Probed between{middle, bottleneck_at(middle)};
  bisect(bottleneck_at, low, between, found);
  bisect(bottleneck_at, between, high, found);
}

}  // namespace

std::vector<Transition> transitions(const std::function<std::size_t(Bytes)>& bottleneck_at, Bytes least,
                                    Bytes most) {
  std::vector<Transition> found;
  bisect(bottleneck_at, {least, bottleneck_at(least)}, {most, bottleneck_at(most)}, found);
  return found;
}

std::vector<Transition> transitions(std::span<const Stage> stages, Bytes least, Bytes most) {
  return transitions([stages](Bytes size) { return bottleneck(stages, real(size)); }, least, most);
}

}  // namespace morgana::pipeline
