// ranks: 4
// needs MPI 4
// Persistent collectives: set up once, started several times with new contents.
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>

// MPICH's default schedules of these three keep the contents of the first start (seen in 4.0.2): a native
// run needs others to be right. An emulated run takes no notice.
static void choose_algorithms(void) {
  setenv("MPIR_CVAR_IGATHER_INTRA_ALGORITHM", "tsp_tree", 1);
  setenv("MPIR_CVAR_ISCATTER_INTRA_ALGORITHM", "tsp_tree", 1);
  setenv("MPIR_CVAR_IALLGATHER_INTRA_ALGORITHM", "tsp_ring", 1);
  setenv("MPIR_CVAR_IBCAST_INTRA_ALGORITHM", "tsp_tree", 1);
}

#define CONFORMANCE_INIT(argc, argv) (choose_algorithms(), MPI_Init(argc, argv))
#include "conformance.h"

static void once(MPI_Request* request) {
  CHECK_OK(MPI_Start(request));
  CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
  CHECK(*request != MPI_REQUEST_NULL);
}

static void release(MPI_Request* request) {
  CHECK_OK(MPI_Request_free(request));
  CHECK_SAME(MPI_REQUEST_NULL, *request);
}

CASE(barrier_init) {
  MPI_Request request;
  CHECK_OK(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request));
  for (int i = 0; i < 5; ++i) once(&request);
  release(&request);
}

CASE(bcast_init_small_and_large) {
  const int counts[] = {1, 40000};
  int* values = malloc(sizeof(int) * 40000);
  for (int c = 0; c < 2; ++c) {
    MPI_Request request;
    MPI_Bcast_init(values, counts[c], MPI_INT, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 3; ++round) {
      if (world_rank == 2) fill(values, counts[c], round);
      once(&request);
      CHECK_INT(-1, first_difference(values, counts[c], round));
    }
    release(&request);
  }
  free(values);
}

CASE(gather_init_and_scatter_init) {
  int mine = 0, all[8], back = -1;
  MPI_Request gather, scatter;
  MPI_Gather_init(&mine, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &gather);
  MPI_Scatter_init(all, 1, MPI_INT, &back, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &scatter);
  for (int round = 0; round < 3; ++round) {
    mine = 10 * round + world_rank;
    once(&gather);
    for (int r = 0; r < world_size && world_rank == 1; ++r) {
      CHECK_INT(10 * round + r, all[r]);
      all[r] += 1000;
    }
    once(&scatter);
    CHECK_INT(1000 + mine, back);
  }
  release(&gather);
  release(&scatter);
}

CASE(gatherv_init_and_scatterv_init) {
  int mine[4] = {0}, all[16], back[4], counts[8], places[8];
  MPI_Request gather, scatter;
  for (int r = 0; r < world_size; ++r) counts[r] = r, places[r] = 4 * (world_size - 1 - r);
  MPI_Gatherv_init(mine, world_rank, MPI_INT, all, counts, places, MPI_INT, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &gather);
  MPI_Scatterv_init(all, counts, places, MPI_INT, back, world_rank, MPI_INT, 3, MPI_COMM_WORLD, MPI_INFO_NULL,
                    &scatter);
  for (int round = 0; round < 2; ++round) {
    fill(mine, world_rank, world_rank + 10 * round);
    once(&gather);
    once(&scatter);
    CHECK_INT(-1, first_difference(back, world_rank, world_rank + 10 * round));
  }
  release(&gather);
  release(&scatter);
}

CASE(allgather_init_and_allgatherv_init) {
  int mine[3] = {0}, all[12], counts[8], places[8];
  MPI_Request even, irregular;
  for (int r = 0; r < world_size; ++r) counts[r] = r % 3, places[r] = 3 * r;
  MPI_Allgather_init(mine, 3, MPI_INT, all, 3, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &even);
  MPI_Allgatherv_init(mine, counts[world_rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &irregular);
  for (int round = 0; round < 3; ++round) {
    fill(mine, 3, world_rank + 10 * round);
    memset(all, 0, sizeof all);
    once(&even);
    for (int r = 0; r < world_size; ++r) CHECK_INT(-1, first_difference(all + 3 * r, 3, r + 10 * round));
    memset(all, 0, sizeof all);
    once(&irregular);
    for (int r = 0; r < world_size; ++r) {
      CHECK_INT(-1, first_difference(all + 3 * r, counts[r], r + 10 * round));
      CHECK_INT(0, all[3 * r + counts[r]]);
    }
  }
  release(&even);
  release(&irregular);
}

CASE(alltoall_init_and_its_v_and_w) {
  int out[4] = {0}, in[4], ones[4], places[4], bytes[4];
  MPI_Datatype types[4];
  MPI_Request requests[3];
  for (int r = 0; r < world_size; ++r) {
    ones[r] = 1;
    places[r] = r;
    bytes[r] = r * (int)sizeof(int);
    types[r] = MPI_INT;
  }
  MPI_Alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Alltoallv_init(out, ones, places, MPI_INT, in, ones, places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[1]);
  MPI_Alltoallw_init(out, ones, bytes, types, in, ones, bytes, types, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[2]);
  for (int round = 0; round < 6; ++round) {
    for (int r = 0; r < world_size; ++r) out[r] = 100 * round + 10 * world_rank + r;
    once(&requests[round % 3]);
    for (int r = 0; r < world_size; ++r) CHECK_INT(100 * round + 10 * r + world_rank, in[r]);
  }
  for (int i = 0; i < 3; ++i) release(&requests[i]);
}

CASE(reduce_init_and_allreduce_init) {
  int mine = 0, sum = 0, most = 0;
  MPI_Request reduce, allreduce;
  MPI_Reduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &reduce);
  MPI_Allreduce_init(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &allreduce);
  for (int round = 0; round < 4; ++round) {
    mine = world_rank * (round + 1);
    once(&reduce);
    once(&allreduce);
    if (world_rank == 3) CHECK_INT(6 * (round + 1), sum);
    CHECK_INT(3 * (round + 1), most);
  }
  release(&reduce);
  release(&allreduce);
}

CASE(scan_init_and_exscan_init) {
  int mine = 0, upto = 0, below = -1;
  MPI_Request scan, exscan;
  MPI_Scan_init(&mine, &upto, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &scan);
  MPI_Exscan_init(&mine, &below, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &exscan);
  for (int round = 1; round < 4; ++round) {
    mine = round;
    once(&scan);
    once(&exscan);
    CHECK_INT(round * (world_rank + 1), upto);
    CHECK_INT(world_rank == 0 ? -1 : round * world_rank, below);
  }
  release(&scan);
  release(&exscan);
}

CASE(reduce_scatter_init_and_block) {
  int out[8] = {0}, block[2], part[4], counts[4] = {1, 0, 3, 2}, first = 0;
  MPI_Request even, irregular;
  for (int r = 0; r < world_rank; ++r) first += counts[r];
  MPI_Reduce_scatter_block_init(out, block, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &even);
  MPI_Reduce_scatter_init(out, part, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &irregular);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 8; ++i) out[i] = world_rank + round * i;
    once(&even);
    once(&irregular);
    for (int i = 0; i < 2; ++i) CHECK_INT(6 + 4 * round * (2 * world_rank + i), block[i]);
    for (int i = 0; i < counts[world_rank]; ++i) CHECK_INT(6 + 4 * round * (first + i), part[i]);
  }
  release(&even);
  release(&irregular);
}

CASE(startall_of_collectives_and_messages) {
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  int out = 0, in = -1, sum = 0;
  MPI_Request requests[3];
  MPI_Send_init(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Allreduce_init(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Recv_init(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[2]);
  for (int round = 0; round < 4; ++round) {
    out = 10 * round + world_rank;
    CHECK_OK(MPI_Startall(3, requests));
    CHECK_OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(10 * round + left, in);
    CHECK_INT(40 * round + 6, sum);
  }
  for (int i = 0; i < 3; ++i) release(&requests[i]);
}

CASE(never_started_and_never_waited_for) {
  MPI_Request request;
  int value = 3;
  MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  release(&request);
  CHECK_INT(3, value);
}

CASE(two_of_a_kind_keep_their_buffers_apart) {
  int mine[2] = {0, 0}, sums[2] = {-1, -1};
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) {
    MPI_Allreduce_init(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  }
  for (int round = 0; round < 3; ++round) {
    mine[0] = world_rank;
    mine[1] = 10 * round;
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK_INT(6, sums[0]);
    CHECK_INT(40 * round, sums[1]);
  }
  release(&requests[0]);
  release(&requests[1]);
}

// MPI 4.0, 6.13: they match in the order of initialisation; what is started in which order is each rank's own
// affair.
CASE(started_in_another_order_than_elsewhere) {
  int value = 0, sum = -1, mine = world_rank;
  MPI_Request requests[3];
  MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int round = 0; round < 3; ++round) {
    value = world_rank == 0 ? 100 + round : -1;
    for (int i = 0; i < 3; ++i) CHECK_OK(MPI_Start(&requests[(i + world_rank) % 3]));
    CHECK_OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    CHECK_INT(100 + round, value);
    CHECK_INT(6, sum);
  }
  for (int i = 0; i < 3; ++i) release(&requests[i]);
}

CASE(two_broadcasts_started_in_another_order_than_elsewhere) {
  int values[2] = {-1, -1};
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i)
    MPI_Bcast_init(&values[i], 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  if (world_rank == 1) values[0] = 10, values[1] = 20;
  const int first = world_rank % 2;
  MPI_Start(&requests[first]);
  MPI_Start(&requests[1 - first]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK_INT(10, values[0]);
  CHECK_INT(20, values[1]);
  for (int i = 0; i < 2; ++i) release(&requests[i]);
}
