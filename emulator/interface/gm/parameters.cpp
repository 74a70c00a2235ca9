#include "emulator/interface/gm/parameters.h"

#include "emulator/core/error.h"

namespace morgana::gm {

void Parameters::check() const {
  const auto refuse = [](bool wrong, const char* sentence) {
    if (wrong) throw Error(sentence);
  };
  lanai.check();
  refuse(dispatch < 1, "a dispatch must take at least one cycle of the processor");
  refuse(handler < 0 || type_test < 0, "cycles of a handler must not be negative");
  refuse(send_buffers < 1, "an interface must have at least one send buffer");
  refuse(header.count() < 0, "a header must not be negative");
  refuse(largest_payload.count() < 1, "a packet must have room for at least one byte");
  refuse(window < 1, "a connection must be allowed at least one unacknowledged packet");
  refuse(timeout <= SimTime(), "a time-out must come later than at once");
}

}  // namespace morgana::gm
