// An agent that a test starts runs this file, as one that `morgana run --on` starts runs that command's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

#include "emulator/core/error.h"
#include "pvmshim/agent/agent.h"

namespace {

/// @param arguments  agents_command()'s behind "agent"
int serve(int count, char** arguments) {
  morgana::AgentOptions options;
  for (int i = 0; i + 1 < count; i += 2)
    if (std::strcmp(arguments[i], "--port") == 0)
      options.port = static_cast<std::uint16_t>(std::atoi(arguments[i + 1]));
    else
      options.addresses.emplace_back(arguments[i + 1]);
  try {
    find_place(options);
    return run_agent(options, [] { return std::vector<morgana::Check>(); });
  } catch (const morgana::Error& error) {
    std::cerr << "agent: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "agent") == 0) return serve(count - 2, arguments + 2);
  testing::InitGoogleMock(&count, arguments);
  return RUN_ALL_TESTS();
}
