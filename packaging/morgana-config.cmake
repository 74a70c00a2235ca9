# find_package(morgana): imports morgana::core, morgana::network-atm, morgana::platform, morgana::replay and so on, one
# target for each room of the house that is no program of its own.
include(CMakeFindDependencyMacro)
foreach(needed IN ITEMS Threads Boost fmt nlohmann_json tomlplusplus tsl-robin-map pugixml)
  find_dependency(${needed})
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/morgana-targets.cmake)
