// Calls MPI's collectives and prints, for some members, what each sends to whom. One line a member:
//   kind blocking members me root in_place commutative bytes element : bytes@peer ...
// See record.sh. RECORD_KIND in the environment leaves out other kinds and nonblocking forms, RECORD_AS
// is what lines begin with, and with RECORD_ARGUMENTS only what depends on arguments' form is recorded. Where
// sizes differ among members they are bytes * (i % 3), of member i or, between two, of the sum of their
// numbers.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "send_log.h"

namespace {

int members, me;
bool blocking;
FILE* out;
const char* only_kind;
const char* line_begins_with = "";
std::map<void*, int> peer_at;  // endpoint
std::vector<char> send_buffer(16 << 20), receive_buffer(16 << 20);
char* const give = send_buffer.data();
char* const get = receive_buffer.data();

struct Case {
  std::string kind;
  int bytes = 0, root = 0, element = 1;
  bool in_place = false, commutative = true;
};

/// Finds out which endpoint leads to whom.
void learn_peers() {
  for (int distance = 1; distance < members; ++distance) {
    const int to = (me + distance) % members;
    MPI_Request receive;
    MPI_Irecv(get, 1, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &receive);
    logged_sends = 0;
    MPI_Send(give, 1, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    peer_at[send_log[0].endpoint] = to;
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void record(const Case& c, const std::function<void()>& block,
            const std::function<void(MPI_Request*)>& start) {
  if (only_kind != nullptr && (c.kind != only_kind || !blocking)) return;
  MPI_Barrier(MPI_COMM_WORLD);
  logged_sends = 0;
  if (blocking) {
    block();
  } else {
    MPI_Request request;
    start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (me > 2 && me != 6 && me != members - 1) return;
  std::fprintf(out, "%s%s %d %d %d %d %d %d %d %d :", line_begins_with, c.kind.c_str(), blocking, members, me,
               c.root, c.in_place, c.commutative, c.bytes, c.element);
  for (long i = 0; i < logged_sends; ++i) {
    const auto peer = peer_at.find(send_log[i].endpoint);
    if (peer != peer_at.end()) std::fprintf(out, " %ld@%d", send_log[i].bytes, peer->second);
  }
  std::fprintf(out, "\n");
}

void irrelevant(void*, void*, int*, MPI_Datatype*) {}

void record_data_movement(int b, int root) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype byte = MPI_BYTE;
  Case c{"broadcast", b, root};
  record(
      c, [&] { MPI_Bcast(give, b, byte, root, world); },
      [&](MPI_Request* r) { MPI_Ibcast(give, b, byte, root, world, r); });
  c.kind = "gather";
  record(
      c, [&] { MPI_Gather(give, b, byte, get, b, byte, root, world); },
      [&](MPI_Request* r) { MPI_Igather(give, b, byte, get, b, byte, root, world, r); });
  c.kind = "scatter";
  record(
      c, [&] { MPI_Scatter(give, b, byte, get, b, byte, root, world); },
      [&](MPI_Request* r) { MPI_Iscatter(give, b, byte, get, b, byte, root, world, r); });
  c = {"allgather", b};
  record(
      c, [&] { MPI_Allgather(give, b, byte, get, b, byte, world); },
      [&](MPI_Request* r) { MPI_Iallgather(give, b, byte, get, b, byte, world, r); });
  for (const bool in_place : {false, true}) {
    c = {"alltoall", b, 0, 1, in_place};
    const void* from = in_place ? MPI_IN_PLACE : give;
    record(
        c, [&] { MPI_Alltoall(from, b, byte, get, b, byte, world); },
        [&](MPI_Request* r) { MPI_Ialltoall(from, b, byte, get, b, byte, world, r); });
  }
}

struct Sizes {
  std::vector<int> counts, places;
  Sizes(int b, int shift) : counts(static_cast<std::size_t>(members)), places(counts.size()) {
    for (int i = 0, place = 0; i < members; ++i) {
      const auto k = static_cast<std::size_t>(i);
      counts[k] = b * ((i + shift) % 3);
      places[k] = place;
      place += counts[k];
    }
  }
};

void record_unequal_data_movement(int b, int root) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype byte = MPI_BYTE;
  const Sizes sizes(b, 0), mutual(b, me);
  const int *counts = sizes.counts.data(), *places = sizes.places.data(), own = counts[me];
  Case c{"allgatherv", b};
  record(
      c, [&] { MPI_Allgatherv(give, own, byte, get, counts, places, byte, world); },
      [&](MPI_Request* r) { MPI_Iallgatherv(give, own, byte, get, counts, places, byte, world, r); });
  c = {"gatherv", b, root};
  record(
      c, [&] { MPI_Gatherv(give, own, byte, get, counts, places, byte, root, world); },
      [&](MPI_Request* r) { MPI_Igatherv(give, own, byte, get, counts, places, byte, root, world, r); });
  c.kind = "scatterv";
  record(
      c, [&] { MPI_Scatterv(give, counts, places, byte, get, own, byte, root, world); },
      [&](MPI_Request* r) { MPI_Iscatterv(give, counts, places, byte, get, own, byte, root, world, r); });
  const int *n = mutual.counts.data(), *at = mutual.places.data();
  const std::vector<MPI_Datatype> bytes(mutual.counts.size(), byte);
  for (const bool in_place : {false, true}) {
    const void* from = in_place ? MPI_IN_PLACE : give;
    c = {"alltoallv", b, 0, 1, in_place};
    record(
        c, [&] { MPI_Alltoallv(from, n, at, byte, get, n, at, byte, world); },
        [&](MPI_Request* r) { MPI_Ialltoallv(from, n, at, byte, get, n, at, byte, world, r); });
    c.kind = "alltoallw";
    record(
        c, [&] { MPI_Alltoallw(from, n, at, bytes.data(), get, n, at, bytes.data(), world); },
        [&](MPI_Request* r) {
          MPI_Ialltoallw(from, n, at, bytes.data(), get, n, at, bytes.data(), world, r);
        });
  }
}

void record_reductions(int b, int root, MPI_Op op, bool commutative) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype type = MPI_DOUBLE;
  const int n = b / 8;
  Case c{"reduce", b, root, 8, false, commutative};
  record(
      c, [&] { MPI_Reduce(give, get, n, type, op, root, world); },
      [&](MPI_Request* r) { MPI_Ireduce(give, get, n, type, op, root, world, r); });
  c = {"allreduce", b, 0, 8, false, commutative};
  record(
      c, [&] { MPI_Allreduce(give, get, n, type, op, world); },
      [&](MPI_Request* r) { MPI_Iallreduce(give, get, n, type, op, world, r); });
  c.kind = "scan";
  record(
      c, [&] { MPI_Scan(give, get, n, type, op, world); },
      [&](MPI_Request* r) { MPI_Iscan(give, get, n, type, op, world, r); });
  c.kind = "exscan";
  record(
      c, [&] { MPI_Exscan(give, get, n, type, op, world); },
      [&](MPI_Request* r) { MPI_Iexscan(give, get, n, type, op, world, r); });
  c.kind = "reduce_scatter_block";
  record(
      c, [&] { MPI_Reduce_scatter_block(give, get, n, type, op, world); },
      [&](MPI_Request* r) { MPI_Ireduce_scatter_block(give, get, n, type, op, world, r); });
  c.kind = "reduce_scatter";
  const Sizes sizes(n, 0);
  record(
      c, [&] { MPI_Reduce_scatter(give, get, sizes.counts.data(), type, op, world); },
      [&](MPI_Request* r) { MPI_Ireduce_scatter(give, get, sizes.counts.data(), type, op, world, r); });
}

/// What Open MPI makes depend on elements, on a send count that MPI ignores, and on there being nothing.
void record_forms_of_arguments(int b, int root) {
  const MPI_Comm world = MPI_COMM_WORLD;
  Case c{"broadcast", b, root, 8};
  record(
      c, [&] { MPI_Bcast(give, b / 8, MPI_DOUBLE, root, world); },
      [&](MPI_Request* r) { MPI_Ibcast(give, b / 8, MPI_DOUBLE, root, world, r); });
  c = {"allgather", b, 0, 1, true};
  record(
      c, [&] { MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, get, b, MPI_BYTE, world); },
      [&](MPI_Request* r) {
        MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, get, b, MPI_BYTE, world, r);
      });
  const std::vector<int> none(static_cast<std::size_t>(members));
  if (blocking)
    record({"allgatherv"},
           [&] { MPI_Allgatherv(give, 0, MPI_BYTE, get, none.data(), none.data(), MPI_BYTE, world); }, {});
}

void record_synchronisation() {
  record(
      {"barrier"}, [] { MPI_Barrier(MPI_COMM_WORLD); },
      [](MPI_Request* r) { MPI_Ibarrier(MPI_COMM_WORLD, r); });
  MPI_Comm copy = MPI_COMM_NULL;
  record(
      {"create_context"}, [&] { MPI_Comm_dup(MPI_COMM_WORLD, &copy); },
      [&](MPI_Request* r) { MPI_Comm_idup(MPI_COMM_WORLD, &copy, r); });
  if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &members);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  out = std::fopen((std::string(argv[1]) + "/" + std::to_string(members) + "." + std::to_string(me)).c_str(),
                   "w");
  only_kind = std::getenv("RECORD_KIND");
  if (const char* text = std::getenv("RECORD_AS")) line_begins_with = text;
  const int root = std::min(3, members - 1);
  const bool only_forms = std::getenv("RECORD_ARGUMENTS") != nullptr;
  learn_peers();
  MPI_Op in_order;
  MPI_Op_create(irrelevant, 0, &in_order);
  for (const bool blocks : {true, false}) {
    blocking = blocks;
    if (only_forms) {
      for (const int bytes : {8, 2104, 70000}) record_forms_of_arguments(bytes, root);
      continue;
    }
    record_synchronisation();
    for (const int bytes : {8, 2104, 12288, 70000}) {
      record_data_movement(bytes, root);
      if (bytes != 12288) record_unequal_data_movement(bytes, root);
      record_reductions(bytes, root, MPI_SUM, true);
      if (bytes == 2104) record_reductions(bytes, root, in_order, false);
    }
  }
  std::fclose(out);
  MPI_Finalize();
}
