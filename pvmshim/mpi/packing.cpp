#include "pvmshim/mpi/packing.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "emulator/core/error.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {
namespace {

void check(int result, const char* call) {
  if (result == MPI_SUCCESS) return;
  throw Error(std::string(call) + " of MPICH failed: is the datatype committed, and not freed?");
}

/// Data whose datatype holds addresses (MPI_BOTTOM), in a way that MPICH's pack and unpack accept: they take
/// a null pointer for a mistake.
class Placed {
 public:
  Placed(const void* data, MPI_Count count, MPI_Datatype type) : data_(data), count_(count), type_(type) {
    if (data != MPI_BOTTOM) return;
    const MPI_Count one_back = -1, all = count;
    check(real().MPI_Type_create_hindexed_c(1, &all, &one_back, type, &type_), "MPI_Type_create_hindexed");
    check(real().MPI_Type_commit(&type_), "MPI_Type_commit");
    data_ = reinterpret_cast<const void*>(-one_back);
    count_ = 1;
    shifted_ = true;
  }
  ~Placed() {
    if (shifted_) real().MPI_Type_free(&type_);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  const void* data() const { return data_; }
  MPI_Count count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  const void* data_;
  MPI_Count count_;
  MPI_Datatype type_;
  bool shifted_ = false;
};

MPI_Count count_of(std::size_t bytes) {
  return static_cast<MPI_Count>(bytes);
}

}  // namespace

// MPICH's handles say so: two bits for predefined ones, four for the kind of object.
bool is_plain(MPI_Datatype type) {
  constexpr unsigned kind_mask = 0xFC000000U, predefined_type = 0x4C000000U;
  return (static_cast<unsigned>(type) & kind_mask) == predefined_type;
}

Bytes packed_size(MPI_Count count, MPI_Datatype type) {
  if (count == 0) return Bytes();
  MPI_Count size = 0;
  check(real().MPI_Type_size_x(type, &size), "MPI_Type_size_x");
  return Bytes(size * count);
}

namespace {

MPI_Count size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  check(real().MPI_Type_size_x(type, &size), "MPI_Type_size_x");
  return size;
}

/// The size of the largest predefined datatype in it. @param ours  to be freed, unless it is predefined
MPI_Count largest_element(MPI_Datatype type, bool ours) {
  if (is_plain(type)) return size_of(type);
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;
  check(real().MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner),
        "MPI_Type_get_envelope");
  if (types == 0)
    return size_of(type);  // predefined, also of Fortran's parameterised types (MPI_COMBINER_F90_REAL)
  std::vector<int> of_integers(static_cast<std::size_t>(integers));
  std::vector<MPI_Aint> of_addresses(static_cast<std::size_t>(addresses));
  std::vector<MPI_Count> of_counts(static_cast<std::size_t>(counts));
  std::vector<MPI_Datatype> made_of(static_cast<std::size_t>(types));
  check(real().MPI_Type_get_contents_c(type, integers, addresses, counts, types, of_integers.data(),
                                       of_addresses.data(), of_counts.data(), made_of.data()),
        "MPI_Type_get_contents");
  MPI_Count largest = 0;
  for (const MPI_Datatype one : made_of) largest = std::max(largest, largest_element(one, true));
  if (ours) real().MPI_Type_free(&type);
  return largest;
}

/// The number of PVM's datatype of that size (pvm_psend); bytes if there is none.
std::int32_t pvm_type_of(MPI_Count size) {
  switch (size) {
    case 2:
      return 2;  // PVM_SHORT
    case 4:
      return 3;  // PVM_INT
    case 8:
      return 6;  // PVM_DOUBLE
    case 16:
      return 7;  // PVM_DCPLX
    default:
      return 1;  // PVM_BYTE
  }
}

}  // namespace

Content content_of(MPI_Count count, MPI_Datatype type) {
  Content content{packed_size(count, type)};
  const std::int64_t bytes = content.bytes.count();
  if (bytes == 0) return content;
  const MPI_Count element = largest_element(type, false);
  const std::int64_t elements = (bytes + element - 1) / element;
  if (elements <= std::numeric_limits<std::int32_t>::max())
    content.parts.push_back({pvm_type_of(element), static_cast<std::int32_t>(elements), bytes});
  return content;
}

void pack(const void* data, MPI_Count count, MPI_Datatype type, std::span<std::byte> packed) {
  if (packed.empty()) return;
  if (is_plain(type)) {
    std::memcpy(packed.data(), data, packed.size());
    return;
  }
  const Placed placed(data, count, type);
  MPI_Count position = 0;
  check(real().MPI_Pack_c(placed.data(), placed.count(), placed.type(), packed.data(),
                          count_of(packed.size()), &position, MPI_COMM_SELF),
        "MPI_Pack");
}

namespace {

/// Whether items of a datatype lie one after the other without gaps.
bool has_no_gaps(MPI_Datatype type) {
  MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check(real().MPI_Type_size_x(type, &size), "MPI_Type_size_x");
  check(real().MPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  check(real().MPI_Type_get_true_extent_x(type, &true_lower, &true_extent), "MPI_Type_get_true_extent_x");
  return size == extent && size == true_extent;
}

/// @return how many bytes have gone to their places: of a datatype with gaps only whole elements do
std::size_t unpack_placed(std::span<const std::byte> packed, const Placed& placed) {
  MPI_Count position = 0;
  check(real().MPI_Unpack_c(packed.data(), count_of(packed.size()), &position,
                            const_cast<void*>(placed.data()), placed.count(), placed.type(), MPI_COMM_SELF),
        "MPI_Unpack");
  return static_cast<std::size_t>(position);
}

/// Data that end before `room` does, of a datatype without gaps: they go in to the last byte. MPICH's own
/// function (4.0.2) does not outlive a part of an element, so the rest of `data` is written over with itself.
void unpack_beginning(std::span<const std::byte> packed, const Placed& placed, std::size_t room) {
  std::vector<std::byte> whole(room);
  MPI_Count position = 0;
  check(real().MPI_Pack_c(placed.data(), placed.count(), placed.type(), whole.data(), count_of(room),
                          &position, MPI_COMM_SELF),
        "MPI_Pack");
  std::ranges::copy(packed, whole.begin());
  unpack_placed(whole, placed);
}

}  // namespace

bool unpack(std::span<const std::byte> packed, void* data, MPI_Count count, MPI_Datatype type) {
  const auto room = static_cast<std::size_t>(packed_size(count, type).count());
  const auto filled = packed.first(std::min(packed.size(), room));
  if (!filled.empty() && is_plain(type)) {
    std::memcpy(data, filled.data(), filled.size());
  } else if (!filled.empty()) {
    const Placed placed(data, count, type);
    if (filled.size() < room && has_no_gaps(type))
      unpack_beginning(filled, placed, room);
    else if (unpack_placed(filled, placed) < filled.size())
      return false;
  }
  return packed.size() <= room;
}

bool copy(const void* from, MPI_Count from_count, MPI_Datatype from_type, void* to, MPI_Count to_count,
          MPI_Datatype to_type) {
  const auto size = static_cast<std::size_t>(packed_size(from_count, from_type).count());
  if (size == 0) return true;
  if (is_plain(from_type)) return unpack({static_cast<const std::byte*>(from), size}, to, to_count, to_type);
  std::vector<std::byte> packed(size);
  pack(from, from_count, from_type, packed);
  return unpack(packed, to, to_count, to_type);
}

void* item_at(void* data, MPI_Count items, MPI_Datatype type) {
  return const_cast<void*>(item_at(static_cast<const void*>(data), items, type));
}

const void* item_at(const void* data, MPI_Count items, MPI_Datatype type) {
  if (items == 0) return data;
  MPI_Count lower = 0, extent = 0;
  check(real().MPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  return static_cast<const char*>(data) + items * extent;
}

UnpackedData::UnpackedData(std::span<const std::byte> packed, MPI_Count count, MPI_Datatype type)
    : data_(packed.data()) {
  if (is_plain(type) || packed.empty()) return;
  MPI_Count lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check(real().MPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  check(real().MPI_Type_get_true_extent_x(type, &true_lower, &true_extent), "MPI_Type_get_true_extent_x");
  const MPI_Count stride = extent * (count - 1);
  const MPI_Count first = true_lower + std::min<MPI_Count>(stride, 0);  // extents may be negative
  const MPI_Count bytes = true_extent + std::abs(stride);
  room_.resize(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1);
  void* data = reinterpret_cast<char*>(room_.data()) - first;
  unpack(packed, data, count, type);
  data_ = data;
}

}  // namespace morgana::mpi
