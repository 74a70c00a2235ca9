#include "emulator/interface/gam/parameters.h"

#include "emulator/core/error.h"

namespace morgana::gam {

void Parameters::check() const {
  const auto refuse = [](bool wrong, const char* sentence) {
    if (wrong) throw Error(sentence);
  };
  lanai.check();
  refuse(dispatch < 1, "a dispatch must take at least one cycle of the processor");
  refuse(handler < 0, "cycles of a handler must not be negative");
  refuse(send_buffers < 1, "an interface must have at least one send buffer");
  refuse(receive_buffers < 1, "an interface must have at least one receive buffer");
  refuse(header.count() < 0, "a header must not be negative");
}

}  // namespace morgana::gam
