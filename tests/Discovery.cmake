# How ctest is told of the tests of a program.
#
# Each TEST is a process of its own, so that ctest names, times, counts and repeats it by itself and none can
# disturb another. Starting one takes 2 ms of processor time, all 3,100 a few seconds.
#
# A sanitizer takes ten times as long to start, so there the simulator's tests, which start no processes and
# kill none, share a few processes a program. Each process says how many tests it ran ("[==========] 12 tests
# from 3 test suites ran"), and ctest prints of a failed one what each failed test says.

set(MORGANA_TEST_EFFORT 10 CACHE STRING
  "Per cent of their random cases that tests of the sanitized simulator try; other builds try all")

function(morgana_discover_tests name)
  if(NOT MORGANA_SIMULATOR_ONLY OR NOT (MORGANA_FUZZ OR MORGANA_SANITIZE))
    # (Of a parameter with a name, ctest would show the bytes behind it.)
    gtest_discover_tests(test-${name} TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 120
      PROPERTIES TIMEOUT 300 ENVIRONMENT MORGANA_CACHE=off)
    return()
  endif()
  set(processes 4)
  foreach(process RANGE 1 ${processes})
    math(EXPR index "${process} - 1")
    add_test(NAME ${name}.${process}_of_${processes} COMMAND test-${name} --gtest_brief=1)
    set_tests_properties(${name}.${process}_of_${processes} PROPERTIES TIMEOUT 900 ENVIRONMENT
      "GTEST_TOTAL_SHARDS=${processes};GTEST_SHARD_INDEX=${index};MORGANA_TEST_EFFORT=${MORGANA_TEST_EFFORT};MORGANA_CACHE=off")
  endforeach()
endfunction()
