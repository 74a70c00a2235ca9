#include "benchmarks/kernels/ft/slabs.h"

#include <algorithm>

namespace morgana::kernels {
namespace {

enum Tag { tag_to_columns = 10, tag_from_columns };

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Transforms `count` lines whose elements lie `stride` apart; line i begins at start(i).
template <typename Start>
void transform_lines(const Fourier& fourier, std::vector<Complex>& values, std::size_t count,
                     std::size_t stride, Start start, bool inverse) {
  constexpr std::size_t lanes = Fourier::lanes;
  std::vector<Complex> data(fourier.length() * lanes), scratch(data.size());
  for (std::size_t first = 0; first < count; first += lanes) {
    const std::size_t used = std::min(lanes, count - first);
    for (std::size_t t = 0; t < used; ++t) {
      const std::size_t begin = start(first + t);
      for (std::size_t k = 0; k < fourier.length(); ++k) data[k * lanes + t] = values[begin + k * stride];
    }
    fourier.transform(data, scratch, inverse);
    for (std::size_t t = 0; t < used; ++t) {
      const std::size_t begin = start(first + t);
      for (std::size_t k = 0; k < fourier.length(); ++k) values[begin + k * stride] = data[k * lanes + t];
    }
  }
}

/// Complex numbers as the pairs of doubles that they are.
std::span<const double> numbers(const std::vector<Complex>& values) {
  return {reinterpret_cast<const double*>(values.data()), 2 * values.size()};
}
std::span<double> numbers(std::vector<Complex>& values) {
  return {reinterpret_cast<double*>(values.data()), 2 * values.size()};
}

}  // namespace

SlabTransform::SlabTransform(Team& team, BoxSize size)
    : team_(team),
      size_(size),
      planes_(share_of(team.rank(), team.size(), size.z)),
      columns_(share_of(team.rank(), team.size(), size.x)),
      fourier_x_(at(size.x)),
      fourier_y_(at(size.y)),
      fourier_z_(at(size.z)),
      turned_(at(columns_.size()) * at(size.y) * at(size.z)),
      outgoing_(at(team.size())),
      incoming_(at(team.size())) {
  for (int other = 0; other < team.size(); ++other) {
    const Interval planes = share_of(other, team.size(), size.z),
                   columns = share_of(other, team.size(), size.x);
    outgoing_[at(other)].resize(at(planes_.size()) * at(size.y) * at(columns.size()));
    incoming_[at(other)].resize(at(planes.size()) * at(size.y) * at(columns_.size()));
  }
}

void SlabTransform::transform(Slab& slab, bool inverse) {
  along_x(slab, inverse);
  along_y(slab, inverse);
  to_columns(slab);
  along_z(inverse);
  from_columns(slab);
}

void SlabTransform::along_x(Slab& slab, bool inverse) {
  const std::size_t nx = at(size_.x);
  transform_lines(
      fourier_x_, slab, slab.size() / nx, 1, [&](std::size_t line) { return line * nx; }, inverse);
}

void SlabTransform::along_y(Slab& slab, bool inverse) {
  const std::size_t nx = at(size_.x), ny = at(size_.y);
  const auto start = [&](std::size_t line) { return line / nx * (nx * ny) + line % nx; };
  transform_lines(fourier_y_, slab, at(planes_.size()) * nx, nx, start, inverse);
}

void SlabTransform::along_z(bool inverse) {
  const std::size_t nz = at(size_.z);
  transform_lines(
      fourier_z_, turned_, turned_.size() / nz, 1, [&](std::size_t line) { return line * nz; }, inverse);
}

/// Blocks travel in the order of the slab they come from: x fastest, then y, then z.
void SlabTransform::to_columns(const Slab& slab) {
  const std::size_t nx = at(size_.x), ny = at(size_.y), nz = at(size_.z);
  for (int to = 0; to < team_.size(); ++to) {
    const Interval columns = share_of(to, team_.size(), size_.x);
    const auto width = static_cast<std::ptrdiff_t>(columns.size());
    auto next = outgoing_[at(to)].begin();
    for (std::size_t row = 0; row < slab.size() / nx; ++row) {
      next =
          std::copy_n(slab.begin() + static_cast<std::ptrdiff_t>(row * nx + at(columns.begin)), width, next);
    }
  }
  exchange(tag_to_columns, outgoing_, incoming_);
  for (int from = 0; from < team_.size(); ++from) {
    const Interval planes = share_of(from, team_.size(), size_.z);
    auto next = incoming_[at(from)].cbegin();
    for (int z = planes.begin; z < planes.end; ++z) {
      for (std::size_t y = 0; y < ny; ++y) {
        for (std::size_t x = 0; x < at(columns_.size()); ++x) turned_[(x * ny + y) * nz + at(z)] = *next++;
      }
    }
  }
}

void SlabTransform::from_columns(Slab& slab) {
  const std::size_t nx = at(size_.x), ny = at(size_.y), nz = at(size_.z);
  for (int to = 0; to < team_.size(); ++to) {
    const Interval planes = share_of(to, team_.size(), size_.z);
    auto next = incoming_[at(to)].begin();
    for (int z = planes.begin; z < planes.end; ++z) {
      for (std::size_t y = 0; y < ny; ++y) {
        for (std::size_t x = 0; x < at(columns_.size()); ++x) *next++ = turned_[(x * ny + y) * nz + at(z)];
      }
    }
  }
  exchange(tag_from_columns, incoming_, outgoing_);
  for (int from = 0; from < team_.size(); ++from) {
    const Interval columns = share_of(from, team_.size(), size_.x);
    const auto width = static_cast<std::ptrdiff_t>(columns.size());
    auto next = outgoing_[at(from)].cbegin();
    for (std::size_t row = 0; row < slab.size() / nx; ++row, next += width) {
      std::copy_n(next, width, slab.begin() + static_cast<std::ptrdiff_t>(row * nx + at(columns.begin)));
    }
  }
}

void SlabTransform::exchange(int tag, const std::vector<std::vector<Complex>>& out,
                             std::vector<std::vector<Complex>>& in) {
  const int size = team_.size(), me = team_.rank();
  in[at(me)] = out[at(me)];
  for (int step = 1; step < size; ++step) {
    const int to = (me + step) % size;
    team_.send(to, tag, numbers(out[at(to)]));
  }
  for (int step = 1; step < size; ++step) {
    const int from = (me - step + size) % size;
    team_.receive(from, tag, numbers(in[at(from)]));
  }
  team_.finish();
}

}  // namespace morgana::kernels
