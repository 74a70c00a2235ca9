// What the real library exports beside its documented calls and programs have come to use: variables to hand
// on, conversions, places.

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "pvmshim/pvm/api.h"

#define MORGANA_INTERNAL extern "C" __attribute__((visibility("default")))

namespace {

constexpr const char* export_variable = "PVM_EXPORT";

/// Where a name stands in a list with colons; npos if it doesn't.
std::size_t find_name(const std::string& list, const std::string& name) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (list.compare(begin, end - begin, name) == 0) return begin;
    begin = end + 1;
  }
  return std::string::npos;
}

}  // namespace

int pvm_export(char* name) {
  if (*name == '\0') return PvmOk;
  const char* before = getenv(export_variable);
  std::string list = before == nullptr ? "" : before;
  if (find_name(list, name) != std::string::npos) return PvmOk;
  if (!list.empty()) list += ':';
  setenv(export_variable, (list + name).c_str(), 1);
  return PvmOk;
}

int pvm_unexport(char* name) {
  const char* before = getenv(export_variable);
  if (*name == '\0' || before == nullptr) return PvmOk;
  std::string list = before;
  const std::size_t begin = find_name(list, name);
  if (begin == std::string::npos) return PvmOk;
  list.erase(begin, strlen(name));
  if (begin < list.size())
    list.erase(begin, 1);  // the colon behind
  else if (begin > 0)
    list.erase(begin - 1, 1);
  setenv(export_variable, list.c_str(), 1);
  return PvmOk;
}

MORGANA_INTERNAL int pvmputenv(char* setting) {
  return putenv(setting);
}

MORGANA_INTERNAL int pvmstrtoi(const char* text) {
  return static_cast<int>(strtol(text, nullptr, 0));
}

MORGANA_INTERNAL int pvmxtoi(const char* text) {
  return static_cast<int>(strtol(text, nullptr, 16));
}

MORGANA_INTERNAL int pvmgetdsig(void) {
  return 0x408c41;
}

char* pvmgetrsh(void) {
  static std::string& path = *new std::string;
  const char* chosen = getenv("PVM_RSH");
  path = chosen != nullptr ? chosen : "/usr/lib/pvm3/bin/rsh";
  return path.data();
}

char* pvmgettmp(void) {
  static std::string& path = *new std::string;
  const char* chosen = getenv("PVM_TMP");
  path = chosen != nullptr ? chosen : "/tmp";
  return path.data();
}

MORGANA_INTERNAL char* pvmgetroot(void) {
  static std::string& path = *new std::string;
  const char* chosen = getenv("PVM_ROOT");
  path = chosen != nullptr ? chosen : "/usr/lib/pvm3";
  return path.data();
}

MORGANA_INTERNAL char* pvmgethome(void) {
  static std::string& path = *new std::string;
  const char* chosen = getenv("HOME");
  path = chosen != nullptr ? chosen : "/";
  return path.data();
}

// Numbers in network order.
MORGANA_INTERNAL void pvmput8(unsigned char* to, int value) {
  to[0] = static_cast<unsigned char>(value);
}

MORGANA_INTERNAL void pvmput16(unsigned char* to, int value) {
  to[0] = static_cast<unsigned char>(value >> 8);
  to[1] = static_cast<unsigned char>(value);
}

MORGANA_INTERNAL void pvmput32(unsigned char* to, int value) {
  pvmput16(to, value >> 16);
  pvmput16(to + 2, value);
}

MORGANA_INTERNAL int pvmget8(const unsigned char* from) {
  return from[0];
}

MORGANA_INTERNAL int pvmget16(const unsigned char* from) {
  return from[0] << 8 | from[1];
}

MORGANA_INTERNAL int pvmget32(const unsigned char* from) {
  return static_cast<int>(static_cast<unsigned>(pvmget16(from)) << 16 |
                          static_cast<unsigned>(pvmget16(from + 2)));
}

// The real library's allocations, which say what they are for.
MORGANA_INTERNAL void* pvm_alloc(unsigned bytes, const char*) {
  return malloc(bytes);
}

MORGANA_INTERNAL void* pvm_realloc(void* block, unsigned bytes) {
  return realloc(block, bytes);
}

MORGANA_INTERNAL void pvm_free(void* block) {
  free(block);
}

// What libgpvm3.a asks before it traces: nothing is traced.
MORGANA_INTERNAL int tev_begin(int, int) {
  return 0;
}

MORGANA_INTERNAL int tev_fin(void) {
  return 0;
}

MORGANA_INTERNAL int tev_init(void) {
  return 0;
}

MORGANA_INTERNAL int tev_flush(int) {
  return 0;
}
