#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/process_memory.h"

namespace morgana {

/// What an agent does to the memory of a rank on its machine. Each is carried out in one step, as far as
/// other accesses by agents and by RankChannel::memory_of() are concerned.
enum class MemoryAccess : std::uint32_t {
  read,
  write,
  exchange,  ///< if the memory holds what is expected, it gets something else; if not, its content is
             ///< returned
  /// None: the agent's connection to the machine of the rank's number is given to who asks (MachineStreams),
  /// with one byte, or that byte alone.
  connection,
};

enum class MemoryOutcome : std::uint32_t {
  done,
  differs,    ///< of an exchange: the memory holds something else than was expected
  no_memory,  ///< the process has none there, or has ended
  refused,    ///< the kernel does not let the agent into the rank's memory
};

/// A request: this, the pieces, and the bytes of the pieces one after the other: none to read, those to be
/// written, or those that are expected and then those to be written.
struct MemoryRequest {
  MemoryAccess access;
  std::int32_t rank;      ///< whose memory
  std::uint64_t address;  ///< from which the pieces' offsets count
  std::uint64_t pieces;
  std::uint64_t bytes;  ///< of all pieces
};

/// A reply: this, and the bytes of the pieces, if they were read or differ.
struct MemoryReply {
  MemoryOutcome outcome;
  std::uint32_t unused;
  std::uint64_t bytes;
};

/// No request is about more bytes.
constexpr std::size_t most_accessed_at_once = std::size_t{32} << 20;

/// The memory of ranks on other machines, as one rank reaches it: this machine's agent passes on to those of
/// the others what is to be done there. Each call sleeps until it is done. One thread at a time may use it.
///
/// If the agent ends during an access, the rank's process ends, too (emulator_gone).
class RemoteMemory {
 public:
  /// @param channel  RankChannel's path, by which the agent of this machine is found
  explicit RemoteMemory(const std::string& channel) : channel_(channel) {}
  ~RemoteMemory();
  RemoteMemory(const RemoteMemory&) = delete;
  RemoteMemory& operator=(const RemoteMemory&) = delete;

  /// What stands at the pieces goes to, or comes from, the same places of what begins at `image` here.
  /// Of more than most_accessed_at_once, each stretch is a step of its own.
  /// @param element  bytes of an element: those of one are in one step
  /// @return false if there is no such memory
  /// @throws Error if the kernel does not let the agent into it, or there is no agent
  bool read(Rank rank, std::uint64_t address, std::span<const MemoryPiece> pieces, std::byte* image,
            std::size_t element = 1);
  bool write(Rank rank, std::uint64_t address, std::span<const MemoryPiece> pieces, const std::byte* image,
             std::size_t element = 1);

  /// As far as the memory holds what stands at `expected`, it gets what stands at `wanted`; where it does not
  /// any more, `expected` gets what it holds there.
  /// @param element  as above
  /// @param done  of the pieces' bytes, how many have been exchanged: 0 at first; grows
  /// @return as MemoryOutcome; `differs`: to be called again, with the same `done`
  MemoryOutcome exchange(Rank rank, std::uint64_t address, std::span<const MemoryPiece> pieces,
                         std::byte* expected, const std::byte* wanted, std::size_t element,
                         std::size_t& done);

 private:
  MemoryReply ask(MemoryAccess access, Rank rank, std::uint64_t address, std::span<const MemoryPiece> pieces,
                  std::span<const std::byte* const> images);
  void connect();
  void send(std::span<const std::byte> bytes);
  void receive(std::span<std::byte> bytes);

  std::string channel_;
  int socket_ = -1;
  std::vector<std::byte> request_, reply_;  ///< scratch
};

}  // namespace morgana
