#pragma once

#include <string>

#include "pvmshim/am/am2.h"

namespace morgana::am {

/// What a call gives back that does not do what it was asked to. With MORGANA_VERBOSE in the environment (and
/// neither empty nor 0) it also says why, in a sentence on stderr.
/// @param call  of am2.h, as the program knows it
/// @return `error`, one of am2.h's
int refuse(const char* call, int error, const std::string& why);

inline constexpr const char* not_initialised = "AM_Init has not been called, or AM_Terminate has";
std::string nothing_at(int translation);

/// @return AM_OK if the library is initialised and the endpoint one of its; else what refuse() returns
int check(const char* call, const am_endpoint* endpoint);

/// Whether MORGANA_VERBOSE asks for such sentences.
bool is_verbose();

}  // namespace morgana::am
