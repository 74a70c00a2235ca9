#include <random>

#include "pvmshim/pvmd/message.h"
#include "pvmshim/pvmd/request.h"

#include <gtest/gtest.h>

namespace morgana::pvm {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

std::vector<std::byte> random_bytes(Random& random, std::size_t limit) {
  std::vector<std::byte> bytes(below(random, limit));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::string random_text(Random& random) {
  std::string text(below(random, 20), ' ');
  for (char& letter : text) letter = static_cast<char>(random());
  return text;
}

Request random_request(Random& random) {
  Request request;
  request.ask = static_cast<Ask>(below(random, static_cast<std::size_t>(Ask::free_context) + 1));
  request.serial = static_cast<std::int32_t>(below(random, 1U << 31));
  for (std::size_t i = below(random, 6); i > 0; --i)
    request.numbers.push_back(static_cast<std::int32_t>(random()));
  for (std::size_t i = below(random, 5); i > 0; --i) request.texts.push_back(random_text(random));
  request.data = random_bytes(random, 100);
  return request;
}

Reply random_reply(Random& random) {
  Reply reply;
  reply.status = static_cast<std::int32_t>(random());
  for (std::size_t i = below(random, 6); i > 0; --i)
    reply.numbers.push_back(static_cast<std::int64_t>(random()));
  for (std::size_t i = below(random, 5); i > 0; --i) reply.texts.push_back(random_text(random));
  reply.data = random_bytes(random, 100);
  return reply;
}

class PvmCodec : public testing::Test {
 protected:
  const std::random_device::result_type seed = std::random_device{}();
  Random random{seed};
  void SetUp() override { RecordProperty("seed", std::to_string(seed)); }
};

TEST_F(PvmCodec, ReadsEveryRequestThatItHasWritten) {
  SCOPED_TRACE(seed);
  for (int i = 0; i < 1000; ++i) {
    const Request request = random_request(random);
    ASSERT_EQ(decode_request(encode(request)), request);
  }
}

TEST_F(PvmCodec, ReadsEveryReplyThatItHasWritten) {
  SCOPED_TRACE(seed);
  for (int i = 0; i < 1000; ++i) {
    const Reply reply = random_reply(random);
    ASSERT_EQ(decode_reply(encode(reply)), reply);
  }
}

TEST_F(PvmCodec, RefusesWhatIsCutShortOrTooLong) {
  SCOPED_TRACE(seed);
  for (int i = 0; i < 50; ++i) {
    std::vector<std::byte> request = encode(random_request(random));
    std::vector<std::byte> reply = encode(random_reply(random));
    for (std::size_t size = 0; size < request.size(); ++size)
      ASSERT_THROW(decode_request(std::span(request).first(size)), Error);
    for (std::size_t size = 0; size < reply.size(); ++size)
      ASSERT_THROW(decode_reply(std::span(reply).first(size)), Error);
    request.emplace_back();
    reply.emplace_back();
    ASSERT_THROW(decode_request(request), Error);
    ASSERT_THROW(decode_reply(reply), Error);
  }
}

TEST_F(PvmCodec, ReadsCorruptedBytesAsSomethingElseOrRefusesThem) {
  SCOPED_TRACE(seed);
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::byte> bytes = encode(random_request(random));
    bytes[below(random, bytes.size())] ^= static_cast<std::byte>(1 + below(random, 255));
    try {
      ASSERT_EQ(encode(decode_request(bytes)), bytes);
    } catch (const Error&) {
    }
  }
}

TEST_F(PvmCodec, RefusesAnUnknownQuestionAndANegativeSerial) {
  Request request;
  request.ask = static_cast<Ask>(static_cast<int>(Ask::free_context) + 1);
  EXPECT_THROW(decode_request(encode(request)), Error);
  request.ask = static_cast<Ask>(-1);
  EXPECT_THROW(decode_request(encode(request)), Error);
  request = {};
  request.serial = -1;
  EXPECT_THROW(decode_request(encode(request)), Error);
}

struct Message {
  MessageHeader header{message_magic, 0x40001, 3, 7, 1, 2, 5};
  std::vector<Part> parts{{1, 1, 1}, {3, 1, 5}};
  std::vector<std::byte> block() const {
    std::vector<std::byte> bytes(block_size(parts.size(), header.size));
    std::byte value{1};
    for (std::byte& byte : begin_message(bytes, header, parts)) byte = value;
    return bytes;
  }
};

TEST(PvmMessage, LiesInItsBlockAsItWasWritten) {
  const Message message;
  const std::vector<std::byte> block = message.block();
  const MessageView view = view_message(block);
  EXPECT_EQ(view.header.source, 0x40001);
  EXPECT_EQ(view.header.context, 3);
  EXPECT_EQ(view.header.tag, 7);
  EXPECT_EQ(std::vector<Part>(view.parts.begin(), view.parts.end()), message.parts);
  EXPECT_EQ(std::vector<std::byte>(view.data.begin(), view.data.end()),
            std::vector<std::byte>(5, std::byte{1}));
}

TEST(PvmMessage, MayBeShorterThanItsBlock) {
  std::vector<std::byte> block = Message().block();
  block.resize(block.size() + 10);
  EXPECT_EQ(view_message(block).data.size(), 5U);
}

TEST(PvmMessage, IsRefusedIfItsBlockIsTooShort) {
  const std::vector<std::byte> block = Message().block();
  for (std::size_t size = 0; size < block.size(); ++size)
    EXPECT_THROW(view_message(std::span(block).first(size)), Error) << size;
}

TEST(PvmMessage, IsRefusedIfItsHeaderLies) {
  const auto refused = [](auto change) {
    Message message;
    std::vector<std::byte> block = message.block();
    change(*reinterpret_cast<MessageHeader*>(block.data()));
    EXPECT_THROW(view_message(block), Error);
  };
  refused([](MessageHeader& header) { header.magic = 0; });
  refused([](MessageHeader& header) { header.encoding = 3; });
  refused([](MessageHeader& header) { header.parts = 0xffffffff; });
  refused([](MessageHeader& header) { header.size = ~std::uint64_t{0}; });
  refused([](MessageHeader& header) { header.size = 4; });
}

TEST(PvmMessage, IsRefusedIfItsPartsMakeNoSense) {
  const auto refused = [](Part first, Part second) {
    Message message;
    message.parts = {first, second};
    EXPECT_THROW(view_message(message.block()), Error);
  };
  refused({-1, 1, 1}, {3, 1, 5});
  refused({1, 1, 1}, {12, 1, 5});
  refused({1, -1, 1}, {3, 1, 5});
  refused({1, 1, 3}, {3, 1, 2});
  refused({1, 1, -1}, {3, 1, 5});
  refused({1, 1, 1}, {3, 1, 6});
}

}  // namespace
}  // namespace morgana::pvm
