#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/emulate/onesided/layout.h"

namespace morgana::mpi::emulated {

/// What a member of a window shows to the others.
struct ExposedMemory {
  std::uint64_t base = 0;
  MPI_Aint size = 0;
  MPI_Aint unit = 1;
  pid_t process = 0;
  Rank rank{};
};

/// Packed data of the origin that an access will bring to its target. Small ones are taken at once, large
/// ones when they are needed: until then the program leaves them alone.
class OriginData {
 public:
  OriginData(const void* data, MPI_Count count, MPI_Datatype type);
  Bytes size() const { return size_; }
  /// Valid until the next call.
  std::span<const std::byte> packed();

 private:
  const void* data_;
  MPI_Count count_;
  std::optional<DatatypeCopy> type_;  ///< of data that are not taken yet
  Bytes size_;
  std::vector<std::byte> packed_;
};

/// Room at the origin for what an access brings back.
class OriginRoom {
 public:
  OriginRoom(void* data, MPI_Count count, MPI_Datatype type);
  Bytes size() const { return size_; }
  /// Where packed data may be put as they are, if they may.
  std::byte* as_packed() const;
  void fill(std::span<const std::byte> packed) const;

 private:
  void* data_;
  MPI_Count count_;
  DatatypeCopy type_;
  Bytes size_;
};

/// Data in the memory of a target.
class TargetData {
 public:
  /// @param displacement  of the buffer, in the target's units
  /// @param bytes  how many of them the access is about, at most all
  TargetData(const ExposedMemory& memory, MPI_Aint displacement, MPI_Count count, MPI_Datatype type,
             Bytes bytes);

  Rank owner() const { return memory_.rank; }
  MPI_Datatype type() const { return type_; }
  std::size_t size() const { return size_; }
  /// Whether all of them lie in what the target shows.
  bool lies_within() const;

  /// @param packed  size() bytes. @return false if there is no such memory
  bool read(std::span<std::byte> packed) const;
  bool write(std::span<const std::byte> packed) const;

  // In one step, as far as other such steps are concerned.
  bool replace(std::span<const std::byte> packed) const;
  /// @param change  gets the packed data and changes them; @return whether they are to be written. It is
  /// called again, with newer data, if another rank has changed the data in between.
  bool change(const std::function<bool(std::span<std::byte> packed)>& change) const;

 private:
  bool is_elsewhere() const;
  std::size_t element_size() const;
  bool change_here(const std::function<bool(std::span<std::byte> packed)>& change) const;
  bool change_elsewhere(const std::function<bool(std::span<std::byte> packed)>& change) const;
  bool read_image(std::byte* image) const;
  bool write_image(const std::byte* image) const;
  void pack_image(const std::byte* image, std::span<std::byte> packed) const;
  void unpack_image(std::span<const std::byte> packed, std::byte* image) const;
  std::uint64_t address() const;

  ExposedMemory memory_;
  MPI_Aint offset_;
  MPI_Count count_;
  DatatypeCopy type_;
  std::size_t size_;
  Layout layout_;
};

/// Combines packed elements: target = target op operand.
void combine_packed(std::span<const std::byte> operand, std::span<std::byte> target, MPI_Datatype element,
                    MPI_Op op);

}  // namespace morgana::mpi::emulated
