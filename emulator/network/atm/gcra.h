#pragma once

#include <cstdint>
#include <optional>

#include "emulator/core/time.h"
#include "emulator/network/atm/pacer.h"

namespace morgana::atm {

/// The generic cell rate algorithm, as virtual scheduling: whether cells conform to a rate. Times in
/// picoseconds.
///
/// Source: ITU-T I.371, 1996, annex A (ATM Forum, Traffic Management Specification 4.0, 1996, 4.4.2).
class Gcra {
 public:
  /// @param increment  T, the time of one cell at the rate, > 0 @param limit tau, the tolerance, >= 0
  Gcra(std::int64_t increment, std::int64_t limit) : increment_(increment), limit_(limit) {}
  /// The earliest time at which a cell conforms.
  std::int64_t next() const { return started_ ? theoretical_ - limit_ : 0; }
  bool conforms(std::int64_t at) const { return at >= next(); }
  /// A cell that conforms comes at `at`.
  void take(std::int64_t at) {
    theoretical_ = (started_ && theoretical_ > at ? theoretical_ : at) + increment_;
    started_ = true;
  }

 private:
  std::int64_t increment_, limit_;
  std::int64_t theoretical_ = 0;  ///< TAT
  bool started_ = false;
};

/// What a CBR or VBR connection has agreed on: its peak rate and, for VBR, the rate that it may sustain and
/// the cells that may come in a burst at the peak rate. Rates in cells a second.
struct RateContract {
  double peak = 0;          ///< PCR, > 0
  double sustainable = 0;   ///< SCR; 0: none is agreed on
  std::uint32_t burst = 1;  ///< MBS, cells, at least 1
  SimTime tolerance;        ///< CDVT, of the peak rate

  /// @throws Error if one is out of range
  void check() const;
};

/// The one or two algorithms of a contract. A cell conforms if it conforms to both, and changes the state of
/// neither if it does not. The burst tolerance is (MBS - 1) (1/SCR - 1/PCR), 1/PCR and 1/SCR are rounded up
/// to whole picoseconds.
class RateConformance {
 public:
  /// @throws Error as RateContract::check
  explicit RateConformance(const RateContract& contract);
  std::int64_t next() const;
  bool conforms(std::int64_t at) const { return at >= next(); }
  void take(std::int64_t at);

 private:
  Gcra peak_;
  std::optional<Gcra> sustainable_;
};

/// A source that keeps to its contract: each cell goes as soon as it conforms.
class Shaper final : public Pacer {
 public:
  explicit Shaper(const RateContract& contract) : conformance_(contract), peak_(contract.peak) {}
  std::int64_t next() const override { return conformance_.next(); }
  std::optional<ResourceCell> send(std::int64_t now) override {
    conformance_.take(now);
    return std::nullopt;
  }
  double allowed_rate() const override { return peak_; }

 private:
  RateConformance conformance_;
  double peak_;
};

}  // namespace morgana::atm
