# One library per room of the house, linked only to the rooms that it may use.

add_library(morgana-options INTERFACE)
target_include_directories(morgana-options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(morgana-options INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wconversion -Wshadow>
  $<$<AND:$<BOOL:${MORGANA_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
if(MORGANA_FUZZ)
  # The libraries need the coverage counters that the fuzzer steers by.
  target_compile_options(morgana-options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=all -g)
  target_link_options(morgana-options INTERFACE -fsanitize=address,undefined)
endif()
if(MORGANA_SANITIZE)
  target_compile_options(morgana-options INTERFACE -fsanitize=${MORGANA_SANITIZE} -fno-sanitize-recover=all -g)
  target_link_options(morgana-options INTERFACE -fsanitize=${MORGANA_SANITIZE})
endif()

# morgana_room(NAME [USES target...]): all *.cpp of this folder as the static library morgana-NAME.
function(morgana_room name)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(sources)
    add_library(morgana-${name} STATIC ${sources})
    target_link_libraries(morgana-${name} PUBLIC morgana-options ${ROOM_USES})
  else()
    add_library(morgana-${name} INTERFACE)
    target_link_libraries(morgana-${name} INTERFACE morgana-options ${ROOM_USES})
  endif()
endfunction()

# morgana_tests(NAME [USES target...]): all *.cpp of this folder as one GoogleTest program, test-NAME.
function(morgana_tests name)
  cmake_parse_arguments(TESTS "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test-${name} ${sources})
  target_link_libraries(test-${name} PRIVATE morgana-options ${TESTS_USES} GTest::gtest_main GTest::gmock)
  set_target_properties(test-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  morgana_discover_tests(${name})
endfunction()
