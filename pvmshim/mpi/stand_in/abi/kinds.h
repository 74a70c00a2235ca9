#pragma once

#include <mpi.h>

#include <cstdint>

#include "pvmshim/mpi/stand_in/abi/values.h"
#include "pvmshim/mpi/stand_in/parameters.h"

// The kinds of parameters whose constants are others than MPICH's in the standard's interface alone.

namespace morgana::stand_in {

int thread_level_to_mpich(int level);
int thread_level_from_mpich(int level);
/// MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL.
int comparison_from_mpich(int comparison);
/// MPI_MODE_RDONLY and the like, or-ed.
int file_mode_to_mpich(int mode);
int file_mode_from_mpich(int mode);
/// MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END.
int whence_to_mpich(int whence);

using Tag = Number<tag_to_mpich>;
using ThreadLevel = Number<thread_level_to_mpich>;
using ThreadLevelOut = NumberOut<thread_level_from_mpich>;
using ComparisonOut = NumberOut<comparison_from_mpich>;
using FileMode = Number<file_mode_to_mpich>;
using FileModeOut = NumberOut<file_mode_from_mpich>;
using Whence = Number<whence_to_mpich>;
/// How many items a partition has: a large count (MPI 4.0, section 4.2.1).
using ItemsOfPartition = MPI_Count;

// What handles of numbers are, by the table's names for them.
using CommGiven = Handle*;
using TypeGiven = Handle*;
using GroupGiven = Handle*;
using OpGiven = Handle*;
using RequestGiven = Handle*;
using HandlerGiven = Handle*;
using InfoGiven = Handle*;
using WinGiven = Handle*;
using SessionGiven = Handle*;
using MessageGiven = Handle*;
using FileGiven = Handle*;
struct Message {
  Handle* given;
};

/// A displacement of a file, or MPI_DISPLACEMENT_CURRENT.
struct Displacement {
  MPI_Offset given;
};
template <>
class Conversion<Displacement> {
 public:
  explicit Conversion(Displacement displacement) : given_(displacement.given) {}
  MPI_Offset get() { return given_ == current_displacement ? MPI_DISPLACEMENT_CURRENT : given_; }
  void finish(bool) {}

 private:
  MPI_Offset given_;
};

/// A buffer for MPI_Bsend, or MPI_BUFFER_AUTOMATIC.
struct BsendBuffer {
  void* given;
};
template <>
class Conversion<BsendBuffer> {
 public:
  explicit Conversion(BsendBuffer buffer) : given_(buffer.given) {}
  void* get() {
    if (reinterpret_cast<std::uintptr_t>(given_) == automatic_buffer_address)
      end_with(stand_in_name, " does not carry out MPI_BUFFER_AUTOMATIC");
    return given_;
  }
  void finish(bool) {}

 private:
  void* given_;
};

}  // namespace morgana::stand_in
