// One element of a derived type of as many MiB as the argument says (2048 unless told otherwise) and 5 bytes,
// from rank 0 to 1. The sender's blocks overlap, each 64 bytes behind the one before, so that little memory
// holds them all and each is different.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { block = 1 << 20, stride = 64, rest = 5, most_blocks = 1 << 12 };

static void fill(unsigned char* pattern, size_t size) {
  uint32_t state = 12345;
  for (size_t i = 0; i < size; ++i) {
    state = state * 1664525u + 1013904223u;
    pattern[i] = (unsigned char)(state >> 24);
  }
}

static void send(const unsigned char* pattern, int blocks) {
  static int lengths[most_blocks + 1];
  static MPI_Aint places[most_blocks + 1];
  MPI_Datatype type;
  for (int i = 0; i <= blocks; ++i) {
    lengths[i] = i < blocks ? block : rest;
    places[i] = (MPI_Aint)i * stride;
  }
  MPI_Type_create_hindexed(blocks + 1, lengths, places, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Send(pattern, 1, type, 1, 7, MPI_COMM_WORLD);
  MPI_Type_free(&type);
}

static void receive(const unsigned char* pattern, int blocks) {
  const MPI_Count bytes = (MPI_Count)blocks * block + rest;
  const int lengths[2] = {blocks, rest};
  const MPI_Aint places[2] = {0, (MPI_Aint)blocks * block};
  MPI_Datatype pieces[2] = {MPI_DATATYPE_NULL, MPI_BYTE}, type;
  MPI_Type_contiguous(block, MPI_BYTE, &pieces[0]);
  MPI_Type_create_struct(2, lengths, places, pieces, &type);
  MPI_Type_commit(&type);
  unsigned char* data = malloc((size_t)bytes);
  MPI_Status status;
  int elements = -1, single_bytes = -1;
  MPI_Count all_bytes = -1;
  MPI_Recv(data, 1, type, 0, 7, MPI_COMM_WORLD, &status);

  int wrong = 0;
  for (int i = 0; i < blocks; ++i)
    wrong += memcmp(data + (size_t)i * block, pattern + (size_t)i * stride, block) != 0;
  CHECK(wrong == 0, "%d blocks of %d are wrong", wrong, blocks);
  CHECK(memcmp(data + (size_t)blocks * block, pattern + (size_t)blocks * stride, rest) == 0, "wrong end");
  MPI_Get_count(&status, type, &elements);
  MPI_Get_elements_x(&status, MPI_BYTE, &all_bytes);
  MPI_Get_count(&status, MPI_BYTE, &single_bytes);
  CHECK(elements == 1, "%d elements", elements);
  CHECK(all_bytes == bytes, "%lld bytes", (long long)all_bytes);
  CHECK(single_bytes == (bytes > INT32_MAX ? MPI_UNDEFINED : (int)bytes), "%d bytes", single_bytes);
  free(data);
  MPI_Type_free(&pieces[0]);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int blocks = argc > 1 ? atoi(argv[1]) : 2048;
  if (blocks < 1 || blocks > most_blocks) MPI_Abort(MPI_COMM_WORLD, 1);
  const size_t size = block + (size_t)stride * most_blocks;
  unsigned char* pattern = malloc(size);
  fill(pattern, size);
  if (rank == 0) send(pattern, blocks);
  if (rank == 1) receive(pattern, blocks);
  free(pattern);
  return verdict("huge_message");
}
