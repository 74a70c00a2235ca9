#pragma once

#include <pthread.h>

namespace morgana {

/// Creates a thread that is one of the program's, also if the shim calls. Results as pthread_create.
int create_program_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                          void* argument) noexcept;

}  // namespace morgana
