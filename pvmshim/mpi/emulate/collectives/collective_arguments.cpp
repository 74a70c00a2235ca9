#include "pvmshim/mpi/emulate/collectives/collective_arguments.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

/// The user may have told MPICH to let aliases pass.
bool aliases_matter() {
  static const bool matter = [] {
    const char* check = std::getenv("MPIR_CVAR_COLL_ALIAS_CHECK");
    return check == nullptr || (std::string_view(check) != "0" && std::string_view(check) != "no" &&
                                std::string_view(check) != "false");
  }();
  return matter;
}

bool begins_at(const void* place, const void* buffer, MPI_Count items, MPI_Datatype type) {
  return static_cast<const char*>(buffer) + items * packed_size(1, type).count() == place;
}

bool same(const ListView& a, const ListView& b) {
  return a.narrow() == b.narrow() && a.wide() == b.wide();
}

const void* unless_in_place(const void* buffer) {
  static const char somewhere = 0;
  return buffer == MPI_IN_PLACE ? &somewhere : buffer;
}

}  // namespace

bool Side::is_empty() const {
  if (blocks == nullptr) return count <= 0;
  for (int i = 0; i < number; ++i)
    if (blocks->count(i) > 0) return false;
  return true;
}

bool Side::is_valid() const {
  const bool misplaced = buffer == MPI_IN_PLACE && !is_empty();
  if (misplaced) return false;
  const void* data = unless_in_place(buffer);
  return blocks == nullptr ? is_block(data, count, type) : are_blocks(data, *blocks, number);
}

bool Side::is_valid_or_in_place(const Communicator& comm) const {
  return buffer == MPI_IN_PLACE ? !comm.is_inter() : is_valid();
}

bool Side::is_valid_part(const Communicator& comm) const {
  if (buffer != MPI_IN_PLACE || comm.is_inter()) return is_valid();
  if (count != 0) end_unrefused_call();  // MPICH would read or write at that address
  return true;
}

bool is_aliased(const Communicator& comm, const Side& part, const Side& whole) {
  if (comm.is_inter() || part.buffer == MPI_IN_PLACE || part.count == 0 || !aliases_matter()) return false;
  if (whole.blocks == nullptr)
    return part.type == whole.type && part.count == whole.count &&
           begins_at(part.buffer, whole.buffer, comm.me() * whole.count, whole.type);
  const ItemsByRank& blocks = *whole.blocks;
  return part.type == blocks.type && blocks.count(comm.me()) != 0 &&
         begins_at(part.buffer, whole.buffer, blocks.places[comm.me()], blocks.type);
}

bool is_aliased_to_all(const Communicator& comm, const Side& sent, const Side& received) {
  if (comm.is_inter() || sent.buffer != received.buffer || !aliases_matter()) return false;
  if (sent.blocks == nullptr)
    return sent.type == received.type && sent.count == received.count && sent.count != 0;
  return same(sent.blocks->counts, received.blocks->counts) && sent.blocks->type == received.blocks->type &&
         sent.blocks->types == received.blocks->types;
}

bool is_operator_for(MPI_Op op, MPI_Datatype type) {
  const auto ask = [&] {
    char in = 0, out = 0;  // MPICH looks at the operator even if there is nothing to do
    return real().MPI_Allreduce_c(&in, &out, 0, type, op, me().scratch) == MPI_SUCCESS;
  };
  constexpr unsigned kind_mask = 0xFC000000U, predefined_operator = 0x58000000U;
  const bool lasts = (static_cast<unsigned>(op) & kind_mask) == predefined_operator && is_plain(type);
  if (!lasts) return ask();
  static std::unordered_map<std::uint64_t, bool> known;  // looked up only
  const std::uint64_t both = std::uint64_t{static_cast<unsigned>(op)} << 32 | static_cast<unsigned>(type);
  const auto found = known.find(both);
  return found != known.end() ? found->second : known.emplace(both, ask()).first->second;
}

bool is_reduction(const Communicator& comm, const void* sent, MPI_Count given, const void* received,
                  MPI_Count got, MPI_Datatype type, MPI_Op op) {
  if (given < 0 || got < 0 || !is_operator_for(op, type)) return false;
  if (received == MPI_IN_PLACE && got > 0) return false;
  if (sent == MPI_IN_PLACE ? comm.is_inter() && given > 0
                           : !comm.is_inter() && given > 0 && sent == received && aliases_matter())
    return false;
  return is_block(unless_in_place(received), got, type) && is_block(unless_in_place(sent), given, type);
}

bool is_rooted_reduction(const Communicator& comm, const Role& role, const void* sent, const void* received,
                         MPI_Count count, MPI_Datatype type, MPI_Op op) {
  if (count < 0 || !is_operator_for(op, type)) return false;
  if (role.is_root) {
    if (received == MPI_IN_PLACE && count > 0) return false;
    if (!is_block(unless_in_place(received), count, type)) return false;
    if (count > 0 && sent != MPI_IN_PLACE && sent == received && aliases_matter()) return false;
  }
  if (comm.is_inter() && sent == MPI_IN_PLACE && count > 0) return false;
  return is_block(unless_in_place(sent), count, type);
}

}  // namespace morgana::mpi::emulated
