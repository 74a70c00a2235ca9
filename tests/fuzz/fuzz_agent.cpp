#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "pvmshim/agent/frame.h"

namespace {

using namespace morgana;

void require(bool condition) {
  if (!condition) std::abort();
}

/// What was accepted can be sent again and is the same.
void send_again(const Frame& frame) {
  std::vector<std::byte> stream;
  append_frame(frame.kind, frame.rank, frame.content, stream);
  FrameParser parser(largest_greeting);
  std::ranges::copy(stream, parser.room(stream.size()).begin());
  parser.came(stream.size());
  Frame again;
  require(parser.next(again));
  require(again.kind == frame.kind && again.rank == frame.rank && again.content == frame.content);
}

/// Reads it as numbers, texts and lists in turn, as greetings are made.
void read(const Frame& frame) {
  ContentReader content(frame.content);
  try {
    while (true) {
      const std::string text = content.text();
      require(text.size() <= frame.content.size());
      content.number();
      for (std::size_t left = content.count(); left > 0; --left) content.text();
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
      while (parser.next(frame)) {
        send_again(frame);
        read(frame);
      }
    }
  } catch (const MalformedFrame&) {
  }
  return 0;
}
