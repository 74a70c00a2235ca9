// Compiles only where our declarations of PVM's interface agree with PVM's own: the same prototypes, the same
// constants.
#include <sys/time.h>

#include <cstdio>

#include <pvm3.h>
#define MORGANA_PVM_STRUCTURES_ARE_KNOWN
#include "pvmshim/pvm/declarations/pvm3.h"
