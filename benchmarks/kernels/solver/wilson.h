#pragma once

#include <array>
#include <vector>

#include "benchmarks/kernels/common/team.h"
#include "benchmarks/kernels/solver/colour.h"
#include "benchmarks/kernels/solver/lattice.h"

namespace morgana::kernels {

using SpinorField = std::vector<Spinor>;  ///< one parity of a worker's sites

/// Wilson's hopping term D on a background of links: for every site and direction mu,
/// (1 - gamma) U(x) psi(x + mu) + (1 + gamma) U^+(x - mu) psi(x - mu). It leads from one parity to the other.
class Wilson {
 public:
  /// The links are those of a random background: unit matrices, disturbed and made unitary again.
  Wilson(Team& team, const Lattice& lattice);

  /// result = D psi. @param parity  of the result; psi has the other
  void hop(int parity, const SpinorField& psi, SpinorField& result);

 private:
  using Halves = std::vector<HalfSpinor>;

  /// Where psi of a neighbouring site comes from: an own site, or a place in what a neighbour sent.
  struct Source {
    int own = -1, received = -1;
  };
  /// What one face gives and takes, by the parity of psi.
  struct Face {
    int mu, step, worker;
    std::array<std::vector<int>, 2> given;  ///< own sites on it
    Halves outgoing, incoming;
  };

  void find_sources();
  void send_faces(int parity_of_psi, const SpinorField& psi);

  Team& team_;
  const Lattice& lattice_;
  std::array<std::vector<std::array<Link, 4>>, 2> links_;      ///< by parity, site, mu
  std::array<std::vector<std::array<Source, 8>>, 2> sources_;  ///< by parity, site, 2 mu + (forward ? 0 : 1)
  std::vector<Face> faces_;                                    ///< of a dealt direction: step +1, then -1
  std::array<int, 4> first_face_{-1, -1, -1, -1};
};

}  // namespace morgana::kernels
