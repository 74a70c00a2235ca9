#include "tests/replay/streaming_program.h"

#include <algorithm>
#include <string>

namespace morgana::testing {
namespace {

constexpr std::int64_t longest = 60'000;  // more than a switch's buffer of 1,000 cells holds
// Parts of bytes are short: where no cell holds more than one element each of their bytes takes a cell.
constexpr std::int64_t most_bytes_of_a_part = 64;
constexpr std::int32_t type_byte = 1, type_double = 6;  // as pvm3.h numbers them
constexpr std::int64_t double_size = 8;

std::int64_t up_to(RandomStream& random, std::int64_t most) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
}

}  // namespace

StreamingProgram::StreamingProgram(std::uint64_t seed, std::size_t ranks, int rounds) {
  for (std::size_t i = 0; i < ranks; ++i)
    ranks_.push_back({RandomStream(seed, "rank " + std::to_string(i)), rounds, Step::send, 0, {}, {}});
}

void StreamingProgram::prepare_send(std::size_t rank, Operation& operation) {
  RandomStream& random = ranks_[rank].random;
  operation.kind = OperationKind::send;
  operation.call = Call::pvm_send;
  operation.mode = SendMode::buffered;
  operation.peer = Rank(static_cast<std::int32_t>((rank + 1) % ranks_.size()));
  operation.tag = Tag{1};
  operation.bytes = Bytes(up_to(random, longest));
  std::int64_t end = 0;
  while (end < operation.bytes.count()) {
    const std::int64_t rest = operation.bytes.count() - end;
    const bool doubles = rest >= double_size && random.chance(0.8);
    const std::int64_t element = doubles ? double_size : 1;
    const std::int64_t most = doubles ? rest / double_size : std::min(rest, most_bytes_of_a_part);
    const std::int64_t count = 1 + up_to(random, most - 1);
    end += count * element;
    operation.parts.push_back({doubles ? type_double : type_byte, static_cast<std::int32_t>(count), end});
  }
}

void StreamingProgram::prepare_part(State& state, Operation& operation) {
  ++parts_;
  operation.kind = OperationKind::wait_part;
  operation.wants_answer = true;
  operation.request = state.message.request;
  if (state.random.chance(0.1)) {  // pvm_freebuf
    operation.call = Call::pvm_freebuf;
    state.message.coming = Bytes();
  } else {
    operation.call = Call::pvm_upkbyte;
    operation.bytes = state.message.bytes - state.message.coming;
    operation.bytes += Bytes(1 + up_to(state.random, state.message.coming.count() - 1));
  }
}

bool StreamingProgram::next(Rank rank, Operation& operation) {
  State& state = ranks_[index(rank)];
  operation = Operation();
  operation.elapsed = SimTime::from_ps(up_to(state.random, 2'000'000'000));
  if (state.step == Step::part && state.message.coming == Bytes()) {
    --state.rounds;
    state.step = Step::send;
  }
  if (state.rounds == 0) {
    operation.kind = OperationKind::exit;
    return true;
  }
  switch (state.step) {
    case Step::send:
      prepare_send(index(rank), operation);
      operation.part = CallPart::first;
      operation.request = RequestId{++state.requests};
      state.step = Step::sent;
      break;
    case Step::receive:
      operation.kind = OperationKind::receive;
      operation.call = Call::pvm_recv;
      operation.part = CallPart::first;
      operation.request = RequestId{++state.requests};
      operation.streamed = true;
      state.step = Step::wait;
      break;
    case Step::sent:
    case Step::wait:
      operation.kind = OperationKind::wait;
      operation.call = state.step == Step::sent ? Call::pvm_send : Call::pvm_recv;
      operation.part = CallPart::last;
      operation.elapsed = SimTime();
      operation.requests.push_back(RequestId{state.requests});
      operation.wants_answer = state.step == Step::wait;
      state.step = state.step == Step::sent ? Step::receive : Step::part;
      break;
    case Step::part:
      prepare_part(state, operation);
      break;
  }
  return true;
}

void StreamingProgram::answer(Rank rank, const Answer& answer) {
  if (!answer.completed.empty()) ranks_[index(rank)].message = answer.completed.front();
}

}  // namespace morgana::testing
