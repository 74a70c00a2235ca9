// MPI's C++ bindings, and the standard library's clocks.
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const int rank = MPI::COMM_WORLD.Get_rank(), ranks = MPI::COMM_WORLD.Get_size();
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  int failures = 0;

  const double began = MPI::Wtime();
  const auto steady = std::chrono::steady_clock::now();
  const auto system = std::chrono::system_clock::now();
  const double had_begun = MPI::Wtime();
  std::vector<int> out(1000, rank), in(1000, -1);
  MPI::Request request = MPI::COMM_WORLD.Isend(out.data(), 1000, MPI::INT, right, 1);
  MPI::Status status;
  MPI::COMM_WORLD.Recv(in.data(), 1000, MPI::INT, MPI::ANY_SOURCE, 1, status);
  request.Wait();
  if (in != std::vector<int>(1000, left) || status.Get_source() != left) ++failures;
  int sum = 0;
  MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
  if (sum != ranks * (ranks - 1) / 2) ++failures;

  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double ends = MPI::Wtime();
  const std::chrono::duration<double> by_steady = std::chrono::steady_clock::now() - steady;
  const std::chrono::duration<double> by_system = std::chrono::system_clock::now() - system;
  // However long others have the processor between two readings; the kernel may correct one clock and not
  // another.
  const double least = ends - had_begun - 1e-3, most = MPI::Wtime() - began + 1e-3;
  const auto fits = [=](double seconds) { return seconds >= least && seconds <= most; };
  if (ends - began < 0.02 || !fits(by_steady.count()) || !fits(by_system.count())) ++failures;

  int total = 0;
  MPI::COMM_WORLD.Allreduce(&failures, &total, 1, MPI::INT, MPI::SUM);
  if (rank == 0) std::cout << (total == 0 ? "PASS" : "FAIL") << " cxx_bindings\n";
  MPI::Finalize();
  return total == 0 ? 0 : 1;
}
