#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/atm/pacer.h"

namespace morgana::atm {

/// An ABR source's parameters from connection set-up, with the standard's names; the defaults are the
/// standard's.
struct AbrParameters {
  BitRate peak{0};         ///< PCR; 0: the rate of the host's link
  BitRate minimum{0};      ///< MCR
  BitRate initial{0};      ///< ICR; 0: PCR
  std::uint32_t nrm = 32;  ///< one resource management cell in so many, at most; 2 to 256
  SimTime trm = SimTime::from_ps(100'000'000'000);   ///< after so long, one in three cells is one
  SimTime adtf = SimTime::from_ps(500'000'000'000);  ///< without one for so long the rate falls to ICR
  double increase = 1.0 / 16;                        ///< RIF, of PCR; above 0, at most 1
  double decrease = 1.0 / 16;                        ///< RDF, of the rate; 0 to 1
  std::uint32_t missing = 524'288;  ///< CRM: so many unanswered ones and the rate falls; at least 1
  double cutoff = 1.0 / 16;         ///< CDF, of the rate, for each more; 0 to 1

  /// @throws Error if one is out of range
  void check() const;
};

/// The source of an ABR connection: the rules of the ATM Forum's specification for when a cell may go, which
/// one is for resource management, and how the allowed cell rate (ACR) follows what comes back. A cell goes
/// 1/ACR after the one before, in whole picoseconds, rounded up; a change of rate counts from the next cell
/// on.
///
/// Source: ATM Forum, Traffic Management Specification 4.0, 1996, 5.10.4, rules 1 to 11; while ACR is below
/// TCR (10 cells a second) only resource management cells go, at TCR.
class AbrSource final : public Pacer {
 public:
  /// @param link  the host's, in cells a second @throws Error as AbrParameters::check
  AbrSource(const AbrParameters& parameters, double link);
  std::int64_t next() const override;
  std::optional<ResourceCell> send(std::int64_t now) override;
  void take(const ResourceCell& backward) override;
  double allowed_rate() const override { return acr_; }

 private:
  bool forward_is_due(std::int64_t now) const;
  ResourceCell forward() const;

  AbrParameters parameters_;
  double pcr_, mcr_, icr_, acr_;
  std::int64_t last_cell_ = 0, last_forward_ = 0;
  bool sent_any_ = false, sent_forward_ = false;
  std::uint32_t since_forward_ = 0;  ///< in-rate cells after the last forward one
  std::uint32_t unanswered_ = 0;     ///< forward ones since one came back
};

}  // namespace morgana::atm
