// Numbers of a program's command line. Both are -1 for what is none, or below `least`.
#pragma once

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// A whole number with nothing behind it: "20", not "20x".
static inline int whole_number(const char* text, int least) {
  char* end = NULL;
  errno = 0;
  const long number = strtol(text, &end, 10);
  return end == text || *end != '\0' || errno != 0 || number < least || number > INT_MAX ? -1 : (int)number;
}

// Bytes, with a unit or without: "65536", "64KiB", "64 KiB", "1 MB".
static inline int number_of_bytes(const char* text, int least) {
  static const struct {
    const char* name;
    long long bytes;
  } units[] = {{"", 1},           {"B", 1},           {"kB", 1000},       {"KB", 1000},
               {"MB", 1000000},   {"GB", 1000000000}, {"KiB", 1LL << 10}, {"MiB", 1LL << 20},
               {"GiB", 1LL << 30}};
  char* unit = NULL;
  errno = 0;
  const long long number = strtoll(text, &unit, 10);
  if (unit == text || errno != 0 || number < 0 || number > INT_MAX) return -1;
  while (*unit == ' ') ++unit;
  for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
    if (strcmp(unit, units[i].name) != 0) continue;
    const long long bytes = number * units[i].bytes;
    return bytes < least || bytes > INT_MAX ? -1 : (int)bytes;
  }
  return -1;
}
