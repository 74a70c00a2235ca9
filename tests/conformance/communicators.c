// ranks: 6
// Making, comparing, naming and freeing communicators; messages stay in theirs.
#include "conformance.h"

static int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// What an allreduce over `comm` makes of the members' world ranks.
static int sum_over(MPI_Comm comm) {
  int sum = -1;
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

CASE(dup_isolates_messages) {
  MPI_Comm copy;
  CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  int first = -1, second = -1;
  const int in_world = 100 + world_rank, in_copy = 200 + world_rank;
  MPI_Request receives[2], sends[2];
  MPI_Isend(&in_world, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(&in_copy, 1, MPI_INT, right, 0, copy, &sends[1]);
  MPI_Irecv(&second, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &receives[1]);
  MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[0]);
  MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  CHECK_INT(100 + left, first);
  CHECK_INT(200 + left, second);
  MPI_Comm_free(&copy);
  CHECK_SAME(MPI_COMM_NULL, copy);
}

static int copies, deletions;

static int count_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)out = (char*)in + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

static int count_deletion(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

CASE(dup_copies_attributes) {
  static char values[4];
  int key = MPI_KEYVAL_INVALID, found = 0;
  MPI_Comm copy;
  void* value = NULL;
  copies = deletions = 0;
  MPI_Comm_create_keyval(count_copy, count_deletion, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, values);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_get_attr(copy, key, &value, &found);
  CHECK_INT(1, found);
  CHECK(value == values + 1);
  CHECK_INT(1, copies);
  MPI_Comm_free(&copy);
  CHECK_INT(1, deletions);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  CHECK_INT(2, deletions);
  MPI_Comm_free_keyval(&key);
}

CASE(predefined_attributes) {
  int* value = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  CHECK_INT(1, found);
  CHECK(found && *value >= 32767);
}

CASE(dup_with_info_and_idup) {
  MPI_Comm with_info, later;
  MPI_Request request;
  CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &with_info));
  CHECK_INT(15, sum_over(with_info));
  CHECK_OK(MPI_Comm_idup(with_info, &later, &request));
  CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_INT(15, sum_over(later));
  CHECK_INT(world_rank, rank_in(later));
  MPI_Comm_free(&with_info);
  CHECK_INT(15, sum_over(later));
  MPI_Comm_free(&later);
}

CASE(idup_completes_among_messages) {
  // One rank waits at once, the others only after they have exchanged messages that it takes part in.
  MPI_Comm twins[3];
  MPI_Request requests[4];
  int token = world_rank, left = (world_rank + world_size - 1) % world_size;
  for (int i = 0; i < 3; ++i) CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &twins[i], &requests[i]));
  MPI_Isend(&token, 1, MPI_INT, (world_rank + 1) % world_size, 4, MPI_COMM_WORLD, &requests[3]);
  int got = -1;
  if (world_rank != 0) MPI_Recv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_OK(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  if (world_rank == 0) MPI_Recv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_INT(left, got);
  for (int i = 0; i < 3; ++i) {
    CHECK_INT(15, sum_over(twins[i]));
    MPI_Comm_free(&twins[i]);
  }
}

#if MPI_VERSION >= 4
CASE(duplicates_of_idup_keep_messages_apart) {
  MPI_Comm one, two;
  MPI_Request requests[2];
  int flag = 0;
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &one, &requests[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &two, &requests[1]);
  while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  if (world_rank == 0) {
    int first = 1, second = 2;
    MPI_Send(&first, 1, MPI_INT, 1, 0, one);
    MPI_Send(&second, 1, MPI_INT, 1, 0, two);
  } else if (world_rank == 1) {
    int got = 0;
    MPI_Recv(&got, 1, MPI_INT, 0, 0, two, MPI_STATUS_IGNORE);
    CHECK_INT(2, got);
    MPI_Recv(&got, 1, MPI_INT, 0, 0, one, MPI_STATUS_IGNORE);
    CHECK_INT(1, got);
  }
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}
#endif

CASE(split_by_colour_with_keys_backwards) {
  MPI_Comm part;
  CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &part));
  CHECK_INT(3, size_of(part));
  CHECK_INT((5 - world_rank) / 2, rank_in(part));
  CHECK_INT(world_rank % 2 ? 9 : 6, sum_over(part));
  int value = world_rank;
  MPI_Bcast(&value, 1, MPI_INT, 0, part);
  CHECK_INT(4 + world_rank % 2, value);
  MPI_Comm_free(&part);
}

CASE(split_with_equal_keys_keeps_the_order) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank / 2, 0, &part);
  CHECK_INT(world_rank % 2, rank_in(part));
  MPI_Comm_free(&part);
}

CASE(split_with_undefined_colour) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank == 2 ? MPI_UNDEFINED : 0, world_rank, &part);
  if (world_rank == 2) {
    CHECK_SAME(MPI_COMM_NULL, part);
  } else {
    CHECK_INT(5, size_of(part));
    CHECK_INT(13, sum_over(part));
    MPI_Comm_free(&part);
  }
}

CASE(split_of_a_split) {
  MPI_Comm half, single;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank / 3, 0, &half);
  MPI_Comm_split(half, rank_in(half), 0, &single);
  CHECK_INT(1, size_of(single));
  CHECK_INT(world_rank, sum_over(single));
  MPI_Comm_free(&single);
  CHECK_INT(world_rank < 3 ? 3 : 12, sum_over(half));
  MPI_Comm_free(&half);
}

CASE(split_type_covers_every_rank_once) {
  // How many ranks share memory depends on the machine; that the parts cover the world does not.
  MPI_Comm shared;
  CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared));
  int leader = rank_in(shared) == 0 ? size_of(shared) : 0, total = 0;
  MPI_Allreduce(&leader, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK_INT(world_size, total);
  MPI_Comm_free(&shared);
}

CASE(split_type_takes_hints) {
  char value[16] = "";
  int found = 0;
  MPI_Info hints, given;
  MPI_Comm shared;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
  CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, hints, &shared));
  MPI_Comm_get_info(shared, &given);
  MPI_Info_get(given, "mpi_assert_no_any_tag", sizeof value - 1, value, &found);
  CHECK_STRING("true", value);
  MPI_Info_free(&given);
  MPI_Info_free(&hints);
  MPI_Comm_free(&shared);
}

#if MPI_VERSION >= 4
CASE(create_from_groups) {
  MPI_Group world, odd, rest, both;
  const int members[3] = {5, 1, 3};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 3, members, &odd);
  MPI_Group_difference(world, odd, &rest);
  MPI_Group_union(odd, rest, &both);
  MPI_Comm made, reordered;
  MPI_Comm_create(MPI_COMM_WORLD, odd, &made);
  MPI_Comm_create(MPI_COMM_WORLD, both, &reordered);
  const int place[6] = {3, 1, 4, 2, 5, 0};  // 5 1 3, then 0 2 4
  CHECK_INT(place[world_rank], rank_in(reordered));
  if (world_rank % 2) {
    CHECK_INT(place[world_rank], rank_in(made));
    CHECK_INT(9, sum_over(made));
    MPI_Comm_free(&made);
  } else {
    CHECK_SAME(MPI_COMM_NULL, made);
  }
  int translated[3], all[3] = {0, 1, 2};
  MPI_Group_translate_ranks(odd, 3, all, world, translated);
  for (int i = 0; i < 3; ++i) CHECK_INT(members[i], translated[i]);
  MPI_Comm_free(&reordered);
  MPI_Group_free(&world);
  MPI_Group_free(&odd);
  MPI_Group_free(&rest);
  MPI_Group_free(&both);
}
#endif

CASE(create_group_is_collective_over_the_group_only) {
  if (world_rank < 2) return;
  MPI_Group world, group;
  MPI_Comm made;
  const int out[2] = {0, 1};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, 2, out, &group);
  CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &made));
  CHECK_INT(world_rank - 2, rank_in(made));
  CHECK_INT(14, sum_over(made));
  MPI_Comm_free(&made);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

CASE(two_groups_created_side_by_side) {
  MPI_Group world, group;
  MPI_Comm made;
  int range[1][3] = {{world_rank < 3 ? 0 : 3, world_rank < 3 ? 2 : 5, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, range, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, world_rank < 3, &made);
  CHECK_INT(world_rank < 3 ? 3 : 12, sum_over(made));
  MPI_Comm_free(&made);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

CASE(compare) {
  MPI_Comm copy, turned, part;
  int result = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &turned);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &part);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  CHECK_INT(MPI_IDENT, result);
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  CHECK_INT(MPI_CONGRUENT, result);
  MPI_Comm_compare(MPI_COMM_WORLD, turned, &result);
  CHECK_INT(MPI_SIMILAR, result);
  MPI_Comm_compare(MPI_COMM_WORLD, part, &result);
  CHECK_INT(MPI_UNEQUAL, result);
  MPI_Comm_free(&part);
  MPI_Comm_free(&turned);
  MPI_Comm_free(&copy);
}

CASE(names) {
  MPI_Comm copy;
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK_STRING("MPI_COMM_WORLD", name);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_name(copy, "the copy");
  MPI_Comm_get_name(copy, name, &length);
  CHECK_STRING("the copy", name);
  CHECK_INT(8, length);
  MPI_Comm_free(&copy);
}

CASE(free_with_pending_communication) {
  // Freeing only marks: what was started completes.
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  enum { large = 50000 };
  int* out = malloc(sizeof(int) * large);
  int* in = malloc(sizeof(int) * large);
  fill(out, large, world_rank);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Request requests[2];
  MPI_Irecv(in, large, MPI_INT, left, 0, copy, &requests[0]);
  MPI_Isend(out, large, MPI_INT, right, 0, copy, &requests[1]);
  MPI_Comm_free(&copy);
  CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK_INT(-1, first_difference(in, large, left));
  free(out);
  free(in);
}

CASE(two_hundred_created_and_freed) {
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    MPI_Comm made;
    if (i % 2) {
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, world_rank % (1 + i % 3), world_rank, &made);
    }
    int value = i + rank_in(made);
    MPI_Bcast(&value, 1, MPI_INT, 0, made);
    wrong += value != i;
    MPI_Comm_free(&made);
  }
  CHECK_INT(0, wrong);
}

CASE(forty_alive_at_once) {
  enum { count = 40 };
  MPI_Comm made[count];
  int values[count];
  for (int i = 0; i < count; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Request requests[count];
  for (int i = 0; i < count; ++i) {
    MPI_Irecv(&values[i], 1, MPI_INT, left, 0, made[i], &requests[i]);
  }
  for (int i = count - 1; i >= 0; --i) {
    const int value = 100 * i + world_rank;
    MPI_Send(&value, 1, MPI_INT, right, 0, made[i]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) CHECK_INT(100 * i + left, values[i]);
  for (int i = 0; i < count; ++i) MPI_Comm_free(&made[i]);
}

CASE(a_part_is_duplicated_without_waiting) {
  MPI_Comm part, twin;
  MPI_Request request;
  int sum = -1;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &part);
  CHECK_OK(MPI_Comm_idup(part, &twin, &request));
  CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_OK(MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, twin));
  int expected = 0;
  for (int r = world_rank % 2; r < world_size; r += 2) expected += r;
  CHECK_INT(expected, sum);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&part);
}

// Their contexts must differ, also those of twins that are made one after the other of one parent.
CASE(messages_of_many_generations_stay_apart) {
  enum { generations = 6 };
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Comm comms[generations];
  MPI_Request requests[2 * generations];
  int sent[generations], got[generations];
  for (int i = 0; i < generations; ++i) {
    MPI_Comm parent = i % 2 == 0 || i == 1 ? MPI_COMM_WORLD : comms[i - 2];
    if (i < 3)
      MPI_Comm_dup(parent, &comms[i]);
    else
      MPI_Comm_split(parent, 0, world_rank, &comms[i]);
    sent[i] = 10 * world_rank + i;
  }
  for (int i = 0; i < generations; ++i) MPI_Irecv(&got[i], 1, MPI_INT, left, 0, comms[i], &requests[i]);
  for (int i = generations - 1; i >= 0; --i)
    MPI_Isend(&sent[i], 1, MPI_INT, right, 0, comms[i], &requests[generations + i]);
  MPI_Waitall(2 * generations, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < generations; ++i) {
    CHECK_INT(10 * left + i, got[i]);
    MPI_Comm_free(&comms[i]);
  }
}

// MPI_Comm_split exchanges colours over its parent: where two communicators of a member had one context, or
// the members of one had several, it would go wrong or never end.
static void check_by_split(MPI_Comm comm) {
  MPI_Comm half;
  const int me = rank_in(comm), size = size_of(comm);
  CHECK_OK(MPI_Comm_split(comm, me % 2, -me, &half));
  CHECK_INT(me % 2 == 0 ? (size + 1) / 2 : size / 2, size_of(half));
  CHECK_INT((size - 1 - me) / 2, rank_in(half));
  MPI_Comm_free(&half);
}

// Members of different groups have different contexts free, and more are in use than MPICH tries first.
CASE(duplicates_where_members_have_other_contexts_free) {
  enum { rounds = 25 };
  MPI_Comm kept[3 * rounds];
  int count = 0;
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm part, twin, of_all;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank * (i % 3 + 1) / 2 % (i % 4 + 1), world_rank, &part);
    CHECK_OK(MPI_Comm_dup(part, &twin));
    check_by_split(twin);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &of_all));
    check_by_split(of_all);
    CHECK_INT(size_of(part), sum_over(twin) < 0 ? -1 : size_of(twin));
    if ((world_rank + i) % 3 == 0) {
      MPI_Comm_free(&part);
    } else {
      kept[count++] = part;
    }
    kept[count++] = twin;
    kept[count++] = of_all;
  }
  while (count > 0) MPI_Comm_free(&kept[--count]);
}

CASE(duplicates_beside_one_that_is_pending) {
  MPI_Comm pending, twin, of_pending;
  MPI_Request request;
  CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &pending, &request));
  CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &twin));
  check_by_split(twin);
  CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_OK(MPI_Comm_dup(pending, &of_pending));
  check_by_split(of_pending);
  check_by_split(pending);
  MPI_Comm_free(&of_pending);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&pending);
}
