/* Ends like a good program, but has never heard of MPI. */
int main(void) {
  return 0;
}
