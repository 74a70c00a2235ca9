# What `cmake --install` puts where, and the Debian packages that `cpack` makes of it: morgana, the command with what it
# needs; morgana-dev, the emulator as a library; python3-morgana. pvmshim/launch/process/installation.h says where the command looks.

set(private lib/morgana)
set(documents share/doc/morgana)

# The command, what it puts into programs, and the programs that come with it.
install(TARGETS morgana RUNTIME DESTINATION bin COMPONENT morgana)
install(TARGETS morgana-mpi morgana-openmpi morgana-abi morgana-abi-0 morgana-mpich-family morgana-pvm morgana-pvm-capture LIBRARY DESTINATION ${private} COMPONENT morgana)
# What programs of Active Messages are linked to.
install(TARGETS morgana-am LIBRARY DESTINATION lib COMPONENT morgana)
install(FILES ${PROJECT_SOURCE_DIR}/pvmshim/am/am2.h DESTINATION include COMPONENT morgana)
install(FILES ${PROJECT_SOURCE_DIR}/benchmarks/am2/logp.c DESTINATION ${documents}/examples/am2 COMPONENT morgana)
install(TARGETS morgana-rank RUNTIME DESTINATION ${private} COMPONENT morgana)
install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/pvm DESTINATION ${private} COMPONENT morgana)
foreach(kernel IN ITEMS cg ep ft is mg pde1 pde2 solver)
  install(TARGETS kernel-${kernel}-mpi RUNTIME DESTINATION ${private}/bin COMPONENT morgana)
  install(TARGETS kernel-${kernel}-pvm RUNTIME DESTINATION ${private}/bin COMPONENT morgana)
endforeach()
install(TARGETS network-measure pushpull-trip pushpull-bandwidth pushpull-receiver
  RUNTIME DESTINATION ${private}/bin COMPONENT morgana)
foreach(example IN ITEMS ring exchange deadlock)
  install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${example} DESTINATION ${private}/bin COMPONENT morgana)
  install(FILES ${PROJECT_SOURCE_DIR}/examples/${example}.c DESTINATION ${documents}/examples COMPONENT morgana)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/examples/numbers.h DESTINATION ${documents}/examples COMPONENT morgana)
# CMake strips only what it has linked.
install(CODE "
  if(CMAKE_INSTALL_DO_STRIP)
    file(GLOB examples \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${private}/bin/ring
      \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${private}/bin/exchange
      \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${private}/bin/deadlock)
    execute_process(COMMAND ${CMAKE_STRIP} \${examples} COMMAND_ERROR_IS_FATAL ANY)
  endif()" COMPONENT morgana)
install(FILES ${PROJECT_SOURCE_DIR}/benchmarks/network/measure.c DESTINATION ${documents}/examples COMPONENT morgana)

# Platforms, recordings, documents.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms DESTINATION share/morgana COMPONENT morgana)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/traces/samples DESTINATION share/morgana COMPONENT morgana
  PATTERN record EXCLUDE PATTERN make-schedules EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${documents} COMPONENT morgana PATTERN decisions EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${documents} COMPONENT morgana)

# Manual pages and completion, made by the command itself.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/installed)
install(CODE "
  file(REMOVE_RECURSE ${generated})
  file(MAKE_DIRECTORY ${generated})
  execute_process(COMMAND $<TARGET_FILE:morgana> manual --all ${generated}/man COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB pages ${generated}/man/*.1)
  execute_process(COMMAND gzip -9n \${pages} COMMAND_ERROR_IS_FATAL ANY)
  foreach(shell bash zsh fish)
    execute_process(COMMAND $<TARGET_FILE:morgana> completion \${shell} OUTPUT_FILE ${generated}/\${shell}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  execute_process(COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md OUTPUT_FILE ${generated}/changelog.gz)
  execute_process(COMMAND gzip -9nc ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian
    OUTPUT_FILE ${generated}/changelog.Debian.gz)" COMPONENT morgana)
install(DIRECTORY ${generated}/man/ DESTINATION share/man/man1 COMPONENT morgana)
install(FILES ${generated}/bash DESTINATION share/bash-completion/completions RENAME morgana COMPONENT morgana)
install(FILES ${generated}/zsh DESTINATION share/zsh/vendor-completions RENAME _morgana COMPONENT morgana)
install(FILES ${generated}/fish DESTINATION share/fish/vendor_completions.d RENAME morgana.fish COMPONENT morgana)

# The emulator as a library: find_package(morgana), then link to morgana::platform, morgana::network-atm and so on.
get_property(emulator GLOBAL PROPERTY rooms_of_emulator)
set(library ${emulator} morgana-traces morgana-replay)
foreach(room IN LISTS library)
  string(REPLACE "morgana-" "" name ${room})
  set_target_properties(${room} PROPERTIES EXPORT_NAME ${name})
endforeach()
set_target_properties(morgana-options PROPERTIES EXPORT_NAME options)
install(TARGETS ${library} morgana-options otf2 glpk xxhash zlib EXPORT morgana-targets
  ARCHIVE DESTINATION ${private} COMPONENT development)
install(EXPORT morgana-targets NAMESPACE morgana:: DESTINATION lib/cmake/morgana COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/morgana-config.cmake DESTINATION lib/cmake/morgana COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/emulator ${PROJECT_SOURCE_DIR}/traces ${PROJECT_SOURCE_DIR}/replay
  DESTINATION include/morgana COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN samples EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/library DESTINATION share/doc/morgana-dev/examples COMPONENT development)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/morgana-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/morgana-config-version.cmake DESTINATION lib/cmake/morgana
  COMPONENT development)

# import morgana: where Debian's python3 looks, below the prefix.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/morgana DESTINATION lib/python3/dist-packages COMPONENT python
  PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/docs/python.ipynb DESTINATION share/doc/python3-morgana/examples COMPONENT python)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/notebooks DESTINATION share/doc/python3-morgana/examples COMPONENT python)

# Debian packages.
string(TIMESTAMP changelog_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${PROJECT_SOURCE_DIR}/packaging/changelog.in ${CMAKE_CURRENT_BINARY_DIR}/changelog.Debian @ONLY)
foreach(package morgana development python)
  string(REPLACE development morgana-dev folder ${package})
  string(REPLACE python python3-morgana folder ${folder})
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright ${generated}/changelog.Debian.gz
    DESTINATION share/doc/${folder} COMPONENT ${package})
endforeach()
install(FILES ${generated}/changelog.gz DESTINATION ${documents} COMPONENT morgana)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME morgana)
set(CPACK_PACKAGE_VENDOR "Morgana")
set(CPACK_PACKAGE_CONTACT "Morgana maintainers <maintainers@morgana.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL morgana development python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_MORGANA_PACKAGE_NAME morgana)
set(CPACK_DEBIAN_MORGANA_PACKAGE_SHLIBDEPS ON)
if(NOT MORGANA_HAS_PVM)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/pvm)
endif()
set(CPACK_DEBIAN_MORGANA_PACKAGE_DEPENDS mpich)
set(CPACK_DEBIAN_MORGANA_PACKAGE_RECOMMENDS "pvm, gnuplot-nox | gnuplot, graphviz")
set(CPACK_DEBIAN_MORGANA_PACKAGE_SUGGESTS "otf2-tools, morgana-dev")
set(CPACK_COMPONENT_MORGANA_DESCRIPTION [[
Run parallel programs on networks that are not there
An unmodified MPI or PVM program starts under `morgana run`; what it sends
goes through an emulator of ATM, Myrinet, Ethernet and SMP-cluster networks
with their reliability protocols, and its clocks show the time that has passed
there. Programs are recorded as OTF2 traces, which can be replayed on any of
the networks, and their execution times are compared.]])
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME morgana-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libfmt-dev, nlohmann-json3-dev, libtomlplusplus-dev, robin-map-dev, libboost-dev, libotf2-trace-dev, libglpk-dev, libpugixml-dev, libxxhash-dev, zlib1g-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION [[
Morgana's network emulator as a library
Models of networks, transports and message layers, and replays of OTF2 traces,
as static libraries with their headers, for find_package(morgana) of CMake.]])
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-morgana)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, morgana")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas, python3-matplotlib")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION [[
Morgana's runs and results in Python
Starts runs, replays, comparisons and sweeps of Morgana; their results are
tables that notebooks show, plots and pandas data frames.]])
include(CPack)
