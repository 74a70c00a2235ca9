// ranks: 6
// Cartesian, graph and distributed graph topologies: what they answer, and talking along them.
#include "conformance.h"

static MPI_Comm make_grid(int wrap_rows, int wrap_columns) {
  const int dims[2] = {2, 3}, periods[2] = {wrap_rows, wrap_columns};
  MPI_Comm made;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made);
  return made;
}

CASE(dims_create) {
  int free_choice[2] = {0, 0}, fixed[3] = {0, 3, 0};
  MPI_Dims_create(6, 2, free_choice);
  CHECK_INT(3, free_choice[0]);
  CHECK_INT(2, free_choice[1]);
  MPI_Dims_create(12, 3, fixed);
  CHECK_INT(3, fixed[1]);
  CHECK_INT(4, fixed[0] * fixed[2]);
}

CASE(cart_coordinates_and_ranks) {
  MPI_Comm grid = make_grid(0, 1);
  int coords[2], rank = -1, dims[2], periods[2], mine[2], kind = 0, ndims = 0;
  MPI_Cart_coords(grid, world_rank, 2, coords);
  CHECK_INT(world_rank / 3, coords[0]);
  CHECK_INT(world_rank % 3, coords[1]);
  MPI_Cart_rank(grid, coords, &rank);
  CHECK_INT(world_rank, rank);
  coords[1] += 3;  // periodic
  MPI_Cart_rank(grid, coords, &rank);
  CHECK_INT(world_rank, rank);
  MPI_Cart_get(grid, 2, dims, periods, mine);
  CHECK_INT(2, dims[0]);
  CHECK_INT(3, dims[1]);
  CHECK_INT(0, periods[0]);
  CHECK_INT(1, periods[1]);
  MPI_Topo_test(grid, &kind);
  CHECK_INT(MPI_CART, kind);
  MPI_Cartdim_get(grid, &ndims);
  CHECK_INT(2, ndims);
  MPI_Comm_free(&grid);
}

CASE(cart_shift_at_the_edges) {
  MPI_Comm grid = make_grid(0, 1);
  int from = -5, to = -5;
  MPI_Cart_shift(grid, 0, 1, &from, &to);
  CHECK_INT(world_rank < 3 ? MPI_PROC_NULL : world_rank - 3, from);
  CHECK_INT(world_rank < 3 ? world_rank + 3 : MPI_PROC_NULL, to);
  MPI_Cart_shift(grid, 1, -2, &from, &to);
  CHECK_INT(world_rank / 3 * 3 + (world_rank + 2) % 3, from);
  CHECK_INT(world_rank / 3 * 3 + (world_rank + 1) % 3, to);
  MPI_Comm_free(&grid);
}

CASE(halo_exchange_with_open_edges) {
  MPI_Comm grid = make_grid(0, 0);
  for (int dim = 0; dim < 2; ++dim) {
    int from, to, got = -1;
    MPI_Cart_shift(grid, dim, 1, &from, &to);
    MPI_Sendrecv(&world_rank, 1, MPI_INT, to, 0, &got, 1, MPI_INT, from, 0, grid, MPI_STATUS_IGNORE);
    CHECK_INT(from == MPI_PROC_NULL ? -1 : from, got);
    DIGEST(&got, sizeof got);
  }
  MPI_Comm_free(&grid);
}

CASE(cart_sub_gives_rows_and_columns) {
  MPI_Comm grid = make_grid(0, 1), row, column;
  const int keep_columns[2] = {0, 1}, keep_rows[2] = {1, 0};
  int sum = 0, size = 0;
  MPI_Cart_sub(grid, keep_columns, &row);
  MPI_Cart_sub(grid, keep_rows, &column);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, row);
  CHECK_INT(world_rank < 3 ? 3 : 12, sum);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, column);
  CHECK_INT(2 * (world_rank % 3) + 3, sum);
  MPI_Comm_size(row, &size);
  CHECK_INT(3, size);
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Comm_free(&grid);
}

CASE(cart_smaller_than_the_world) {
  const int dims[1] = {4}, periods[1] = {1};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  if (world_rank >= 4) {
    CHECK_SAME(MPI_COMM_NULL, ring);
    return;
  }
  int from, to, got = world_rank;
  MPI_Cart_shift(ring, 0, 1, &from, &to);
  MPI_Sendrecv_replace(&got, 1, MPI_INT, to, 0, from, 0, ring, MPI_STATUS_IGNORE);
  CHECK_INT((world_rank + 3) % 4, got);
  MPI_Comm_free(&ring);
}

CASE(graph_neighbours) {
  // A line: 0-1-2-3-4-5.
  int ends[6], edges[10], used = 0;
  for (int r = 0; r < 6; ++r) {
    if (r > 0) edges[used++] = r - 1;
    if (r < 5) edges[used++] = r + 1;
    ends[r] = used;
  }
  MPI_Comm line;
  MPI_Graph_create(MPI_COMM_WORLD, 6, ends, edges, 0, &line);
  int count = 0, neighbours[2], nodes = 0, all_edges = 0, kind = 0;
  MPI_Graph_neighbors_count(line, world_rank, &count);
  CHECK_INT(world_rank == 0 || world_rank == 5 ? 1 : 2, count);
  MPI_Graph_neighbors(line, world_rank, count, neighbours);
  CHECK_INT(world_rank == 0 ? 1 : world_rank - 1, neighbours[0]);
  MPI_Graphdims_get(line, &nodes, &all_edges);
  CHECK_INT(6, nodes);
  CHECK_INT(10, all_edges);
  MPI_Topo_test(line, &kind);
  CHECK_INT(MPI_GRAPH, kind);
  for (int i = 0; i < count; ++i) {
    int got = -1;
    MPI_Sendrecv(&world_rank, 1, MPI_INT, neighbours[i], 0, &got, 1, MPI_INT, neighbours[i], 0, line,
                 MPI_STATUS_IGNORE);
    CHECK_INT(neighbours[i], got);
  }
  MPI_Comm_free(&line);
}

CASE(dist_graph_create_described_by_one_rank) {
  // Rank 2 knows the whole graph: every rank points to the next and to the one after it.
  int sources[6], degrees[6], targets[12], weights[12];
  for (int r = 0; r < 6; ++r) {
    sources[r] = r;
    degrees[r] = 2;
    for (int i = 0; i < 2; ++i) targets[2 * r + i] = (r + i + 1) % 6, weights[2 * r + i] = 10 * r + i;
  }
  MPI_Comm graph;
  MPI_Dist_graph_create(MPI_COMM_WORLD, world_rank == 2 ? 6 : 0, sources, degrees, targets, weights,
                        MPI_INFO_NULL, 0, &graph);
  int in = -1, out = -1, weighted = -1, kind = 0;
  MPI_Topo_test(graph, &kind);
  CHECK_INT(MPI_DIST_GRAPH, kind);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  CHECK_INT(2, in);
  CHECK_INT(2, out);
  CHECK_INT(1, weighted);
  int from[2], from_weights[2], to[2], to_weights[2], weight_sum = 0, rank_sum = 0;
  MPI_Dist_graph_neighbors(graph, 2, from, from_weights, 2, to, to_weights);
  for (int i = 0; i < 2; ++i) {  // the order of neighbours is the library's choice
    weight_sum += from_weights[i];
    rank_sum += to[i];
  }
  CHECK_INT(10 * ((world_rank + 5) % 6) + 10 * ((world_rank + 4) % 6) + 1, weight_sum);
  CHECK_INT((world_rank + 1) % 6 + (world_rank + 2) % 6, rank_sum);
  MPI_Comm_free(&graph);
}

CASE(dist_graph_adjacent_keeps_order_and_weights) {
  const int from[2] = {(world_rank + 5) % 6, (world_rank + 3) % 6}, from_weights[2] = {1, 2};
  const int to[2] = {(world_rank + 1) % 6, (world_rank + 3) % 6}, to_weights[2] = {1, 2};
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, from_weights, 2, to, to_weights, MPI_INFO_NULL, 0,
                                 &graph);
  int got_from[2], got_to[2], got_weights[2], other_weights[2];
  MPI_Dist_graph_neighbors(graph, 2, got_from, got_weights, 2, got_to, other_weights);
  for (int i = 0; i < 2; ++i) {
    CHECK_INT(from[i], got_from[i]);
    CHECK_INT(to[i], got_to[i]);
    CHECK_INT(i + 1, got_weights[i]);
    CHECK_INT(i + 1, other_weights[i]);
  }
  MPI_Comm_free(&graph);
}

CASE(a_duplicate_keeps_its_topology) {
  MPI_Comm grid = make_grid(1, 1), copy;
  MPI_Comm_dup(grid, &copy);
  MPI_Comm_free(&grid);
  int from, to, kind = 0;
  MPI_Topo_test(copy, &kind);
  CHECK_INT(MPI_CART, kind);
  MPI_Cart_shift(copy, 0, 1, &from, &to);
  CHECK_INT((world_rank + 3) % 6, from);
  MPI_Comm_free(&copy);
}
