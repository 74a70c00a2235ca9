#pragma once

#include "pvmshim/pvmd/message.h"

namespace morgana::pvm::captured {

/// How the messages were packed that the program is making, as their pvm_pk* calls show.
struct PackedMessage {
  int encoding = 0;       ///< PvmDataDefault, PvmDataRaw, PvmDataInPlace
  bool known = true;      ///< false once something was packed that is not seen through
  std::int64_t size = 0;  ///< so far, in bytes
  std::vector<Part> parts;

  void add(int type, int count);
};

/// The buffer's message, begun anew.
void begin_packing(int buffer, int encoding);
void forget_packing(int buffer);
/// Null for a buffer whose making was not seen.
PackedMessage* packing(int buffer);

}  // namespace morgana::pvm::captured
