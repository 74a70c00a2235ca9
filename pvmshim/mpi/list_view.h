#pragma once

#include <mpi.h>

#include <cstddef>

namespace morgana::mpi {

/// A list of counts or displacements as a call got it: of int, or of the large-count forms' 64-bit integers
/// (MPI_Count and MPI_Aint are the same type here).
class ListView {
 public:
  ListView(const int* narrow) : narrow_(narrow) {}  // NOLINT: stands in for either
  ListView(const MPI_Count* wide) : wide_(wide) {}  // NOLINT
  static_assert(sizeof(MPI_Count) == sizeof(MPI_Aint));

  MPI_Count operator[](int i) const { return wide_ != nullptr ? wide_[i] : narrow_[i]; }
  bool given() const { return wide_ != nullptr || narrow_ != nullptr; }
  bool is_wide() const { return wide_ != nullptr; }
  const int* narrow() const { return narrow_; }
  const MPI_Count* wide() const { return wide_; }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
};

}  // namespace morgana::mpi
