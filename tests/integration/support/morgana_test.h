#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/support/finished_process.h"

namespace morgana::test {

/// A temporary folder to work in, and the built command.
class MorganaTest : public testing::Test {
 protected:
  MorganaTest();
  ~MorganaTest() override;

  /// Runs `morgana ARGUMENTS` in the folder.
  FinishedProcess morgana(std::vector<std::string> arguments,
                          std::chrono::seconds limit = std::chrono::seconds(120));
  /// The same; fails the test unless the exit code is 0.
  FinishedProcess succeed(const std::vector<std::string>& arguments);
  /// Runs bash's commands in the folder; it finds our programs by their names.
  FinishedProcess in_shell(const std::string& commands) const;
  /// A program of ours, built beside the command.
  static std::string program(const std::string& name);

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  nlohmann::json read_json(const std::string& name) const { return nlohmann::json::parse(read(name)); }
  std::int64_t simulated_ps(const std::string& json_name) const {
    return read_json(json_name).at("simulated_time_ps").get<std::int64_t>();
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace morgana::test
