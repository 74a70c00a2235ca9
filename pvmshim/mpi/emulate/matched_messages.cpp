#include "pvmshim/mpi/emulate/matched_messages.h"

#include "emulator/core/error.h"

namespace morgana::mpi::emulated {

MPI_Message MatchedMessages::add(MatchedMessage message) {
  constexpr unsigned first_handle = 0x10000000, mask = 0x0FFFFFFF;
  if (messages_.size() == mask) throw Error("more than 268,435,454 matched messages wait to be received");
  MPI_Message handle = 0;
  do {
    last_ = (last_ + 1) & mask;
    handle = static_cast<MPI_Message>(first_handle | last_);
  } while (messages_.contains(handle));
  messages_.emplace(handle, std::move(message));
  return handle;
}

MatchedMessage MatchedMessages::take(MPI_Message handle) {
  const auto found = messages_.find(handle);
  if (found == messages_.end()) throw Error("a matched message is used that has been received");
  MatchedMessage message = std::move(found->second);
  messages_.erase(found);
  return message;
}

}  // namespace morgana::mpi::emulated
