#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/operations/operation.h"

namespace morgana::mpi {

// Data as MPI describes them (address, count, datatype), and the same data packed: in the datatype's order,
// without gaps. MPICH's own pack and unpack do it, so every datatype works.

/// Whether a datatype is predefined and of one kind of element (MPI_INT, but not MPI_DOUBLE_INT): such data
/// have no gaps, and lie as they are when packed.
bool is_plain(MPI_Datatype type);

Bytes packed_size(MPI_Count count, MPI_Datatype type);

/// What a message brings of data: their size when packed, and what they are made of (Operation::parts).
struct Content {
  Bytes bytes;
  std::vector<MessagePart> parts = {};
};
/// One part: elements of the predefined datatype that the datatype is made of; of the largest one, if there
/// are several. Their type is that of PVM's which is as long.
Content content_of(MPI_Count count, MPI_Datatype type);
/// @param packed  exactly packed_size
void pack(const void* data, MPI_Count count, MPI_Datatype type, std::span<std::byte> packed);
/// Fills as much of `data` as there is in `packed`, in whole elements where the datatype has gaps.
/// @return false if something is left: more than there is space for, or a part of such an element
bool unpack(std::span<const std::byte> packed, void* data, MPI_Count count, MPI_Datatype type);
/// As if sent and received. @return false if more was sent than there is space for
bool copy(const void* from, MPI_Count from_count, MPI_Datatype from_type, void* to, MPI_Count to_count,
          MPI_Datatype to_type);

/// Where the item number `items` lies.
void* item_at(void* data, MPI_Count items, MPI_Datatype type);
const void* item_at(const void* data, MPI_Count items, MPI_Datatype type);

/// Packed data laid out as the datatype says, where they can be operated on.
class UnpackedData {
 public:
  /// Packed data of a predefined datatype without gaps are used where they are.
  UnpackedData(std::span<const std::byte> packed, MPI_Count count, MPI_Datatype type);
  const void* data() const { return data_; }

 private:
  std::vector<std::max_align_t> room_;
  const void* data_;
};

}  // namespace morgana::mpi
