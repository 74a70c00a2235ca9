#include "emulator/transport/sscop/parameters.h"
#include "emulator/core/error.h"
#include "emulator/transport/sscop/pdu.h"

namespace morgana {

void SscopParameters::check() const {
  if (frame < Bytes(1) || frame > Bytes(sscop::largest_information))
    throw Error("sscop: an SD must have room for 1 to 65528 bytes of data");
  if (window < 1 || window >= sscop::modulus / 2)
    throw Error("sscop: a window must be of 1 to 2^23 - 1 SDs, or old numbers could pass for new ones");
  if (longest_list < 3 || longest_list % 2 == 0 || longest_list > 16379)
    throw Error("sscop: a STAT's longest list must have an odd number of elements from 3 to 16379");
  if (poll <= SimTime() || keep_alive <= SimTime() || idle <= SimTime())
    throw Error("sscop: the timers for polls, keep-alive and idling must last more than no time");
  if (no_response <= poll || no_response <= keep_alive)
    throw Error(
        "sscop: the time without response must be longer than those of polls and keep-alive, or a connection "
        "is released before an answer can come");
  if (first >= sscop::modulus) throw Error("sscop: the first number must be below 2^24");
}

}  // namespace morgana
