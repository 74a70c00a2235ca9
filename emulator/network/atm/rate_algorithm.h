#pragma once

#include <cstdint>
#include <memory>

#include "emulator/core/time.h"
#include "emulator/network/atm/resource_cell.h"

namespace morgana::atm {

/// How a switch's output controls the rates of ABR sources.
enum class AbrFeedback : std::uint8_t {
  none,   ///< not at all: ABR connections send as UBR connections do
  efci,   ///< data cells that find a long queue are marked (EFCI), and the source gets CI
  erica,  ///< explicit rate indication for congestion avoidance
  eprca,  ///< enhanced proportional rate control
  capc,   ///< congestion avoidance using proportional control
};

/// The parameters of all algorithms. Each algorithm uses those that its name stands at.
struct FeedbackParameters {
  AbrFeedback algorithm = AbrFeedback::none;
  double utilisation = 0.9;     ///< ERICA, CAPC: the target load, as a share of the link's rate; > 0, <= 1
  std::uint32_t interval = 30;  ///< ERICA: length of a measurement, in cells offered to the output; >= 1
  SimTime averaging_time = SimTime::from_ps(1'000'000'000);  ///< CAPC: length of a measurement, > 0 (1 ms)
  std::int64_t congested = 100;  ///< EFCI, EPRCA, CAPC: cells in a congested queue, at least this many; >= 1
  std::int64_t very_congested = 1000;  ///< EPRCA: the same of a queue that lowers all rates; >= congested

  /// @throws Error if a parameter is out of range
  void check() const;
};

/// The source of a cell that is offered to an output.
struct CellSource {
  bool background = false;   ///< a background source of the switch; false: a connection
  std::uint32_t number = 0;  ///< of that background source or connection
  bool guaranteed = false;   ///< CBR or VBR, whose bandwidth is reserved; false: it competes for the rest
  bool returning = false;    ///< a backward resource management cell, which is no demand of its source
};

/// The ABR algorithm of one output of a switch. `now` is in picoseconds and never descends. Rates are in
/// cells a second. `queue` is the cells that wait at the output, without the one in transmission. A resource
/// management (RM) cell is first reported by offered() like any cell, then by forward() or backward().
class RateAlgorithm {
 public:
  virtual ~RateAlgorithm() = default;
  /// A cell is offered to the output. It may be lost afterwards if the buffer is full.
  virtual void offered(std::int64_t /*now*/, const CellSource& /*source*/) {}
  /// A forward RM cell of an ABR connection is offered to the output.
  virtual void forward(std::uint32_t /*connection*/, const ResourceCell& /*cell*/, std::int64_t /*queue*/) {}
  /// An RM cell on its way back to its source passes the switch. The data of its connection leave by this
  /// output.
  /// @param connection  the forward connection
  /// @param cell  the algorithm may lower its explicit rate and set its congestion bits
  virtual void backward(std::int64_t now, std::uint32_t connection, ResourceCell& cell,
                        std::int64_t queue) = 0;
  /// Whether a data cell that is offered to a queue of that length is marked (EFCI).
  virtual bool marks(std::int64_t /*queue*/) const { return false; }
};

/// Makes the algorithm of an output. @param link  the rate of the output's link, in cells a second
/// @return null for AbrFeedback::none
std::unique_ptr<RateAlgorithm> make_rate_algorithm(const FeedbackParameters& parameters, double link);

}  // namespace morgana::atm
