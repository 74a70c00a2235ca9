#include "pvmshim/pvm/record/real_pvm.h"

#include <stdio.h>
#include <unistd.h>

#include <initializer_list>

namespace morgana::pvm::captured {

void* next_definition(const char* name) {
  if (void* symbol = dlsym(RTLD_NEXT, name)) return symbol;
  // A library that was loaded later (libgpvm3, say) is not "next".
  for (const char* library : {"libpvm3.so.3", "libgpvm3.so.3"})
    if (void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      if (void* symbol = dlsym(handle, name)) return symbol;
  fprintf(stderr, "morgana: PVM's library has no %s: is it PVM 3.4?\n", name);
  _exit(2);
}

}  // namespace morgana::pvm::captured
