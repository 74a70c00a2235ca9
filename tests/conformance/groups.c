// Groups of ranks: made of each other, compared, translated.
// ranks: 6
#include "conformance.h"

static MPI_Group world_group(void) {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  return group;
}

// The members must be these ranks of the world, in this order.
static void check_members(MPI_Group group, int count, const int* members) {
  MPI_Group world = world_group();
  int size = -1, ranks[8], translated[8], rank = -1, expected = MPI_UNDEFINED;
  MPI_Group_size(group, &size);
  CHECK_INT(count, size);
  for (int i = 0; i < count; ++i) ranks[i] = i;
  MPI_Group_translate_ranks(group, count, ranks, world, translated);
  for (int i = 0; i < count; ++i) {
    CHECK_INT(members[i], translated[i]);
    if (members[i] == world_rank) expected = i;
  }
  MPI_Group_rank(group, &rank);
  CHECK_INT(expected, rank);
  MPI_Group_free(&world);
}

static MPI_Group group_of(int count, const int* members) {
  MPI_Group world = world_group(), group;
  MPI_Group_incl(world, count, members, &group);
  MPI_Group_free(&world);
  return group;
}

CASE(incl_keeps_the_order_given) {
  static const int members[] = {4, 0, 3};
  MPI_Group group = group_of(3, members);
  check_members(group, 3, members);
  MPI_Group_free(&group);
  CHECK_SAME(MPI_GROUP_NULL, group);
}

CASE(excl_keeps_the_order_of_the_rest) {
  static const int excluded[] = {5, 1}, left[] = {0, 2, 3, 4};
  MPI_Group world = world_group(), group;
  CHECK_OK(MPI_Group_excl(world, 2, excluded, &group));
  check_members(group, 4, left);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

CASE(range_incl_and_excl) {
  int ranges[2][3] = {{5, 1, -2}, {0, 2, 2}};
  static const int included[] = {5, 3, 1, 0, 2}, left[] = {4};
  MPI_Group world = world_group(), group;
  CHECK_OK(MPI_Group_range_incl(world, 2, ranges, &group));
  check_members(group, 5, included);
  MPI_Group_free(&group);
  CHECK_OK(MPI_Group_range_excl(world, 2, ranges, &group));
  check_members(group, 1, left);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

CASE(union_intersection_difference) {
  static const int first[] = {3, 1, 0}, second[] = {5, 0, 3, 2};
  static const int both[] = {3, 0}, either[] = {3, 1, 0, 5, 2}, only_first[] = {1};
  MPI_Group a = group_of(3, first), b = group_of(4, second), result;
  MPI_Group_union(a, b, &result);
  check_members(result, 5, either);
  MPI_Group_free(&result);
  MPI_Group_intersection(a, b, &result);
  check_members(result, 2, both);
  MPI_Group_free(&result);
  MPI_Group_difference(a, b, &result);
  check_members(result, 1, only_first);
  MPI_Group_free(&result);
  MPI_Group_free(&a);
  MPI_Group_free(&b);
}

CASE(compare) {
  static const int forward[] = {1, 2, 3}, backward[] = {3, 2, 1}, other[] = {1, 2, 4};
  MPI_Group a = group_of(3, forward), same = group_of(3, forward), b = group_of(3, backward),
            c = group_of(3, other);
  int result = -1;
  MPI_Group_compare(a, same, &result);
  CHECK_INT(MPI_IDENT, result);
  MPI_Group_compare(a, b, &result);
  CHECK_INT(MPI_SIMILAR, result);
  MPI_Group_compare(a, c, &result);
  CHECK_INT(MPI_UNEQUAL, result);
  MPI_Group_free(&a);
  MPI_Group_free(&same);
  MPI_Group_free(&b);
  MPI_Group_free(&c);
}

CASE(translate_to_nobody) {
  static const int small[] = {2, 4};
  const int ranks[] = {0, 2, 4, MPI_PROC_NULL};
  static const int expected[] = {MPI_UNDEFINED, 0, 1, MPI_PROC_NULL};
  int translated[4];
  MPI_Group world = world_group(), group = group_of(2, small);
  MPI_Group_translate_ranks(world, 4, ranks, group, translated);
  for (int i = 0; i < 4; ++i) CHECK_INT(expected[i], translated[i]);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

CASE(empty_groups) {
  int size = -1, result = -1;
  MPI_Group world = world_group(), empty;
  MPI_Group_size(MPI_GROUP_EMPTY, &size);
  CHECK_INT(0, size);
  MPI_Group_difference(world, world, &empty);
  MPI_Group_compare(empty, MPI_GROUP_EMPTY, &result);
  CHECK_INT(MPI_IDENT, result);
  if (empty != MPI_GROUP_EMPTY) MPI_Group_free(&empty);
  MPI_Group_free(&world);
}

CASE(messages_in_a_communicator_of_a_group) {
  static const int members[] = {5, 2, 0, 3};
  MPI_Group group = group_of(4, members), back;
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  int rank = -1, got = -1, result = -1;
  MPI_Group_rank(group, &rank);
  if (rank == MPI_UNDEFINED) {
    CHECK_SAME(MPI_COMM_NULL, comm);
  } else {
    MPI_Sendrecv(&world_rank, 1, MPI_INT, (rank + 1) % 4, 0, &got, 1, MPI_INT, (rank + 3) % 4, 0, comm,
                 MPI_STATUS_IGNORE);
    CHECK_INT(members[(rank + 3) % 4], got);
    DIGEST(&got, sizeof got);
    MPI_Comm_group(comm, &back);
    MPI_Group_compare(group, back, &result);
    CHECK_INT(MPI_IDENT, result);
    MPI_Group_free(&back);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&group);
}
