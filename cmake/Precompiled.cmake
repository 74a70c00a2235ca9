# Headers that nearly every file reads, compiled once for each way in which files are compiled. A file still names
# every header that it uses (tests/integration/documents/house_test.cpp looks), so that it compiles without these, too:
# -DMORGANA_PRECOMPILED=OFF.

option(MORGANA_PRECOMPILED "Compile the most common headers once" ON)

set(standard_headers <algorithm> <array> <atomic> <bit> <cassert> <charconv> <chrono> <cmath> <compare> <cstddef>
  <cstdint> <cstdio> <cstdlib> <cstring> <deque> <filesystem> <fstream> <functional> <iomanip> <iterator> <limits>
  <list> <map> <memory> <numeric> <optional> <ostream> <queue> <random> <set> <span> <sstream> <stdexcept> <string>
  <string_view> <system_error> <tuple> <type_traits> <unordered_map> <unordered_set> <utility> <variant> <vector>)
set(format_headers <fmt/format.h>)
set(test_headers <gmock/gmock.h> <gtest/gtest.h>)

# morgana_precompile(TARGET OWNER header...): TARGET reads the headers precompiled. Files that are compiled in the same
# way share them: the first target that names OWNER compiles them.
function(morgana_precompile target owner)
  if(NOT MORGANA_PRECOMPILED)
    return()
  endif()
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")  # nobody asks for it, and it would differ
  get_property(first GLOBAL PROPERTY precompiled_for_${owner})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY precompiled_for_${owner} ${target})
  endif()
endfunction()
