// Loads another MPI's library, as a module of an interpreter does, and calls its MPI_Init: that of the
// library itself, or the one that the dynamic linker finds first.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    printf("FAIL: %s\n", dlerror());
    return 1;
  }
  void* scope = argc > 2 && strcmp(argv[2], "first") == 0 ? RTLD_DEFAULT : library;
  int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(scope, "MPI_Init");
  return init == NULL ? 1 : init(NULL, NULL);
}
