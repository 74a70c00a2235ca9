#include "benchmarks/kernels/solver/wilson.h"

#include <cmath>
#include <span>

#include "benchmarks/kernels/common/nas_random.h"

namespace morgana::kernels {
namespace {

constexpr int tag_faces = 80;
/// How far the links' elements are disturbed before they are made unitary again.
constexpr double disorder = 0.6;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

void normalise(ColourVector& v) {
  float square = 0.0F;
  for (const Complex32 c : v) square += c.re * c.re + c.im * c.im;
  const float scale = 1.0F / std::sqrt(square);
  for (Complex32& c : v) c = {c.re * scale, c.im * scale};
}

/// A matrix of SU(3) near to one: two rows made orthonormal, the third their conjugated cross product.
Link random_link(NasRandom& random) {
  const auto number = [&] { return static_cast<float>(disorder * (2.0 * random.next() - 1.0)); };
  Link link;
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const float re = number();
      link[row][column] = {re + (row == column ? 1.0F : 0.0F), number()};
    }
  }
  normalise(link[0]);
  Complex32 common;
  for (std::size_t i = 0; i < 3; ++i) common = common + conj(link[0][i]) * link[1][i];
  for (std::size_t i = 0; i < 3; ++i) link[1][i] = link[1][i] - common * link[0][i];
  normalise(link[1]);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    link[2][i] = conj(link[0][j] * link[1][k] - link[0][k] * link[1][j]);
  }
  return link;
}

std::span<float> numbers(std::vector<HalfSpinor>& halves) {
  return {reinterpret_cast<float*>(halves.data()), halves.size() * sizeof(HalfSpinor) / sizeof(float)};
}

}  // namespace

Wilson::Wilson(Team& team, const Lattice& lattice) : team_(team), lattice_(lattice) {
  const Site& extents = lattice.extents();
  for (int parity = 0; parity < 2; ++parity) {
    for (const Site& site : lattice.sites(parity)) {
      const auto number = static_cast<std::uint64_t>(
          ((site[3] * extents[2] + site[2]) * extents[1] + site[1]) * extents[0] + site[0]);
      NasRandom random(314159265);
      random.skip(number * 4 * 12);
      std::array<Link, 4>& links = links_[at(parity)].emplace_back();
      for (Link& link : links) link = random_link(random);
    }
  }
  for (int mu = 0; mu < 4; ++mu) {
    if (!lattice.is_dealt(mu)) continue;
    first_face_[at(mu)] = static_cast<int>(faces_.size());
    for (const int step : {1, -1}) {
      Face& face = faces_.emplace_back(Face{mu, step, lattice.worker_beyond(mu, step), {}, {}, {}});
      for (int parity = 0; parity < 2; ++parity) {
        for (const Site& site : lattice.face(mu, step, parity)) {
          face.given[at(parity)].push_back(lattice.number(site));
        }
      }
    }
  }
  find_sources();
}

void Wilson::find_sources() {
  for (int parity = 0; parity < 2; ++parity) {
    sources_[at(parity)].resize(lattice_.sites(parity).size());
    for (int mu = 0; mu < 4; ++mu) {
      for (const int step : {1, -1}) {
        const auto direction = at(2 * mu + (step > 0 ? 0 : 1));
        const Interval own = lattice_.own(mu);
        int received = 0;
        for (std::size_t i = 0; i < lattice_.sites(parity).size(); ++i) {
          const Site& site = lattice_.sites(parity)[i];
          const bool beyond = site[at(mu)] == (step > 0 ? own.end - 1 : own.begin);
          Source& source = sources_[at(parity)][i][direction];
          if (lattice_.is_dealt(mu) && beyond) {
            source.received = received++;
          } else {
            source.own = lattice_.number(lattice_.neighbour(site, mu, step));
          }
        }
      }
    }
  }
}

/// What goes over the first layer is wanted by sites below, which multiply it by their own link; what goes
/// over the last one is multiplied here, where the link is.
void Wilson::send_faces(int parity, const SpinorField& psi) {
  for (Face& face : faces_) {
    face.outgoing.clear();
    for (const int site : face.given[at(parity)]) {
      const HalfSpinor h = project(psi[at(site)], face.mu, face.step > 0 ? -1 : 1);
      face.outgoing.push_back(face.step > 0 ? adjoint_times(links_[at(parity)][at(site)][at(face.mu)], h)
                                            : h);
    }
    team_.send(face.worker, tag_faces + 2 * face.mu + (face.step > 0 ? 0 : 1), numbers(face.outgoing));
  }
  for (Face& face : faces_) {
    // Sites of the other parity on this face take, one each.
    face.incoming.resize(face.given[at(1 - parity)].size());
    team_.receive(face.worker, tag_faces + 2 * face.mu + (face.step > 0 ? 1 : 0), numbers(face.incoming));
  }
  team_.finish();
}

void Wilson::hop(int parity, const SpinorField& psi, SpinorField& result) {
  const int other = 1 - parity;
  send_faces(other, psi);
  for (std::size_t i = 0; i < result.size(); ++i) {
    Spinor sum{};
    for (int mu = 0; mu < 4; ++mu) {
      const Source& forward = sources_[at(parity)][i][at(2 * mu)];
      const Source& backward = sources_[at(parity)][i][at(2 * mu + 1)];
      const int face = first_face_[at(mu)];
      const HalfSpinor ahead = forward.own >= 0 ? project(psi[at(forward.own)], mu, 1)
                                                : faces_[at(face)].incoming[at(forward.received)];
      add_reconstructed(sum, times(links_[at(parity)][i][at(mu)], ahead), mu, 1);
      const HalfSpinor behind = backward.own >= 0 ? adjoint_times(links_[at(other)][at(backward.own)][at(mu)],
                                                                  project(psi[at(backward.own)], mu, -1))
                                                  : faces_[at(face) + 1].incoming[at(backward.received)];
      add_reconstructed(sum, behind, mu, -1);
    }
    result[i] = sum;
  }
}

}  // namespace morgana::kernels
