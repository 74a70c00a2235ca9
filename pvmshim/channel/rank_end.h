#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/codec.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/ring.h"

namespace morgana {

/// What the emulator keeps of its conversation with one rank, out of the rank's reach.
class RankEnd {
 public:
  /// @param slot  of the rank, in the channel's memory
  explicit RankEnd(RankSlot& slot) : slot_(slot), operations_(slot.operations), answers_(slot.answers) {}

  RankSlot& slot() const { return slot_; }
  /// The rank's process once it has attached; what it writes there later counts no more.
  std::optional<int> pid() const;
  /// Whether it has attached since this was asked last.
  bool attaches();

  // What it says.
  /// Words that were not taken.
  bool has_words() const { return operations_.available() != 0; }
  /// Whether the last that it has said, as far as it was taken, is half an operation.
  bool is_half_said() const { return !record_.empty() && !has_words(); }
  /// Takes of its next operation what has come. @return whether it was whole, and is in `operation` now
  /// @throws MalformedRecord
  bool take(Operation& operation);
  /// Words that were taken; of an operation that has come in part, none.
  std::uint64_t known() const { return operations_.read_so_far() - record_.size(); }

  // Reports to it.
  /// Another answer follows: a rest before it proves nothing any more.
  void begin_answer() { standing_.reset(); }
  /// Writes as much as there is space for, and rings. @return what is left
  std::span<const Word> tell(std::span<const Word> words);
  bool has_room() { return answers_.free() > 0; }
  /// Whether it waits for an answer; sets it. @return what it was
  bool waits(bool now) { return std::exchange(waits_, now); }

  // How far it is.
  /// As EmulatorChannel's.
  EmulatorChannel::Rest rest();
  /// As EmulatorChannel's.
  std::optional<std::chrono::nanoseconds> computed() const;
  SimTime reached() const;

 private:
  /// How its conversation stood at a look: in words, and how it slept.
  struct Standing {
    std::uint64_t said, taken, told;
    Sleep sleep;
    std::uint32_t naps;

    bool goes_on_as(const Standing& before) const {
      return sleep.asleep() && said == before.said && taken == before.taken && told == before.told &&
             sleep == before.sleep;
    }
  };

  bool collect(std::size_t available);
  std::int64_t read_clock_page() const;

  RankSlot& slot_;
  RingReader<OperationRing> operations_;
  RingWriter<AnswerRing> answers_;
  mutable std::atomic<std::int32_t> pid_{0};
  bool has_attached_ = false;
  bool waits_ = false;                ///< for an answer
  std::vector<Word> record_;          ///< as much as has come of the next operation
  std::uint64_t told_ = 0;            ///< words of answers
  std::optional<Standing> standing_;  ///< at the first look at a rest that goes on
};

}  // namespace morgana
