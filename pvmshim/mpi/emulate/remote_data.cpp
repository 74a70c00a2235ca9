#include "pvmshim/mpi/emulate/remote_data.h"

#include <algorithm>
#include <limits>

#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {

OriginData::OriginData(const void* data, MPI_Count count, MPI_Datatype type)
    : data_(data), count_(count), size_(packed_size(count, type)) {
  constexpr Bytes small(8192);
  if (size_ > small) {
    type_.emplace(type);
    return;
  }
  packed_.resize(static_cast<std::size_t>(size_.count()));
  pack(data, count, type, packed_);
}

std::span<const std::byte> OriginData::packed() {
  const auto size = static_cast<std::size_t>(size_.count());
  if (!type_) return packed_;
  if (is_plain(*type_)) return {static_cast<const std::byte*>(data_), size};
  packed_.resize(size);
  pack(data_, count_, *type_, packed_);
  return packed_;
}

OriginRoom::OriginRoom(void* data, MPI_Count count, MPI_Datatype type)
    : data_(data), count_(count), type_(type), size_(packed_size(count, type)) {}

std::byte* OriginRoom::as_packed() const {
  return is_plain(type_) ? static_cast<std::byte*>(data_) : nullptr;
}

void OriginRoom::fill(std::span<const std::byte> packed) const {
  unpack(packed, data_, count_, type_);
}

TargetData::TargetData(const ExposedMemory& memory, MPI_Aint displacement, MPI_Count count, MPI_Datatype type,
                       Bytes bytes)
    : memory_(memory),
      offset_(displacement * memory.unit),
      count_(count),
      type_(type),
      size_(static_cast<std::size_t>(bytes.count())),
      layout_(count, type, bytes) {}

bool TargetData::lies_within() const {
  const MPI_Aint begin = offset_ + layout_.first();
  return size_ == 0 || (begin >= 0 && static_cast<MPI_Aint>(layout_.span()) <= memory_.size - begin);
}

std::uint64_t TargetData::address() const {
  return memory_.base + static_cast<std::uint64_t>(offset_ + layout_.first());
}

bool TargetData::read(std::span<std::byte> packed) const {
  const ProcessMemory there(memory_.process);
  if (layout_.is_packed()) return there.read(address(), layout_.pieces(), packed.data());
  std::vector<std::byte> image(layout_.span());
  if (!there.read(address(), layout_.pieces(), image.data())) return false;
  if (size_ == static_cast<std::size_t>(packed_size(count_, type_).count())) {
    pack(image.data() - layout_.first(), count_, type_, packed);
    return true;
  }
  std::vector<std::byte> all(static_cast<std::size_t>(packed_size(count_, type_).count()));
  pack(image.data() - layout_.first(), count_, type_, all);
  std::copy_n(all.begin(), size_, packed.begin());
  return true;
}

bool TargetData::write(std::span<const std::byte> packed) const {
  const ProcessMemory there(memory_.process);
  if (layout_.is_packed()) return there.write(address(), layout_.pieces(), packed.data());
  std::vector<std::byte> image(layout_.span());
  unpack(packed.first(size_), image.data() - layout_.first(), count_, type_);
  return there.write(address(), layout_.pieces(), image.data());
}

void combine_packed(std::span<const std::byte> operand, std::span<std::byte> target, MPI_Datatype element,
                    MPI_Op op) {
  if (op == MPI_NO_OP || target.empty()) return;
  if (op == MPI_REPLACE) {
    std::ranges::copy(operand.first(target.size()), target.begin());
    return;
  }
  const MPI_Count count = static_cast<MPI_Count>(target.size()) / packed_size(1, element).count();
  const UnpackedData left(operand.first(target.size()), count, element), right(target, count, element);
  void* result = const_cast<void*>(right.data());  // `target` itself, or a copy of it
  if (count <= std::numeric_limits<int>::max())
    real().MPI_Reduce_local(left.data(), result, static_cast<int>(count), element, op);
  else
    real().MPI_Reduce_local_c(left.data(), result, count, element, op);
  if (result != target.data()) pack(result, count, element, target);
}

}  // namespace morgana::mpi::emulated
