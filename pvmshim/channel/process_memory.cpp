#include "pvmshim/channel/process_memory.h"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "emulator/core/error.h"

namespace morgana {
namespace {

using Transfer = decltype(&process_vm_readv);

constexpr std::size_t most_at_once = 1024;  // IOV_MAX

/// Addresses of other processes come as numbers.
std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

iovec stretch(std::uint64_t address, std::size_t bytes) {
  return {at(address), bytes};
}

/// Where the pieces are here.
enum class Here {
  as_there,            ///< at the same distances
  one_after_the_other  ///< without what lies between them there
};

/// Moves all pieces, as many at once as the kernel takes; it may do less than it is asked to.
bool transfer(Transfer move, pid_t process, std::uint64_t there, std::span<const MemoryPiece> pieces,
              std::uint64_t here, Here places) {
  std::array<iovec, most_at_once> local, remote;
  std::size_t skipped = 0;  // of the first piece that is left
  while (!pieces.empty()) {
    const std::size_t count = std::min(pieces.size(), most_at_once);
    std::size_t before = 0;  // bytes of earlier pieces
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t done = i == 0 ? skipped : 0;
      const std::size_t place = places == Here::as_there ? pieces[i].offset : before;
      local[i] = stretch(here + place + done, pieces[i].bytes - done);
      remote[i] = stretch(there + pieces[i].offset + done, pieces[i].bytes - done);
      before += pieces[i].bytes;
    }
    const ssize_t moved = move(process, local.data(), count, remote.data(), count, 0);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0 && errno == EPERM) throw Error(memory_is_closed);
    if (moved <= 0) return false;
    skipped += static_cast<std::size_t>(moved);
    while (!pieces.empty() && skipped >= pieces.front().bytes) {
      skipped -= pieces.front().bytes;
      if (places == Here::one_after_the_other) here += pieces.front().bytes;
      pieces = pieces.subspan(1);
    }
  }
  return true;
}

}  // namespace

bool ProcessMemory::read(std::uint64_t address, std::span<const MemoryPiece> pieces, std::byte* image) const {
  if (process_ != getpid())
    return transfer(process_vm_readv, process_, address, pieces, reinterpret_cast<std::uint64_t>(image),
                    Here::as_there);
  const std::byte* memory = at(address);
  for (const MemoryPiece& piece : pieces)
    std::memmove(image + piece.offset, memory + piece.offset, piece.bytes);
  return true;
}

bool ProcessMemory::write(std::uint64_t address, std::span<const MemoryPiece> pieces,
                          const std::byte* image) const {
  if (process_ != getpid())
    return transfer(process_vm_writev, process_, address, pieces, reinterpret_cast<std::uint64_t>(image),
                    Here::as_there);
  std::byte* memory = at(address);
  for (const MemoryPiece& piece : pieces)
    std::memmove(memory + piece.offset, image + piece.offset, piece.bytes);
  return true;
}

bool ProcessMemory::read_packed(std::uint64_t address, std::span<const MemoryPiece> pieces,
                                std::byte* packed) const {
  return transfer(process_vm_readv, process_, address, pieces, reinterpret_cast<std::uint64_t>(packed),
                  Here::one_after_the_other);
}

bool ProcessMemory::write_packed(std::uint64_t address, std::span<const MemoryPiece> pieces,
                                 const std::byte* packed) const {
  return transfer(process_vm_writev, process_, address, pieces, reinterpret_cast<std::uint64_t>(packed),
                  Here::one_after_the_other);
}

const char* const memory_is_closed =
    "the kernel does not let ranks into each other's memory, which one-sided communication needs: allow "
    "process_vm_readv and process_vm_writev (in a container: --cap-add SYS_PTRACE)";

void admit_other_ranks() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

}  // namespace morgana
