#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace morgana {

/// A stretch of memory, by its distance from some first byte.
struct MemoryPiece {
  std::size_t offset;
  std::size_t bytes;
};

/// The memory of a process, ours or another rank's, whatever that is doing now.
class ProcessMemory {
 public:
  explicit ProcessMemory(pid_t process) : process_(process) {}

  /// Copies pieces of what begins at `address` there to, or from, the same places of what begins at `image`
  /// here.
  /// @return false if there is no such memory, or the process has ended
  /// @throws Error if the kernel does not let one rank into another's memory
  bool read(std::uint64_t address, std::span<const MemoryPiece> pieces, std::byte* image) const;
  bool write(std::uint64_t address, std::span<const MemoryPiece> pieces, const std::byte* image) const;
  /// The same, where here the pieces lie one after the other.
  bool read_packed(std::uint64_t address, std::span<const MemoryPiece> pieces, std::byte* packed) const;
  bool write_packed(std::uint64_t address, std::span<const MemoryPiece> pieces,
                    const std::byte* packed) const;

 private:
  pid_t process_;
};

/// Why another process's memory is out of reach, for all accesses to it.
extern const char* const memory_is_closed;

/// Lets the other ranks of the user into this process's memory, where the kernel asks for that (Yama).
void admit_other_ranks();

}  // namespace morgana
