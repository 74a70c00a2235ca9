#include "pvmshim/am/refusal.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pvmshim/am/process.h"

namespace morgana::am {
namespace {

const char* name_of(int error) {
  switch (error) {
    case AM_ERR_NOT_INIT:
      return "AM_ERR_NOT_INIT";
    case AM_ERR_BAD_ARG:
      return "AM_ERR_BAD_ARG";
    case AM_ERR_RESOURCE:
      return "AM_ERR_RESOURCE";
    case AM_ERR_NOT_SENT:
      return "AM_ERR_NOT_SENT";
    default:
      return "AM_ERR_IN_USE";
  }
}

}  // namespace

bool is_verbose() {
  static const bool verbose = [] {
    const char* chosen = std::getenv("MORGANA_VERBOSE");
    const std::string_view text = chosen != nullptr ? chosen : "";
    return !text.empty() && text != "0";
  }();
  return verbose;
}

int refuse(const char* call, int error, const std::string& why) {
  if (!is_verbose()) return error;
  const std::string who = process != nullptr ? " in process " + std::to_string(process->rank()) : "";
  std::fprintf(stderr, "libmorgana-am: %s%s: %s (%s)\n", call, who.c_str(), why.c_str(), name_of(error));
  return error;
}

std::string nothing_at(int translation) {
  return "nothing is mapped at index " + std::to_string(translation);
}

int check(const char* call, const am_endpoint* endpoint) {
  if (process == nullptr) return refuse(call, AM_ERR_NOT_INIT, not_initialised);
  if (process->knows(endpoint)) return AM_OK;
  return refuse(call, AM_ERR_BAD_ARG, "the endpoint does not belong to this process, or has been freed");
}

}  // namespace morgana::am
