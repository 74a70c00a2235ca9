#pragma once

#include <mpi.h>

#include <memory>

#include "pvmshim/mpi/emulate/onesided/windows.h"
#include "pvmshim/mpi/emulate/requests.h"

namespace morgana::mpi::emulated {

using SharedWindow = std::shared_ptr<EmulatedWindow>;

/// A request of the program's for an access, of which nothing has been posted yet. It completes by calls that
/// name it, and by those that synchronise the window.
Request& add_access_request(const SharedWindow& window, MPI_Request* handle);

}  // namespace morgana::mpi::emulated
