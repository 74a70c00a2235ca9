#pragma once

#include <bit>
#include <cstdint>

#include "emulator/operations/operation.h"
#include "traces/otf2/attributes.h"

namespace morgana {

/// One record of a trace that says something of a rank's communication.
struct TraceRecord {
  enum class Kind : std::uint8_t {
    enter,  ///< of a call: region
    leave,
    send,             ///< blocking: peer, communicator, tag, bytes
    isend,            ///< the same and request
    isend_complete,   ///< request
    receive,          ///< blocking: peer, communicator, tag, bytes, capacity
    ireceive_posted,  ///< request; the rest is known when `resolved`
    ireceive,         ///< completed: peer, communicator, tag, bytes, request
    request_test,     ///< request has not completed
    request_cancelled,
    collective,         ///< ended: communicator, collective, root, sent (bytes), received (capacity)
    icollective_begun,  ///< request; the rest is known when `resolved`
    icollective,        ///< completed: as collective, and request
    request_completed,  ///< of one of our operations: request
    program_end,
    operation,  ///< begins one of our operations: `operation`
    one_sided,  ///< some access to another rank's memory: written (bytes), brought back (capacity)
  };
  Kind kind = Kind::enter;
  std::uint8_t collective = 0;     ///< OTF2_CollectiveOp
  bool resolved = false;           ///< posted: what the completion says has been filled in
  bool cancelled = false;          ///< posted: it will be cancelled
  std::uint32_t region = 0;        ///< reference
  std::uint32_t communicator = 0;  ///< reference
  Rank peer = any_rank;
  Tag tag = any_tag;
  std::uint32_t root = 0;  ///< member of the communicator, or one of OTF2_CollectiveRoot
  OperationKind operation = OperationKind::nothing;
  std::uint32_t present = 0;  ///< its attributes, as in TraceExtras
  SimTime time;               ///< since the trace's begin
  Bytes bytes, room;
  std::uint64_t request = 0;
  std::uint64_t number = 0;  ///< of the record in its location, from 1
  std::uint64_t extras = 0;  ///< where its attributes' values stand, from 1; 0 if it has none
};
static_assert(static_cast<unsigned>(Attribute::count_) <= 32);

/// The attributes of a record: which there are, a bit for each by Attribute's number, and their values in
/// that order. A view of what LocationReader keeps.
struct TraceExtras {
  std::uint32_t present = 0;
  const std::int64_t* values = nullptr;

  bool has(Attribute attribute) const { return (present >> static_cast<unsigned>(attribute) & 1) != 0; }
  /// 0 if there is none.
  std::int64_t operator[](Attribute attribute) const {
    if (!has(attribute)) return 0;
    const std::uint32_t before = present & ((1U << static_cast<unsigned>(attribute)) - 1);
    return values[std::popcount(before)];
  }
};

/// What an access of ours has moved. @param extras  of the record that begins it
inline Bytes accessed_bytes(const TraceExtras& extras) {
  return Bytes(extras[Attribute::bytes]) + Bytes(extras[Attribute::reply]);
}

}  // namespace morgana
