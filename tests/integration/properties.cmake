# Read by ctest once it knows the tests of this folder: what they cost, so that the longest start first and
# none is left to run alone at the end, and which of them depend on chance.
foreach(test IN LISTS test-integration_TESTS)
  if(test MATCHES "RandomKills")
    # They kill real processes at random moments: `ctest -LE random` leaves them out, `ctest -L random` runs
    # only them.
    set_tests_properties("${test}" PROPERTIES LABELS random COST 100)
  elseif(test MATCHES "ComputesTheSameOnEveryPlatform")
    set_tests_properties("${test}" PROPERTIES COST 200)
  elseif(test MATCHES "KernelProgram|KernelTraffic|Sizes\\.|Samples|Reproduce|WaitKinds")
    set_tests_properties("${test}" PROPERTIES COST 50)
  elseif(test MATCHES "Of/Program|LawOf|On/Law|PvmLaw|Fault|Uncaught")
    set_tests_properties("${test}" PROPERTIES COST 10)
  endif()
endforeach()
