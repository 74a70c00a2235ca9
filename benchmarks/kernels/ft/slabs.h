#pragma once

#include <vector>

#include "benchmarks/kernels/common/split.h"
#include "benchmarks/kernels/common/team.h"
#include "benchmarks/kernels/ft/fourier.h"

namespace morgana::kernels {

struct BoxSize {
  int x, y, z;
};

/// A worker's part of a box of complex numbers: planes [z.begin, z.end), x fastest, then y.
using Slab = std::vector<Complex>;

/// Three-dimensional transforms of a box that the workers hold in slabs.
class SlabTransform {
 public:
  SlabTransform(Team& team, BoxSize size);

  Interval planes() const { return planes_; }

  /// The transform of the whole box, not scaled; the slabs stay where they are.
  void transform(Slab& slab, bool inverse);

 private:
  void along_x(Slab& slab, bool inverse);
  void along_y(Slab& slab, bool inverse);
  void along_z(bool inverse);
  void to_columns(const Slab& slab);
  void from_columns(Slab& slab);
  void exchange(int tag, const std::vector<std::vector<Complex>>& out, std::vector<std::vector<Complex>>& in);

  Team& team_;
  BoxSize size_;
  Interval planes_, columns_;  ///< own shares of z, and of x in between
  Fourier fourier_x_, fourier_y_, fourier_z_;
  std::vector<Complex> turned_;  ///< own x planes: z fastest, then y, then x
  std::vector<std::vector<Complex>> outgoing_, incoming_;
};

}  // namespace morgana::kernels
