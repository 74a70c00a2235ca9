#include "measuring.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void refuse(int rank, const char* usage, const char* what) {
  if (rank == 0) fprintf(stderr, "%s\n%s\n", what, usage);
  MPI_Finalize();
  exit(2);
}

static int whole_number(const char* text, const char** end, long least, long most) {
  char* rest = NULL;
  errno = 0;
  const long number = strtol(text, &rest, 10);
  *end = rest;
  return rest == text || errno != 0 || number < least || number > most ? -1 : (int)number;
}

static int read_sizes(const char* text, struct request* request) {
  request->size_count = 0;
  while (request->size_count < most_sizes) {
    const char* end = NULL;
    const int size = whole_number(text, &end, 0, INT_MAX);
    if (size < 0) return 0;
    request->sizes[request->size_count++] = size;
    if (*end == '\0') return 1;
    if (*end != ',') return 0;
    text = end + 1;
  }
  return 0;
}

static int read_option(const char* name, const char* value, struct request* request) {
  const char* end = "";
  if (strcmp(name, "--output") == 0) {
    request->output = value;
    return 1;
  }
  if (strcmp(name, "--sizes") == 0) return read_sizes(value, request);
  int number = whole_number(value, &end, 0, INT_MAX);
  if (number < 0 || *end != '\0') return 0;
  if (strcmp(name, "--iterations") == 0) {
    request->iterations = number;
    return number > 0;
  }
  if (strcmp(name, "--x") == 0) {
    request->x = number;
    return 1;
  }
  request->y = number;
  return strcmp(name, "--y") == 0;
}

int begin(int argc, char** argv, const char* usage, struct request* request) {
  int rank = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  request->output = "-";
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc || !read_option(argv[i], argv[i + 1], request)) {
      char what[200];
      snprintf(what, sizeof what, "%s %s is no option with a value that it takes", argv[i],
               i + 1 == argc ? "" : argv[i + 1]);
      refuse(rank, usage, what);
    }
  }
  if (ranks != 2) refuse(rank, usage, "it takes two ranks");
  return rank;
}

int end(int rank, const struct request* request, const char* name, const double* values) {
  int code = 0;
  if (rank == 0) {
    const int to_file = strcmp(request->output, "-") != 0;
    FILE* file = to_file ? fopen(request->output, "w") : stdout;
    if (file == NULL) {
      perror(request->output);
      code = 1;
    } else {
      fprintf(file, "bytes,%s\n", name);
      for (int i = 0; i < request->size_count; ++i) fprintf(file, "%d,%.6f\n", request->sizes[i], values[i]);
      code = ferror(file) != 0;
      if (to_file && fclose(file) != 0) code = 1;
    }
  }
  MPI_Finalize();
  return code;
}

void compute(double nops) {
  const double cycles_per_second = 200e6, nops_per_cycle = 3;
  const double begun = MPI_Wtime(), seconds = nops / (nops_per_cycle * cycles_per_second);
  while (MPI_Wtime() - begun < seconds) {
  }
}

void meet(int rank) {
  char nothing = 0;
  if (rank == 0) {
    MPI_Send(&nothing, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&nothing, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&nothing, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&nothing, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

char* page_aligned_buffer(const struct request* request) {
  enum { page = 4096 };
  int longest = page;
  for (int i = 0; i < request->size_count; ++i)
    if (request->sizes[i] > longest) longest = request->sizes[i];
  void* buffer = NULL;
  if (posix_memalign(&buffer, page, (size_t)longest) != 0) {
    fprintf(stderr, "there is no memory for a message of %d bytes\n", longest);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(buffer, 0, (size_t)longest);
  return buffer;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

double middle_mean(double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  const int tenth = count / 10;
  double sum = 0;
  for (int i = tenth; i < count - tenth; ++i) sum += times[i];
  return sum / (count - 2 * tenth);
}

double single_trip(int rank, char* buffer, int bytes, const struct request* request) {
  double* times = malloc((size_t)request->iterations * sizeof *times);
  for (int i = 0; i < request->iterations; ++i) {
    const double begun = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    times[i] = (MPI_Wtime() - begun) / 2;
  }
  const double mean = middle_mean(times, request->iterations);
  free(times);
  return mean;
}
