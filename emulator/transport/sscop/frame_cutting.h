#pragma once

#include "emulator/core/units.h"
#include "emulator/transport/sscop/sender.h"
#include "emulator/transport/transport.h"

namespace morgana::sscop {

/// Cuts a message into what SDs carry, one after the other: frames of the same size, the last of which may be
/// shorter. A message of no bytes is one SD.
class FrameCutting {
 public:
  FrameCutting(MessageId message, Bytes bytes, Bytes frame)
      : message_(message), rest_(bytes), frame_(frame) {}

  /// Once more, before it is done.
  Piece next() {
    done_ = rest_ <= frame_;
    const Bytes bytes = done_ ? rest_ : frame_;
    rest_ -= bytes;
    return {message_, bytes, done_};
  }
  bool done() const { return done_; }

 private:
  MessageId message_;
  Bytes rest_, frame_;
  bool done_ = false;
};

}  // namespace morgana::sscop
