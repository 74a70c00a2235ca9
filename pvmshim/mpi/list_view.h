#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstring>

namespace morgana::mpi {

/// An integer of the large-count forms' lists. MPICH 4.0 has one type for both, 4.2 two of the same size.
template <typename Integer>
concept WideInteger = std::same_as<Integer, MPI_Count> || std::same_as<Integer, MPI_Aint>;
static_assert(sizeof(MPI_Count) == sizeof(MPI_Aint));

/// A list of 64-bit counts or displacements, for a function of MPICH that takes either.
class WideList {
 public:
  constexpr explicit WideList(const void* list = nullptr) : list_(list) {}
  template <WideInteger Integer>
  operator const Integer*() const {  // NOLINT: stands in for either
    return static_cast<const Integer*>(list_);
  }
  bool operator==(const WideList&) const = default;

 private:
  const void* list_;
};

/// A list of counts or displacements as a call got it: of int, or of the large-count forms' 64-bit integers.
class ListView {
 public:
  ListView(const int* narrow) : narrow_(narrow) {}  // NOLINT: stands in for either
  template <WideInteger Integer>
  ListView(const Integer* wide) : wide_(wide) {}  // NOLINT

  MPI_Count operator[](int i) const {
    if (wide_ == nullptr) return narrow_[i];
    MPI_Count value = 0;
    std::memcpy(&value, static_cast<const char*>(wide_) + static_cast<std::ptrdiff_t>(sizeof value) * i,
                sizeof value);
    return value;
  }
  bool given() const { return wide_ != nullptr || narrow_ != nullptr; }
  bool is_wide() const { return wide_ != nullptr; }
  const int* narrow() const { return narrow_; }
  WideList wide() const { return WideList(wide_); }

 private:
  const int* narrow_ = nullptr;
  const void* wide_ = nullptr;  ///< MPI_Count or MPI_Aint
};

}  // namespace morgana::mpi
