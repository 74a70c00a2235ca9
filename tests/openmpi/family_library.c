// What family.c is linked to: a libmpi.so.12 of another MPI, which must not be the one that it runs on.
int MPI_Init(int* argc, char*** argv) { return argc == 0 || argv == 0 ? 1 : 99; }
int MPI_Comm_rank(int comm, int* rank) { return comm + *rank; }
int MPI_Allreduce(const void* in, void* out, int count, int type, int op, int comm) {
  return in == out ? count + type : op + comm;
}
int MPI_Finalize(void) { return 99; }
