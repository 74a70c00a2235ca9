#include <mpi.h>
#include <cstdio>
static void add(const void* in, void* inout, int n, const MPI::Datatype& type) {
  if (type != MPI::INT) std::printf("wrong type\n");
  for (int i = 0; i < n; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}
static void most(const void* in, void* inout, int n, const MPI::Datatype&) {
  for (int i = 0; i < n; ++i)
    if (static_cast<int*>(inout)[i] < static_cast<const int*>(in)[i]) static_cast<int*>(inout)[i] = static_cast<const int*>(in)[i];
}
static void handler(MPI::Comm& comm, int* code, ...) { std::printf("%d handler %d\n", comm.Get_rank(), *code == MPI::ERR_RANK); }
static int copy(const MPI::Comm&, int, void* extra, void* in, void* out, bool& flag) {
  *static_cast<long*>(out) = reinterpret_cast<long>(in) + reinterpret_cast<long>(extra); flag = true; return MPI::SUCCESS; }
static int erase(MPI::Comm&, int, void* value, void*) { std::printf("delete %ld\n", reinterpret_cast<long>(value)); return MPI::SUCCESS; }
int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const int rank = MPI::COMM_WORLD.Get_rank(), n = MPI::COMM_WORLD.Get_size();
  int a = rank + 1, b = 0;
  MPI::Op op, op2;
  op.Init(add, true);
  op2.Init(most, true);
  MPI::COMM_WORLD.Allreduce(&a, &b, 1, MPI::INT, op);
  std::printf("%d add %d\n", rank, b);
  MPI::COMM_WORLD.Allreduce(&a, &b, 1, MPI::INT, op2);
  std::printf("%d most %d\n", rank, b);
  op.Free();
  MPI::Request r = MPI::COMM_WORLD.Irecv(&b, 1, MPI::INT, MPI::ANY_SOURCE, MPI::ANY_TAG);
  MPI::COMM_WORLD.Send(&a, 1, MPI::INT, (rank + 1) % n, 4);
  MPI::Status s;
  r.Wait(s);
  std::printf("%d from %d tag %d count %d\n", rank, s.Get_source(), s.Get_tag(), s.Get_count(MPI::INT));
  int dims[1] = {n}; bool periods[1] = {true};
  MPI::Cartcomm ring = MPI::COMM_WORLD.Create_cart(1, dims, periods, false);
  int from, to; ring.Shift(0, 1, from, to);
  std::printf("%d shift %d %d\n", rank, from, to);
  int key = MPI::Comm::Create_keyval(copy, erase, reinterpret_cast<void*>(5L));
  ring.Set_attr(key, reinterpret_cast<void*>(7L));
  MPI::Cartcomm twin = ring.Dup();
  void* got = nullptr; bool has = twin.Get_attr(key, &got);
  std::printf("%d attr %d %ld\n", rank, has, reinterpret_cast<long>(got));
  twin.Free();
  MPI::Errhandler eh = MPI::Comm::Create_errhandler(handler);
  ring.Set_errhandler(eh);
  ring.Send(&a, 1, MPI::INT, n + 5, 1);
  MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
  std::printf("%d half %d\n", rank, half.Get_size());
  MPI::Finalize();
}
