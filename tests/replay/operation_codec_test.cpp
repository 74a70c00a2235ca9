#include "replay/translation/operation_codec.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"

namespace morgana {
namespace {

RecordedOperation send_of(RequestId request, Context context, Rank peer) {
  RecordedOperation recorded;
  recorded.operation.kind = OperationKind::send;
  recorded.operation.call = Call::MPI_Isend;
  recorded.operation.request = request;
  recorded.operation.context = context;
  recorded.operation.peer = peer;
  recorded.operation.tag = Tag{7};
  recorded.operation.bytes = Bytes(100);
  return recorded;
}

/// Encodes all, decodes them again and returns what has come out.
std::vector<RecordedOperation> there_and_back(const std::vector<RecordedOperation>& operations) {
  CodecState writing{5}, reading{5};
  std::vector<std::uint8_t> bytes;
  for (const RecordedOperation& operation : operations) encode(operation, writing, bytes);
  std::vector<RecordedOperation> back;
  const std::uint8_t* at = bytes.data();
  while (at != bytes.data() + bytes.size()) {
    RecordedOperation& recorded = back.emplace_back();
    decode(at, bytes.data() + bytes.size(), reading, recorded.operation, recorded);
  }
  return back;
}

TEST(OperationCodec, KeepsRequestsContextsAndPeersAtTheEndsOfTheirRanges) {
  std::vector<RecordedOperation> operations;
  const std::uint64_t one = 1;
  for (const std::uint64_t request :
       {one, (one << 60) - 1, one << 60, (one << 62) - 1, one << 62, (one << 63) - 1, private_requests + 1,
        private_requests + 70000, never_awaited_requests + 1, one + 1, std::uint64_t{0}})
    for (const Context context : {world_context, any_context, open_context(0), Context{3}})
      for (const Rank peer : {any_rank, Rank{0}, Rank{5}, Rank{65535}})
        operations.push_back(send_of(RequestId(request), context, peer));
  const std::vector<RecordedOperation> back = there_and_back(operations);
  ASSERT_EQ(back.size(), operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i)
    EXPECT_EQ(back[i].operation, operations[i].operation) << "operation " << i;
}

TEST(OperationCodec, KeepsListsOfSizes) {
  RecordedOperation recorded;
  recorded.operation.kind = OperationKind::collective;
  recorded.operation.collective.kind = CollectiveKind::alltoallv;
  recorded.operation.collective.send_sizes = {Bytes(1), Bytes(1), Bytes(0), Bytes(std::int64_t{1} << 40)};
  recorded.operation.collective.receive_sizes.assign(1000, Bytes(9));
  EXPECT_EQ(there_and_back({recorded}).at(0).operation, recorded.operation);
}

// Kind, what is unusual, one byte each for the request (one more than the last), the context, the peer (the
// next rank), the tag and the size (100, below 128): 7 bytes. Where the call is another one, that too.
TEST(OperationCodec, AMessageToANeighbourTakesSevenBytes) {
  CodecState state{5};
  std::vector<std::uint8_t> bytes;
  encode(send_of(RequestId{1}, world_context, Rank{6}), state, bytes);
  const std::size_t first = bytes.size();
  encode(send_of(RequestId{2}, world_context, Rank{6}), state, bytes);
  EXPECT_EQ(bytes.size() - first, 7);
}

TEST(OperationCodec, AnOperationThatIsCutOffIsAnError) {
  CodecState state{5};
  std::vector<std::uint8_t> bytes;
  encode(send_of(RequestId{1}, world_context, Rank{6}), state, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CodecState reading{5};
    RecordedOperation recorded;
    const std::uint8_t* at = bytes.data();
    EXPECT_THROW(decode(at, bytes.data() + size, reading, recorded.operation, recorded), Error)
        << size << " bytes";
  }
}

}  // namespace
}  // namespace morgana
