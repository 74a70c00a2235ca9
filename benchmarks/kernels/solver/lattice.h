#pragma once

#include <array>
#include <vector>

#include "benchmarks/kernels/common/split.h"
#include "benchmarks/kernels/common/team.h"

namespace morgana::kernels {

using Site = std::array<int, 4>;  ///< x, y, z, t in the whole lattice

/// Which sites of a periodic lattice one worker owns, and which are neighbours. x and y are whole; z is dealt
/// to the rows of workers, t to the columns. Even and odd sites (by x + y + z + t) are counted apart.
class Lattice {
 public:
  Lattice(const Team& team, Site extents);

  const Site& extents() const { return extents_; }
  const std::vector<Site>& sites(int parity) const { return sites_[index(parity)]; }
  bool owns(const Site& site) const;
  /// Its number among own sites of its parity.
  int number(const Site& site) const { return numbers_[place(site)]; }
  int parity(const Site& site) const { return (site[0] + site[1] + site[2] + site[3]) % 2; }
  Site neighbour(Site site, int mu, int step) const;

  /// Whether the direction is dealt to several workers.
  bool is_dealt(int mu) const { return (mu == 2 && workers_.rows > 1) || (mu == 3 && workers_.columns > 1); }
  /// The worker beyond the face in direction mu, step +1 or -1.
  int worker_beyond(int mu, int step) const;
  Interval own(int mu) const { return own_[index(mu)]; }

  /// Own sites of one parity on the first (step -1) or last (step +1) layer in direction mu. The neighbour
  /// beyond lists the sites that they touch in the same order.
  std::vector<Site> face(int mu, int step, int parity) const;

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  std::size_t place(const Site& site) const;

  Site extents_;
  WorkerGrid workers_;
  int rank_;
  std::array<Interval, 4> own_;
  std::array<std::vector<Site>, 2> sites_;
  std::vector<int> numbers_;
};

}  // namespace morgana::kernels
