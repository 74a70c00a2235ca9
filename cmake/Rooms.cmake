# One library per room of the house, linked only to the rooms that it may use.

add_library(morgana-options INTERFACE)
target_include_directories(morgana-options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:include/morgana>)
target_compile_features(morgana-options INTERFACE cxx_std_20)
target_compile_options(morgana-options INTERFACE
  $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wconversion -Wshadow>>
  # As clang does: what is exported may be inlined where it is defined, though all code can go into shared libraries.
  $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-semantic-interposition>>
  $<BUILD_INTERFACE:$<$<AND:$<BOOL:${MORGANA_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>>)
if(MORGANA_FUZZ)
  # The libraries need the coverage counters that the fuzzer steers by.
  target_compile_options(morgana-options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=all -g1)
  target_link_options(morgana-options INTERFACE -fsanitize=address,undefined)
endif()
if(MORGANA_SANITIZE)
  target_compile_options(morgana-options INTERFACE -fsanitize=${MORGANA_SANITIZE} -fno-sanitize-recover=all -g1)
  target_link_options(morgana-options INTERFACE -fsanitize=${MORGANA_SANITIZE})
endif()

# A room's files are compiled several at a time, or each by itself: twice as much for the compiler, but it shows what a
# file forgets to include. A name in one file's unnamed namespace is one in all of a batch, which other files' local
# names may hide: every build that has batches has the same ones.
set(MORGANA_BATCH 12)
if(MORGANA_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${MORGANA_BATCH})
  target_compile_options(morgana-options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>>
    $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>>)
endif()

# morgana_batches(TARGET source...): which batch a file is in does not depend on what is compiled by itself.
function(morgana_batches target)
  set(number 0)
  foreach(source IN LISTS ARGN)
    math(EXPR batch "${number} / ${MORGANA_BATCH}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${batch})
    math(EXPR number "${number} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# morgana_also(TARGET source...): files of other folders, a batch of their own.
function(morgana_also target)
  target_sources(${target} PRIVATE ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP also)
endfunction()

# Files to be compiled by themselves and with -Wshadow all the same: what a change touches (.ci/run).
set(MORGANA_ALONE "" CACHE STRING "Files that no unity build takes together with others, e.g. cli/run.cpp;cli/main.cpp")
function(morgana_alone)
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    if(MORGANA_UNITY AND name IN_LIST MORGANA_ALONE)
      set_property(SOURCE ${source} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -Wshadow)
    endif()
  endforeach()
endfunction()

# morgana_apart(file...): these give names to things that other files of their room give to others.
function(morgana_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# A faster linker where it is installed: the plain build links some 100 programs.
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# formats(VARIABLE target...): whether a target is libfmt or a room that uses it.
function(formats variable)
  set(${variable} FALSE PARENT_SCOPE)
  foreach(used IN LISTS ARGN)
    get_property(known GLOBAL PROPERTY formats_${used})
    if(known OR used STREQUAL fmt::fmt)
      set(${variable} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# The table of rooms, rooms.txt: which folders a library is made of, and which other rooms' libraries it uses.
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/rooms.txt)
file(READ ${CMAKE_CURRENT_LIST_DIR}/rooms.txt rows)
string(REGEX REPLACE "\n +" " " rows "${rows}")
string(REGEX REPLACE "\n" ";" rows "${rows}")
foreach(row IN LISTS rows)
  if(row MATCHES "^part ([^ ]+)( -)?$")
    if("${room_library}" STREQUAL "")
      message(FATAL_ERROR "rooms.txt has a part before any room: ${row}")
    endif()
    if("${CMAKE_MATCH_2}" STREQUAL "")
      list(APPEND folders_of_${room_library} ${CMAKE_MATCH_1})
    endif()
  elseif(row MATCHES "^([a-z0-9/_]+) ([^ ]+) :(.*)$")
    set(room_library ${CMAKE_MATCH_2})
    set(library_of_${CMAKE_MATCH_1} ${room_library})
    list(APPEND folders_of_${room_library} ${CMAKE_MATCH_1})
    string(REGEX MATCHALL "[a-z0-9/_]+" used "${CMAKE_MATCH_3}")
    list(APPEND rooms_used_by_${room_library} ${used})
  elseif(NOT row MATCHES "^#" AND NOT row STREQUAL "")
    message(FATAL_ERROR "rooms.txt has a line that is no room: ${row}")
  endif()
endforeach()

# morgana_room(NAME [COLD] [USES target...]): all *.cpp of the folders that rooms.txt names for it, as the static library
# morgana-NAME; targets that it uses in addition to other rooms' libraries. A cold room does nothing often enough to be worth
# the compiler's time.
function(morgana_room name)
  cmake_parse_arguments(ROOM "COLD" "" "USES" ${ARGN})
  set(folders ${folders_of_morgana-${name}})
  if(NOT folders)
    message(FATAL_ERROR "rooms.txt has no room for morgana-${name}")
  endif()
  list(TRANSFORM folders REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS ${folders})
  foreach(room IN LISTS rooms_used_by_morgana-${name})
    set(library "${library_of_${room}}")
    if(library STREQUAL "")
      message(FATAL_ERROR "rooms.txt lets morgana-${name} use ${room}, which is no room")
    elseif(NOT library STREQUAL "-" AND NOT library STREQUAL "morgana-${name}")
      list(APPEND ROOM_USES ${library})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES ROOM_USES)
  morgana_alone(${sources})
  file(RELATIVE_PATH top_folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" top_folder ${top_folder})
  formats(room_formats ${ROOM_USES})
  set_property(GLOBAL PROPERTY formats_morgana-${name} ${room_formats})
  set_property(GLOBAL APPEND PROPERTY rooms_of_${top_folder} morgana-${name})
  if(sources)
    add_library(morgana-${name} STATIC ${sources})
    morgana_batches(morgana-${name} ${sources})
    target_link_libraries(morgana-${name} PUBLIC morgana-options ${ROOM_USES})
    if(ROOM_COLD)
      target_compile_options(morgana-${name} PRIVATE -O1)
    endif()
    # gcc takes no header from 13 on that is precompiled for another level of optimisation.
    set(kind "")
    if(ROOM_COLD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      set(kind cold-)
    endif()
    if(room_formats)
      morgana_precompile(morgana-${name} ${kind}formatting-rooms ${standard_headers} ${format_headers})
    else()
      morgana_precompile(morgana-${name} ${kind}rooms ${standard_headers})
    endif()
  else()
    add_library(morgana-${name} INTERFACE)
    target_link_libraries(morgana-${name} INTERFACE morgana-options ${ROOM_USES})
  endif()
endfunction()

# morgana_tests(NAME [OPTIMISED] [USES target...] [APART file...] [PARTS folder...]): all *.cpp of this folder, and of
# the folders in it that are its parts, as one GoogleTest program, test-NAME. Tests take longer to optimise than they gain, but for those that hold a reference model. Files that name a
# helper as others do are compiled APART in a unity build.
function(morgana_tests name)
  cmake_parse_arguments(TESTS "OPTIMISED" "" "USES;APART;PARTS" ${ARGN})
  list(TRANSFORM TESTS_PARTS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${TESTS_PARTS})
  if(NOT sources)
    return()
  endif()
  morgana_alone(${sources})
  add_executable(test-${name} ${sources})
  morgana_batches(test-${name} ${sources})
  if(TESTS_APART)
    set_source_files_properties(${TESTS_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  # Some files have a morgana::testing, others call GoogleTest's within morgana by its first name.
  set_property(TARGET test-${name} PROPERTY UNITY_BUILD_CODE_BEFORE_INCLUDE
    "namespace testing {}\nnamespace morgana::testing {\nusing namespace ::testing;\n}")
  target_link_libraries(test-${name} PRIVATE morgana-options ${TESTS_USES} morgana-test-messages GTest::gtest_main
    GTest::gmock fmt::fmt)
  if(TESTS_OPTIMISED)
    target_compile_options(test-${name} PRIVATE -O1)
    morgana_precompile(test-${name} optimised-tests ${standard_headers} ${format_headers} ${test_headers})
  else()
    target_compile_options(test-${name} PRIVATE -O0)
    morgana_precompile(test-${name} tests ${standard_headers} ${format_headers} ${test_headers})
  endif()
  set_target_properties(test-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  morgana_discover_tests(${name})
endfunction()
