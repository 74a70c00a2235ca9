/* Has a function of a message-passing library inside, as a program has that is linked to the library's archive:
   INSIDE is its name. With LOADS it loads libraries, too, as MPI libraries do. */
#ifdef LOADS
#include <dlfcn.h>
#endif

int INSIDE(void) {
#ifdef LOADS
  return dlopen("libm.so.6", RTLD_NOW) == 0;
#else
  return 0;
#endif
}

int main(void) {
  return INSIDE();
}
