#include "pvmshim/channel/remote_memory.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "emulator/core/error.h"
#include "pvmshim/channel/letter_address.h"
#include "pvmshim/channel/rank_channel.h"

namespace morgana {
namespace {

/// A stretch of the pieces that one request is about.
struct Part {
  std::vector<MemoryPiece> pieces;
  std::size_t bytes = 0;
};

/// What follows the first `skipped` bytes, as far as a request takes it: whole elements.
Part next_part(std::span<const MemoryPiece> pieces, std::size_t skipped, std::size_t element) {
  constexpr std::size_t most_pieces = most_accessed_at_once / sizeof(MemoryPiece);
  Part part;
  std::size_t passed = 0;
  for (const MemoryPiece& piece : pieces) {
    const std::size_t begin = std::min(piece.bytes, skipped - std::min(skipped, passed));
    passed += piece.bytes;
    if (begin == piece.bytes) continue;
    const std::size_t bytes = std::min(piece.bytes - begin, most_accessed_at_once - part.bytes);
    part.pieces.push_back({piece.offset + begin, bytes});
    part.bytes += bytes;
    if (part.bytes < most_accessed_at_once && part.pieces.size() < most_pieces) continue;
    for (std::size_t surplus = part.bytes % element; surplus > 0;) {
      MemoryPiece& last = part.pieces.back();
      const std::size_t less = std::min(last.bytes, surplus);
      last.bytes -= less;
      part.bytes -= less;
      surplus -= less;
      if (last.bytes == 0) part.pieces.pop_back();
    }
    break;
  }
  return part;
}

/// From the pieces of an image to what `packed` begins at, or back.
void gather(const std::byte* image, std::span<const MemoryPiece> pieces, std::byte* packed) {
  for (const MemoryPiece& piece : pieces) {
    std::memcpy(packed, image + piece.offset, piece.bytes);
    packed += piece.bytes;
  }
}

void scatter(const std::byte* packed, std::span<const MemoryPiece> pieces, std::byte* image) {
  for (const MemoryPiece& piece : pieces) {
    std::memcpy(image + piece.offset, packed, piece.bytes);
    packed += piece.bytes;
  }
}

MemoryOutcome checked(const MemoryReply& reply) {
  if (reply.outcome == MemoryOutcome::refused) throw Error(memory_is_closed);
  return reply.outcome;
}

}  // namespace

RemoteMemory::~RemoteMemory() {
  if (socket_ >= 0) close(socket_);
}

bool RemoteMemory::read(Rank rank, std::uint64_t address, std::span<const MemoryPiece> pieces,
                        std::byte* image, std::size_t element) {
  Part part;
  for (std::size_t done = 0; part = next_part(pieces, done, element), part.bytes > 0; done += part.bytes) {
    if (checked(ask(MemoryAccess::read, rank, address, part.pieces, {})) != MemoryOutcome::done) return false;
    scatter(reply_.data(), part.pieces, image);
  }
  return true;
}

bool RemoteMemory::write(Rank rank, std::uint64_t address, std::span<const MemoryPiece> pieces,
                         const std::byte* image, std::size_t element) {
  Part part;
  for (std::size_t done = 0; part = next_part(pieces, done, element), part.bytes > 0; done += part.bytes)
    if (checked(ask(MemoryAccess::write, rank, address, part.pieces, std::array{image})) !=
        MemoryOutcome::done)
      return false;
  return true;
}

MemoryOutcome RemoteMemory::exchange(Rank rank, std::uint64_t address, std::span<const MemoryPiece> pieces,
                                     std::byte* expected, const std::byte* wanted, std::size_t element,
                                     std::size_t& done) {
  Part part;
  while (part = next_part(pieces, done, element), part.bytes > 0) {
    const std::array images{static_cast<const std::byte*>(expected), wanted};
    const MemoryOutcome outcome = checked(ask(MemoryAccess::exchange, rank, address, part.pieces, images));
    if (outcome == MemoryOutcome::differs) scatter(reply_.data(), part.pieces, expected);
    if (outcome != MemoryOutcome::done) return outcome;
    done += part.bytes;
  }
  return MemoryOutcome::done;
}

MemoryReply RemoteMemory::ask(MemoryAccess access, Rank rank, std::uint64_t address,
                              std::span<const MemoryPiece> pieces, std::span<const std::byte* const> images) {
  MemoryRequest head{access, static_cast<std::int32_t>(rank), address, pieces.size(), 0};
  for (const MemoryPiece& piece : pieces) head.bytes += piece.bytes;
  request_.resize(sizeof head + pieces.size_bytes() + images.size() * head.bytes);
  std::byte* place = request_.data();
  std::memcpy(place, &head, sizeof head);
  std::memcpy(place += sizeof head, pieces.data(), pieces.size_bytes());
  place += pieces.size_bytes();
  for (const std::byte* const image : images) {
    gather(image, pieces, place);
    place += head.bytes;
  }
  if (socket_ < 0) connect();
  send(request_);
  MemoryReply reply{};
  receive({reinterpret_cast<std::byte*>(&reply), sizeof reply});
  const bool is_sane = reply.bytes == 0 || reply.bytes == head.bytes;
  if (!is_sane) throw Error("the agent of this machine answers what makes no sense");
  reply_.resize(std::max<std::size_t>(reply.bytes, 1));
  receive(std::span(reply_).first(reply.bytes));
  const bool brings = reply.outcome == MemoryOutcome::differs ||
                      (reply.outcome == MemoryOutcome::done && access == MemoryAccess::read);
  if (brings && reply.bytes != head.bytes) throw Error("the agent of this machine leaves something out");
  return reply;
}

void RemoteMemory::connect() {
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const MemoryAddress agent(name_of_run(channel_));
  if (socket_ < 0 || ::connect(socket_, agent.get(), agent.size()) != 0)
    throw Error(std::string("cannot reach the agent of this machine: ") + std::strerror(errno));
}

// The shims replace what a program calls to wait for a socket.
void RemoteMemory::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const long sent = syscall(SYS_sendto, socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL, nullptr, 0);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) emulator_gone();
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void RemoteMemory::receive(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const long come = syscall(SYS_recvfrom, socket_, bytes.data(), bytes.size(), 0, nullptr, nullptr);
    if (come < 0 && errno == EINTR) continue;
    if (come <= 0) emulator_gone();
    bytes = bytes.subspan(static_cast<std::size_t>(come));
  }
}

}  // namespace morgana
