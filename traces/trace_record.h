#pragma once

#include <array>
#include <cstdint>

#include "emulator/operations/operation.h"
#include "traces/attributes.h"

namespace morgana {

/// One record of a trace that says something of a rank's communication.
struct TraceRecord {
  enum class Kind : std::uint8_t {
    enter,  ///< of a call: region
    leave,
    send,             ///< blocking: peer, communicator, tag, bytes
    isend,            ///< the same and request
    isend_complete,   ///< request
    receive,          ///< blocking: peer, communicator, tag, bytes, room
    ireceive_posted,  ///< request; the rest is known when `resolved`
    ireceive,         ///< completed: peer, communicator, tag, bytes, request
    request_test,     ///< request has not completed
    request_cancelled,
    collective,         ///< ended: communicator, collective, root, sent (bytes), received (room)
    icollective_begun,  ///< request; the rest is known when `resolved`
    icollective,        ///< completed: as collective, and request
    request_completed,  ///< of one of our operations: request
    program_end,
    operation,  ///< begins one of our operations: `operation`
    one_sided,  ///< some access to another rank's memory
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
  SimTime time;  ///< since the trace's begin
  Bytes bytes, room;
  std::uint64_t request = 0;
  std::uint64_t number = 0;  ///< of the record in its location, from 1
  std::uint64_t extras = 0;  ///< number of its attributes, 0 for none
};

/// The attributes of a record, by Attribute's number.
struct TraceExtras {
  std::uint32_t present = 0;
  std::array<std::int64_t, static_cast<std::size_t>(Attribute::count_)> values{};

  bool has(Attribute attribute) const { return (present >> static_cast<unsigned>(attribute) & 1) != 0; }
  std::int64_t operator[](Attribute attribute) const { return values[static_cast<std::size_t>(attribute)]; }
  void set(Attribute attribute, std::int64_t value) {
    present |= 1U << static_cast<unsigned>(attribute);
    values[static_cast<std::size_t>(attribute)] = value;
  }
};

}  // namespace morgana
