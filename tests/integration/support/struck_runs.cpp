#include "tests/integration/support/struck_runs.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <thread>

namespace morgana::test {

namespace fs = std::filesystem;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

StruckRuns::StruckRuns(const char* stream)
    : seed_(number_from("MORGANA_SEED", std::random_device()())), random_(seed_, stream) {
  std::cout << "seed " << seed_ << std::endl;
  RecordProperty("seed", std::to_string(seed_));
  fs::create_directory(path("tmp"));
  ::setenv("TMPDIR", path("tmp").c_str(), 1);
}

StruckRuns::~StruckRuns() {
  ::unsetenv("TMPDIR");
}

std::vector<std::string> StruckRuns::left_behind(int run, long begin) const {
  std::vector<std::string> left = orphaned_shared_memory(begin);
  for (const SeenProcess& one : processes_of(run))
    left.push_back(std::to_string(one.pid) + " " + one.program);
  for (const auto& entry : fs::directory_iterator(path("tmp"))) left.push_back(entry.path());
  return left;
}

void StruckRuns::expect_nothing_left(int run, long begin) const {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + forever;
  std::vector<std::string> left;
  while (!(left = left_behind(run, begin)).empty() && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT(left, testing::IsEmpty());
}

}  // namespace morgana::test
