#include <elf.h>
#include <algorithm>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/printed_lines.h"
#include "tests/integration/support/sample_traces.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// What the user did, and what the one sentence must say.
struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<std::string> says;
};

class BadInput : public MorganaTest, public testing::WithParamInterface<Mistake> {
 protected:
  /// An executable file.
  void write_as(const std::string& name, const std::string& content) const {
    write(name, content);
    std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
  }
};

TEST_P(BadInput, GivesOneSentenceAndExitCode2) {
  write("truncated.otf2", "OTF2 but not for long");
  write("broken.toml", "description = \"x\"\n[network]\nkind = \"loggp\"\nlatency = \"5 apples\"\n");
  write("map", "0\nzero\n");
  write("empty.toml", "# nothing yet\n");
  write("report.json",
        R"({"links": [{"from": "host 0", "from_port": 0, "to": "switch 0", "to_port": 0, "flits": 1,)"
        R"( "utilisation": -5}]})");
  write("script.sh", "#!/bin/sh\nexit 0\n");
  write("plain", "no program at all\n");
  write_as("plain.exe", "no program at all\n");
  write_as("nowhere.sh", "#!/no/such/interpreter\n");
  std::string changed = read(program("pingpong"));
  changed[EI_CLASS] = ELFCLASS32;
  write_as("for32bits", changed);
  changed = read(program("pingpong"));
  for (std::size_t at = 0; (at = changed.find("libmpich.so.12", at)) != std::string::npos;)
    changed.replace(at, 14, std::string("libmpi.so.20\0\0", 14));
  write_as("openmpi", changed);
  const FinishedProcess result = morgana(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("morgana: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& part : GetParam().says) EXPECT_THAT(result.err, HasSubstr(part));
}

const std::vector<Mistake> mistakes{
    {"NoSubcommand", {}, {"subcommand", "morgana --help"}},
    {"UnknownSubcommand", {"comparr"}, {"comparr", "compare"}},
    {"UnknownOption", {"run", "--speed", "9", "--", "NPmpich2"}, {"--speed", "morgana run --help"}},
    {"MisspeltOption", {"run", "--platfrom=ideal", "--", "NPmpich2"}, {"did you mean --platform?"}},
    {"NegativeSeed",
     {"traffic", "--network", "torus:2x2", "--load", "0.01", "--seed", "-1"},
     {"--seed", "\"-1\" is not a whole number from 0 to"}},
    {"NegativeSeedOfAMap",
     {"map", "-p", "myrinet-ud", "--seed", "-1"},
     {"--seed", "\"-1\" is not a whole number"}},
    {"NothingAfterAComma",
     {"compare", "--platforms", "ideal,", "--", "NPmpich2"},
     {"--platforms: \"ideal,\" names nothing on one side of a comma", "morgana compare --help"}},
    {"NothingBetweenCommas",
     {"reproduce", "itb", "--rows=I-10,,I-11"},
     {"--rows: \"I-10,,I-11\" names nothing on one side of a comma"}},
    {"EmptyJson", {"run", "--json", "", "--", "NPmpich2"}, {"--json", "the value is empty"}},
    {"EmptyCsv", {"traffic", "--load", "0.01", "--csv="}, {"--csv"}},
    {"EmptyTrace", {"run", "--trace", "", "--", "NPmpich2"}, {"--trace", "the value is empty"}},
    {"HelpOnAnUnknownSubcommand", {"help", "comparr"}, {"comparr", "did you mean compare?"}},
    {"PlatformFileWithoutAKey",
     {"run", "-p", "empty.toml", "--", "NPmpich2"},
     {"empty.toml: it sets no key", "extends"}},
    {"MapForAPvmProgram",
     {"run", "-p", "fast-ethernet", "--map", "cyclic", "--", MORGANA_BIN "/pde1.pvm"},
     {"--map cyclic: a PVM program"}},
    {"EmptyPlatform", {"run", "-p", "", "--", "NPmpich2"}, {"morgana: -p: ", "the value is empty"}},
    {"EmptyTraceToReplay", {"replay", ""}, {"recording", "the value is empty"}},
    {"NoTraceToReplay", {"replay", "/etc/passwd"}, {"/etc/passwd is not an OTF2 trace", "name a folder"}},
    {"TraceThatIsNotThere",
     {"replay", "traces/nothing-like-it"},
     {"there is no trace traces/nothing-like-it; name an OTF2 trace", "a schedule (GOAL)",
      "execution traces"}},
    {"MisspeltTrace",
     {"replay", MORGANA_SOURCE "/traces/samples/data-parall"},
     {"did you mean " MORGANA_SOURCE "/traces/samples/data-parallel?",
      "execution traces (NAME for NAME.0.et"}},
    {"TraceWithoutItsEnding",
     {"replay", MORGANA_SOURCE "/traces/samples/two-streams"},
     {"did you mean " MORGANA_SOURCE "/traces/samples/two-streams.goal?"}},
    {"PlatformForPlatforms",
     {"compare", "ring.otf2", "--platform", "ideal"},
     {"--platform is not an option of morgana compare", "did you mean --platforms?"}},
    {"FolderWithoutTrace", {"replay", "/etc"}, {"/etc holds no OTF2 trace", "name a folder"}},
    {"TraceInNoFolder", {"run", "--trace", "none/x", "--", "NPmpich2"}, {"none", "make that folder"}},
    {"CsvWithTooLongAName",
     {"traffic", "--load", "0.01", "--csv", std::string(300, 'n')},
     {"cannot write nnn", "File name too long; name a file"}},
    {"PlotWithTooLongAName",
     {"traffic", "--load", "0.01", "--plot", std::string(300, 'n') + ".svg"},
     {"cannot write nnn", "File name too long"}},
    // Whoever has many options and keys needs to know which of them named the file.
    {"KeyThatNamesNoFile",
     {"collective", "all-reduce", "-p", "dgx-h100", "-n", "8", "--set", "collectives.tuner=/nowhere.csv"},
     {"collectives.tuner: /nowhere.csv can't be read"}},
    {"NetworkInNoFile",
     {"traffic", "--network", "/nowhere.txt", "--load", "0.1"},
     {"--network: /nowhere.txt can't be read"}},
    {"PermutationInNoFile",
     {"traffic", "-p", "torus-3d", "--pattern", "permutation:/nowhere.txt", "--load", "0.1"},
     {"--pattern permutation: /nowhere.txt can't be read"}},
    {"ReportThatIsNotThere",
     {"platforms", "myrinet-ud", "--plot", "x.svg", "--after", "/nowhere.json"},
     {"--after: /nowhere.json can't be read"}},
    {"CablesInNoFile",
     {"platforms", "hdr-fat-tree", "--network-of", "/nowhere.txt"},
     {"--network-of: /nowhere.txt can't be read"}},
    {"TableThatIsNotThere",
     {"validate", "--table", "/nowhere.txt", "--", "NPmpich2"},
     {"--table: /nowhere.txt can't be read"}},
    {"MapThatIsNotThere",
     {"run", "--map", "/nowhere.map", "--", "NPmpich2"},
     {"--map /nowhere.map: that is not one of block, cyclic, spread, random, by-group, by-rack, over-groups, "
      "over-racks, and there is no such file"}},
    {"MapOfASweepThatIsNotThere",
     {"sweep", "--map", "/nowhere.map", "--", "NPmpich2"},
     {"morgana: --map /nowhere.map: "}},
    {"EndlessNetwork",
     {"traffic", "--network", "/dev/zero", "--load", "0.01"},
     {"/dev/zero has more than 64 MiB"}},
    {"LinksWithALoadThatCanNotBe",
     {"platforms", "myrinet-ud", "--plot", "map.svg", "--after", "report.json"},
     {"the links in report.json", "utilisation -5 can't be"}},
    {"BackgroundThatIsAlmostNothing",
     {"run", "-p", "ethernet-10-loaded", "--set", "network.background.load=1e-12", "--", "NPmpich2"},
     {"less than a frame in a million bursts", "network.background.load"}},
    {"PageWithAnotherEnding", {"report", "ring.otf2", "-o", "x.pdf"}, {"x.pdf does not end in .html"}},
    {"OptionOfAnotherCommand",
     {"replay", "-n", "8", "ring.otf2"},
     {"-n is not an option of morgana replay; see"}},
    {"SlowRanksOfALiveRun",
     {"run", "--slow-rank", "3:x1.2", "--", "NPmpich2"},
     {"--slow-rank is not an option of morgana run", "morgana replay and morgana compare have it"}},
    {"SlowRankWithoutAFactor",
     {"replay", "ring.otf2", "--slow-rank", "1:1.2"},
     {"--slow-rank", "RANK:xFACTOR"}},
    {"NoiseOfAnUnknownDistribution",
     {"replay", "ring.otf2", "--compute-noise", "gamma:2"},
     {"--compute-noise", "lognormal:SIGMA"}},
    {"NoiseWithoutItsParameter",
     {"replay", "ring.otf2", "--compute-noise", "normal"},
     {"--compute-noise", "normal:SIGMA"}},
    {"NoiseOfARealRun",
     {"compare", "--platforms", "native,ideal", "--compute-noise", "normal:0.1", "--", "NPmpich2"},
     {"native stands for a real run", "--compute-noise"}},
    {"WordForACommandThatTakesNone", {"doctor", "x"}, {"x was not expected; see"}},
    {"RowsOfNoExperiment", {"reproduce", "--rows", "I-54"}, {"--rows", "name it"}},
    {"BeginningOfPlatforms",
     {"run", "-p", "myrinet", "--", "NPmpich2"},
     {"did you mean", "myrinet-itb, myrinet-push-pull or myrinet-ud"}},
    {"PlatformFileWithoutItsEnding", {"platforms", "broken"}, {"broken.toml", "ending"}},
    {"WordThatIsNoChoice",
     {"platforms", "myrinet-ud", "--set", "network.routes=xxxxxxxxx"},
     {"choices; it must be"}},
    {"NoProgram", {"run", "-n", "2"}, {"no program to start", "--"}},
    {"ProgramWithoutDashes", {"run", "-n", "2", "NPmpich2"}, {"NPmpich2", "after \"--\""}},
    {"FileThatIsNotExecutable", {"run", "--", "./plain"}, {"plain", "chmod +x"}},
    {"FileThatIsNeitherProgramNorScript", {"run", "--", "./plain.exe"}, {"plain.exe", "ELF", "#!"}},
    {"FolderAsProgram", {"run", "--", "/tmp"}, {"/tmp"}},
    {"ScriptWithoutInterpreter", {"run", "--", "./nowhere.sh"}, {"nowhere.sh", "/no/such/interpreter"}},
    {"ProgramFor32Bits", {"run", "--", "./for32bits"}, {"for32bits", "another kind of machine"}},
    {"ProgramOfAnotherMpi", {"run", "--", "./openmpi"}, {"openmpi", "libmpi.so.20", "mpicc.mpich"}},
    {"StaticProgram", {"run", "--", MORGANA_BIN "/../tests/programs/linked_statically"}, {"statically"}},
    {"ProgramWithoutMpi", {"run", "--", "/bin/ls"}, {"/bin/ls", "libmpich.so.12"}},
    {"TooManyRanks", {"run", "--ranks=4097", "--", "NPmpich2"}, {"--ranks: ", "4097"}},
    {"AbsurdNumberOfRanks", {"run", "-n", "99999999999999999999", "--", "NPmpich2"}, {"morgana: -n: "}},
    {"NegativeNumberOfRanks", {"run", "-n", "-1", "--", "NPmpich2"}, {"morgana: -n: ", "-1"}},
    {"TooManyRanksForThePlatform",
     {"run", "-n", "4", "--set", "hosts.count=2", "--set", "hosts.processors=1", "--", "NPmpich2"},
     {"too few for 4 ranks"}},
    {"ResultsIntoNoFolder", {"run", "--json", "none/x.json", "--", "NPmpich2"}, {"none/x.json"}},
    {"ResultsOverAFolder", {"run", "--csv", "/tmp", "--", "NPmpich2"}, {"/tmp", "directory"}},
    {"TraceWhereNobodyMayWrite", {"run", "--trace", "/proc/x.otf2", "--", "NPmpich2"}, {"/proc"}},
    {"RecordingWhereNobodyMayWrite", {"capture", "-o", "/proc/x.otf2", "--", "NPmpich2"}, {"/proc"}},
    {"ZeroRanks", {"run", "-n0", "--", "NPmpich2"}, {"morgana: -n: \"0\" is not a whole number"}},
    {"ZeroRanksBehindAFlag", {"run", "-qn0", "--", "NPmpich2"}, {"morgana: -n: \"0\" is not a whole number"}},
    {"NoPlatformBehindAFlag", {"run", "-qp", "", "--", "NPmpich2"}, {"morgana: -p: "}},
    {"RanksThatAreNoNumber", {"run", "-n", "two", "--", "NPmpich2"}, {"two"}},
    {"UnknownComputeMode", {"run", "--compute", "guessed", "--", "NPmpich2"}, {"guessed"}},
    {"MissingProgram", {"run", "-n", "2", "--", "./no-such-program"}, {"no-such-program"}},
    {"ProgramThatIsNoProgram", {"run", "-n", "2", "--", "./truncated.otf2"}, {"truncated.otf2"}},
    {"UnknownPlatform",
     {"run", "--platform", "fast-etherne", "--", "NPmpich2"},
     {"fast-etherne", "fast-ethernet"}},
    {"PartOfANameOfPlatforms",
     {"run", "-p", "fat-tree", "--", "NPmpich2"},
     {"edr-fat-tree-2to1", "hdr-fat-tree"}},
    {"EndOfANameOfPlatforms", {"run", "-p", "hdr", "--", "NPmpich2"}, {"hdr-fat-tree or infiniband-hdr"}},
    {"FamilyOfPlatforms",
     {"run", "-p", "dragonfly-9000-ugal", "--", "NPmpich2"},
     {"dragonfly-1056 or slingshot-dragonfly"}},
    {"NameLikeNoPlatform",
     {"run", "-p", "xyzzy", "--", "NPmpich2"},
     {"there are atm-... (", "morgana platforms"}},
    {"UnknownKey",
     {"run", "-p", "loggp-example", "--set", "network.latencies=5 us", "--", "NPmpich2"},
     {"network.latencies", "network.latency"}},
    {"FileThatIsNoTrace", {"stats", "broken.toml"}, {"broken.toml is not an OTF2 trace", ".otf2"}},
    {"OverrideWithSeveralValues",
     {"run", "-p", "fast-ethernet", "--set", "network.rate=100,200 Mb/s", "--", "NPmpich2"},
     {"morgana sweep --over \"network.rate=100,200 Mb/s\""}},
    {"OverrideWithoutValue", {"run", "--set", "network.latency", "--", "NPmpich2"}, {"network.latency"}},
    {"UnitThatDoesNotFit",
     {"run", "--set", "network.latency=5 MB", "--", "NPmpich2"},
     {"network.latency", "5 MB"}},
    {"QuantityWithoutUnit", {"run", "--set", "network.latency=5", "--", "NPmpich2"}, {"network.latency"}},
    {"BrokenPlatformFile", {"platforms", "broken.toml"}, {"broken.toml:4", "5 apples"}},
    {"MissingPlatformFile", {"platforms", "none.toml"}, {"none.toml"}},
    {"MissingMap", {"run", "--map", "nowhere", "--", "NPmpich2"}, {"nowhere"}},
    {"BrokenMap", {"run", "-n", "2", "--map", "map", "--", "NPmpich2"}, {"map"}},
    {"MissingTrace", {"replay", "none.otf2"}, {"none.otf2"}},
    {"TruncatedTrace", {"replay", "truncated.otf2"}, {"truncated.otf2"}},
    {"StatisticsOfNoTrace", {"stats", "none.otf2"}, {"none.otf2"}},
    {"ReplayOnNative", {"replay", "truncated.otf2", "--platform", "native"}, {"native"}},
    {"CompareNothing", {"compare", "--platforms", "ideal"}, {"trace", "--"}},
    {"CompareWithUnknownPlatform",
     {"compare", "truncated.otf2", "--platforms", "ideal,idol"},
     {"idol", "ideal"}},
    {"PlotOfAnotherKind",
     {"compare", "truncated.otf2", "--platforms", "ideal", "--plot", "plot.gif"},
     {"plot.gif", ".svg", ".png"}},
    {"CaptureWithoutFolder", {"capture", "-n", "2", "--", "NPmpich2"}, {"--output"}},
    {"CaptureOverAFile", {"capture", "-n", "2", "-o", "map", "--", "NPmpich2", "-n", "1"}, {"map"}},
    {"UnknownShell", {"completion", "tcsh"}, {"tcsh"}},
    {"HostsOfMpiexec",
     {"run", "-hosts", "a,b", "--", "NPmpich2"},
     {"-hosts is not an option of morgana run", "--platform"}},
    {"HostOfMpirun",
     {"capture", "--host=a", "--", "NPmpich2"},
     {"--host is not an option of morgana capture", "this machine"}},
    {"HostFile", {"run", "-f", "hosts", "--", "NPmpich2"}, {"-f is not an option", "this machine"}},
    {"MachineFile",
     {"sweep", "--machinefile", "hosts", "--", "NPmpich2"},
     {"--machinefile is no", "this machine"}},
    {"RanksPerNode",
     {"capture", "-ppn", "1", "-o", "a.otf2", "--", "NPmpich2"},
     {"-ppn is not an option", "--ranks-per-host"}},
    {"RanksPerHostOfAFile",
     {"run", "-n", "2", "--map", "hosts.txt", "--ranks-per-host", "1", "--", "NPmpich2"},
     {"--ranks-per-host 1", "hosts.txt"}},
    {"MoreRanksPerHostThanProcessors",
     {"run", "-n", "8", "-p", "loggp-example", "-ppn", "8", "--", "NPmpich2"},
     {"--ranks-per-host 8", "hosts.processors=8"}},
    {"RanksPerHostOfNone", {"run", "-n", "8", "-ppn", "0", "--", "NPmpich2"}, {"--ranks-per-host"}},
    {"MapOfOpenMpi",
     {"run", "--map-by", "node", "--", "NPmpich2"},
     {"--map-by is not an option", "--map (block"}},
    {"VariableOfMpiexec",
     {"run", "-env", "A", "1", "--", "NPmpich2"},
     {"-env is not an option", "--env NAME=VALUE"}},
    {"VariableForAll",
     {"run", "-genv", "A", "1", "--", "NPmpich2"},
     {"-genv is not an option", "--env NAME=VALUE"}},
    {"FolderOfMpiexec", {"run", "-wdir", "/tmp", "--", "NPmpich2"}, {"-wdir is not an option", "cd there"}},
    {"BindingOfMpirun",
     {"run", "--bind-to", "core", "--", "NPmpich2"},
     {"--bind-to is not an option", "taskset"}},
    {"LauncherOfMpiexec",
     {"validate", "-launcher", "ssh", "--", "NPmpich2"},
     {"-launcher is not an option", "this machine"}},
    {"KeyOfOpenMpi",
     {"run", "--mca", "btl", "tcp", "--", "NPmpich2"},
     {"--mca is not an option", "--set KEY=VALUE"}},
    {"LongOptionWithOneDash", {"run", "-platform", "ideal", "--", "NPmpich2"}, {"did you mean --platform?"}},
    {"RanksOfMpiexecThatAreNoNumber",
     {"run", "-np", "four", "--", "NPmpich2"},
     {"\"four\" is not a whole number"}},
    {"MpiexecAsProgram",
     {"run", "-n", "2", "--", "mpiexec", "-n", "2", MORGANA_BIN "/pingpong", "5"},
     {"mpiexec starts ranks", "leave it out", "`-n 2 -- " MORGANA_BIN "/pingpong 5`"}},
    {"SrunAsProgram",
     {"capture", "-o", "x", "--", "srun", "--ntasks", "4", "NPmpich2"},
     {"srun starts ranks", "`-n 4 -- NPmpich2`"}},
    {"MpirunBehindAnotherProgram",
     {"run", "--", "nice", "mpirun", "-np", "2", "NPmpich2"},
     {"mpirun starts ranks", "`-n 2 -- NPmpich2`"}},
    {"StaticProgramThatAnotherOneStarts",
     {"run", "--", "nice", "-n", "5", MORGANA_BIN "/../tests/programs/linked_statically"},
     {"linked_statically is linked statically"}},
    {"ProgramWithoutMpiThatAnotherOneStarts",
     {"run", "--", "setsid", "/bin/ls"},
     {"/bin/ls is linked to neither MPICH"}},
    {"NothingBehindAColon", {"run", "--", "NPmpich2", ":"}, {"none follows it", "\"\\:\""}},
    {"ColonAmongArguments",
     {"capture", "-o", "x", "--", "NPmpich2", "a", ":", "b"},
     {"how many ranks run b?", "\"\\:\""}},
    {"NoRanksBehindAColon",
     {"run", "--", "NPmpich2", ":", "-n", "0", "NPmpich2"},
     {"-n behind \":\": \"0\" is not a whole number"}},
    {"OptionBehindAColon",
     {"run", "--", "NPmpich2", ":", "-n", "1", "--platform", "ideal", "NPmpich2"},
     {"--platform behind \":\" is not -n or --env"}},
    {"VariableWithoutValueBehindAColon",
     {"run", "--", "NPmpich2", ":", "-n", "1", "-x", "A", "NPmpich2"},
     {"\"A\" is not NAME=VALUE"}},
    {"VariableWithoutValue", {"run", "--env", "A", "--", "NPmpich2"}, {"--env: \"A\" is not NAME=VALUE"}},
    {"TooManyRanksTogether",
     {"run", "-n", "4000", "--", "NPmpich2", ":", "-n", "97", "NPmpich2"},
     {"4097 ranks together"}},
    {"MissingSecondProgram",
     {"run", "--", "NPmpich2", ":", "-n", "1", "./none"},
     {"there is no program ./none"}},
    {"SweepOfSeveralPrograms",
     {"sweep", "--over", "ranks=1,2", "--", "NPmpich2", ":", "-n", "1", "NPmpich2"},
     {"morgana sweep starts one program"}},
    {"TuningOfSeveralPrograms",
     {"tune", "--platform", "ideal", "--", "NPmpich2", ":", "-n", "1", "NPmpich2"},
     {"morgana tune starts one program"}},
    {"SeveralProgramsOfPvm",
     {"run", "--", MORGANA_BIN "/pde1.pvm", ":", "-n", "1", MORGANA_BIN "/pde1.pvm"},
     {"PVM program", "spawns"}},
    {"VariableForAPvmProgram",
     {"run", "--env", "A=1", "--", MORGANA_BIN "/pde1.pvm"},
     {"--env is for MPI programs"}},
    {"InputForNoRank",
     {"run", "-n", "2", "--stdin", "2", "--", "NPmpich2"},
     {"--stdin: \"2\" is neither none nor a rank from 0 to 1"}},
    {"InputForAllRanks",
     {"run", "-n", "2", "--stdin", "all", "--", "NPmpich2"},
     {"--stdin: \"all\" is neither none nor a rank"}},
};

INSTANTIATE_TEST_SUITE_P(Table, BadInput, testing::ValuesIn(mistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

void expect_one_sentence(const FinishedProcess& result, const std::vector<std::string>& says) {
  EXPECT_EQ(result.exit_code, 2) << result.err;
  const std::string said = without_notes(result.err);
  EXPECT_TRUE(said.starts_with("morgana: ")) << result.err;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << result.err;
  for (const std::string& part : says) EXPECT_THAT(result.err, HasSubstr(part));
}

TEST_F(MorganaTest, AMachineWithoutMpiexecIsToldSo) {
  expect_one_sentence(in_shell("PATH=" MORGANA_BIN " morgana run -n 2 -- ring"),
                      {"mpiexec.mpich", "package mpich"});
}

TEST_F(MorganaTest, AFolderThatHasBeenRemovedIsToldSo) {
  const std::string in_such_a_folder = "mkdir gone && cd gone && rmdir ../gone && morgana ";
  const std::vector<std::string> commands{"run -n 2 -- ring",
                                          "capture -n 2 -o x.otf2 -- ring",
                                          "run -n 2 --platform native -- ring",
                                          "run -n 2 --trace x.otf2 -- ring",
                                          "replay " + ep_sample + " --trace x.otf2",
                                          "replay " + ep_sample + " --json x.json",
                                          "export " + ep_sample + " -o x.json"};
  for (const std::string& command : commands)
    expect_one_sentence(
        in_shell(in_such_a_folder + command),
        {"the folder in which morgana was started can't be used", "change to one that exists"});
  const FinishedProcess absolute =
      in_shell(in_such_a_folder + "replay " + ep_sample + " --quiet --json " + path("x.json"));
  EXPECT_EQ(absolute.exit_code, 0) << absolute.err;
}

TEST_F(MorganaTest, AFullDiskIsToldSo) {
  expect_one_sentence(in_shell("morgana run -n 2 --quiet --json /dev/full -- ring"),
                      {"/dev/full", "No space left"});
  expect_one_sentence(in_shell("morgana platforms >/dev/full"), {"output", "No space left"});
  expect_one_sentence(in_shell("morgana --help >/dev/full"), {"output", "No space left"});
  for (const std::string picture : {"full.svg", "full.png"})
    expect_one_sentence(in_shell("ln -s /dev/full " + picture + " && morgana compare " + ep_sample +
                                 " --platforms ideal,ethernet-10 --quiet --plot " + picture),
                        {"/dev/full", "No space left"});
}

// A picture is there whole or not at all, and leaves no other file.
TEST_F(MorganaTest, APictureTakesThePlaceOfAnother) {
  write("old.svg", "old");
  ASSERT_EQ(in_shell("ln -s old.svg link.svg").exit_code, 0);
  succeed({"compare", ep_sample, "--platforms", "ideal,ethernet-10", "--quiet", "--plot", "link.svg"});
  EXPECT_THAT(read("old.svg"), AllOf(StartsWith("<?xml"), HasSubstr("</svg>")));
  EXPECT_EQ(in_shell("ls").out, "link.svg\nold.svg\n");
}

TEST_F(MorganaTest, LimitsThatForbidTheSharedMemoryAreToldSo) {
  expect_one_sentence(in_shell("ulimit -v 3000000; morgana run -n 2 -- ring"), {"ulimit -v"});
  expect_one_sentence(in_shell("ulimit -f 1000; morgana run -n 2 -- ring"), {"ulimit -f"});
  expect_one_sentence(in_shell("for open in /proc/self/fd/*; do if [ ${open##*/} -gt 2 ]; then eval \"exec "
                               "${open##*/}>&-\"; fi; done; "
                               "ulimit -n 4; morgana run -n 2 -- ring"),
                      {"Too many open files"});
}

TEST_F(MorganaTest, ATruncatedRecordingIsToldSo) {
  succeed({"capture", "-n", "2", "-o", "ring.otf2", "--quiet", "--", program("ring")});
  std::string events;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("ring.otf2")))
    if (entry.path().extension() == ".evt") events = entry.path();
  ASSERT_FALSE(events.empty());
  std::filesystem::resize_file(events, std::filesystem::file_size(events) / 2);
  const FinishedProcess result = morgana({"replay", "ring.otf2", "--quiet"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("morgana: "), HasSubstr(".evt is cut off after"),
                                HasSubstr("record the trace again")));
}

TEST_F(MorganaTest, TheFirstRankReadsStandardInput) {
  const FinishedProcess result = in_shell(
      "echo from outside | morgana run -n 2 --quiet -- /bin/sh -c 'if [ $PMI_RANK = 0 ]; then read x; "
      "echo \"read $x\"; fi; exec ring'");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("read from outside"));
}

}  // namespace
}  // namespace morgana::test
