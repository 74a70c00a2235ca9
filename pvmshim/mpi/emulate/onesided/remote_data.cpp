#include "pvmshim/mpi/emulate/onesided/remote_data.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "pvmshim/channel/remote_memory.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
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

bool TargetData::is_elsewhere() const {
  const RankChannel& channel = me().live.channel();
  return channel.machine_of(owner()) != channel.machine_of(channel.rank());
}

/// Of a predefined type; 1 if the data are of several.
std::size_t TargetData::element_size() const {
  const MPI_Datatype element = element_type(type_);
  return element == MPI_DATATYPE_NULL ? 1 : static_cast<std::size_t>(packed_size(1, element).count());
}

bool TargetData::read_image(std::byte* image) const {
  if (is_elsewhere())
    return me().remote_memory.read(owner(), address(), layout_.pieces(), image, element_size());
  return ProcessMemory(memory_.process).read(address(), layout_.pieces(), image);
}

bool TargetData::write_image(const std::byte* image) const {
  if (is_elsewhere())
    return me().remote_memory.write(owner(), address(), layout_.pieces(), image, element_size());
  return ProcessMemory(memory_.process).write(address(), layout_.pieces(), image);
}

void TargetData::pack_image(const std::byte* image, std::span<std::byte> packed) const {
  const std::byte* const buffer = image - layout_.first();
  const auto whole = static_cast<std::size_t>(packed_size(count_, type_).count());
  if (layout_.is_packed()) {
    std::copy_n(image, size_, packed.begin());
  } else if (size_ == whole) {
    pack(buffer, count_, type_, packed);
  } else {
    std::vector<std::byte> all(whole);
    pack(buffer, count_, type_, all);
    std::copy_n(all.begin(), size_, packed.begin());
  }
}

void TargetData::unpack_image(std::span<const std::byte> packed, std::byte* image) const {
  if (layout_.is_packed())
    std::copy_n(packed.begin(), size_, image);
  else
    unpack(packed.first(size_), image - layout_.first(), count_, type_);
}

bool TargetData::read(std::span<std::byte> packed) const {
  if (layout_.is_packed()) return read_image(packed.data());
  std::vector<std::byte> image(layout_.span());
  if (!read_image(image.data())) return false;
  pack_image(image.data(), packed);
  return true;
}

bool TargetData::write(std::span<const std::byte> packed) const {
  if (layout_.is_packed()) return write_image(packed.data());
  std::vector<std::byte> image(layout_.span());
  unpack_image(packed, image.data());
  return write_image(image.data());
}

bool TargetData::replace(std::span<const std::byte> packed) const {
  if (is_elsewhere()) return write(packed);  // the agent there does one thing at a time
  const std::lock_guard held(me().live.channel().memory_of(owner()));
  return write(packed);
}

bool TargetData::change(const std::function<bool(std::span<std::byte> packed)>& change) const {
  return is_elsewhere() ? change_elsewhere(change) : change_here(change);
}

bool TargetData::change_here(const std::function<bool(std::span<std::byte> packed)>& change) const {
  const std::lock_guard held(me().live.channel().memory_of(owner()));
  std::vector<std::byte> packed(size_);
  return read(packed) && (!change(packed) || write(packed));
}

/// Nobody holds a mutex across machines: what another rank has changed meanwhile is changed once more.
bool TargetData::change_elsewhere(const std::function<bool(std::span<std::byte> packed)>& change) const {
  std::vector<std::byte> before(layout_.span()), after(layout_.span()), packed(size_);
  if (!read_image(before.data())) return false;
  for (std::size_t done = 0;;) {
    pack_image(before.data(), packed);
    if (!change(packed)) return true;
    unpack_image(packed, after.data());
    const MemoryOutcome outcome = me().remote_memory.exchange(
        owner(), address(), layout_.pieces(), before.data(), after.data(), element_size(), done);
    if (outcome != MemoryOutcome::differs) return outcome == MemoryOutcome::done;
  }
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
