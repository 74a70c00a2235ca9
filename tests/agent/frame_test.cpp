#include "pvmshim/agent/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace morgana {
namespace {

using testing::ElementsAre;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  return {raw.begin(), raw.end()};
}

/// What a stream brings in pieces of one size.
std::vector<Frame> parse(const std::vector<std::byte>& stream, std::size_t piece, FrameParser& parser) {
  std::vector<Frame> frames;
  Frame frame;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    const std::size_t size = std::min(piece, stream.size() - at);
    const auto room = parser.room(piece);
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), size, room.begin());
    parser.came(size);
    while (parser.next(frame)) frames.push_back(frame);
  }
  return frames;
}

std::vector<std::byte> three_frames() {
  std::vector<std::byte> stream;
  append_frame(FrameKind::alive, -1, {}, stream);
  append_frame(FrameKind::letter, 7, bytes_of("what MPICH says"), stream);
  append_frame(FrameKind::want, -1, ContentWriter().number(42).bytes(), stream);
  return stream;
}

TEST(Frames, ComeAsTheyWereSentHoweverTheStreamIsCut) {
  const std::vector<std::byte> stream = three_frames();
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{16}, stream.size()}) {
    FrameParser parser;
    const std::vector<Frame> frames = parse(stream, piece, parser);
    ASSERT_EQ(frames.size(), 3U) << piece;
    EXPECT_EQ(frames[0].kind, FrameKind::alive);
    EXPECT_TRUE(frames[0].content.empty());
    EXPECT_EQ(frames[1].kind, FrameKind::letter);
    EXPECT_EQ(frames[1].rank, 7);
    EXPECT_EQ(frames[1].content, bytes_of("what MPICH says"));
    EXPECT_EQ(ContentReader(frames[2].content).number(), 42U);
  }
}

TEST(Frames, OfNoKnownKindAndTooLargeOnesAreRefused) {
  std::vector<std::byte> stream;
  append_frame(static_cast<FrameKind>(static_cast<std::uint32_t>(last_frame_kind) + 1), 0, {}, stream);
  FrameParser parser;
  EXPECT_THROW(parse(stream, stream.size(), parser), MalformedFrame);

  // The head alone is enough: nobody waits for what it promises.
  const FrameHead head{FrameKind::hello, -1, largest_greeting + 1};
  const auto* const raw = reinterpret_cast<const std::byte*>(&head);
  const std::vector<std::byte> promise(raw, raw + sizeof head);
  FrameParser careful(largest_greeting);
  EXPECT_THROW(parse(promise, promise.size(), careful), MalformedFrame);
  FrameParser trusting;
  EXPECT_TRUE(parse(promise, promise.size(), trusting).empty());
}

TEST(Frames, ContentThatIsCutOffIsRefused) {
  const std::vector<std::byte> whole = ContentWriter().number(3).text("name").number(2).bytes();
  ContentReader all(whole);
  EXPECT_EQ(all.number(), 3U);
  EXPECT_EQ(all.text(), "name");
  EXPECT_EQ(all.number(), 2U);
  EXPECT_TRUE(all.rest().empty());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ContentReader cut{std::span(whole).first(size)};
    EXPECT_THROW(
        {
          cut.number();
          cut.text();
          cut.number();
        },
        MalformedFrame)
        << size;
  }
}

TEST(Frames, WithMoreThingsThanTheyHoldAreRefused) {
  const std::vector<std::byte> boast = ContentWriter().number(std::uint64_t{1} << 40).number(0).bytes();
  EXPECT_THROW(ContentReader(boast).count(), MalformedFrame);
  EXPECT_THROW(ContentReader(boast).text(), MalformedFrame);
}

}  // namespace
}  // namespace morgana
