// ranks: 6
// Random programs of one-sided operations. Every rank knows what all of them do, and so what must be in
// everybody's memory after each epoch.
#include "conformance.h"

enum { places = 24, operations = 12, max_ranks = 8, page = 4096 };

static uint32_t state;

static void seed(uint32_t value) {
  state = value * 2654435761u + 1;
}

static int choose(int below) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return (int)(state % (uint32_t)below);
}

enum kind { put, get, add, fetch_add, kinds };

struct operation {
  enum kind kind;
  int origin, target, place, value;
};

/// One epoch's operations: no place is put or got by one and touched by another; sums may meet.
static int make_epoch(struct operation* made) {
  enum { unused, exclusive, summed } used[max_ranks][places] = {{unused}};
  int count = 0;
  for (int origin = 0; origin < world_size; ++origin) {
    for (int i = 0; i < operations; ++i) {
      const struct operation next = {(enum kind)choose(kinds), origin, choose(world_size), choose(places),
                                     choose(1000)};
      const int sums = next.kind == add;
      if (used[next.target][next.place] == exclusive || (used[next.target][next.place] == summed && !sums))
        continue;
      used[next.target][next.place] = sums ? summed : exclusive;
      made[count++] = next;
    }
  }
  return count;
}

static int* memory;
static int known[max_ranks][places], got[max_ranks * operations], expected[max_ranks * operations];

static MPI_Win begin(uint32_t number) {
  MPI_Win window;
  MPI_Win_allocate(page, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int r = 0; r < world_size; ++r)
    for (int i = 0; i < places; ++i) known[r][i] = 100 * r + i;
  for (int i = 0; i < places; ++i) memory[i] = known[world_rank][i];
  seed(number);
  MPI_Barrier(MPI_COMM_WORLD);
  return window;
}

/// Starts this rank's operations of an epoch, and says in `known` and `expected` what they all do.
static void carry_out(const struct operation* made, int count, MPI_Win window) {
  for (int i = 0; i < count; ++i) {
    int* place = &known[made[i].target][made[i].place];
    const int mine = made[i].origin == world_rank;
    expected[i] = got[i] = -1;
    if (mine && (made[i].kind == get || made[i].kind == fetch_add)) expected[i] = *place;
    switch (made[i].kind) {
      case put:
        *place = made[i].value;
        if (mine) MPI_Put(&made[i].value, 1, MPI_INT, made[i].target, made[i].place, 1, MPI_INT, window);
        break;
      case get:
        if (mine) MPI_Get(&got[i], 1, MPI_INT, made[i].target, made[i].place, 1, MPI_INT, window);
        break;
      case add:
        *place += made[i].value;
        if (mine)
          MPI_Accumulate(&made[i].value, 1, MPI_INT, made[i].target, made[i].place, 1, MPI_INT, MPI_SUM,
                         window);
        break;
      default:
        *place += made[i].value;
        if (mine)
          MPI_Fetch_and_op(&made[i].value, &got[i], MPI_INT, made[i].target, made[i].place, MPI_SUM, window);
    }
  }
}

static void check(int count) {
  for (int i = 0; i < count; ++i) CHECK_INT(expected[i], got[i]);
  for (int i = 0; i < places; ++i) CHECK_INT(known[world_rank][i], memory[i]);
  DIGEST(memory, sizeof(int) * places);
}

CASE(between_fences) {
  for (uint32_t number = 1; number <= 4; ++number) {
    MPI_Win window = begin(number);
    struct operation made[max_ranks * operations];
    MPI_Win_fence(0, window);
    for (int epoch = 0; epoch < 6; ++epoch) {
      const int count = make_epoch(made);
      carry_out(made, count, window);
      MPI_Win_fence(0, window);
      check(count);
      MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
  }
}

CASE(between_start_and_complete) {
  for (uint32_t number = 11; number <= 13; ++number) {
    MPI_Win window = begin(number);
    MPI_Group all;
    struct operation made[max_ranks * operations];
    MPI_Win_get_group(window, &all);
    for (int epoch = 0; epoch < 5; ++epoch) {
      const int count = make_epoch(made);
      MPI_Win_post(all, 0, window);
      MPI_Win_start(all, 0, window);
      carry_out(made, count, window);
      MPI_Win_complete(window);
      MPI_Win_wait(window);
      check(count);
    }
    MPI_Group_free(&all);
    MPI_Win_free(&window);
  }
}

CASE(in_locks_of_all) {
  for (uint32_t number = 21; number <= 23; ++number) {
    MPI_Win window = begin(number);
    struct operation made[max_ranks * operations];
    MPI_Win_lock_all(0, window);
    for (int epoch = 0; epoch < 5; ++epoch) {
      const int count = make_epoch(made);
      carry_out(made, count, window);
      MPI_Win_flush_all(window);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Win_sync(window);
      check(count);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
}
