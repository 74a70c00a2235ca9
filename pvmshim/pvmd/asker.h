#pragma once

#include "pvmshim/pvmd/request.h"

namespace morgana::pvm {

/// Who waits for the reply to which of its requests.
struct Asker {
  Rank rank{};
  std::int32_t serial = 0;
};

/// A reply and who gets it.
struct AddressedReply {
  Asker to;
  Reply reply;
};

}  // namespace morgana::pvm
