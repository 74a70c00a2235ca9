#pragma once

#include "pvmshim/clock/timed_wait.h"

namespace morgana {

/// Whether this process has children now. What they do takes real time: it may sleep until they have done it.
bool has_children();
/// Whether it has, or has had, children: they may hold what it has opened.
bool has_had_children();

/// Who can make a descriptor ready that is not. `threads` of this process alone: files; what the kernel makes
/// for it (event counters, timers, epoll sets of such); pipes and pairs of sockets with both ends in this
/// process, if it has no children.
EndedBy who_makes_ready(int descriptor);

/// The same of those that an epoll set has.
EndedBy who_makes_epoll_ready(int epoll);

/// Who can change memory at this address: another process can only where it is mapped as shared.
EndedBy who_writes_to(const void* address);

}  // namespace morgana
