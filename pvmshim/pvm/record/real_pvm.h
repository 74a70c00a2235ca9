#pragma once

#include <dlfcn.h>

#include "pvmshim/pvm/api.h"

namespace morgana::pvm::captured {

/// The next definition of a symbol after ours: the real library's. Ends the process if there is none.
void* next_definition(const char* name);

template <typename Symbol>
Symbol* real_symbol(const char* name) {
  return reinterpret_cast<Symbol*>(next_definition(name));
}

}  // namespace morgana::pvm::captured

/// The real library's function of this name, looked up once.
#define MORGANA_REAL(name)                                                                      \
  ([] {                                                                                         \
    static auto* const function = morgana::pvm::captured::real_symbol<decltype(::name)>(#name); \
    return function;                                                                            \
  }())
