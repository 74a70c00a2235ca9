#include "cli/common/launcher_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "cli/common/parser.h"
#include "emulator/core/error.h"

namespace morgana::cli {
namespace {

/// Options of MPICH's, Open MPI's and Slurm's launchers without their dashes, and what to do here.
struct Foreign {
  std::initializer_list<std::string_view> names;
  std::string_view instead;
};

struct Instead {
  static constexpr std::string_view hosts =
      "all ranks run on this machine, and the hosts that they seem to run on are the platform's (--platform; "
      "--set hosts.count=N where it leaves their number open)";
  static constexpr std::string_view places =
      "--ranks-per-host N (-ppn) says how many ranks run on each of the platform's hosts, and --map (block, "
      "cyclic and other rules, or a file with a host's number for each rank) on which";
  static constexpr std::string_view binding =
      "ranks' compute time is their CPU time, which binding does not change; put `taskset` or `numactl` "
      "before the program to bind it all the same";
  static constexpr std::string_view variables =
      "--env NAME=VALUE (-x) gives a program a variable, and all ranks get those that `morgana` has itself";
  static constexpr std::string_view folder =
      "ranks run in the folder in which `morgana` is started: cd there before";
  static constexpr std::string_view output =
      "ranks share standard output; `-- sh -c 'exec ./program >out.$PMI_RANK'` gives each a file of its own";
  static constexpr std::string_view programs =
      "several programs are written behind \"--\", with a lone \":\" between them: -n 2 -- ./a : -n 2 ./b";
  static constexpr std::string_view launching =
      "ranks are started on this machine, by MPICH's own mpiexec: leave it out";
  static constexpr std::string_view library =
      "the network is the platform's: --set KEY=VALUE sets its keys, and --env MPICH's own variables";
  static constexpr std::string_view input = "--stdin RANK names the rank that gets standard input";
};

const std::initializer_list<Foreign> foreign_options{
    {{"host", "hosts", "f", "hostfile", "machinefile", "machine", "machines", "nodelist", "nolocal", "nodes",
      "nodefile", "default-hostfile", "localhost", "w"},
     Instead::hosts},
    {{"ppn", "perhost", "npernode", "npersocket", "rr", "grr", "N", "map-by", "rank-by", "bynode", "byslot",
      "ntasks-per-node", "pernode", "oversubscribe", "nooversubscribe", "rankfile", "distribution"},
     Instead::places},
    {{"bind-to", "bind-to-core", "binding", "membind", "cpu-bind", "cpus-per-proc", "cpus-per-rank",
      "cpus-per-task", "topolib", "report-bindings", "use-hwthread-cpus", "gpus-per-proc"},
     Instead::binding},
    {{"env", "genv", "envlist", "genvlist", "envall", "genvall", "envnone", "genvnone", "export"},
     Instead::variables},
    {{"wdir", "wd", "gwdir", "chdir", "D"}, Instead::folder},
    {{"outfile-pattern", "errfile-pattern", "output-filename", "prepend-rank", "prepend-pattern", "l",
      "label", "tag-output", "print-rank-map"},
     Instead::output},
    {{"configfile", "app", "multi-prog", "gn", "gnp"}, Instead::programs},
    {{"launcher",
      "launcher-exec",
      "bootstrap",
      "rmk",
      "iface",
      "ssh",
      "prefix",
      "mpi",
      "nameserver",
      "disable-auto-cleanup",
      "disable-hostname-propagation",
      "order-nodes",
      "usize",
      "pmi-port",
      "pmi",
      "skip-launch-node",
      "enable-x",
      "disable-x",
      "print-all-exitcodes",
      "exitinfo",
      "allow-run-as-root",
      "demux",
      "info",
      "verbose",
      "launch-agent",
      "plm",
      "K",
      "kill-on-bad-exit"},
     Instead::launching},
    {{"mca", "gmca", "tune", "am"}, Instead::library},
    {{"s", "stdin", "input"}, Instead::input}};

/// Other words for --ranks-per-host: MPICH's, Open MPI's and Slurm's.
constexpr std::array<std::string_view, 4> per_host{"ppn", "perhost", "npernode", "ntasks-per-node"};

/// A word's option: "hosts" of "-hosts", "--hosts", "--hosts=a,b".
std::string_view name_in(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word.substr(0, word.find('='));
}

/// Whether the command reads the word as an option, with a value or without.
bool takes_word(const Command& command, std::string_view word) {
  const std::string_view written = word.substr(0, word.find('='));
  return std::ranges::any_of(command.options, [&](const Option& option) {
    const std::vector<std::string> names = names_of(option);
    return std::ranges::find(names, written) != names.end();
  });
}

/// Whether the word before this one is an option that takes it as a value.
bool is_a_value(const std::vector<std::string>& words, std::size_t at, const Command& command) {
  return at > 0 && std::ranges::any_of(command.options, [&](const Option& option) {
           const std::vector<std::string> names = names_of(option);
           return !std::holds_alternative<bool*>(option.target) &&
                  std::ranges::find(names, words[at - 1]) != names.end();
         });
}

}  // namespace

std::string instead_of_launchers_option(const std::string& word) {
  const std::string_view name = name_in(word);
  for (const Foreign& one : foreign_options)
    if (std::ranges::find(one.names, name) != one.names.end()) return std::string(one.instead);
  return "";
}

std::vector<std::string> with_ranks_per_host(std::vector<std::string> words, const Command& command) {
  if (!takes_word(command, "--ranks-per-host")) return words;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    std::string& word = words[i];
    if (!word.starts_with('-') || is_a_value(words, i, command) ||
        std::ranges::find(per_host, name_in(word)) == per_host.end())
      continue;
    const std::size_t equals = word.find('=');
    word = "--ranks-per-host" + (equals == std::string::npos ? "" : word.substr(equals));
  }
  return words;
}

std::vector<std::string> without_launchers_options(std::vector<std::string> words, const Command& command) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-' || takes_word(command, word) || is_a_value(words, i, command))
      continue;
    if ((name_in(word) == "np" || name_in(word) == "ntasks") && takes_word(command, "--ranks")) {
      const std::size_t equals = word.find('=');
      word = equals == std::string::npos ? "-n" : "--ranks" + word.substr(equals);
      continue;
    }
    if (const std::string instead = instead_of_launchers_option(word); !instead.empty())
      throw Error(fmt::format("{} is not an option of morgana {}: {}", word.substr(0, word.find('=')),
                              command.name, instead));
    // "-platform" would be read as -p with the value "latform", and "-hosts" as -h.
    if (word[1] != '-' && word.size() > 2 && takes_word(command, "-" + word))
      throw Error(fmt::format("{0} is not an option of morgana {1}; did you mean -{0}?", word, command.name));
  }
  return words;
}

}  // namespace morgana::cli
