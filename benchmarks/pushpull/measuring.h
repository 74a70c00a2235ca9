#pragma once

// What the programs of this folder share: their command line, how they compute, and how they average.

enum { most_sizes = 512 };

/// What a program was asked for.
struct request {
  int iterations;  ///< of each size; the paper's 1,000 give the same as 10 where nothing is left to chance
  int sizes[most_sizes];  ///< of messages, in bytes
  int size_count;         ///< > 0
  double x, y;            ///< NOPs of the early and late receiver tests
  const char* output;     ///< a file for the results; "-" is standard output
};

/// Starts MPI and reads --iterations N, --sizes A,B,..., --x NOPS, --y NOPS and --output FILE. A command line
/// that is none, or another number of ranks than two, ends the program with exit code 2 and a sentence.
/// @return this process's rank
int begin(int argc, char** argv, const char* usage, struct request* request);

/// Prints a line a size, `bytes,NAME`, and ends MPI. `values` is what rank 0 has measured.
/// @return the program's exit code
int end(int rank, const struct request* request, const char* name, const double* values);

/// Uses the processor for as long as so many NOPs take on a Pentium Pro of 200 MHz, three a cycle: 100,000
/// take 166.7 us. It reads the clock until that time has passed. Under `morgana run --compute none` each read
/// takes 0.1 us of the rank's processor (the resolution of the paper's clock), so that all runs are the same;
/// under
/// `--compute measured` and natively it takes as many reads as it does.
void compute(double nops);

/// Waits until both processes have come, by a ping-pong of empty messages. Rank 0 leaves it a single trip
/// after rank 1.
void meet(int rank);

/// A buffer for the longest message, at the beginning of a page.
char* page_aligned_buffer(const struct request* request);

/// The mean of the middle 80 %: the tenth that took least and the tenth that took longest are left out.
/// Sorts `times`.
double middle_mean(double* times, int count);

/// What a message of `bytes` needs from rank 0 to rank 1: half of the middle mean of round trips, in seconds.
/// Only rank 0's value counts.
double single_trip(int rank, char* buffer, int bytes, const struct request* request);
