#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pvmshim/pvm/emulate/arrival.h"
#include "pvmshim/pvm/emulate/open_call.h"
#include "pvmshim/pvmd/message.h"

namespace morgana::pvm {

/// What a receive asks for, in the engine's terms.
struct Wanted {
  Context context{};
  Rank source = any_rank;
  Tag tag = any_tag;
};

/// Shared memory with these bytes, for so many readers.
std::uint64_t deposit(std::span<const std::byte> bytes, std::uint32_t readers);
/// The bytes of a message that has wholly come; gives its payload back.
/// @throws Error if it was returned
std::vector<std::byte> collect(const Arrival& message);

/// Sends to each of these ranks. The library has copied the data, so that the call does not wait.
/// @param parts  how the data were packed
void send(OpenCall& call, std::span<const Rank> to, Context context, Tag tag, Bytes bytes,
          std::uint64_t payload, OpenCall::Last last, std::span<const Part> parts = {});

/// Waits for a message. @param limit  at most so long, > 0
/// @return nothing if the limit has passed
std::optional<Arrival> receive(OpenCall& call, const Wanted& wanted, OpenCall::Last last,
                               std::optional<SimTime> limit = std::nullopt);
/// Takes a message if there is one.
std::optional<Arrival> try_receive(OpenCall& call, const Wanted& wanted);

/// Of a message whose head has come: waits until the first `bytes` are there; 0: the rest is not wanted.
/// @return how many bytes are there
std::size_t wait_for_part(Call call, const Arrival& message, std::size_t bytes);
void forget_rest(const Arrival& message);

}  // namespace morgana::pvm
