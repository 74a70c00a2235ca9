# Everything comes from Debian packages; ./quickstart installs them.

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(tsl-robin-map REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

find_library(OTF2_LIBRARY otf2 REQUIRED)
find_path(OTF2_INCLUDE otf2/otf2.h REQUIRED)
add_library(otf2 INTERFACE)
target_include_directories(otf2 SYSTEM INTERFACE ${OTF2_INCLUDE})
target_link_libraries(otf2 INTERFACE ${OTF2_LIBRARY})

find_library(GLPK_LIBRARY glpk REQUIRED)
find_path(GLPK_INCLUDE glpk.h REQUIRED)
add_library(glpk INTERFACE)
target_include_directories(glpk SYSTEM INTERFACE ${GLPK_INCLUDE})
target_link_libraries(glpk INTERFACE ${GLPK_LIBRARY})

find_library(XXHASH_LIBRARY xxhash REQUIRED)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(xxhash INTERFACE)
target_include_directories(xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE})
target_link_libraries(xxhash INTERFACE ${XXHASH_LIBRARY})

find_library(PVM3_LIBRARY pvm3 REQUIRED)
find_path(PVM3_INCLUDE pvm3.h REQUIRED)
add_library(pvm3 INTERFACE)
target_include_directories(pvm3 SYSTEM INTERFACE ${PVM3_INCLUDE})
target_link_libraries(pvm3 INTERFACE ${PVM3_LIBRARY})

find_program(MPICC mpicc.mpich REQUIRED)
find_program(MPICXX mpicxx.mpich REQUIRED)
find_program(MPIF90 mpif90.mpich REQUIRED)
find_library(MPICH_LIBRARY mpich REQUIRED)
find_path(MPICH_INCLUDE mpi.h PATH_SUFFIXES x86_64-linux-gnu/mpich mpich REQUIRED)
add_library(mpich INTERFACE)
target_include_directories(mpich SYSTEM INTERFACE ${MPICH_INCLUDE})
target_link_libraries(mpich INTERFACE ${MPICH_LIBRARY})

# Comes with MPICH where that is built on it (Debian's is). Over another, ranks talk through it as it is.
find_path(UCX_INCLUDE ucp/api/ucp.h)
