#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>

#include "emulator/schema/schema.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {

/// A value of a key of a network's section, of whatever type a test writes.
struct TestValue {
  Value value;
  TestValue(const char* text) : value(std::string(text)) {}
  TestValue(int number) : value(std::int64_t{number}) {}
  TestValue(unsigned number) : value(std::int64_t{number}) {}
  TestValue(double number) : value(number) {}
};

inline Settings network_settings(std::initializer_list<std::pair<const char*, TestValue>> values) {
  Settings settings;
  for (const auto& [key, value] : values) settings["network." + std::string(key)] = value.value;
  return settings;
}

/// "network.children: ...", or "no error".
template <typename Action>
std::string problem_of(Action action) {
  try {
    action();
  } catch (const TopologyError& error) {
    return error.key() + ": " + error.what();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace morgana
