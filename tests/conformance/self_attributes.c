// What MPI_Finalize does first: it deletes the attributes of MPI_COMM_SELF, in the reverse order of their
// setting, and MPI still works in the functions that are called for that. Those of MPI_COMM_WORLD follow; MPI
// has not ended for them either. The harness has ended by then: this program has a main of its own.
// ranks: 3
#include <mpi.h>
#include <stdio.h>

enum { attributes = 4 };

static int rank, ranks, deleted[attributes], count, finalised_in_callback, sum, neighbour, still_pending;
static MPI_Request request = MPI_REQUEST_NULL;

static int note(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  if (count < attributes) deleted[count] = *(int*)value;
  ++count;
  return MPI_SUCCESS;
}

static int finalised_for_world = -1, initialised_for_world = -1;

static int note_world(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  MPI_Finalized(&finalised_for_world);
  MPI_Initialized(&initialised_for_world);
  return MPI_SUCCESS;
}

static int communicate(MPI_Comm comm, int key, void* value, void* extra) {
  int flag = -1;
  MPI_Finalized(&flag);
  finalised_in_callback += flag;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &neighbour, 1, MPI_INT, (rank + ranks - 1) % ranks,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // started before MPI_Finalize
  still_pending = request != MPI_REQUEST_NULL;
  return note(comm, key, value, extra);
}

int main(int argc, char** argv) {
  static int numbers[attributes] = {0, 1, 2, 3}, in = -1;
  int keys[attributes], dropped, of_world;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < attributes; ++i)
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, i == 1 ? communicate : note, &keys[i], NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note, &dropped, NULL);
  for (int i = 0; i < attributes; ++i) {
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], &numbers[i]);
    if (i == 2) {
      MPI_Comm_set_attr(MPI_COMM_SELF, dropped, &numbers[0]);
      MPI_Comm_delete_attr(MPI_COMM_SELF, dropped);
    }
  }
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_world, &of_world, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, of_world, &numbers[0]);
  const int before = count;
  count = 0;
  MPI_Comm_free_keyval(&keys[2]);  // the attribute lives on
  MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Finalize();
  int finalised = -1;
  MPI_Finalized(&finalised);
  // Each rank says its own: the others can't be asked any more.
  if (rank != 0) return count == attributes ? 0 : 1;
  printf("case deletes_before_it_ends: %d %d\n", before, count);
  printf("case in_reverse_order: %d %d %d %d\n", deleted[0], deleted[1], deleted[2], deleted[3]);
  printf("case mpi_works_meanwhile: %d %d %d %d %d\n", finalised_in_callback, sum, neighbour, in,
         still_pending);
  printf("case the_worlds_attributes_end_before_it_has: %d %d\n", finalised_for_world, initialised_for_world);
  printf("case then_it_has_ended: %d\n", finalised);
  const int in_order = deleted[0] == 3 && deleted[1] == 2 && deleted[2] == 1 && deleted[3] == 0;
  return before == 1 && count == attributes && in_order && sum == ranks * (ranks - 1) / 2 &&
                 neighbour == ranks - 1 && in == rank && !finalised_in_callback && finalised_for_world == 0 &&
                 initialised_for_world == 1 && finalised
             ? 0
             : 1;
}
