#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "pvmshim/mpi/stand_in/by_hand.h"

// What calls with lists of datatypes share.

namespace morgana::stand_in {

using Types = std::vector<MPI_Datatype>;

/// Empty for a null pointer.
Types types_of(Handle* const* types, MPI_Count count);

/// Keeps what a call reads until its request has completed: until another request has the same number.
void keep_with(MPI_Request request, std::shared_ptr<void> kept);

/// How many members a rank sends to and receives from in an exchange of all with all, or with its neighbours.
struct Members {
  int senders = 0, receivers = 0;
};
Members members_of(Comm comm);
Members neighbours_of(Comm comm);

/// The datatypes of such an exchange.
struct ExchangedTypes {
  Types sent, received;
};
std::shared_ptr<ExchangedTypes> exchanged_types(Members members, Buffer sent, Handle* const* sent_types,
                                                Handle* const* received_types);

/// @param target  called with what both kinds of exchange have in common, and `more`
template <typename Target, typename Count, typename Place, typename... More>
int exchange(Target target, Members members, Buffer sent, const Count* sent_counts, const Place* sent_places,
             Handle* const* sent_types, Buffer received, const Count* received_counts,
             const Place* received_places, Handle* const* received_types, Comm comm, Handle** request,
             More... more) {
  const auto types = exchanged_types(members, sent, sent_types, received_types);
  const auto call = [&](auto... last) {
    return target(buffer_to_mpich(sent.given), sent_counts, sent_places, types->sent.data(),
                  buffer_to_mpich(received.given), received_counts, received_places, types->received.data(),
                  to_mpich<MPI_Comm>(comm.given), last...);
  };
  if constexpr (requires {
                  target(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, MPI_Comm{});
                }) {
    return error_from_mpich(call());
  } else {
    MPI_Request made = MPI_REQUEST_NULL;
    const int result = call(more..., &made);
    if (result == MPI_SUCCESS) {
      keep_with(made, types);
      *request = from_mpich(made);
    }
    return error_from_mpich(result);
  }
}

/// Constants of the interface that stand among the integers that a datatype was made of.
/// @param used  how many integers there are
/// @param sizes_apart  an array's sizes are large counts, and not among them
void translate_contents(int combiner, MPI_Count used, bool sizes_apart, int* integers);

}  // namespace morgana::stand_in
