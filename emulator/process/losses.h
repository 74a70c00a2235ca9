#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// A message that an unreliable transport has lost.
struct LostMessage {
  std::string what;  ///< "message", or which part of a rendezvous
  Rank from, to;
  Tag tag;
  Bytes bytes;
  SimTime at;
  std::string where;  ///< as the transport tells it; may be empty
};

/// What a run has lost: the number of messages, and of the first of them everything.
class Losses {
 public:
  void add(const LostMessage& message);
  /// Of which no more is known.
  void add() { ++count_; }
  std::uint64_t count() const { return count_; }
  /// A sentence, and a line for each of the first messages. Empty if nothing is lost.
  /// @param remedy  how to lose nothing, as the transport tells it; may be empty
  std::string report(const std::string& remedy) const;

 private:
  std::uint64_t count_ = 0;
  std::vector<LostMessage> first_;
};

}  // namespace morgana
