#pragma once

#include <cstdint>
#include <span>

#include "pvmshim/channel/payload_arenas.h"

namespace morgana {

/// A payload goes from machine to machine in parts of so many bytes.
constexpr std::size_t largest_part = std::size_t{1} << 20;

/// Sends messages to ranks of another machine: the frames of each one's payload, and one that announces it.
/// For processes that hold the connection's lock (MachineLine).
/// @param socket  the connection between the agents of the two machines
/// @param messages  marked, and addressed; not released yet
/// @return false if the other end takes nothing any more. @throws Error if a handle names no block
bool send_messages(int socket, const PayloadArenas& arenas, std::span<const std::uint64_t> messages);

}  // namespace morgana
