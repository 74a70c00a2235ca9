#include "cli/common/program_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <system_error>

#include "emulator/core/error.h"
#include "pvmshim/launch/process/program_check.h"
#include "runs/command_text.h"

namespace morgana::cli {
namespace {

constexpr const char* no_input = "none";

ValueCheck rank_count() {
  return whole_number(1, static_cast<std::int64_t>(most_ranks));
}

ValueCheck name_and_value() {
  return [](const std::string& text) -> std::string {
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos && equals > 0) return "";
    return fmt::format("\"{}\" is not NAME=VALUE", text);
  };
}

Variables variables_of(const std::vector<std::string>& texts) {
  Variables variables;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

/// What is said of a program behind a lone ":", word by word.
class OtherProgram {
 public:
  explicit OtherProgram(const std::vector<std::string>& words) : words_(words) {
    while (at_ < words_.size() && words_[at_].starts_with('-')) take_option();
    program_.command.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
    if (program_.command.empty())
      throw Error(
          fmt::format("a lone \":\" stands before another program, as in `: -n 2 ./other`, and none "
                      "follows {}: {}",
                      words_.empty() ? "it" : command_text(words_), how_to_pass_a_colon));
    if (!ranks_given_)
      throw Error(
          fmt::format("how many ranks run {}? A program behind a lone \":\" is given its number of ranks, as "
                      "in `: -n 2 {}`; {}",
                      program_.command.front(), command_text(program_.command), how_to_pass_a_colon));
  }

  RankProgram take() { return std::move(program_); }

 private:
  static constexpr const char* how_to_pass_a_colon =
      "an argument that is only a colon is written \"\\:\" (in a shell '\\:')";

  void take_option() {
    const std::string word = words_[at_++];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const auto value = [&] {
      if (equals != std::string::npos) return word.substr(equals + 1);
      if (at_ == words_.size()) throw Error(fmt::format("{} behind \":\" needs a value", name));
      return words_[at_++];
    };
    if (name == "-n" || name == "-np" || name == "--np" || name == "--ranks") {
      const std::string count = value();
      if (const std::string wrong = rank_count()(count); !wrong.empty())
        throw Error(fmt::format("{} behind \":\": {}", name, wrong));
      std::from_chars(count.data(), count.data() + count.size(), program_.ranks);
      ranks_given_ = true;
    } else if (name == "-x" || name == "--env") {
      const std::string text = value();
      if (const std::string wrong = name_and_value()(text); !wrong.empty())
        throw Error(fmt::format("{} behind \":\": {}", name, wrong));
      program_.environment.push_back(variables_of({text}).front());
    } else {
      throw Error(
          fmt::format("{} behind \":\" is not -n or --env (-x): all other options go before \"--\" and are "
                      "for the whole run",
                      name));
    }
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  RankProgram program_;
  bool ranks_given_ = false;
};

int input_rank(const std::string& text, std::size_t ranks) {
  if (text == no_input) return -1;
  int rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size() || rank < 0 ||
      static_cast<std::size_t>(rank) >= ranks)
    throw Error(fmt::format("--stdin: \"{}\" is neither none nor a rank from 0 to {}", text, ranks - 1));
  return rank;
}

}  // namespace

void add_ranks(Command& command, std::size_t& ranks) {
  command.add("-n,--ranks", &ranks, "Number of ranks, 1 to 4096 (also -np)")
      ->type_name("N")
      ->check(rank_count())
      ->show_default();
}

void ProgramOptions::add(Command& command) {
  add_ranks(command, ranks);
  command
      .add("-x,--env", &environment,
           "Set an environment variable of the program; may be repeated. -n and --env before \"--\" are for "
           "the first program")
      ->type_name("NAME=VALUE")
      ->check(name_and_value())
      ->may_be_repeated();
  command.add("--stdin", &input, "Rank that gets standard input; the others read nothing")
      ->type_name("RANK|none")
      ->show_default();
  command
      .add("--mpi", &mpi,
           "MPI library that the program was built for: openmpi (libmpi.so.40), mpich (libmpich.so.12, "
           "libmpi.so.12) or abi (libmpi_abi.so.1, the standard ABI of MPI 5.0); auto reads it from the "
           "program's file, and for a Python program from its mpi4py")
      ->type_name("auto|mpich|openmpi|abi")
      ->check(one_of({"auto", "mpich", "openmpi", "abi"}))
      ->show_default();
  command.takes_several = true;
}

LaunchOptions ProgramOptions::launch(const CommandLine& line, const std::string& example) const {
  LaunchOptions launch;
  launch.command = needed_program(line, example);
  launch.ranks = ranks;
  if (!environment.empty() || !line.others.empty())
    launch.programs.push_back({launch.command, ranks, variables_of(environment)});
  for (const std::vector<std::string>& words : line.others) {
    launch.programs.push_back(OtherProgram(words).take());
    launch.ranks += launch.programs.back().ranks;
  }
  if (launch.ranks > most_ranks)
    throw Error(fmt::format("the programs have {} ranks together: {} at most", launch.ranks, most_ranks));
  launch.input = input_rank(input, launch.ranks);
  launch.mpi = mpi == "openmpi" ? MpiChoice::openmpi
               : mpi == "mpich" ? MpiChoice::mpich
               : mpi == "abi"   ? MpiChoice::abi
                                : MpiChoice::automatic;
  return launch;
}

std::string programs_text(const LaunchOptions& launch) {
  return morgana::programs_text(programs_of(launch));
}

void check_programs(const LaunchOptions& launch, bool pvm) {
  if (pvm) refuse_for_pvm(launch);
  for (const RankProgram& program : programs_of(launch))
    pvm ? check_pvm_command(program.command) : static_cast<void>(check_command(program.command, launch.mpi));
}

void refuse_for_pvm(const LaunchOptions& launch) {
  if (launch.programs.size() > 1)
    throw Error(
        fmt::format("{} is a PVM program, which spawns the other programs itself: leave out \":\" and what "
                    "follows it",
                    launch.command.front()));
  if (!launch.programs.empty())
    throw Error(
        "--env is for MPI programs: set the variable for a PVM program before `morgana` (NAME=VALUE morgana "
        "...)");
  if (launch.input != 0)
    throw Error("--stdin is for MPI programs: of a PVM program the first task gets standard input");
  if (launch.mpi != MpiChoice::automatic)
    throw Error(fmt::format("--mpi is for MPI programs, and {} is a PVM program: leave it out",
                            launch.command.front()));
}

}  // namespace morgana::cli
