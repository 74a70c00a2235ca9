#pragma once

/// To be included by one source of a program that reads broken traces: OTF2 keeps some memory for ever when
/// it can't open or read a file, and the leak sanitizer would blame the program.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2\nleak:libotf2\n";
}
