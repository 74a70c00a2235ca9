// ranks: 6
// Neighbourhood collectives on Cartesian, graph and distributed graph topologies, in every form.
#include "conformance.h"

/// A torus of 3 x 2, without reordering. In a dimension of two both neighbours are the same rank.
static MPI_Comm make_torus(void) {
  const int dims[2] = {3, 2}, periods[2] = {1, 1};
  MPI_Comm made;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made);
  return made;
}

/// An open line: the ends lack one neighbour.
static MPI_Comm make_line(void) {
  const int periods[1] = {0};
  MPI_Comm made;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &world_size, periods, 0, &made);
  return made;
}

/// A star: rank 0 and everyone else.
static MPI_Comm make_star(void) {
  int ends[8], edges[16];
  for (int r = 0; r < world_size; ++r) {
    ends[r] = world_size - 1 + r;
    if (r > 0) edges[r - 1] = r, edges[world_size - 2 + r] = 0;
  }
  MPI_Comm made;
  MPI_Graph_create(MPI_COMM_WORLD, world_size, ends, edges, 0, &made);
  return made;
}

/// Rank r sends to r+1 and r+2 and receives from r-1 and r-2, in a circle: asymmetric.
static int ahead(int i) {
  return (world_rank + i) % world_size;
}
static int behind(int i) {
  return (world_rank + world_size - i) % world_size;
}

static MPI_Comm make_circle(void) {
  const int from[2] = {behind(1), behind(2)}, to[2] = {ahead(1), ahead(2)};
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &made);
  return made;
}

CASE(allgather_on_a_line_with_open_ends) {
  MPI_Comm line = make_line();
  int in[2] = {-1, -1};
  CHECK_OK(MPI_Neighbor_allgather(&world_rank, 1, MPI_INT, in, 1, MPI_INT, line));
  CHECK_INT(world_rank == 0 ? -1 : world_rank - 1, in[0]);
  CHECK_INT(world_rank == world_size - 1 ? -1 : world_rank + 1, in[1]);
  MPI_Comm_free(&line);
}

CASE(allgather_on_a_torus) {
  MPI_Comm torus = make_torus();
  int in[4] = {-1, -1, -1, -1}, from[4];
  MPI_Cart_shift(torus, 0, 1, &from[0], &from[1]);
  MPI_Cart_shift(torus, 1, 1, &from[2], &from[3]);
  MPI_Neighbor_allgather(&world_rank, 1, MPI_INT, in, 1, MPI_INT, torus);
  for (int i = 0; i < 4; ++i) CHECK_INT(from[i], in[i]);
  DIGEST(in, sizeof in);
  MPI_Comm_free(&torus);
}

CASE(alltoall_halo_on_a_line) {
  MPI_Comm line = make_line();
  enum { width = 5000 };
  int* out = malloc(sizeof(int) * 2 * width);
  int* in = malloc(sizeof(int) * 2 * width);
  fill(out, width, 2 * world_rank);
  fill(out + width, width, 2 * world_rank + 1);
  MPI_Neighbor_alltoall(out, width, MPI_INT, in, width, MPI_INT, line);
  if (world_rank > 0) CHECK_INT(-1, first_difference(in, width, 2 * (world_rank - 1) + 1));
  if (world_rank < world_size - 1) CHECK_INT(-1, first_difference(in + width, width, 2 * (world_rank + 1)));
  free(out);
  free(in);
  MPI_Comm_free(&line);
}

CASE(allgatherv_on_a_line) {
  MPI_Comm line = make_line();
  int mine[8], in[24];
  const int counts[2] = {world_rank > 0 ? world_rank - 1 : 0,
                         world_rank < world_size - 1 ? world_rank + 1 : 0};
  const int places[2] = {12, 0};
  fill(mine, world_rank, world_rank);
  memset(in, 0, sizeof in);
  MPI_Neighbor_allgatherv(mine, world_rank, MPI_INT, in, counts, places, MPI_INT, line);
  CHECK_INT(-1, first_difference(in + 12, counts[0], world_rank - 1));
  CHECK_INT(-1, first_difference(in, counts[1], world_rank + 1));
  MPI_Comm_free(&line);
}

CASE(star_graph_allgather_and_alltoall) {
  MPI_Comm star = make_star();
  int in[8], out[8], degree = 0;
  MPI_Graph_neighbors_count(star, world_rank, &degree);
  CHECK_INT(world_rank == 0 ? world_size - 1 : 1, degree);
  MPI_Neighbor_allgather(&world_rank, 1, MPI_INT, in, 1, MPI_INT, star);
  for (int i = 0; i < degree; ++i) CHECK_INT(world_rank == 0 ? i + 1 : 0, in[i]);
  for (int i = 0; i < degree; ++i) out[i] = 100 * world_rank + i;
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, star);
  for (int i = 0; i < degree; ++i) CHECK_INT(world_rank == 0 ? 100 * (i + 1) : world_rank - 1, in[i]);
  MPI_Comm_free(&star);
}

CASE(directed_circle_allgather) {
  MPI_Comm circle = make_circle();
  double mine[2] = {world_rank, 0.5}, in[4];
  MPI_Neighbor_allgather(mine, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, circle);
  CHECK(in[0] == behind(1) && in[1] == 0.5 && in[2] == behind(2) && in[3] == 0.5);
  MPI_Comm_free(&circle);
}

CASE(directed_circle_alltoallv_with_empty_parts) {
  MPI_Comm circle = make_circle();
  int out[16], in[16];
  // To the rank ahead by i go (rank + i) mod 3 ints.
  const int out_counts[2] = {(world_rank + 1) % 3, (world_rank + 2) % 3};
  const int in_counts[2] = {(behind(1) + 1) % 3, (behind(2) + 2) % 3}, places[2] = {8, 0};
  for (int i = 0; i < 2; ++i) fill(out + places[i], out_counts[i], 10 * world_rank + i);
  MPI_Neighbor_alltoallv(out, out_counts, places, MPI_INT, in, in_counts, places, MPI_INT, circle);
  for (int i = 0; i < 2; ++i) {
    CHECK_INT(-1, first_difference(in + places[i], in_counts[i], 10 * behind(i + 1) + i));
  }
  MPI_Comm_free(&circle);
}

CASE(directed_circle_alltoallw_of_two_types) {
  MPI_Comm circle = make_circle();
  struct {
    double real[2];
    int whole[2];
  } out = {{world_rank + 0.5, 1.5}, {world_rank, 7}}, in = {{0, 0}, {0, 0}};
  const int counts[2] = {2, 2};
  const MPI_Aint places[2] = {0, 2 * sizeof(double)};
  const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Neighbor_alltoallw(&out, counts, places, types, &in, counts, places, types, circle);
  CHECK(in.real[0] == behind(1) + 0.5 && in.real[1] == 1.5);
  CHECK_INT(behind(2), in.whole[0]);
  CHECK_INT(7, in.whole[1]);
  MPI_Comm_free(&circle);
}

CASE(nonblocking_neighbourhoods_together) {
  MPI_Comm circle = make_circle(), torus = make_torus();
  int first[2], second[4], out[4], back[2], out_two[2] = {10 * world_rank, 10 * world_rank + 1};
  MPI_Request requests[3];
  for (int i = 0; i < 4; ++i) out[i] = world_rank;
  MPI_Ineighbor_allgather(&world_rank, 1, MPI_INT, first, 1, MPI_INT, circle, &requests[0]);
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, second, 1, MPI_INT, torus, &requests[1]);
  MPI_Ineighbor_alltoall(out_two, 1, MPI_INT, back, 1, MPI_INT, circle, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  int from[4];
  MPI_Cart_shift(torus, 0, 1, &from[0], &from[1]);
  MPI_Cart_shift(torus, 1, 1, &from[2], &from[3]);
  for (int i = 0; i < 4; ++i) CHECK_INT(from[i], second[i]);
  for (int i = 0; i < 2; ++i) {
    CHECK_INT(behind(i + 1), first[i]);
    CHECK_INT(10 * behind(i + 1) + i, back[i]);
  }
  MPI_Comm_free(&torus);
  MPI_Comm_free(&circle);
}

CASE(nonblocking_v_and_w_neighbourhoods) {
  MPI_Comm circle = make_circle();
  int mine[3], all[8], out[4], in[4], swapped[4];
  const int twos[2] = {2, 2}, counts[2] = {behind(1) % 3, behind(2) % 3}, places[2] = {4, 0},
            halves[2] = {0, 2};
  const MPI_Aint bytes[2] = {0, 2 * sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request requests[3];
  fill(mine, world_rank % 3, world_rank);
  for (int i = 0; i < 4; ++i) out[i] = 10 * world_rank + i;
  MPI_Ineighbor_allgatherv(mine, world_rank % 3, MPI_INT, all, counts, places, MPI_INT, circle, &requests[0]);
  MPI_Ineighbor_alltoallv(out, twos, halves, MPI_INT, in, twos, halves, MPI_INT, circle, &requests[1]);
  MPI_Ineighbor_alltoallw(out, twos, bytes, types, swapped, twos, bytes, types, circle, &requests[2]);
  for (int i = 2; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) CHECK_INT(-1, first_difference(all + places[i], counts[i], behind(i + 1)));
  for (int i = 0; i < 4; ++i) {
    CHECK_INT(10 * behind(i / 2 + 1) + i, in[i]);
    CHECK_INT(in[i], swapped[i]);
  }
  MPI_Comm_free(&circle);
}

#if MPI_VERSION >= 4
CASE(persistent_neighbourhoods) {
  MPI_Comm circle = make_circle();
  int mine = 0, all[2], out[2], in[2];
  MPI_Request requests[2];
  MPI_Neighbor_allgather_init(&mine, 1, MPI_INT, all, 1, MPI_INT, circle, MPI_INFO_NULL, &requests[0]);
  MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, circle, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    mine = 10 * round + world_rank;
    out[0] = 100 + mine;
    out[1] = 200 + mine;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i) {
      CHECK_INT(10 * round + behind(i + 1), all[i]);
      CHECK_INT(100 * (i + 1) + 10 * round + behind(i + 1), in[i]);
    }
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Comm_free(&circle);
}

CASE(persistent_v_and_w_neighbourhoods) {
  MPI_Comm circle = make_circle();
  int mine[2], all[4], out[4], in[4], swapped[4];
  const int twos[2] = {2, 2}, halves[2] = {0, 2};
  const MPI_Aint bytes[2] = {0, 2 * sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Request requests[3];
  MPI_Neighbor_allgatherv_init(mine, 2, MPI_INT, all, twos, halves, MPI_INT, circle, MPI_INFO_NULL,
                               &requests[0]);
  MPI_Neighbor_alltoallv_init(out, twos, halves, MPI_INT, in, twos, halves, MPI_INT, circle, MPI_INFO_NULL,
                              &requests[1]);
  MPI_Neighbor_alltoallw_init(out, twos, bytes, types, swapped, twos, bytes, types, circle, MPI_INFO_NULL,
                              &requests[2]);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) mine[i] = 1000 * round + 10 * world_rank + i;
    for (int i = 0; i < 4; ++i) out[i] = 1000 * round + 10 * world_rank + i;
    MPI_Startall(3, requests);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; ++i) {
      CHECK_INT(1000 * round + 10 * behind(i / 2 + 1) + i % 2, all[i]);
      CHECK_INT(1000 * round + 10 * behind(i / 2 + 1) + i, in[i]);
      CHECK_INT(in[i], swapped[i]);
    }
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
  MPI_Comm_free(&circle);
}
#endif

CASE(a_rank_without_neighbours_takes_part) {
  // Only ranks 1 and 2 exchange.
  const int with = world_rank == 1 ? 2 : 1, degree = world_rank == 1 || world_rank == 2;
  MPI_Comm pair;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, &with, MPI_UNWEIGHTED, degree, &with, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &pair);
  int in = -1;
  CHECK_OK(MPI_Neighbor_allgather(&world_rank, 1, MPI_INT, &in, 1, MPI_INT, pair));
  CHECK_INT(degree ? with : -1, in);
  MPI_Comm_free(&pair);
}

CASE(alltoallw_needs_no_datatype_of_empty_blocks) {
  // In the circle each rank sends to the next one only, and nothing to the one behind it.
  MPI_Comm circle = make_circle();
  const int out = 10 * world_rank, counts[2] = {1, 0};
  const MPI_Aint places[2] = {0, 0};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL};
  for (int blocking = 0; blocking < 2; ++blocking) {
    int in = -1;
    if (blocking) {
      CHECK_OK(MPI_Neighbor_alltoallw(&out, counts, places, types, &in, counts, places, types, circle));
    } else {
      MPI_Request request;
      CHECK_OK(
          MPI_Ineighbor_alltoallw(&out, counts, places, types, &in, counts, places, types, circle, &request));
      CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CHECK_INT(10 * behind(1), in);
  }
  MPI_Comm_free(&circle);
}

CASE(alltoallw_of_addresses) {
  // Displacements from MPI_BOTTOM are addresses.
  MPI_Comm circle = make_circle();
  const int out[2] = {10 * world_rank, 10 * world_rank + 1}, counts[2] = {1, 1};
  int in[2] = {-1, -1};
  MPI_Aint from[2], to[2];
  for (int i = 0; i < 2; ++i) MPI_Get_address(&out[i], &from[i]), MPI_Get_address(&in[i], &to[i]);
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  CHECK_OK(MPI_Neighbor_alltoallw(MPI_BOTTOM, counts, from, types, MPI_BOTTOM, counts, to, types, circle));
  CHECK_INT(10 * behind(1), in[0]);
  CHECK_INT(10 * behind(2) + 1, in[1]);
  MPI_Comm_free(&circle);
}
