#include "emulator/report/pictures/drawing_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace morgana {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string error_of(const std::string& program) {
  try {
    run_drawing_program(program, {}, "a-package");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(DrawingProgram, ThatIsMissingIsNamedWithItsPackage) {
  EXPECT_THAT(error_of("no-such-program"),
              AllOf(HasSubstr("cannot start no-such-program"), HasSubstr("needs the package a-package")));
}

TEST(DrawingProgram, ThatFailsIsNamed) {
  EXPECT_THAT(error_of("false"), HasSubstr("false could not draw the plot"));
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
