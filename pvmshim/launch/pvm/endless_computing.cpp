#include "pvmshim/launch/pvm/endless_computing.h"

#include "pvmshim/channel/processor_clock.h"

namespace morgana {

bool EndlessComputing::look(Rank rank, int process) {
  if (said_) return false;
  const auto now = processor_ns_of(process);
  if (!now) return false;
  const auto [first, fresh] = since_.try_emplace(rank, *now);
  said_ = *now - first->second > longest_.count();
  return said_;
}

}  // namespace morgana
