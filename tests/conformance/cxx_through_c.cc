// The C functions from C++: standard containers, objects and exceptions.
// ranks: 3
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance.h"

namespace {

struct Particle {
  double place[3];
  int kind;
};

class ParticleType {
 public:
  ParticleType() {
    const int lengths[] = {3, 1};
    const MPI_Aint places[] = {offsetof(Particle, place), offsetof(Particle, kind)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
    MPI_Datatype plain;
    MPI_Type_create_struct(2, lengths, places, types, &plain);
    MPI_Type_create_resized(plain, 0, sizeof(Particle), &type_);
    MPI_Type_free(&plain);
    MPI_Type_commit(&type_);
  }
  ~ParticleType() { MPI_Type_free(&type_); }
  ParticleType(const ParticleType&) = delete;
  ParticleType& operator=(const ParticleType&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

int next_rank() {
  return (world_rank + 1) % world_size;
}
int previous_rank() {
  return (world_rank + world_size - 1) % world_size;
}

}  // namespace

CASE(vectors) {
  std::vector<int> out(100), in(100, -1);
  std::iota(out.begin(), out.end(), world_rank * 1000);
  MPI_Sendrecv(out.data(), 100, MPI_INT, next_rank(), 0, in.data(), 100, MPI_INT, previous_rank(), 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; ++i) CHECK_INT(previous_rank() * 1000 + i, in[static_cast<std::size_t>(i)]);
  DIGEST(in.data(), in.size() * sizeof(int));
}

CASE(strings_of_unknown_length) {
  const std::string out(static_cast<std::size_t>(10 + world_rank * 7), static_cast<char>('a' + world_rank));
  MPI_Request request;
  MPI_Status status;
  int length = -1;
  MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_CHAR, next_rank(), 1, MPI_COMM_WORLD, &request);
  MPI_Probe(previous_rank(), 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string in(static_cast<std::size_t>(length), '?');
  MPI_Recv(in.data(), length, MPI_CHAR, previous_rank(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const std::string expected(static_cast<std::size_t>(10 + previous_rank() * 7),
                             static_cast<char>('a' + previous_rank()));
  CHECK_STRING(expected.c_str(), in.c_str());
}

CASE(objects_of_a_derived_type) {
  const ParticleType type;
  std::vector<Particle> out, in(5);
  for (int i = 0; i < 5; ++i) out.push_back({{i + 0.5, 1.0 * world_rank, -1.0}, world_rank * 10 + i});
  MPI_Sendrecv(out.data(), 5, type, next_rank(), 2, in.data(), 5, type, previous_rank(), 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < 5; ++i) {
    const Particle& particle = in[static_cast<std::size_t>(i)];
    CHECK(particle.place[0] == i + 0.5 && particle.place[1] == previous_rank());
    CHECK_INT(previous_rank() * 10 + i, particle.kind);
  }
}

CASE(errors_become_exceptions) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int caught = MPI_SUCCESS;
  try {
    const int value = 1, code = MPI_Send(&value, 1, MPI_INT, world_size, 0, comm);
    if (code != MPI_SUCCESS) throw code;
  } catch (int code) {
    caught = code;
  }
  CHECK_CLASS(MPI_ERR_RANK, caught);
  MPI_Comm_free(&comm);
}

namespace {
int called = 0;
void count_call(MPI_Comm*, int*, ...) {
  ++called;
}
}  // namespace

CASE(error_handler) {
  called = 0;
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(count_call, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  const int value = 1;
  MPI_Send(&value, 1, MPI_INT, 0, -4, comm);
  CHECK_INT(1, called);
  MPI_Comm_free(&comm);
}

CASE(requests_in_a_vector) {
  std::vector<int> in(static_cast<std::size_t>(world_size), -1);
  std::vector<MPI_Request> requests;
  for (int r = 0; r < world_size; ++r) {
    requests.emplace_back();
    MPI_Irecv(&in[static_cast<std::size_t>(r)], 1, MPI_INT, r, 3, MPI_COMM_WORLD, &requests.back());
  }
  for (int r = 0; r < world_size; ++r) {
    requests.emplace_back();
    MPI_Isend(&world_rank, 1, MPI_INT, r, 3, MPI_COMM_WORLD, &requests.back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (int r = 0; r < world_size; ++r) CHECK_INT(r, in[static_cast<std::size_t>(r)]);
}
