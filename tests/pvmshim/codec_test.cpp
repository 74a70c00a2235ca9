#include "pvmshim/channel/codec.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/pvmshim/random_operations.h"

namespace morgana {
namespace {

using testing::RandomOperations;

constexpr int cases = 20'000;

template <typename Message>
std::vector<Word> encoded(const Message& message) {
  std::vector<Word> words;
  encode(message, words);
  return words;
}

/// Decodes words that may be anything. @return whether they were accepted
template <typename Message>
bool accepted(std::span<const Word> words, Message& message) {
  try {
    decode(words, message);
    return true;
  } catch (const MalformedRecord&) {
    return false;
  }
}

class CodecRandomised : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override { RecordProperty("seed", std::to_string(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Seeds, CodecRandomised, ::testing::Values(1, 2, 3));

TEST_P(CodecRandomised, OperationsComeBackAsTheyWere) {
  RandomOperations random(GetParam(), 100);
  Operation back;  // used again and again: nothing of the one before may stay
  for (int i = 0; i < cases; ++i) {
    const Operation operation = random.operation();
    decode(encoded(operation), back);
    ASSERT_EQ(back, operation) << "seed " << GetParam() << ", operation " << i;
  }
}

TEST_P(CodecRandomised, AnswersComeBackAsTheyWere) {
  RandomOperations random(GetParam(), 100);
  Answer back;
  for (int i = 0; i < cases; ++i) {
    const Answer answer = random.answer();
    decode(encoded(answer), back);
    ASSERT_EQ(back, answer) << "seed " << GetParam() << ", answer " << i;
  }
}

TEST_P(CodecRandomised, CompletionsComeBackAsTheyWere) {
  RandomOperations random(GetParam(), 100);
  std::vector<Completed> back;
  for (int i = 0; i < cases; ++i) {
    const std::vector<Completed> completed = random.answer().completed;
    decode(encoded(std::span<const Completed>(completed)), back);
    ASSERT_EQ(back, completed) << "seed " << GetParam() << ", completions " << i;
  }
}

// Whatever a changed record is taken for, it must be something that could have been encoded.
TEST_P(CodecRandomised, DamagedRecordsAreRefusedOrMeanSomethingElse) {
  RandomOperations random(GetParam(), 100);
  RandomStream damage(GetParam(), "damage");
  int refused = 0;
  for (int i = 0; i < cases; ++i) {
    std::vector<Word> words = encoded(random.operation());
    words[damage.below(words.size())] ^= Word{1} << damage.below(64);
    Operation operation;
    if (!accepted(words, operation)) {
      ++refused;
      continue;
    }
    Operation back;
    decode(encoded(operation), back);
    ASSERT_EQ(back, operation) << "seed " << GetParam() << ", operation " << i;
  }
  EXPECT_GT(refused, cases / 10);
}

TEST_P(CodecRandomised, NoiseIsRefused) {
  RandomStream noise(GetParam(), "noise");
  for (int i = 0; i < cases; ++i) {
    std::vector<Word> words(1 + noise.below(20));
    for (Word& word : words) word = noise.next();
    words[0] = (words[0] & ~Word{0xffff'ffff}) | words.size();
    Operation operation;
    Answer answer;
    EXPECT_FALSE(accepted(words, operation)) << "seed " << GetParam() << ", record " << i;
    EXPECT_FALSE(accepted(words, answer)) << "seed " << GetParam() << ", record " << i;
  }
}

TEST(Codec, RefusesEveryShortenedRecord) {
  RandomOperations random(7, 100);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Word> words = encoded(random.operation());
    Operation operation;
    for (std::size_t length = 0; length < words.size(); ++length) {
      EXPECT_FALSE(accepted(std::span(words).first(length), operation));
      std::vector<Word> pretended(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
      if (length > 0) pretended[0] = (words[0] & ~Word{0xffff'ffff}) | length;
      EXPECT_FALSE(accepted(pretended, operation));
    }
  }
}

TEST(Codec, RefusesACountThatTheRecordCannotHold) {
  Operation operation;
  operation.requests = {RequestId{1}, RequestId{2}};
  std::vector<Word> words = encoded(operation);
  words[words.size() - 3] = Word{1} << 40;
  EXPECT_THROW(decode(words, operation), MalformedRecord);
}

TEST(Codec, KeepsFrequentOperationsShort) {
  Operation send;
  send.kind = OperationKind::send;
  send.call = Call::MPI_Isend;
  send.peer = Rank{1};
  send.tag = Tag{5};
  send.request = RequestId{17};
  send.bytes = Bytes(1024);
  send.elapsed = SimTime::from_ps(123'000);
  send.payload = 4097;
  EXPECT_EQ(encoded(send).size(), 7U);
}

TEST(Codec, RefusesToEncodeWhatNoRecordCanHold) {
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.requests.resize(longest_record);
  std::vector<Word> words{1, 2, 3};
  EXPECT_THROW(encode(wait, words), Error);
  EXPECT_EQ(words.size(), 3U);
}

}  // namespace
}  // namespace morgana
