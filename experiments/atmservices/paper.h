#pragma once

#include <array>
#include <string_view>

/// What J. Vila i Sallent, A Network Architecture for Supporting Parallel Computing over ATM, 1997, printed
/// in Tables 6.5 to 6.7.
namespace morgana::atm_services_paper {

/// A task's bandwidth with an ECE, kb/s.
struct EceBandwidth {
  double ubr, abr, total, vbr;
};
struct Bandwidth {
  std::string_view program;
  int load;  ///< rho, in per cent
  double ubr_only, abr_only;
  EceBandwidth switching, duplicating;
};
inline constexpr std::array<Bandwidth, 4> bandwidths{{
    {"pde1", 70, 266.4, 275.0, {154.0, 122.0, 276.0, 5.0}, {253.9, 69.1, 322.0, 7.1}},
    {"pde1", 105, 266.4, 275.0, {88.9, 190.2, 279.1, 5.1}, {215.4, 140.1, 355.5, 5.5}},
    {"pde2", 65, 280.0, 289.0, {216.0, 107.6, 323.6, 7.1}, {310.9, 105.1, 416.0, 11.2}},
    {"pde2", 105, 279.0, 289.0, {103.6, 224.5, 328.1, 6.0}, {248.9, 222.0, 470.9, 7.9}},
}};

/// Radius of the latency's 90 % interval at rho 0.8, ten samples, in per cent of the mean.
struct Radius {
  std::string_view program;
  double ubr_only, abr_only, duplicating;
};
inline constexpr std::array<Radius, 2> radii{{{"pde1", 11.42, 13.05, 10.80}, {"pde2", 15.77, 10.34, 11.20}}};

}  // namespace morgana::atm_services_paper
