#pragma once

#include <stdio.h>

#include "pvmshim/pvm/emulate/open_call.h"

namespace morgana::pvm {

/// Output of the tasks that this one starts from now on goes to `to`; null: no longer here.
int catch_output(OpenCall& call, FILE* to);
/// Waits for the output that is caught: until the tasks that write it have ended, and all is printed.
void finish_output(OpenCall& call);
/// Once the rank has ended, if it has called finish_output: what has not come by then.
void wait_for_output();
/// Prints what has come so far.
void flush_output();

}  // namespace morgana::pvm
