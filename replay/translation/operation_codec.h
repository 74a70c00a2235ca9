#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// Requests that a trace does not number: above all that it may number.
constexpr std::uint64_t private_requests = std::uint64_t{1} << 63;
constexpr std::uint64_t never_awaited_requests = std::uint64_t{3} << 62;

/// What the fields of a recorded operation that depend on the platform are made from.
struct RecordedPart {
  SimTime computed;                ///< before its call, without polls: to be scaled
  SimTime computed_within;         ///< in its call before it, without polls: to be scaled by itself
  std::uint32_t communicator = 0;  ///< of context_created: whose members it has, by reference
  std::int64_t host = 0;           ///< of a spawn: in the recorded run
};

/// An operation of a recorded program before it is known on which platform it is replayed.
struct RecordedOperation : RecordedPart {
  /// Every field is set but elapsed, the members of a context and the host of a spawn. Requests that the
  /// recorded program waited for and a test of the replay has found complete already are still in it.
  Operation operation;
};

/// The values that a rank's operations are encoded as differences to. The same on both sides.
struct CodecState {
  std::int32_t rank = 0;
  Call call = Call::unknown;
  std::uint64_t request = 0;  ///< the last that the trace numbers
};

/// Appends an operation: a few bytes, most numbers as varints and as differences to what came before.
void encode(const RecordedOperation& recorded, CodecState& state, std::vector<std::uint8_t>& bytes);

/// Reads the operation at `at` and moves `at` behind it. Sets the fields that its kind names;
/// `operation` keeps its storage.
/// @throws Error if it does not end before `end`, or is none
void decode(const std::uint8_t*& at, const std::uint8_t* end, CodecState& state, Operation& operation,
            RecordedPart& recorded);

}  // namespace morgana
