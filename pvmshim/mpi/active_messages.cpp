// What libmorgana-am.so, loaded into a program over this library, says of itself: so a program that loads it
// when it runs, or that a script starts, is known before its first active message.

#include "emulator/operations/endpoint_tag.h"
#include "pvmshim/mpi/emulate/call_turn.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/lifetime.h"
#include "pvmshim/mpi/mode.h"

/// AM_Init calls it, once MPI has begun. The word is a look at the clock that bears a tag of the library's:
/// it takes no time, leaves no record, and comes to the emulator in its order among the rank's messages, from
/// any machine.
extern "C" __attribute__((visibility("default"))) void morgana_sends_active_messages() {
  using namespace morgana::mpi;
  if (mode() != Mode::emulate || !running()) return;
  const emulated::CallTurn turn("AM_Init");
  const morgana::LiveRank::Visit visit(emulated::me().live);
  morgana::Operation word;
  word.kind = morgana::OperationKind::read_clock;
  word.tag = morgana::Tag{morgana::EndpointTag().packed()};
  emulated::me().live.post(word);
}
