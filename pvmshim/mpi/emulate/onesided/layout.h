#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "emulator/core/units.h"
#include "pvmshim/channel/process_memory.h"

namespace morgana::mpi::emulated {

/// A datatype that outlives the program's call: a duplicate, unless it is predefined.
class DatatypeCopy {
 public:
  explicit DatatypeCopy(MPI_Datatype of_program);
  ~DatatypeCopy();
  DatatypeCopy(const DatatypeCopy&) = delete;
  DatatypeCopy& operator=(const DatatypeCopy&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
  bool is_copy_ = false;
};

/// Where data of a datatype lie: the bytes that belong to them, and no others.
class Layout {
 public:
  /// @param bytes  how many of the data, in the datatype's order, at most all of them
  Layout(MPI_Count count, MPI_Datatype type, Bytes bytes);

  /// The lowest byte's distance from the buffer, and how many from there to the highest.
  MPI_Aint first() const { return first_; }
  std::size_t span() const { return span_; }
  /// From the lowest byte on, in ascending order.
  const std::vector<MemoryPiece>& pieces() const { return pieces_; }
  /// Whether the data lie in memory as they do when packed.
  bool is_packed() const { return is_packed_; }

 private:
  void find_pieces(MPI_Count count, MPI_Datatype type, std::size_t bytes);

  MPI_Aint first_ = 0;
  std::size_t span_ = 0;
  std::vector<MemoryPiece> pieces_;
  bool is_packed_ = false;
};

/// The predefined datatype that all elements of a datatype are of; MPI_DATATYPE_NULL if it has none.
MPI_Datatype element_type(MPI_Datatype type);

}  // namespace morgana::mpi::emulated
