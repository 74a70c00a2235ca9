#pragma once

#include <cstdint>
#include <memory>

#include "emulator/core/time.h"
#include "emulator/network/atm/resource_cell.h"

namespace morgana::atm {

/// How an output tells ABR sources what they may send.
enum class AbrFeedback : std::uint8_t {
  none,   ///< no ABR: its connections send as UBR's do
  efci,   ///< cells of data are marked where the queue is long; CI comes back
  erica,  ///< explicit rate indication for congestion avoidance
  eprca,  ///< enhanced proportional rate control
  capc,   ///< congestion avoidance using proportional control
};

struct FeedbackParameters {
  AbrFeedback algorithm = AbrFeedback::none;
  double utilisation = 0.9;     ///< of the link that ERICA and CAPC aim at; above 0, at most 1
  std::uint32_t interval = 30;  ///< cells offered to the output, over which ERICA measures; at least 1
  SimTime averaging_time = SimTime::from_ps(1'000'000'000);  ///< over which CAPC measures; > 0
  std::int64_t congested = 100;  ///< cells in the queue from which on EFCI, EPRCA and CAPC see congestion
  std::int64_t very_congested = 1000;  ///< the same, from which on EPRCA lowers all rates

  /// @throws Error if one is out of range
  void check() const;
};

/// Who sent a cell that an output has been offered.
struct CellSource {
  bool background = false;   ///< one of the switch's background sources; else a connection
  std::uint32_t number = 0;  ///< of the source or the connection
  bool guaranteed = false;   ///< CBR or VBR, which take capacity away; else it competes for it
  bool returning = false;    ///< a resource management cell on its way back, which no source wants to send
};

/// What an output does for ABR. Times in picoseconds, rates in cells a second, queues in cells without the
/// one in transmission. Resource management cells are cells, too, and offered() first.
class RateAlgorithm {
 public:
  virtual ~RateAlgorithm() = default;
  /// A cell is offered to the output, whether or not it finds room.
  virtual void offered(std::int64_t /*now*/, const CellSource& /*source*/) {}
  /// A resource management cell goes forward through the output.
  virtual void forward(std::uint32_t /*connection*/, const ResourceCell& /*cell*/, std::int64_t /*queue*/) {}
  /// The resource management cell of a connection whose data pass the output comes back.
  virtual void backward(std::int64_t now, std::uint32_t connection, ResourceCell& cell,
                        std::int64_t queue) = 0;
  /// Whether cells of data that find such a queue are marked (EFCI).
  virtual bool marks(std::int64_t /*queue*/) const { return false; }
};

/// One for an output. @param link  its rate @return nothing for AbrFeedback::none
std::unique_ptr<RateAlgorithm> make_rate_algorithm(const FeedbackParameters& parameters, double link);

}  // namespace morgana::atm
