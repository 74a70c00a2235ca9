// What can be asked of datatypes and of the amount that was received.
// ranks: 2
#include "conformance.h"

CASE(sizes_and_extents) {
  MPI_Datatype vector, resized;
  MPI_Aint lower = -1, extent = -1, true_lower = -1, true_extent = -1;
  int size = -1;
  MPI_Type_vector(3, 2, 5, MPI_INT, &vector);
  MPI_Type_size(vector, &size);
  MPI_Type_get_extent(vector, &lower, &extent);
  CHECK_INT(6 * sizeof(int), size);
  CHECK_INT(0, lower);
  CHECK_INT(12 * sizeof(int), extent);
  MPI_Type_create_resized(vector, -8, 100, &resized);
  MPI_Type_get_extent(resized, &lower, &extent);
  MPI_Type_get_true_extent(resized, &true_lower, &true_extent);
  CHECK_INT(-8, lower);
  CHECK_INT(100, extent);
  CHECK_INT(0, true_lower);
  CHECK_INT(12 * sizeof(int), true_extent);
  MPI_Type_free(&vector);
  MPI_Type_free(&resized);
}

CASE(envelope_and_contents) {
  static const int lengths[] = {2, 3}, places[] = {0, 4};
  MPI_Datatype indexed, types[1];
  int integers[8], integer_count, address_count, type_count, combiner;
  MPI_Aint addresses[1];
  MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &indexed);
  MPI_Type_get_envelope(indexed, &integer_count, &address_count, &type_count, &combiner);
  CHECK_INT(MPI_COMBINER_INDEXED, combiner);
  CHECK_INT(5, integer_count);
  CHECK_INT(0, address_count);
  CHECK_INT(1, type_count);
  MPI_Type_get_contents(indexed, 8, 1, 1, integers, addresses, types);
  static const int expected[] = {2, 2, 3, 0, 4};
  for (int i = 0; i < 5; ++i) CHECK_INT(expected[i], integers[i]);
  CHECK_SAME(MPI_DOUBLE, types[0]);
  MPI_Type_free(&indexed);
}

CASE(names) {
  MPI_Datatype type;
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Type_get_name(MPI_INT, name, &length);
  CHECK_STRING("MPI_INT", name);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_get_name(type, name, &length);
  CHECK_STRING("", name);
  MPI_Type_set_name(type, "pair");
  MPI_Type_get_name(type, name, &length);
  CHECK_STRING("pair", name);
  CHECK_INT(4, length);
  MPI_Type_free(&type);
}

CASE(partial_items_have_no_count) {
  // Five integers do not make a whole number of pairs: the count is undefined, the elements are known.
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  if (world_rank == 0) {
    int values[5];
    fill(values, 5, 1);
    MPI_Send(values, 5, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    int got[8], count = -1, elements = -1;
    MPI_Count long_elements = -1;
    MPI_Status status;
    MPI_Recv(got, 4, pair, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, pair, &count);
    CHECK_INT(MPI_UNDEFINED, count);
    MPI_Get_elements(&status, pair, &elements);
    CHECK_INT(5, elements);
    MPI_Get_elements_x(&status, pair, &long_elements);
    CHECK_INT(5, long_elements);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK_INT(5, count);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK_INT(5 * sizeof(int), count);
    CHECK_INT(-1, first_difference(got, 5, 1));
  }
  MPI_Type_free(&pair);
}

CASE(partial_structs_count_their_elements) {
  static const int lengths[] = {1, 2};
  static const MPI_Aint places[] = {0, 8};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype mixed, prefix;
  MPI_Type_create_struct(2, lengths, places, parts, &mixed);
  MPI_Type_commit(&mixed);
  // One whole item and the double and the first integer of a second.
  static const int prefix_lengths[] = {1, 2, 1, 1};
  static const MPI_Aint prefix_places[] = {0, 8, 16, 24};
  const MPI_Datatype prefix_parts[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(4, prefix_lengths, prefix_places, prefix_parts, &prefix);
  MPI_Type_commit(&prefix);
  char buffer[64];
  memset(buffer, 0, sizeof buffer);
  if (world_rank == 0) {
    MPI_Send(buffer, 1, prefix, 1, 2, MPI_COMM_WORLD);
  } else {
    int count = -1, elements = -1;
    MPI_Status status;
    MPI_Recv(buffer, 3, mixed, 0, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, mixed, &count);
    MPI_Get_elements(&status, mixed, &elements);
    CHECK_INT(MPI_UNDEFINED, count);
    CHECK_INT(5, elements);
  }
  MPI_Type_free(&mixed);
  MPI_Type_free(&prefix);
}

CASE(zero_sized_types) {
  MPI_Datatype empty;
  int got = 7, count = -1, size = -1;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  MPI_Type_size(empty, &size);
  CHECK_INT(0, size);
  if (world_rank == 0) {
    MPI_Send(&got, 4, empty, 1, 3, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    MPI_Recv(&got, 4, empty, 0, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK_INT(0, count);
    CHECK_INT(7, got);
  }
  MPI_Type_free(&empty);
}

CASE(pack_on_one_side) {
  enum { room = 256 };
  char buffer[room];
  if (world_rank == 0) {
    const int number = 42;
    const double values[3] = {1.0, -2.5, 4.75};
    int position = 0;
    CHECK_OK(MPI_Pack(&number, 1, MPI_INT, buffer, room, &position, MPI_COMM_WORLD));
    CHECK_OK(MPI_Pack(values, 3, MPI_DOUBLE, buffer, room, &position, MPI_COMM_WORLD));
    MPI_Send(buffer, position, MPI_PACKED, 1, 4, MPI_COMM_WORLD);
  } else {
    int number = -1, position = 0, bytes = -1;
    double values[3] = {0, 0, 0};
    MPI_Status status;
    MPI_Recv(buffer, room, MPI_PACKED, 0, 4, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_PACKED, &bytes);
    CHECK_OK(MPI_Unpack(buffer, bytes, &position, &number, 1, MPI_INT, MPI_COMM_WORLD));
    CHECK_OK(MPI_Unpack(buffer, bytes, &position, values, 3, MPI_DOUBLE, MPI_COMM_WORLD));
    CHECK_INT(42, number);
    CHECK(values[0] == 1.0 && values[1] == -2.5 && values[2] == 4.75);
    CHECK_INT(bytes, position);
    DIGEST(values, sizeof values);
  }
}

CASE(pack_external_is_big_endian) {
  const int number = 0x01020304;
  unsigned char buffer[64];
  MPI_Aint position = 0, size = -1;
  MPI_Pack_external_size("external32", 2, MPI_INT, &size);
  CHECK_INT(8, size);
  CHECK_OK(MPI_Pack_external("external32", &number, 1, MPI_INT, buffer, 64, &position));
  CHECK_INT(4, position);
  for (int i = 0; i < 4; ++i) CHECK_INT(i + 1, buffer[i]);
  int back = 0;
  position = 0;
  CHECK_OK(MPI_Unpack_external("external32", buffer, 4, &position, &back, 1, MPI_INT));
  CHECK_INT(number, back);
}

CASE(packed_strided_data_matches_the_type) {
  // Packed by one side, received by the other with the derived type itself.
  int grid[12], got[12];
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  fill(grid, 12, 5);
  memset(got, 0, sizeof got);
  if (world_rank == 0) {
    char buffer[128];
    int position = 0;
    MPI_Pack(grid + 2, 1, column, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    MPI_Send(buffer, position, MPI_PACKED, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(got + 2, 1, column, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 12; ++i) CHECK_INT(i % 3 == 2 ? grid[i] : 0, got[i]);
  }
  MPI_Type_free(&column);
}

CASE(match_size_and_fortran_types) {
  MPI_Datatype type;
  int size = -1;
  CHECK_OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
  MPI_Type_size(type, &size);
  CHECK_INT(8, size);
  CHECK_OK(MPI_Type_create_f90_integer(9, &type));
  MPI_Type_size(type, &size);
  CHECK_INT(4, size);
}

CASE(status_set_elements) {
  MPI_Status status;
  int count = -1, cancelled = -1;
  MPI_Count many = -1;
  memset(&status, 0, sizeof status);
  CHECK_OK(MPI_Status_set_elements(&status, MPI_DOUBLE, 12));
  CHECK_OK(MPI_Status_set_cancelled(&status, 1));
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  CHECK_INT(12, count);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK_INT(1, cancelled);
  CHECK_OK(MPI_Status_set_elements_x(&status, MPI_BYTE, (MPI_Count)5000000000));
  MPI_Get_elements_x(&status, MPI_BYTE, &many);
  CHECK_INT(5000000000, many);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK_INT(MPI_UNDEFINED, count);  // does not fit an int
}
