// Derived datatypes: what is sent in one shape arrives in another, and gaps stay untouched.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int rank;

typedef struct {
  char letter;
  double number;
  int three[3];
} Record;

static MPI_Datatype record_type(void) {
  const int counts[] = {1, 1, 3};
  const MPI_Aint places[] = {offsetof(Record, letter), offsetof(Record, number), offsetof(Record, three)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype plain, type;
  MPI_Type_create_struct(3, counts, places, types, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(Record), &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&plain);
  return type;
}

static void columns(void) {
  enum { rows = 6, columns = 5 };
  int grid[rows][columns], column[rows];
  MPI_Datatype type;
  MPI_Type_vector(rows, 1, columns, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (rank == 0) {
    for (int i = 0; i < rows * columns; ++i) grid[i / columns][i % columns] = i;
    MPI_Send(&grid[0][2], 1, type, 1, 1, MPI_COMM_WORLD);
    MPI_Send(&grid[0][3], 1, type, 1, 2, MPI_COMM_WORLD);
  } else if (rank == 1) {
    memset(grid, -1, sizeof grid);
    MPI_Recv(column, rows, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; ++i) CHECK(column[i] == i * columns + 2, "column[%d] = %d", i, column[i]);
    MPI_Request request;
    MPI_Irecv(&grid[0][0], 1, type, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);  // while it is in use
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < rows * columns; ++i) {
      const int expected = i % columns == 0 ? i + 3 : -1;
      CHECK(grid[i / columns][i % columns] == expected, "grid[%d] = %d", i, grid[i / columns][i % columns]);
    }
  }
  if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
}

static void records(void) {
  MPI_Datatype type = record_type();
  Record records[3];
  MPI_Status status;
  memset(records, 0x55, sizeof records);
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) {
      const Record record = {(char)('a' + i), i + 0.5, {i, i + 1, i + 2}};
      records[i] = record;
    }
    MPI_Send(records, 3, type, 1, 3, MPI_COMM_WORLD);
    MPI_Send(records, 2, type, 1, 4, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(records, 3, type, 0, 3, MPI_COMM_WORLD, &status);
    for (int i = 0; i < 3; ++i)
      CHECK(records[i].letter == 'a' + i && records[i].number == i + 0.5 && records[i].three[2] == i + 2,
            "record %d", i);
    CHECK(((unsigned char*)records)[offsetof(Record, letter) + 1] == 0x55, "a gap was written to");
    MPI_Recv(records, 3, type, 0, 4, MPI_COMM_WORLD, &status);  // fewer than there is room for
    int count = -1, elements = -1;
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    CHECK(count == 2 && elements == 10, "%d records of %d elements", count, elements);
  }
  MPI_Type_free(&type);
}

static void part_of_a_record(void) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  int numbers[6] = {-1, -1, -1, -1, -1, -1};
  if (rank == 0) {
    for (int i = 0; i < 3; ++i) numbers[i] = i;
    MPI_Send(numbers, 3, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Status status;
    int count = -1, elements = -1;
    MPI_Recv(numbers, 3, pair, 0, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, pair, &count);
    MPI_Get_elements(&status, pair, &elements);
    CHECK(count == MPI_UNDEFINED && elements == 3, "one and a half pairs: %d, %d", count, elements);
    CHECK(numbers[2] == 2 && numbers[3] == -1, "%d %d", numbers[2], numbers[3]);
  }
  MPI_Type_free(&pair);
}

static void blocks_of_a_grid(void) {
  const int sizes[] = {8, 8}, part[] = {3, 4}, corner[] = {2, 1};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, sizes, part, corner, MPI_ORDER_C, MPI_FLOAT, &type);
  MPI_Type_commit(&type);
  float grid[64];
  for (int i = 0; i < 64; ++i) grid[i] = rank == 0 ? (float)i : -1.0F;
  MPI_Bcast(grid, 1, type, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 64 && rank != 0; ++i) {
    const int row = i / 8, column = i % 8, inside = row >= 2 && row < 5 && column >= 1 && column < 5;
    CHECK(grid[i] == (inside ? (float)i : -1.0F), "grid[%d] = %g", i, (double)grid[i]);
  }
  MPI_Type_free(&type);
}

// Absolute addresses, and items out of order in memory.
static void addresses(void) {
  int first = rank == 0 ? 11 : 0, second = rank == 0 ? 22 : 0;
  MPI_Aint places[2];
  const int counts[] = {1, 1};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT};
  MPI_Get_address(&second, &places[0]);
  MPI_Get_address(&first, &places[1]);
  MPI_Datatype type;
  MPI_Type_create_struct(2, counts, places, types, &type);
  MPI_Type_commit(&type);
  if (rank == 0) MPI_Ssend(MPI_BOTTOM, 1, type, 1, 6, MPI_COMM_WORLD);
  if (rank == 1) {
    int both[2];
    MPI_Recv(both, 2, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(both[0] == 22 && both[1] == 11, "%d %d", both[0], both[1]);
  }
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  CHECK(first == 11 && second == 22, "%d %d", first, second);
  MPI_Type_free(&type);
}

static void packed(void) {
  char buffer[100];
  int position = 0, number = 5;
  double real = 2.5;
  if (rank == 0) {
    MPI_Pack(&number, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    MPI_Pack(&real, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, position, MPI_PACKED, 1, 7, MPI_COMM_WORLD);
  } else if (rank == 1) {
    number = 0, real = 0;
    MPI_Recv(buffer, sizeof buffer, MPI_PACKED, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Unpack(buffer, sizeof buffer, &position, &number, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(buffer, sizeof buffer, &position, &real, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK(number == 5 && real == 2.5, "%d %g", number, real);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  columns();
  records();
  part_of_a_record();
  blocks_of_a_grid();
  addresses();
  packed();
  return verdict("datatypes");
}
