#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/atm/background.h"
#include "emulator/network/atm/block_source.h"
#include "emulator/network/atm/inputs.h"
#include "emulator/network/atm/rate_algorithm.h"
#include "emulator/network/cells.h"

namespace morgana::atm {

/// What becomes of cells when buffers fill. Source: the ATM paper, 1.4 and chapter 6.
enum class DropPolicy : std::uint8_t {
  tail,  ///< a cell that finds the buffer full is lost
  ppd,   ///< partial packet discard: then also the rest of its packet, but not the last cell
  epd,   ///< early packet discard: ppd, and a packet whose first cell finds more than a threshold of cells
         ///< is refused as a whole (a packet begins after a cell that is marked as a packet's end)
  push_out,  ///< output queues know priorities, and a cell that can't be evicted takes the place of the
             ///< youngest that can
};

struct SwitchParameters {
  SimTime delay;            ///< from a cell's last bit to its output's queue, the same for all
  std::int64_t buffer = 0;  ///< cells, shared by all outputs, those in transmission counted; 0: infinite
  DropPolicy policy = DropPolicy::tail;
  std::int64_t epd_threshold = 0;    ///< cells; 0: half the buffer
  std::int64_t estimate_buffer = 0;  ///< counts arrivals that find this many cells, without dropping; 0: off
  BackgroundTraffic background;
  /// Of the background's sources where priorities count: the first source has the first one and so on, over
  /// and over; at least one.
  std::vector<ServiceCategory> background_categories{ServiceCategory::ubr};
  FeedbackParameters feedback;  ///< of outputs that know priorities
  BlockParameters blocks;       ///< same
};

/// What an output has done up to a time.
struct OutputCounters {
  std::uint64_t cells_in = 0;         ///< of connections, offered
  std::uint64_t cells_lost = 0;       ///< of connections
  std::uint64_t background_in = 0;    ///< copies offered
  std::uint64_t background_lost = 0;  ///< of these
  double queue_seconds = 0;           ///< sum over cells of their time here, the transmission counted
  std::int64_t longest_queue = 0;     ///< cells, the one in transmission counted
  double busy_seconds = 0;            ///< of transmission
  double seconds = 0;                 ///< that all this took
  SimTime queued;                     ///< how long it takes to send all that is here at that time
  double mean_queue() const { return seconds > 0 ? queue_seconds / seconds : 0; }
  double utilisation() const { return seconds > 0 ? busy_seconds / seconds : 0; }
};

struct Fabric;

/// A switch, worked out up to whatever time is asked for: nothing of it stands in the event queue. Cells of
/// connections wait at its inputs, with the time at which they will be offered to their output; among those
/// offered at the same time background comes first, then the inputs in their order.
class Switch {
 public:
  Switch(SimTime delay, std::size_t inputs) : inputs_(inputs), delay_(delay.ps()) {}
  virtual ~Switch() = default;
  Inputs& inputs() { return inputs_; }
  std::int64_t delay() const { return delay_; }
  /// When something happens next that may send on or lose a cell of a connection;
  /// `never` if there is none.
  virtual std::int64_t earliest() const = 0;
  /// Does all that happens before `bound`. All that will be offered before it must be at the inputs.
  virtual void advance(Fabric& fabric, std::int64_t bound) = 0;
  /// Whatever is offered to an output from now on, its transmission won't begin before this.
  virtual std::int64_t free_from(std::uint32_t /*output*/) const { return 0; }
  /// A connection with a contract was set up through an output. @param rate  in cells a second
  virtual void commit(std::uint32_t /*output*/, double /*rate*/) {}
  /// Background included, up to `now`, up to which it must have been advanced.
  virtual std::vector<OutputCounters> counters(SimTime now) = 0;
  /// Cells of connections that came here, and those that a finite buffer would have lost.
  std::uint64_t cells_seen() const { return cells_seen_; }
  std::uint64_t estimated_lost() const { return estimated_lost_; }

 protected:
  Inputs inputs_;
  std::int64_t delay_;
  std::uint64_t cells_seen_ = 0, estimated_lost_ = 0;
};

}  // namespace morgana::atm
