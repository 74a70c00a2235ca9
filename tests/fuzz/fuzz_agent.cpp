#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/setup.h"

namespace {

using namespace morgana;

void require(bool condition) {
  if (!condition) std::abort();
}

/// What was accepted can be said again and means the same.
void take(const Frame& frame) {
  try {
    if (frame.kind == FrameKind::hello) {
      const AgentHello hello = decode_hello(frame.content);
      require(encode(decode_hello(encode(hello))) == encode(hello));
    } else if (frame.kind == FrameKind::setup) {
      const AgentSetup setup = decode_setup(frame.content);
      require(encode(decode_setup(encode(setup))) == encode(setup));
    }
  } catch (const MalformedFrame&) {
  }
}

}  // namespace

/// A stranger sends anything at all, in pieces: the first byte is their size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::size_t{1} + data[0];
  FrameParser parser(largest_greeting);
  Frame frame;
  try {
    for (std::size_t at = 1; at < size; at += piece) {
      const std::size_t come = std::min(piece, size - at);
      const auto* const begin = reinterpret_cast<const std::byte*>(data) + at;
      std::copy(begin, begin + come, parser.room(piece).begin());
      parser.came(come);
      while (parser.next(frame)) take(frame);
    }
  } catch (const MalformedFrame&) {
  }
  return 0;
}
