#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "emulator/core/error.h"
#include "tests/support/temporary_folder.h"

namespace morgana {

/// The message of the Error that an action ends with.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

using testing::TemporaryFolder;

}  // namespace morgana
