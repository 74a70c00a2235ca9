#include "benchmarks/kernels/common/mpi_face.h"

#include <mpi.h>

#include <cstdio>
#include <vector>

#include "benchmarks/kernels/common/command_line.h"
#include "benchmarks/kernels/common/report.h"

namespace morgana::kernels {
namespace {

MPI_Datatype datatype_of(Element element) {
  if (element == Element::int32) return MPI_INT;
  return element == Element::float32 ? MPI_FLOAT : MPI_DOUBLE;
}

class MpiTeam : public Team {
 public:
  using Team::Team;

  void finish() override {
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    sends_.clear();
  }
  double seconds() const override { return MPI_Wtime(); }

 protected:
  void post(int to, int tag, Element element, const void* values, std::size_t count) override {
    MPI_Isend(values, static_cast<int>(count), datatype_of(element), to, tag, MPI_COMM_WORLD,
              &sends_.emplace_back());
  }
  void take(int from, int tag, Element element, void* values, std::size_t count) override {
    MPI_Recv(values, static_cast<int>(count), datatype_of(element), from, tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }

 private:
  std::vector<MPI_Request> sends_;
};

int work(const Kernel& kernel, const Request& request, Team& team) {
  const Outcome outcome = kernel.solve(team, request.sizes);
  Traffic traffic;
  if (request.traffic) traffic = traffic_of_all(team);
  if (!team.first()) return 0;
  std::fputs(report(kernel, request, team.size(), outcome).c_str(), stdout);
  if (request.traffic) std::fputs(traffic.text().c_str(), stdout);
  return outcome.passed ? 0 : 1;
}

/// Every rank reads the same arguments, so all refuse together, and one of them says so.
int serve(const Kernel& kernel, const std::vector<std::string>& arguments, Team& team) {
  try {
    const Request request = read_command_line(kernel, Face::mpi, arguments);
    if (request.help) {
      if (team.first()) std::fputs(help(kernel, Face::mpi).c_str(), stdout);
      return 0;
    }
    if (kernel.check != nullptr) kernel.check(request.sizes, team.size());
    return work(kernel, request, team);
  } catch (const Refusal& refusal) {
    if (team.first()) std::fprintf(stderr, "%s.mpi: %s\n", kernel.name.c_str(), refusal.what());
    return 2;
  }
}

}  // namespace

int run_over_mpi(const Kernel& kernel, int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int code = 0;
  {
    MpiTeam team(rank, size);
    code = serve(kernel, std::vector<std::string>(argv + 1, argv + argc), team);
  }
  MPI_Finalize();
  return code;
}

}  // namespace morgana::kernels
