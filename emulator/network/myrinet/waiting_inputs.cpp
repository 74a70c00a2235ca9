#include "emulator/network/myrinet/waiting_inputs.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace morgana::myrinet {

bool WaitingInputs::any(Index output) const {
  const std::uint64_t* mask = &mask_[output * words_];
  return std::any_of(mask, mask + words_, [](std::uint64_t word) { return word != 0; });
}

RouteByte WaitingInputs::next_after(Index output, RouteByte last) const {
  const std::uint64_t* mask = &mask_[output * words_];
  const std::size_t word = last / 64;
  const unsigned bit = last % 64;
  const std::uint64_t behind = bit == 63 ? 0 : mask[word] & ~std::uint64_t{0} << (bit + 1);
  if (behind != 0) return static_cast<RouteByte>(word * 64 + static_cast<unsigned>(std::countr_zero(behind)));
  std::size_t at = word;
  do {
    at = at + 1 == words_ ? 0 : at + 1;
    if (mask[at] != 0)
      return static_cast<RouteByte>(at * 64 + static_cast<unsigned>(std::countr_zero(mask[at])));
  } while (at != word);
  assert(false);
  return 0;
}

}  // namespace morgana::myrinet
