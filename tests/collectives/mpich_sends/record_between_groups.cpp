// As record.cpp, of the collectives of an intercommunicator between the first members of MPI_COMM_WORLD (as
// many as the second argument says) and the others. One line a member:
//   kind blocking first_group members me root commutative bytes element : bytes@peer ...
// Members are numbered as in MPI_COMM_WORLD. Sizes: see Sizes below.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "send_log.h"

namespace {

int members, me, first_group;
bool blocking;
MPI_Comm between;
FILE* out;
std::map<void*, int> peer_at;  // endpoint
std::vector<char> send_buffer(16 << 20), receive_buffer(16 << 20);
char* const give = send_buffer.data();
char* const get = receive_buffer.data();

struct Case {
  std::string kind;
  int bytes = 0, root = 0, element = 1;
  bool commutative = true;
};

bool in_first(int member) {
  return member < first_group;
}

/// What MPI wants to hear of a root.
int root_for_me(int root) {
  if (in_first(root) != in_first(me)) return in_first(root) ? root : root - first_group;
  return me == root ? MPI_ROOT : MPI_PROC_NULL;
}

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

void connect_groups() {
  MPI_Comm own;
  MPI_Comm_split(MPI_COMM_WORLD, in_first(me) ? 0 : 1, me, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, in_first(me) ? first_group : 0, 0, &between);
  MPI_Barrier(between);  // what the first collective sets up is not its own
}

void record(const Case& c, const std::function<void()>& block,
            const std::function<void(MPI_Request*)>& start) {
  MPI_Barrier(MPI_COMM_WORLD);
  logged_sends = 0;
  if (blocking) {
    block();
  } else {
    MPI_Request request;
    start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (me > 1 && me < first_group) return;
  if (me > first_group + 2 && me < members - 1) return;
  std::fprintf(out, "%s %d %d %d %d %d %d %d %d :", c.kind.c_str(), blocking, first_group, members, me,
               c.root, c.commutative, c.bytes, c.element);
  for (long i = 0; i < logged_sends; ++i) {
    const auto peer = peer_at.find(send_log[i].endpoint);
    if (peer != peer_at.end()) std::fprintf(out, " %ld@%d", send_log[i].bytes, peer->second);
  }
  std::fprintf(out, "\n");
}

void irrelevant(void*, void*, int*, MPI_Datatype*) {}

struct Sizes {
  std::vector<int> counts, places;
  explicit Sizes(std::vector<int> each) : counts(std::move(each)), places(counts.size()) {
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  }
};

int own_size() {
  return in_first(me) ? first_group : members - first_group;
}
int remote_size() {
  return members - own_size();
}
int first_remote() {
  return in_first(me) ? first_group : 0;
}

/// bytes * (number of the member % 3), of each member of the other group; between two, of the sum of both.
Sizes of_remote_members(int b, int shift) {
  std::vector<int> counts;
  for (int i = 0; i < remote_size(); ++i) counts.push_back(b * ((first_remote() + i + shift) % 3));
  return Sizes(counts);
}

/// What a reduction scatters over this group: as much as over the other, the last of this group one more
/// share than the first.
Sizes shares(int n) {
  std::vector<int> counts(static_cast<std::size_t>(own_size()), n * remote_size());
  counts.front() -= n;
  counts.back() += n;
  return Sizes(counts);
}

/// MPICH 4.0.2's MPI_Ibcast delivers the data only if the root is the first of its group.
void record_broadcast(int b, int root) {
  if (!blocking) root = in_first(root) ? 0 : first_group;
  const int r = root_for_me(root);
  record(
      {"broadcast", b, root}, [&] { MPI_Bcast(give, b, MPI_BYTE, r, between); },
      [&](MPI_Request* q) { MPI_Ibcast(give, b, MPI_BYTE, r, between, q); });
}

void record_rooted(int b, int root) {
  const int r = root_for_me(root);
  const MPI_Datatype byte = MPI_BYTE;
  Case c{"gather", b, root};
  record(
      c, [&] { MPI_Gather(give, b, byte, get, b, byte, r, between); },
      [&](MPI_Request* q) { MPI_Igather(give, b, byte, get, b, byte, r, between, q); });
  c.kind = "scatter";
  record(
      c, [&] { MPI_Scatter(give, b, byte, get, b, byte, r, between); },
      [&](MPI_Request* q) { MPI_Iscatter(give, b, byte, get, b, byte, r, between, q); });
  const Sizes sizes = of_remote_members(b, 0);
  const int *counts = sizes.counts.data(), *places = sizes.places.data(), own = b * (me % 3);
  c.kind = "gatherv";
  record(
      c, [&] { MPI_Gatherv(give, own, byte, get, counts, places, byte, r, between); },
      [&](MPI_Request* q) { MPI_Igatherv(give, own, byte, get, counts, places, byte, r, between, q); });
  c.kind = "scatterv";
  record(
      c, [&] { MPI_Scatterv(give, counts, places, byte, get, own, byte, r, between); },
      [&](MPI_Request* q) { MPI_Iscatterv(give, counts, places, byte, get, own, byte, r, between, q); });
}

/// The second group gives twice as much as the first.
void record_unrooted(int b) {
  const MPI_Datatype byte = MPI_BYTE;
  const int out_bytes = in_first(me) ? b : 2 * b, in_bytes = in_first(me) ? 2 * b : b;
  Case c{"allgather", b};
  record(
      c, [&] { MPI_Allgather(give, out_bytes, byte, get, in_bytes, byte, between); },
      [&](MPI_Request* q) { MPI_Iallgather(give, out_bytes, byte, get, in_bytes, byte, between, q); });
  c.kind = "alltoall";
  record(
      c, [&] { MPI_Alltoall(give, out_bytes, byte, get, in_bytes, byte, between); },
      [&](MPI_Request* q) { MPI_Ialltoall(give, out_bytes, byte, get, in_bytes, byte, between, q); });
  const Sizes sizes = of_remote_members(b, 0), mutual = of_remote_members(b, me);
  const int *counts = sizes.counts.data(), *places = sizes.places.data(), own = b * (me % 3);
  c.kind = "allgatherv";
  record(
      c, [&] { MPI_Allgatherv(give, own, byte, get, counts, places, byte, between); },
      [&](MPI_Request* q) { MPI_Iallgatherv(give, own, byte, get, counts, places, byte, between, q); });
  const int *n = mutual.counts.data(), *at = mutual.places.data();
  const std::vector<MPI_Datatype> types(mutual.counts.size(), byte);
  const MPI_Datatype* bytes = types.data();
  c.kind = "alltoallv";
  record(
      c, [&] { MPI_Alltoallv(give, n, at, byte, get, n, at, byte, between); },
      [&](MPI_Request* q) { MPI_Ialltoallv(give, n, at, byte, get, n, at, byte, between, q); });
  c.kind = "alltoallw";
  record(
      c, [&] { MPI_Alltoallw(give, n, at, bytes, get, n, at, bytes, between); },
      [&](MPI_Request* q) { MPI_Ialltoallw(give, n, at, bytes, get, n, at, bytes, between, q); });
}

void record_reduce(int b, int root, MPI_Op op, bool commutative) {
  const MPI_Datatype type = MPI_DOUBLE;
  const int n = b / 8, r = root_for_me(root);
  record(
      {"reduce", b, root, 8, commutative}, [&] { MPI_Reduce(give, get, n, type, op, r, between); },
      [&](MPI_Request* q) { MPI_Ireduce(give, get, n, type, op, r, between, q); });
}

void record_other_reductions(int b, MPI_Op op, bool commutative) {
  const MPI_Datatype type = MPI_DOUBLE;
  const int n = b / 8;
  Case c{"allreduce", b, 0, 8, commutative};
  record(
      c, [&] { MPI_Allreduce(give, get, n, type, op, between); },
      [&](MPI_Request* q) { MPI_Iallreduce(give, get, n, type, op, between, q); });
  c.kind = "reduce_scatter_block";
  const int block = n * remote_size();
  record(
      c, [&] { MPI_Reduce_scatter_block(give, get, block, type, op, between); },
      [&](MPI_Request* q) { MPI_Ireduce_scatter_block(give, get, block, type, op, between, q); });
  c.kind = "reduce_scatter";
  const Sizes sizes = shares(n);
  const int* counts = sizes.counts.data();
  record(
      c, [&] { MPI_Reduce_scatter(give, get, counts, type, op, between); },
      [&](MPI_Request* q) { MPI_Ireduce_scatter(give, get, counts, type, op, between, q); });
}

void record_synchronisation() {
  record(
      {"barrier"}, [] { MPI_Barrier(between); }, [](MPI_Request* q) { MPI_Ibarrier(between, q); });
  MPI_Comm copy;
  record(
      {"create_context"}, [&] { MPI_Comm_dup(between, &copy); },
      [&](MPI_Request* q) { MPI_Comm_idup(between, &copy, q); });
  MPI_Comm_free(&copy);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &members);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  first_group = std::atoi(argv[2]);
  out = std::fopen((std::string(argv[1]) + "/" + std::to_string(members) + "." + std::to_string(me)).c_str(),
                   "w");
  learn_peers();
  connect_groups();
  MPI_Op in_order;
  MPI_Op_create(irrelevant, 0, &in_order);
  for (const bool blocks : {true, false}) {
    blocking = blocks;
    record_synchronisation();
    for (const int bytes : {0, 8, 600, 70000}) {
      for (const int root : {1, first_group + 1}) {
        record_broadcast(bytes, root);
        record_rooted(bytes, root);
        record_reduce(bytes, root, MPI_SUM, true);
        if (bytes == 600) record_reduce(bytes, root, in_order, false);
      }
      record_unrooted(bytes);
      record_other_reductions(bytes, MPI_SUM, true);
      if (bytes == 600) record_other_reductions(bytes, in_order, false);
    }
  }
  std::fclose(out);
  MPI_Finalize();
}
