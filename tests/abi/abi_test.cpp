#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pvmshim/launch/process/program_check.h"
#include "tests/conformance/described.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/openmpi/changed_program.h"
#include "tests/openmpi/exported_calls.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class StandardAbi : public MorganaTest {
 protected:
  static std::string built(const std::string& name) { return program("abi/" + name); }

  FinishedProcess refused(const std::vector<std::string>& arguments) {
    FinishedProcess result = morgana(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    return result;
  }
};

// The program checks what each kind of parameter becomes, and the standard's values when it is compiled.
TEST_F(StandardAbi, HandlesConstantsStatusesAndCallbacksAreTheProgramsOwn) {
  const FinishedProcess run =
      succeed({"run", "-n", "3", "--compute", "none", "--platform", "fast-ethernet", "--trace", "run.otf2",
               "--json", "run.json", "--quiet", "--", built("values"), path("data")});
  EXPECT_THAT(run.out, HasSubstr("PASS\n"));
  EXPECT_THAT(run.out, HasSubstr("Morgana's stand-in for the standard ABI's library (libmpi_abi.so.1"));
  succeed({"replay", "run.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
}

TEST_F(StandardAbi, ACaptureIsMadeOverTheRealMpich) {
  const FinishedProcess run =
      succeed({"capture", "-n", "3", "-o", "made.otf2", "--quiet", "--", built("values"), path("data")});
  EXPECT_THAT(run.out, HasSubstr("PASS\n"));
  succeed({"replay", "made.otf2", "--platform", "fast-ethernet", "--quiet"});
}

// What a program that is given its MPI when it runs gets is the user's to say.
TEST_F(StandardAbi, AProgramsFileOrTheOptionSaysThatItIsForTheAbi) {
  EXPECT_EQ(check_command({built("values")}), MpiInterface::abi);
  const FinishedProcess run = succeed({"run", "-n", "4", "--compute", "none", "--quiet", "--mpi", "abi", "--",
                                       "sh", "-c", "exec " + built("conformance-probes")});
  EXPECT_THAT(run.out, AllOf(HasSubstr("case "), Not(HasSubstr("FAIL"))));
  EXPECT_THAT(refused({"run", "--mpi", "mpich", "--", built("values")}).err,
              HasSubstr("is linked to the standard ABI (libmpi_abi.so.1): leave out --mpi"));
  EXPECT_THAT(refused({"run", "--mpi", "abi", "--", program("conformance/receives")}).err,
              HasSubstr("--mpi abi: "));
  EXPECT_THAT(refused({"run", "--", built("linked_to_both")}).err,
              HasSubstr("is linked to MPICH (libmpich.so.12) and to the standard ABI (libmpi_abi.so.1)"));
}

// MPICH's name for the library before 5.0.2.
TEST_F(StandardAbi, ItsLibraryMayHaveTheNumber0) {
  write_changed(path("earlier"), built("values"), "libmpi_abi.so.1", "libmpi_abi.so.0");
  EXPECT_EQ(check_command({path("earlier")}), MpiInterface::abi);
  EXPECT_THAT(refused({"run", "--mpi", "openmpi", "--", path("earlier")}).err,
              HasSubstr("is linked to the standard ABI (libmpi_abi.so.0): leave out --mpi"));
  for (const char* how : {"run --compute none", "capture -o made.otf2"})
    EXPECT_THAT(in_shell(std::string("morgana ") + how + " -n 3 --quiet -- ./earlier data").out,
                HasSubstr("PASS\n"))
        << how;
  write_changed(path("later"), built("values"), "libmpi_abi.so.1", "libmpi_abi.so.2");
  EXPECT_THAT(refused({"run", "--", path("later")}).err, HasSubstr("needs libmpi_abi.so.2, and of"));
}

TEST_F(StandardAbi, WhatIsNotCarriedOutEndsTheRunByName) {
  for (const auto& [argument, name] :
       {std::pair{"automatic", "MPI_BUFFER_AUTOMATIC"}, std::pair{"resources", "MPI_Get_hw_resource_info"}}) {
    const FinishedProcess run = morgana({"run", "-n", "2", "--quiet", "--", built("refused"), argument});
    EXPECT_NE(run.exit_code, 0);
    EXPECT_THAT(run.err, HasSubstr(std::string("the stand-in for the standard ABI's library does not carry "
                                               "out ") +
                                   name));
    EXPECT_THAT(run.out, Not(HasSubstr("got on")));
  }
}

TEST_F(StandardAbi, DoctorSaysThatItIsSupported) {
  EXPECT_THAT(morgana({"doctor"}).out, HasSubstr("libmpi_abi.so.1"));
}

TEST(StandInOfTheAbi, HasAllCallsOfMpi5) {
  const std::set<std::string> wanted = listed_calls(MORGANA_SOURCE "/tests/abi/calls_of_5_0.txt");
  ASSERT_EQ(wanted.size(), 2U * 664);
  EXPECT_THAT(missing(wanted, calls_of(STAND_IN)), testing::IsEmpty());
}

// A call that only the shim had would be given handles of the other interface.
TEST(StandInOfTheAbi, HidesAllOfTheShims) {
  std::set<std::string> of_shim = calls_of(SHIM);
  ASSERT_GT(of_shim.size(), 400U);
  std::erase_if(of_shim, [](const std::string& name) { return name.find("MPIX_") != std::string::npos; });
  EXPECT_THAT(missing(of_shim, calls_of(STAND_IN)), testing::IsEmpty());
}

/// The suite in C, built for the ABI and for MPICH.
class AbiConformance : public StandardAbi, public testing::WithParamInterface<Conforming> {
 protected:
  struct Outcome {
    std::vector<std::string> lines;
    std::int64_t simulated_ps;
  };
  Outcome emulated(const std::string& binary, const std::vector<std::string>& cases) {
    std::vector<std::string> words{
        "run",        "--compute",
        "none",       "--quiet",
        "--platform", "fast-ethernet",
        "--set",      GetParam().one_host ? "hosts.processors=8" : "hosts.processors=1",
        "-n",         std::to_string(GetParam().ranks),
        "--json",     "run.json",
        "--",         binary};
    words.insert(words.end(), cases.begin(), cases.end());
    const FinishedProcess done = succeed(words);
    return {lines_of(done.out), simulated_ps("run.json")};
  }
};

TEST_P(AbiConformance, PrintsWhatItPrintsForMpichInTheSameSimulatedTime) {
  const std::string name = GetParam().name;
  Outcome abi = emulated(built("conformance-" + name), {});
  std::vector<std::string> cases = cases_in(abi.lines);
  EXPECT_GT(cases.size(), 0U);
  for (const std::string& varying : GetParam().varying) ASSERT_EQ(std::erase(cases, varying), 1U);
  if (!GetParam().varying.empty()) abi = emulated(built("conformance-" + name), cases);
  const Outcome mpich = emulated(program("conformance/" + name), cases);
  EXPECT_EQ(abi.lines, mpich.lines);
  EXPECT_EQ(abi.simulated_ps, mpich.simulated_ps);
}

std::vector<Conforming> programs_in_c() {
  std::vector<Conforming> found = all_programs();
  std::erase_if(found, [](const Conforming& one) { return !one.in_c; });
  return found;
}

INSTANTIATE_TEST_SUITE_P(Of, AbiConformance, testing::ValuesIn(programs_in_c()),
                         [](const testing::TestParamInfo<Conforming>& about) { return about.param.name; });

}  // namespace
}  // namespace morgana::test
