// The last rank begins at some time to write nonsense over what it shares with the emulator, again and again,
// while all ranks communicate: scribbling ring|counters|slot|log SEED. Under morgana only.
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "pvmshim/channel/capture_log_format.h"
#include "pvmshim/channel/channel_memory.h"

namespace {

using namespace morgana;

std::mt19937_64 random_words;

std::byte* map_all(const std::string& path, std::size_t& size) {
  const int descriptor = open(path.c_str(), O_RDWR);
  struct stat status {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) std::exit(9);
  size = static_cast<std::size_t>(status.st_size);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) std::exit(9);
  return static_cast<std::byte*>(memory);
}

void scribble(std::byte* start, std::size_t size, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) {
    // Small numbers make more sense than large ones.
    const std::uint64_t word = random_words() >> (random_words() % 64);
    std::memcpy(start + random_words() % (size / 8) * 8, &word, sizeof word);
  }
}

void spoil_once(const std::string& what, RankSlot& slot) {
  if (what == "ring") {
    scribble(reinterpret_cast<std::byte*>(slot.operations.words), sizeof slot.operations.words, 50);
    slot.operations.written.fetch_add(random_words() % 50);
  } else if (what == "counters") {
    slot.operations.written.store(random_words() >> (random_words() % 64));
    slot.answers.read.store(random_words() >> (random_words() % 64));
  } else {
    scribble(reinterpret_cast<std::byte*>(&slot), sizeof slot, 50);
  }
}

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// @param run  what the launcher has told this process before MPI_Init: the channel's path, or the logs'
/// folder
void spoil(const std::string& what, const std::string& run, std::size_t rank) {
  std::size_t size = 0;
  if (what == "log") {
    std::byte* log = map_all(capture_log_path(run, Rank(rank)), size);
    scribble(log + 16, 4096, 200);
    return;
  }
  std::byte* start = map_all(run, size);
  auto& slot = *reinterpret_cast<RankSlot*>(start + slot_offset(rank));
  std::thread([what, &slot] {
    while (true) spoil_once(what, slot);
  }).detach();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string run = value_of(std::string(argv[1]) == "log" ? "MORGANA_CAPTURE" : "MORGANA_CHANNEL");
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  random_words.seed(std::strtoul(argv[2], nullptr, 10));
  for (int round = 0; round < 4000; ++round) {
    if (rank == ranks - 1 && round == 20) spoil(argv[1], run, static_cast<std::size_t>(rank));
    int data[500] = {round}, received[500];
    MPI_Request request;
    MPI_Isend(data, 500, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(received, 500, MPI_INT, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
