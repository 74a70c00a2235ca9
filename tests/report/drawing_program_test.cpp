#include "emulator/report/pictures/drawing_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/messages.h"

namespace morgana {
namespace {

std::string error_of(const std::string& program) {
  try {
    run_drawing_program(program, {}, "a-package");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(DrawingProgram, ThatIsMissingIsNamedWithItsPackage) {
  expect_message(error_of("no-such-program"), {"no-such-program", "a-package"});
}

TEST(DrawingProgram, ThatFailsIsNamed) {
  expect_message(error_of("false"), "false");
  EXPECT_EQ(error_of("true"), "none");
}

TEST(DrawingProgram, WritesIntoAFileThatIsGoneAfterwards) {
  std::string name;
  {
    const TemporaryFile file("");
    name = file.name();
    run_drawing_program("cp", {"/dev/null", name}, "coreutils");
    EXPECT_EQ(file.read(), "");
    EXPECT_EQ(TemporaryFile("text").read(), "text");
  }
  EXPECT_FALSE(std::filesystem::exists(name));
}

}  // namespace
}  // namespace morgana
