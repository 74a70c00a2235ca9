#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/collective_page.h"
#include "cli/collective_report.h"
#include "cli/common/command.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "emulator/report/output_file.h"
#include "emulator/report/pictures/gnuplot.h"
#include "emulator/report/size_text.h"
#include "emulator/schema/nearest.h"
#include "pvmshim/launch/process/interrupt.h"
#include "report/page_template.h"
#include "runs/size_list.h"

namespace morgana::cli {
namespace {

struct CollectiveOptions {
  std::string collective;
  PlatformOptions platform;
  std::uint32_t ranks = 8;
  std::string bytes = "8 B..128 MiB:x2";
  std::vector<std::string> algorithms{"auto"};
  std::optional<std::string> library;
  std::string protocol = "auto";
  std::string tuner;
  std::string json, csv, plot, page;
  std::string plot_of = "busbw";
  bool quiet = false;
};

/// To standard output, without waiting for more.
void print_now(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

/// @throws Error if there is none of that name, naming all
MeasuredCollective collective_of(const std::string& name) {
  if (const auto found = measured_collective_named(name)) return *found;
  std::string known;
  for (const std::string_view one : measured_collective_names())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one);
  const std::vector<std::string> names(measured_collective_names().begin(),
                                       measured_collective_names().end());
  const auto meant = nearest(name, names);
  throw Error(fmt::format("there is no collective \"{}\"{}; choose one of {}", name,
                          meant ? " (did you mean " + *meant + "?)" : "", known));
}

constexpr std::array<std::pair<std::string_view, CollectiveLibrary>, 3> collective_libraries{
    {{"mpich", CollectiveLibrary::mpich},
     {"openmpi", CollectiveLibrary::openmpi},
     {"nccl", CollectiveLibrary::nccl}}};

/// Without a program, "auto" is MPICH.
CollectiveLibrary library_of(const CollectiveOptions& options, const Platform& platform) {
  if (options.library) {
    for (const auto& [name, library] : collective_libraries)
      if (name == *options.library) return library;
  }
  const CollectiveLibrary library = platform.collective_library();
  return library == CollectiveLibrary::automatic ? CollectiveLibrary::mpich : library;
}

std::string_view word_for(CollectiveLibrary wanted) {
  for (const auto& [name, library] : collective_libraries)
    if (library == wanted) return name;
  return "";
}

/// "--map block --ranks-per-host 4".
std::string as_typed(const PlacementOptions& map) {
  std::string text = "--map ";
  text += map.map;
  if (map.ranks_per_host > 0) text += fmt::format(" --ranks-per-host {}", map.ranks_per_host);
  return text;
}

/// "2 ranks on each of 4 hosts (--map block)"; of each where all have as many.
std::string places_of_ranks(const Platform& platform, const CollectiveOptions& options) {
  const Machine machine =
      platform.build(options.ranks, options.platform.map.placement(), options.platform.seed);
  std::map<HostId, std::size_t> ranks;
  for (const HostId host : machine.host_of) ++ranks[host];
  if (library_of(options, platform) == CollectiveLibrary::nccl && ranks.size() == options.ranks) {
    std::set<std::size_t> nodes;
    for (const auto& [host, count] : ranks)
      nodes.insert(static_cast<std::size_t>(host) / static_cast<std::size_t>(platform.nccl().gpus_per_node));
    return fmt::format("a GPU for each rank, on {} node{} ({})", nodes.size(), nodes.size() == 1 ? "" : "s",
                       as_typed(options.platform.map));
  }
  std::size_t least = options.ranks, most = 0;
  for (const auto& [host, count] : ranks) {
    least = std::min(least, count);
    most = std::max(most, count);
  }
  if (ranks.size() == 1)
    return platform.hosts() == 1
               ? "all ranks on the one host"
               : "all ranks on one host: none uses the network; --map cyclic has them on several";
  return fmt::format("{} rank{} on each of {} hosts ({})",
                     least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most),
                     most == 1 ? "" : "s", ranks.size(), as_typed(options.platform.map));
}

/// Times the rows one after the other and prints each when it is known.
void time_rows(const CollectiveTimer& timer, const CollectiveOptions& options, CollectiveReport& report) {
  if (!options.quiet) print_now(collective_heading(report));
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    CollectiveReport::Row& row = report.rows[i];
    {
      ProgressBar bar(options.quiet, ProgressBar::Elsewhere::lines);
      row.measured = timer.time(row.bytes, {row.algorithm, options.protocol}, [&](double share) {
        throw_if_interrupted();
        bar.show(fmt::format("{} by {}", size_text(row.bytes), row.measured.carried_out_by),
                 (static_cast<double>(i) + share) / static_cast<double>(report.rows.size()));
      });
    }
    if (!options.quiet) print_now(collective_row(report, i));
  }
  if (!options.quiet) print_now(collective_footing(report));
}

/// Of ranges whose end is no step of theirs: where they end.
std::vector<std::string> ends_before(const std::string& sizes) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < sizes.size();) {
    const std::size_t comma = std::min(sizes.find(',', begin), sizes.size());
    const std::string one = sizes.substr(begin, comma - begin);
    begin = comma + 1;
    const std::size_t dots = one.find(".."), colon = one.find(':', dots);
    if (dots == std::string::npos || colon == std::string::npos) continue;
    const std::string end = one.substr(dots + 2, colon - dots - 2);
    if (const Bytes last = parse_sizes(one).back(); last < parse_sizes(end).front())
      all.push_back(
          fmt::format("--bytes \"{}\" ends at {}: the next step is beyond {}", one, size_text(last), end));
  }
  return all;
}

/// On a platform of GPUs a library of MPI has costs of its own, which are 0 unless they are set: so it adds
/// up in no time. Empty where it does not, or nothing is added up.
std::string free_reductions(const CollectiveOptions& options, const Platform& platform,
                            MeasuredCollective collective, CollectiveLibrary library) {
  const bool adds = collective == MeasuredCollective::all_reduce ||
                    collective == MeasuredCollective::reduce ||
                    collective == MeasuredCollective::reduce_scatter;
  if (!adds || library == CollectiveLibrary::nccl || platform.collective_library() != CollectiveLibrary::nccl)
    return "";
  const Machine machine =
      platform.build(options.ranks, options.platform.map.placement(), options.platform.seed);
  if (machine.messages.reduce_per_byte > ByteCost()) return "";
  return fmt::format(
      "adding up costs nothing here: messages.reduce-per-byte of {}, which is what MPI's libraries take for "
      "it, is 0 (nccl.* are costs of NCCL alone); --set messages.reduce-per-byte=\"0.01 ns/B\" adds up 100 "
      "GB/s, and messages.send-overhead and receive-overhead are what calls take",
      platform.name());
}

/// Both words are understood, as by keys of platforms.
void shorten(std::string& automatic) {
  if (automatic == "automatic") automatic = "auto";
}

int measure_collective(const CollectiveOptions& options) {
  claim_results({{"--json", options.json},
                 {"--csv", options.csv},
                 {"--plot", options.plot, false},
                 {"--report", options.page}});
  if (!options.page.empty()) check_can_make_pages();
  if (!options.plot.empty()) gnuplot::check(options.plot);
  CollectiveReport report;
  report.collective = collective_of(options.collective);
  report.ranks = options.ranks;
  PlatformOptions chosen = options.platform;
  if (!options.tuner.empty()) chosen.overrides.push_back("collectives.tuner=" + options.tuner);
  const Platform platform = chosen.load();
  if (platform.native())
    throw Error(fmt::format("{} has no model; choose another platform (-p)", platform.name()));
  report.platform = platform.name();
  const CollectiveLibrary library = library_of(options, platform);
  report.library = word_for(library);
  const CollectiveTimer timer(
      platform, library,
      {report.collective, options.ranks, options.platform.map.placement(), options.platform.seed});
  for (const Bytes asked : parse_sizes(options.bytes)) {
    const Bytes bytes = possible_size(report.collective, asked, options.ranks);
    if (bytes == Bytes()) {
      report.too_small.push_back(asked);
      continue;
    }
    if (!report.rows.empty() && report.rows.back().bytes == bytes) continue;
    for (const std::string& algorithm : options.algorithms) {
      CollectiveTime open;
      open.carried_out_by = timer.carried_out_by(bytes, {algorithm, options.protocol});
      report.rows.push_back({bytes, algorithm, std::move(open)});
    }
  }
  if (report.rows.empty())
    throw Error(fmt::format("{} of {} ranks needs 4 B for each block: take sizes of {} or more (--bytes)",
                            options.collective, options.ranks,
                            size_text(measured_element * static_cast<std::int64_t>(options.ranks))));
  report.placement = places_of_ranks(platform, options);
  options.platform.introduce(platform, options.quiet);
  time_rows(timer, options, report);
  const std::string free = free_reductions(options, platform, report.collective, library);
  if (!free.empty()) report.notices.push_back(free);
  if (!options.quiet) print_notices(report.notices);
  if (!options.quiet) print_notices(ends_before(options.bytes));
  print_hints(platform, options.quiet);
  if (!options.csv.empty()) write_output(options.csv, collective_table(report).csv());
  if (!options.json.empty()) write_output(options.json, collective_json(report));
  if (!options.plot.empty())
    draw(options.plot_of == "time" ? time_curves(report) : bandwidth_curves(report), options.plot);
  if (!options.page.empty()) write_page(options.page, chart_page(collective_page(report)), options.quiet);
  return 0;
}

}  // namespace

void add_collective(Commands& commands) {
  auto options = std::make_shared<CollectiveOptions>();
  Command& command =
      commands.add("collective", "Time, algbw and busbw of a collective by size, without a program");
  command
      .add("collective", &options->collective,
           "all-reduce, all-gather, reduce-scatter, broadcast, reduce or all-to-all")
      ->must_be_given();
  options->platform.add_platform(command);
  options->platform.add_details(command);
  command.add("-n,--ranks", &options->ranks, "Number of ranks")
      ->type_name("N")
      ->check(whole_number(2, 1'048'576))
      ->show_default();
  command
      .add("--bytes", &options->bytes,
           "Sizes as nccl-tests count them: of the buffer that each rank starts or ends with")
      ->type_name("SIZE,...|FROM..TO:STEP|FROM..TO:xFACTOR")
      ->show_default();
  command
      .add("--algorithm", &options->algorithms,
           "Algorithms to compare; auto: the library's choice by size and number of ranks")
      ->type_name("NAME,...")
      ->split_at(',')
      ->show_default("auto");
  command
      .add("--library", &options->library,
           "Whose algorithms: mpich, openmpi or nccl; default: the platform's collectives.library, or mpich")
      ->type_name("mpich|openmpi|nccl")
      ->check(one_of({"mpich", "openmpi", "nccl"}));
  command.add("--protocol", &options->protocol, "NCCL's protocol: ll, ll128, simple or auto")
      ->type_name("NAME")
      ->show_default();
  command
      .add("--tuner", &options->tuner,
           "CSV file of NCCL's example tuner plug-in, which decides where algorithm and protocol are auto "
           "(--set collectives.tuner=FILE)")
      ->type_name("FILE");
  command.add("--json", &options->json, "Write all results as JSON; - is standard output")->type_name("FILE");
  command.add("--csv", &options->csv, "Write the table as CSV; - is standard output")->type_name("FILE");
  command.add("--plot", &options->plot, "Draw busbw, or what --plot-of says, over size: .svg or .png")
      ->type_name("FILE");
  command
      .add("--plot-of", &options->plot_of,
           "What --plot draws: busbw, or time with logarithmic axes, which shows small sizes")
      ->type_name("busbw|time")
      ->check(one_of({"busbw", "time"}))
      ->show_default();
  command
      .add("--report", &options->page,
           "Draw a web page: the fastest algorithm by size, busbw and time over size, and what limits the "
           "largest size")
      ->type_name("FILE.html")
      ->check(name_of_page());
  command.add("-q,--quiet", &options->quiet, "No text");
  command.footer = R"(
All ranks enter the collective at the same time. The time ends when the last rank leaves it. algbw is size / time; busbw
is algbw times 2(n-1)/n (all-reduce), (n-1)/n (all-gather, reduce-scatter, all-to-all) or 1 (broadcast, reduce), as in
nccl-tests. With background.load they enter when that traffic has settled, and times count from there (one --seed). All-gather's size is what a rank ends with, that of reduce-scatter and all-to-all what it begins with.

docs/platforms.md (section "collectives") names MPICH's and Open MPI's algorithms. NCCL's are ring, tree and those in which
switches add up (all-reduce), ring, pat and nvls (all-gather, reduce-scatter), ring (broadcast, reduce) and direct (all-to-all);
section "nccl" says what they cost. Switches of nodes add up in nvls and nvls-tree (nccl.nvls), those between nodes in
collnet-chain, collnet-direct and nvls over several nodes (nccl.collnet). Ranks are ordered by node for any --map.

The CPU time that a row takes grows nearly with the square of the ranks, and little with the size: 1 GB by NCCL's ring takes
1.3 s on 128 GPUs and 16 s on 512. Few sizes and one --algorithm, or fewer GPUs, make it quick.

Examples:
  morgana collective all-reduce -p dgx-h100 -n 16 --bytes "8 B..8 GiB:x2" --algorithm ring,tree,auto
  morgana collective all-reduce -p dgx-h100 -n 8 --bytes "1 MiB..8 GiB:x4" --algorithm ring,nvls
  morgana collective all-reduce -p hdr-fat-tree -n 16 --bytes "8 B..8 MiB:x2"
  morgana collective all-gather -p ndr-fat-tree -n 32 --algorithm ring,bruck,auto --plot allgather.svg
  morgana collective all-reduce -p dgx-h100 -n 16 --algorithm ring,tree --plot latency.svg --plot-of time
  morgana collective broadcast -p fast-ethernet --set network.rate="1 Gb/s" --csv -)";
  command.action = [options] {
    std::ranges::for_each(options->algorithms, shorten);
    shorten(options->protocol);
    return measure_collective(*options);
  };
}

}  // namespace morgana::cli
