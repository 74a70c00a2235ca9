#include "benchmarks/kernels/solver/lattice.h"

namespace morgana::kernels {

Lattice::Lattice(const Team& team, Site extents)
    : extents_(extents), workers_(WorkerGrid::of(team.size())), rank_(team.rank()) {
  own_ = {Interval{0, extents[0]}, Interval{0, extents[1]},
          share_of(workers_.row(rank_), workers_.rows, extents[2]),
          share_of(workers_.column(rank_), workers_.columns, extents[3])};
  for (int t = own_[3].begin; t < own_[3].end; ++t) {
    for (int z = own_[2].begin; z < own_[2].end; ++z) {
      for (int y = 0; y < extents[1]; ++y) {
        for (int x = 0; x < extents[0]; ++x) {
          const Site site{x, y, z, t};
          std::vector<Site>& equals = sites_[index(parity(site))];
          numbers_.push_back(static_cast<int>(equals.size()));
          equals.push_back(site);
        }
      }
    }
  }
}

bool Lattice::owns(const Site& site) const {
  return own_[2].holds(site[2]) && own_[3].holds(site[3]);
}

std::size_t Lattice::place(const Site& site) const {
  const int z = site[2] - own_[2].begin, t = site[3] - own_[3].begin;
  return index(((t * own_[2].size() + z) * extents_[1] + site[1]) * extents_[0] + site[0]);
}

Site Lattice::neighbour(Site site, int mu, int step) const {
  const int extent = extents_[index(mu)];
  site[index(mu)] = (site[index(mu)] + step + extent) % extent;
  return site;
}

int Lattice::worker_beyond(int mu, int step) const {
  int row = workers_.row(rank_), column = workers_.column(rank_);
  if (mu == 2) row = (row + step + workers_.rows) % workers_.rows;
  if (mu == 3) column = (column + step + workers_.columns) % workers_.columns;
  return workers_.worker(row, column);
}

std::vector<Site> Lattice::face(int mu, int step, int wanted) const {
  const Interval own = own_[index(mu)];
  const int layer = step < 0 ? own.begin : own.end - 1;
  std::vector<Site> result;
  for (const Site& site : sites_[index(wanted)]) {
    if (site[index(mu)] == layer) result.push_back(site);
  }
  return result;
}

}  // namespace morgana::kernels
