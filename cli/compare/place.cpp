#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/compute_scale.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "emulator/core/quantity.h"
#include "emulator/report/output_file.h"
#include "pvmshim/launch/process/interrupt.h"
#include "runs/placement/placing_report.h"

namespace morgana::cli {
namespace {

struct PlaceArguments {
  std::string trace;
  PlatformOptions platform;
  std::vector<std::string> compared{"block", "cyclic", "spread"};
  std::string message = "1 KiB";
  std::uint64_t steps = PlacingRequest().steps;
  std::string output, json;
  bool quiet = false;
};

Bytes weight_of_messages(const std::string& text) {
  constexpr Bytes most(1LL << 30);
  try {
    const Bytes weight = parse_bytes(text);
    if (weight > most) throw Error("a message may weigh up to 1 GiB beside its bytes");
    return weight;
  } catch (const Error& error) {
    throw Error(fmt::format("--message-weight {}: {}", text, error.what()));
  }
}

/// What is wrong with a map is said before the first replay.
void check_compared(const std::string& map) {
  try {
    read_placement(map);
  } catch (const Error& error) {
    const std::string what = error.what(), option = "--map ";
    throw Error(what.starts_with(option) ? "--compare " + what.substr(option.size()) : what);
  }
}

PlacingRequest request_of(const PlaceArguments& options) {
  PlacingRequest request;
  request.trace = options.trace;
  request.map = options.platform.map.text();
  request.seed = options.platform.seed;
  request.message = weight_of_messages(options.message);
  request.steps = options.steps;
  const std::size_t per_host = options.platform.map.ranks_per_host;
  for (const std::string& name : options.compared) {
    check_compared(name);
    const bool open = per_host > 0 && is_placement_rule(name) && read_placement(name).per_host == 0;
    request.maps.push_back(open ? with_ranks_per_host(name, per_host) : name);
  }
  return request;
}

int place(const PlaceArguments& options) {
  claim_results({{"--out", options.output}, {"--json", options.json}});
  const PlacingRequest request = request_of(options);
  read_placement(request.map);
  const ScaledPlatform scaled = scaled_for(options.platform.load(), options.trace);
  const PlacingSubject subject{options.trace, scaled.platform.name(), options.platform.overrides,
                               request.seed, request.message};
  Placing placing;
  {
    ProgressBar bar(options.quiet);
    placing = find_placement(scaled.platform, request, [&bar](const std::string& what, double share) {
      throw_if_interrupted();
      bar.show(what, share);
    });
  }
  options.platform.introduce(scaled.platform, options.quiet);
  print_notices(placing.notices);
  if (!options.quiet) fmt::print("{}", placing_text(subject, placing));
  print_hints(scaled.platform, options.quiet);
  if (!options.json.empty()) write_output(options.json, placing_json(subject, placing));
  if (options.output.empty()) return 0;
  write_output(options.output, map_file(subject, placing));
  if (!options.quiet && options.output != "-")
    fmt::print("written to {}: for --map {}\n", options.output, options.output);
  return 0;
}

}  // namespace

void add_place(Commands& commands) {
  auto options = std::make_shared<PlaceArguments>();
  Command& command =
      commands.add("place", "Find a better placement of a trace's ranks on a platform's hosts");
  command
      .add("trace", &options->trace,
           "An OTF2 trace, a GOAL schedule, or execution traces of Chakra, as for `morgana replay`")
      ->type_name("TRACE")
      ->must_be_given();
  options->platform.add_platform(command);
  options->platform.add_details(command);
  command
      .add("--compare", &options->compared,
           "Further maps whose hosts are tried; a map that places all ranks as an earlier one is left out")
      ->type_name("MAP,...")
      ->split_at(',')
      ->show_default("block,cyclic,spread");
  command
      .add("--message-weight", &options->message,
           "Weight of a message in addition to its bytes, when the links that it crosses are counted; at "
           "most 1 GiB")
      ->type_name("BYTES")
      ->show_default();
  command
      .add("--steps", &options->steps,
           "Bound on the search on each map's hosts, in partners of ranks looked at")
      ->type_name("N")
      ->check(whole_number(0, 1'000'000'000'000))
      ->show_default();
  command.add("-o,--out", &options->output, "Write the best placement, for --map; - is standard output")
      ->type_name("FILE");
  command
      .add("--json", &options->json, "Write all results as JSON (times in picoseconds); - is standard output")
      ->type_name("FILE");
  command.add("-q,--quiet", &options->quiet,
              "No text, no progress bar; only notes that the result differs from what was asked for");
  command.footer = R"(
A replay on --map counts what ranks send each other, messages of collectives included. On the hosts of each map the
ranks are then exchanged so that bytes cross fewer links: groups that exchange most are cut to fit the network's groups,
switches and hosts; ranks are placed one by one next to their partners; and pairs are swapped (Kernighan and Lin) as long
as that helps. Up to 8 ranks the placement with fewest links is found. Links are those of the shortest ways, over cables
that fail, too; detours (UGAL, Valiant) and some minimal routes are longer. "At least" is the larger of two lower bounds
(one is Gilmore and Lawler's): no placement on these hosts has fewer links a byte. Replays then show how long each
placement takes: the one with fewest links need not be the fastest, as links may be shared. Same trace, platform and
options: same results.

Examples:
  morgana place halo.otf2 --platform dragonfly-1056 --out halo.map
  morgana replay halo.otf2 --platform dragonfly-1056 --map halo.map
  morgana place ring.goal --platform torus-3d --map spread --compare spread --json -
  morgana place halo.otf2 --platform hdr-fat-tree --ranks-per-host 1)";
  command.action = [options] { return place(*options); };
}

}  // namespace morgana::cli
