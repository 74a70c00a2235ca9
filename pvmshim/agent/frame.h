#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/channel/frame_head.h"

namespace morgana {

/// An agent sends at most so many operations of a rank that have not been taken: a rank that is ahead of
/// simulated time waits then, as it does on one machine for space in the channel.
constexpr std::uint64_t most_untaken = 1024;
/// That they have been taken is said after so many of them.
constexpr std::uint64_t between_taken = most_untaken / 4;

/// No frame's content is larger, in bytes: the codec's longest record, and some words.
constexpr std::uint64_t largest_frame = std::uint64_t{129} << 20;
/// The same, as long as a stream has not said whose it is.
constexpr std::uint64_t largest_greeting = 64 * 1024;

struct Frame {
  FrameKind kind{};
  std::int32_t rank = -1;
  std::vector<std::byte> content;
};

/// Data that were received over a stream are no valid frame.
class MalformedFrame : public Error {
 public:
  using Error::Error;
};

/// Appends one frame.
void append_frame(FrameKind kind, std::int32_t rank, std::span<const std::byte> content,
                  std::vector<std::byte>& bytes);

/// Takes a stream's bytes apart; they are not trusted.
class FrameParser {
 public:
  /// @param largest  content that is accepted, bytes
  explicit FrameParser(std::uint64_t largest = largest_frame) : largest_(largest) {}
  void accept_up_to(std::uint64_t largest) { largest_ = largest; }

  /// Where the next bytes are to be put, at most `most`; they are taken by came().
  std::span<std::byte> room(std::size_t most);
  void came(std::size_t bytes);
  /// @return whether a frame is whole; `frame` keeps its storage otherwise. @throws MalformedFrame
  bool next(Frame& frame);

 private:
  std::uint64_t largest_;
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0, end_ = 0;  ///< of what has come and was not taken
};

/// Writes a frame's content from numbers and texts.
class ContentWriter {
 public:
  ContentWriter& number(std::uint64_t value) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
    return *this;
  }
  ContentWriter& text(std::string_view value) {
    number(value.size());
    return rest(std::as_bytes(std::span(value)));
  }
  /// The last: what reads it takes all that is left.
  ContentWriter& rest(std::span<const std::byte> value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads it. Each call throws MalformedFrame if there is less.
class ContentReader {
 public:
  explicit ContentReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto raw = take(sizeof value);
    std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  /// A number of things of which each takes at least 8 bytes.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > bytes_.size() / sizeof value) throw MalformedFrame("a frame names more than it holds");
    return static_cast<std::size_t>(value);
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > bytes_.size()) throw MalformedFrame("a frame's text is cut off");
    const auto raw = take(static_cast<std::size_t>(size));
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  std::span<const std::byte> rest() { return take(bytes_.size()); }

 private:
  std::span<const std::byte> take(std::size_t size) {
    if (size > bytes_.size()) throw MalformedFrame("a frame is cut off");
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace morgana
