#pragma once

#include <string>

#include "experiments/laboratory.h"

namespace morgana::atm_services_paper {

/// What carries a task's data.
enum class Service {
  ubr,          ///< PC-AAL over UBR alone
  abr,          ///< PC-AAL over ABR alone
  switching,    ///< UBR, or ABR while latency is high
  duplicating,  ///< UBR, and ABR as well while latency is high
};
inline constexpr bool has_engine(Service service) {
  return service == Service::switching || service == Service::duplicating;
}
/// For rows' names: "ubr".
std::string word_of(Service service);
/// For people: "UBR only".
std::string to_text(Service service);

/// One setting of section 6.2.
struct Point {
  std::string program = "pde1";
  Service service = Service::ubr;
  int load = 80;            ///< rho, in per cent of the bottleneck link
  double peak_mbps = 50;    ///< of ABR
  double minimum_mbps = 0;  ///< of ABR
  /// Whether the 12.5 us of an interrupt (Table 6.3) hold up the next cell. Else they delay each cell alone:
  /// a host that worked so long on each would take cells slower than another sends them.
  bool interrupts_hold_up = false;
};

// Workloads: what one task of a program sends, receives left out (section 6.2.1).
/// 8192 bytes every 381.25 ms: of PDE1's 5600 long messages (Table A.1) what falls to each of five tasks in
/// the 427 s of Table 2.2.
inline constexpr double interval_of_pde1 = 5 * 427.0 / 5600;  // seconds
/// PDE2 is a multigrid solver: its messages have 5, 9, ... 257 doubles in the order of a W-cycle, so that
/// their mean is 121 bytes and their median 40 (Table A.1: 116.8 and 40). A cycle, 575 cells, lasts as long
/// as gives the 280 kb/s of Table 6.6.
inline constexpr double cycle_of_pde2 = 575 * 424 / 280e3;  // seconds
/// One long message that takes all it can get.
inline const char* const greedy = "greedy";

/// One data source, ten background sources, one bottleneck link: the switch's to the receiving host. Each
/// background source is ON half of the time, 0.3 s on average, at twice its mean rate, and silent else; every
/// second one is ABR, the others UBR.
Condition loaded(const Point& point);
/// Section 6.2.1's second test: an ABR source of 80 Mb/s among UBR sources that always send, together half of
/// the link. @param interval  over which ERICA measures, in cells
Condition fair_share(int others, int interval);

/// Figures: those of every run, latency_s (of whole messages), cell_latency_s (of each cell of data, from
/// when the task has sent its message until it has come in order), loss (share of the task's cells), and in
/// kb/s what the task's connections and those for feedback to it carried: ubr_kbps, abr_kbps (resource
/// management cells included), vbr_kbps. With an engine, abr_share, of the cells of data: switching of those
/// sent, duplicating, where some are sent twice, of those there are.
/// @param seconds  for which the task sends
RunOutcome play_pde1(const Condition& condition, const Platform& platform, std::uint64_t seed,
                     double seconds);
RunOutcome play_pde2(const Condition& condition, const Platform& platform, std::uint64_t seed,
                     double seconds);
RunOutcome play_greedy(const Platform& platform, std::uint64_t seed, double megabytes);

}  // namespace morgana::atm_services_paper
