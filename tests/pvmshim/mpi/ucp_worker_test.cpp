#include "pvmshim/mpi/emulate/ucx/ucp_worker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pvmshim/mpi/emulate/ucx/ucp_data.h"

namespace morgana::mpi::emulated {
namespace {

constexpr ucp_tag_t all_bits = ~ucp_tag_t{0};

/// Of the kind that MPICH makes: requests with an area of its own, which it finds zeroed... by this function.
struct Area {
  int initialised;
};

ucp_params_t like_mpichs() {
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_REQUEST_SIZE | UCP_PARAM_FIELD_REQUEST_INIT;
  parameters.request_size = sizeof(Area);
  parameters.request_init = [](void* area) { static_cast<Area*>(area)->initialised = 1; };
  return parameters;
}

std::vector<std::byte> bytes(const std::string& text) {
  const auto data = std::as_bytes(std::span{text});
  return {data.begin(), data.end()};
}

/// What callbacks have told, in order.
struct Told {
  std::vector<ucs_status_t> sent;
  struct Received {
    ucs_status_t status;
    ucp_tag_t tag;
    std::size_t length;
  };
  std::vector<Received> received;
};

ucp_request_param_t sending(Told& told) {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.user_data = &told;
  how.cb.send = [](void*, ucs_status_t status, void* to) { static_cast<Told*>(to)->sent.push_back(status); };
  return how;
}

ucp_request_param_t receiving(Told& told) {
  ucp_request_param_t how{};
  how.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  how.user_data = &told;
  how.cb.recv = [](void*, ucs_status_t status, const ucp_tag_recv_info_t* info, void* to) {
    static_cast<Told*>(to)->received.push_back({status, info->sender_tag, info->length});
  };
  return how;
}

/// Two ranks, 0 and 1, of one run.
class UcpWorkers : public ::testing::Test {
 protected:
  static std::string fresh_run() {
    static int runs = 0;
    return "ucp-worker-test." + std::to_string(getpid()) + "." + std::to_string(++runs);
  }
  void send(ucp_tag_t tag, const std::string& text) {
    EXPECT_EQ(first.send(1, LetterKind::tagged, tag, bytes(text), ucp_request_param_t{}), nullptr);
  }
  void progress() {
    while (first.progress() + second.progress() > 0) {
    }
  }

  std::string run = fresh_run();
  UcpWorker first{like_mpichs(), run, 0}, second{like_mpichs(), run, 1};
  Told told;
};

TEST_F(UcpWorkers, MatchTagsUnderTheMaskInTheOrderOfSending) {
  std::string one(3, '.'), two(3, '.'), other(3, '.');
  second.receive(one.data(), 3, 0x10, 0xf0, receiving(told));  // 0x1_ of any lower digit
  send(0x25, "not");
  send(0x15, "1st");
  send(0x16, "2nd");
  progress();
  second.receive(two.data(), 3, 0x10, 0xf0, receiving(told));
  second.receive(other.data(), 3, 0x25, all_bits, receiving(told));
  progress();
  EXPECT_EQ(one + two + other, "1st2ndnot");
  ASSERT_EQ(told.received.size(), 3U);
  EXPECT_EQ(told.received[0].tag, 0x15U);
  EXPECT_EQ(told.received[1].tag, 0x16U);
  EXPECT_EQ(told.received[1].length, 3U);
}

TEST_F(UcpWorkers, MatchPostedReceivesInTheOrderOfPosting) {
  std::string one(3, '.'), two(3, '.');
  second.receive(one.data(), 3, 0, 0, receiving(told));
  second.receive(two.data(), 3, 0, 0, receiving(told));
  send(1, "1st");
  send(2, "2nd");
  progress();
  EXPECT_EQ(one + two, "1st2nd");
}

TEST_F(UcpWorkers, TellThatWhatDoesNotFitIsTruncatedAndWriteNothingBeyond) {
  std::string posted = "....!", late = "....!";
  second.receive(posted.data(), 4, 1, all_bits, receiving(told));
  send(1, "12345");
  send(2, "12345");
  progress();
  second.receive(late.data(), 4, 2, all_bits, receiving(told));
  progress();
  ASSERT_EQ(told.received.size(), 2U);
  for (const auto& received : told.received) {
    EXPECT_EQ(received.status, UCS_ERR_MESSAGE_TRUNCATED);
    EXPECT_EQ(received.length, 5U);
  }
  EXPECT_EQ(posted.back(), '!');
  EXPECT_EQ(late.back(), '!');
}

TEST_F(UcpWorkers, ProbeWithoutTakingThenTakeOut) {
  send(9, "letter");
  progress();
  ucp_tag_recv_info_t info{};
  EXPECT_FALSE(second.probe(8, all_bits, nullptr, info));
  EXPECT_TRUE(second.probe(9, all_bits, nullptr, info));
  EXPECT_EQ(info.length, 6U);
  std::unique_ptr<Letter> found;
  EXPECT_TRUE(second.probe(9, all_bits, &found, info));
  EXPECT_FALSE(second.probe(9, all_bits, nullptr, info));
  std::string text(6, '.');
  second.receive(std::move(found), text.data(), 6, receiving(told));
  progress();
  EXPECT_EQ(text, "letter");
}

TEST_F(UcpWorkers, CompleteASynchronousSendOnlyWhenItIsReceived) {
  void* const request = first.send(1, LetterKind::wants_receipt, 4, bytes("now"), sending(told));
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(static_cast<Area*>(request)->initialised, 1);
  progress();
  EXPECT_EQ(UcpRequest::of(request).status(), UCS_INPROGRESS);
  std::string text(3, '.');
  second.receive(text.data(), 3, 4, all_bits, receiving(told));
  progress();
  EXPECT_EQ(UcpRequest::of(request).status(), UCS_OK);
  EXPECT_EQ(told.sent.size(), 1U);
  first.release(UcpRequest::of(request), false);
}

TEST_F(UcpWorkers, SendToThemselves) {
  std::string text(4, '.');
  first.receive(text.data(), 4, 4, all_bits, receiving(told));
  void* const request = first.send(0, LetterKind::wants_receipt, 4, bytes("self"), sending(told));
  progress();
  EXPECT_EQ(text, "self");
  EXPECT_EQ(UcpRequest::of(request).status(), UCS_OK);
}

TEST_F(UcpWorkers, CancelAReceiveThatNothingHasMatched) {
  std::string text = "kept";
  void* const request = second.receive(text.data(), 4, 4, all_bits, receiving(told));
  second.cancel(UcpRequest::of(request));
  send(4, "late");
  progress();
  ASSERT_EQ(told.received.size(), 1U);
  EXPECT_EQ(told.received[0].status, UCS_ERR_CANCELED);
  EXPECT_EQ(text, "kept");
  second.cancel(UcpRequest::of(request));  // it is over: nothing happens any more
  progress();
  EXPECT_EQ(told.received.size(), 1U);
}

TEST_F(UcpWorkers, TellOfReleasedRequestsButNotOfFreedOnes) {
  std::string one(1, '.'), two(1, '.');
  second.release(UcpRequest::of(second.receive(one.data(), 1, 1, all_bits, receiving(told))), false);
  second.release(UcpRequest::of(second.receive(two.data(), 1, 2, all_bits, receiving(told))), true);
  send(1, "a");
  send(2, "b");
  progress();
  EXPECT_EQ(one + two, "ab");
  ASSERT_EQ(told.received.size(), 1U);
  EXPECT_EQ(told.received[0].tag, 1U);
}

TEST_F(UcpWorkers, RefuseRequestsInTheCallersMemory) {
  ucp_request_param_t how = sending(told);
  how.op_attr_mask |= UCP_OP_ATTR_FIELD_REQUEST;
  how.request = &told;
  EXPECT_EQ(UCS_PTR_STATUS(first.send(1, LetterKind::tagged, 1, {}, how)), UCS_ERR_INVALID_PARAM);
  how.cb.recv = receiving(told).cb.recv;
  EXPECT_EQ(UCS_PTR_STATUS(second.receive(nullptr, 0, 1, all_bits, how)), UCS_ERR_INVALID_PARAM);
}

TEST_F(UcpWorkers, CallHandlersAlsoThoseThatAnswerAndAskForProgressThemselves) {
  struct Both {
    UcpWorker* worker;
    int to;
    std::vector<int> seen;
  };
  Both here{&first, 1, {}}, there{&second, 0, {}};
  const auto handler = [](void* argument, void* data, std::size_t length, ucp_ep_h, unsigned) {
    auto& own = *static_cast<Both*>(argument);
    int number = 0;
    EXPECT_EQ(length, sizeof number);
    std::memcpy(&number, data, sizeof number);
    own.seen.push_back(number);
    std::vector<std::byte> answer(sizeof number);
    if (own.to == 0) {
      std::memcpy(answer.data(), data, length);
      own.worker->send(own.to, LetterKind::active, 5, answer, ucp_request_param_t{});
    }
    own.worker->progress();  // brings the next ones, in order
    return UCS_OK;
  };
  first.handle(5, handler, &here);
  second.handle(5, handler, &there);
  std::vector<int> numbers;
  for (int number = 0; number < 5; ++number) {
    numbers.push_back(number);
    std::vector<std::byte> data(sizeof number);
    std::memcpy(data.data(), &number, sizeof number);
    first.send(1, LetterKind::active, 5, std::move(data), ucp_request_param_t{});
  }
  progress();
  EXPECT_EQ(there.seen, numbers);
  EXPECT_EQ(here.seen, numbers);
}

/// What a handler that takes a header has been given.
struct Headed {
  std::vector<std::string> headers, contents;
};

ucs_status_t note_headed(void* argument, const void* header, std::size_t header_length, void* data,
                         std::size_t length, const ucp_am_recv_param_t* about) {
  auto& headed = *static_cast<Headed*>(argument);
  headed.headers.emplace_back(static_cast<const char*>(header), header_length);
  headed.contents.emplace_back(static_cast<const char*>(data), length);
  EXPECT_EQ(about->recv_attr & (UCP_AM_RECV_ATTR_FLAG_RNDV | UCP_AM_RECV_ATTR_FLAG_DATA), 0U);
  return UCS_OK;
}

TEST_F(UcpWorkers, GiveHandlersHeaderAndDataApart) {
  Headed headed;
  second.handle_with_header(6, note_headed, &headed);
  const std::string long_one(100'000, 'x');  // of several datagrams
  const std::vector<std::pair<std::string, std::string>> messages{
      {"head", "data"}, {"", "only data"}, {"only head", ""}, {"", ""}, {"head of", long_one}};
  std::vector<std::string> headers, contents;
  for (const auto& [header, content] : messages) {
    const auto head = bytes(header), data = bytes(content);
    first.send(1, LetterKind::active_with_header, 6, with_header({head, data}), ucp_request_param_t{});
    headers.push_back(header);
    contents.push_back(content);
  }
  while (headed.headers.size() < messages.size()) progress();
  EXPECT_EQ(headed.headers, headers);
  EXPECT_EQ(headed.contents, contents);
}

TEST_F(UcpWorkers, DropActiveMessagesForNobodyOfAnotherKindOrWithoutTheirHeader) {
  Headed headed;
  second.handle_with_header(6, note_headed, &headed);
  const auto head = bytes("head");
  first.send(1, LetterKind::active_with_header, 7, with_header({head, {}}), ucp_request_param_t{});
  first.send(1, LetterKind::active, 6, bytes("without a header"), ucp_request_param_t{});
  first.send(1, LetterKind::active_with_header, 6, bytes("short"), ucp_request_param_t{});
  std::vector<std::byte> cut = with_header({head, {}});
  cut.pop_back();
  first.send(1, LetterKind::active_with_header, 6, std::move(cut), ucp_request_param_t{});
  first.send(1, LetterKind::active_with_header, 6, with_header({head, {}}), ucp_request_param_t{});
  progress();
  EXPECT_EQ(headed.headers, std::vector<std::string>{"head"});
}

TEST_F(UcpWorkers, ExchangeMoreThanTheirSocketsHoldWithoutADeadlockAndFlush) {
  constexpr std::size_t count = 200, length = 40'000;
  std::vector<std::string> got(2 * count, std::string(length, '.'));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text(length, static_cast<char>('a' + i % 26));
    first.send(1, LetterKind::tagged, i, bytes(text), sending(told));
    second.send(0, LetterKind::tagged, i, bytes(text), sending(told));
  }
  void* const flush = first.flush(1, nullptr);
  ASSERT_NE(flush, nullptr);
  EXPECT_EQ(UcpRequest::of(flush).status(), UCS_INPROGRESS);
  EXPECT_EQ(first.flush(7, nullptr), nullptr) << "nothing is on its way there";
  for (std::size_t i = 0; i < count; ++i) {
    first.receive(got[i].data(), length, i, all_bits, receiving(told));
    second.receive(got[count + i].data(), length, i, all_bits, receiving(told));
  }
  while (told.received.size() < 2 * count) progress();
  for (std::size_t i = 0; i < 2 * count; ++i)
    EXPECT_EQ(got[i], std::string(length, static_cast<char>('a' + i % count % 26))) << i;
  EXPECT_EQ(UcpRequest::of(flush).status(), UCS_OK);
  EXPECT_EQ(first.flush(UcpWorker::any_rank, nullptr), nullptr);
}

TEST(UcpData, PacksAndUnpacksPieces) {
  std::string left = "ab", right = "cde";
  ucp_dt_iov_t pieces[] = {{left.data(), 2}, {right.data(), 3}};
  const auto data = pack(pieces, 2, UCP_DATATYPE_IOV);
  EXPECT_EQ(data, bytes("abcde"));
  EXPECT_EQ(unpack(bytes("123"), pieces, 2, UCP_DATATYPE_IOV), UCS_OK);
  EXPECT_EQ(left + right, "123de");
  EXPECT_EQ(unpack(bytes("123456"), pieces, 2, UCP_DATATYPE_IOV), UCS_ERR_MESSAGE_TRUNCATED);
}

/// An owner's type that sends each byte of its buffer plus one, in steps of at most two bytes.
UcpOwnersType plus_one() {
  struct State {
    char* buffer;
    std::size_t count;
  };
  UcpOwnersType type{};
  type.does.start_pack = [](void*, const void* buffer, std::size_t count) -> void* {
    return new State{static_cast<char*>(const_cast<void*>(buffer)), count};
  };
  type.does.start_unpack = [](void*, void* buffer, std::size_t count) -> void* {
    return new State{static_cast<char*>(buffer), count};
  };
  type.does.packed_size = [](void* state) { return static_cast<State*>(state)->count; };
  type.does.pack = [](void* state, std::size_t offset, void* to, std::size_t room) {
    const std::size_t size = std::min<std::size_t>(2, room);
    for (std::size_t i = 0; i < size; ++i)
      static_cast<char*>(to)[i] = static_cast<char>(static_cast<State*>(state)->buffer[offset + i] + 1);
    return size;
  };
  type.does.unpack = [](void* state, std::size_t offset, const void* from, std::size_t size) {
    std::memcpy(static_cast<State*>(state)->buffer + offset, from, size);
    return UCS_OK;
  };
  type.does.finish = [](void* state) { delete static_cast<State*>(state); };
  return type;
}

TEST(UcpData, LetsAnOwnerPackInSteps) {
  UcpOwnersType type = plus_one();
  std::string text = "abcde", got = ".....";
  const auto data = pack(text.data(), text.size(), handle_of(&type));
  EXPECT_EQ(data, bytes("bcdef"));
  EXPECT_EQ(unpack(data, got.data(), 5, handle_of(&type)), UCS_OK);
  EXPECT_EQ(got, "bcdef");
  EXPECT_EQ(unpack(data, got.data(), 4, handle_of(&type)), UCS_ERR_MESSAGE_TRUNCATED);
}

}  // namespace
}  // namespace morgana::mpi::emulated
