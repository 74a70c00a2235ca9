#include "benchmarks/kernels/common/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benchmarks/kernels/cg/cg.h"
#include "benchmarks/kernels/ft/ft.h"
#include "benchmarks/kernels/pde1/pde1.h"

namespace morgana::kernels::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

std::string refusal(const Kernel& kernel, Face face, const Words& words) {
  try {
    read_command_line(kernel, face, words);
  } catch (const Refusal& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, TakesClassSByDefault) {
  const Request request = read_command_line(cg(), Face::mpi, {});
  EXPECT_EQ(request.class_name, "S");
  EXPECT_EQ(request.sizes, (Sizes{1400, 7, 15, 25, 10}));
}

TEST(CommandLine, TakesAClassAndSizesThatOverrideIt) {
  EXPECT_EQ(read_command_line(cg(), Face::mpi, {"--class", "W"}).sizes, (Sizes{7000, 8, 15, 25, 12}));
  const Request request = read_command_line(cg(), Face::mpi, {"--order=800", "--class=W", "--inner", "30"});
  EXPECT_EQ(request.sizes, (Sizes{800, 8, 15, 30, 12}));
  EXPECT_EQ(request.class_name, "custom");
}

TEST(CommandLine, TakesPvmsOptions) {
  const Request request = read_command_line(
      cg(), Face::pvm, {"--tasks", "5", "--encoding", "raw", "--route", "direct", "--traffic"});
  EXPECT_EQ(request.tasks, 5);
  EXPECT_TRUE(request.raw);
  EXPECT_TRUE(request.direct);
  EXPECT_TRUE(request.traffic);
}

TEST(CommandLine, RefusesWhatItCantRead) {
  EXPECT_EQ(refusal(cg(), Face::mpi, {"--class", "Q"}), "--class takes S, W, A or paper, not 'Q'");
  EXPECT_EQ(refusal(cg(), Face::mpi, {"--class"}), "--class needs a value");
  EXPECT_EQ(refusal(cg(), Face::mpi, {"--ordr", "9"}), "no option '--ordr'; --help shows all");
  EXPECT_EQ(refusal(cg(), Face::mpi, {"900"}), "no option '900'; --help shows all");
  EXPECT_THAT(refusal(cg(), Face::mpi, {"--order", "12x"}),
              HasSubstr("--order takes a whole number from 8 to"));
  EXPECT_THAT(refusal(cg(), Face::mpi, {"--order", "99999999999999999999"}), HasSubstr("whole number"));
  EXPECT_THAT(refusal(cg(), Face::mpi, {"--order", "-5"}), HasSubstr("not '-5'"));
  EXPECT_EQ(refusal(cg(), Face::mpi, {"--traffic=1"}), "--traffic takes no value");
  EXPECT_THAT(refusal(cg(), Face::mpi, {"--tasks", "4"}), HasSubstr("-n 4"));
  EXPECT_THAT(refusal(cg(), Face::pvm, {"--tasks", "0"}), HasSubstr("from 1 to"));
  EXPECT_EQ(refusal(cg(), Face::pvm, {"--encoding", "xdr"}), "--encoding takes default or raw, not 'xdr'");
}

TEST(CommandLine, RefusesWhatTheKernelCantDo) {
  EXPECT_EQ(refusal(ft(), Face::mpi, {"--ny", "48"}), "--ny must be a power of two, not 48");
  EXPECT_EQ(refusal(cg(), Face::mpi, {"--order", "8", "--nonzeros", "8"}),
            "--nonzeros 8 must be less than --order 8");
  EXPECT_THAT(refusal(pde1(), Face::pvm, {"--size", "4", "--tasks", "5"}), HasSubstr("1 x 5"));
}

TEST(CommandLine, HelpNamesEveryOption) {
  for (const Face face : {Face::mpi, Face::pvm}) {
    const std::string text = help(cg(), face);
    for (const char* option :
         {"--class", "--order", "--nonzeros", "--outer", "--inner", "--shift", "--traffic"}) {
      EXPECT_THAT(text, HasSubstr(option));
    }
  }
  EXPECT_THAT(help(cg(), Face::pvm), HasSubstr("--tasks"));
  EXPECT_THAT(help(cg(), Face::mpi), testing::Not(HasSubstr("--tasks")));
  EXPECT_TRUE(read_command_line(cg(), Face::mpi, {"--help", "--nonsense"}).help);
}

}  // namespace
}  // namespace morgana::kernels::test
