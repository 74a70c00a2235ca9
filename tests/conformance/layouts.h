// Derived datatypes that several programs of the suite send, and how their data is filled and checked.
#pragma once

#include <stddef.h>

#include "conformance.h"

/// A record with holes: the compiler pads between its members and at its end.
struct record {
  char letter;
  double value;
  int number;
};

static MPI_Datatype make_record_type(void) CONFORMANCE_UNUSED;
static MPI_Datatype make_record_type(void) {
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint places[3] = {offsetof(struct record, letter), offsetof(struct record, value),
                              offsetof(struct record, number)};
  const MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype packed, made;
  MPI_Type_create_struct(3, lengths, places, types, &packed);
  MPI_Type_create_resized(packed, 0, (MPI_Aint)sizeof(struct record), &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&packed);
  return made;
}

static struct record record_of(int stream, int i) CONFORMANCE_UNUSED;
static struct record record_of(int stream, int i) {
  const struct record made = {(char)('a' + (stream + i) % 26), stream + 0.25 * i, pattern(stream, i)};
  return made;
}

static int same_record(struct record a, struct record b) CONFORMANCE_UNUSED;
static int same_record(struct record a, struct record b) {
  return a.letter == b.letter && a.value == b.value && a.number == b.number;
}

/// Every `stride`-th of `count` ints, resized to one int, so that neighbours interleave.
static MPI_Datatype make_column_type(int count, int stride) CONFORMANCE_UNUSED;
static MPI_Datatype make_column_type(int count, int stride) {
  MPI_Datatype vector, made;
  MPI_Type_vector(count, 1, stride, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, (MPI_Aint)sizeof(int), &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&vector);
  return made;
}
