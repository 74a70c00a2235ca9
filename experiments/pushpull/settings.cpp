#include "experiments/pushpull/settings.h"

#include <fmt/format.h>

#include <algorithm>

namespace morgana::push_pull_paper {
namespace {

std::vector<int> steps(int from, int to, int step) {
  std::vector<int> all;
  for (int value = from; value <= to; value += step) all.push_back(value);
  return all;
}

/// In order, each once.
std::vector<int> merged(std::vector<int> one, const std::vector<int>& other) {
  one.insert(one.end(), other.begin(), other.end());
  std::sort(one.begin(), one.end());
  one.erase(std::unique(one.begin(), one.end()), one.end());
  return one;
}

std::string set(const char* key, int bytes) {
  return fmt::format("{}={} B", key, bytes);
}

}  // namespace

const Mechanism push_pull{"Push-Pull", "smp-push-pull"}, push_zero{"Push-Zero", "smp-push-zero"},
    push_all{"Push-All", "smp-push-all"};

// The sizes of figures 5, 6 and 8 are lost with the figures; they go beyond 4000 B. Besides an even grid
// there are those that rows need: 4 and 10 B, 3072 B, and steps of a byte about 760 B.
const Test trip_between{"single trip between nodes",
                        "pushpull.trip",
                        {},
                        false,
                        merged(steps(0, 4400, 100),
                               {4, 16, 720, 740, 750, 758, 759, 760, 761, 762, 770, 780, 3072, 8192, 12288})};
const Test trip_within{"single trip within a node",
                       "pushpull.trip",
                       {},
                       true,
                       merged(steps(0, 6000, 100), {4, 8, 10, 16, 17, 32, 64})};
const Test bandwidth_between{
    "bandwidth between nodes", "pushpull.bandwidth", {}, false, {4000, 65536, 1048576}};
const Test bandwidth_within{"bandwidth within a node",
                            "pushpull.bandwidth",
                            {},
                            true,
                            {1000, 2000, 3000, 3500, 4000, 4500, 5000, 6000, 8000, 12000, 16384, 65536}};
const Test early{"early receiver",
                 "pushpull.receiver",
                 {"--x", "500000", "--y", "100000"},
                 false,
                 merged(steps(0, 4000, 200), {4, 760, 3072})};
const Test late{"late receiver",
                "pushpull.receiver",
                {"--x", "100000", "--y", "300000"},
                false,
                merged(merged(steps(0, 4000, 200), steps(2800, 3200, 20)),
                       {4, 680, 700, 720, 740, 760, 761, 780, 820, 840, 860, 880, 900, 3072})};
// "The overall latency", of which message the paper does not say: mean over these.
const Test search{"search", "pushpull.trip", {}, false, {2000, 3000, 4000}};

std::vector<const Test*> tests() {
  return {&trip_between, &trip_within, &bandwidth_between, &bandwidth_within, &early, &late, &search};
}

std::string figure_of(int bytes) {
  return fmt::format("{} B", bytes);
}

Condition condition(const Test& test, const Mechanism& mechanism, std::vector<std::string> overrides) {
  // The pushed buffer is 4 KB between nodes, as the platforms have it.
  if (test.within) overrides.emplace_back("messages.unexpected-buffer=12 KiB");
  return {test.workload, mechanism.platform, std::move(overrides)};
}

namespace {

const std::string one_piece = set("messages.push", first_push + second_push),
                  no_overlap = set("messages.second-push", 0), no_masking = "transport.translate=first";

}  // namespace

const std::vector<Optimisation> optimisations{{"full", {}},
                                              {"overlapping", {no_masking}},
                                              {"masking", {one_piece, no_overlap}},
                                              {"none", {one_piece, no_overlap, no_masking}}};

std::vector<int> second_pushes() {
  return steps(0, 1200, 40);
}

std::vector<int> first_pushes() {
  return steps(0, 240, 20);
}

Condition search_for_second(int bytes) {
  return condition(search, push_pull, {set("messages.push", 0), set("messages.second-push", bytes)});
}

Condition search_for_first(int bytes) {
  return condition(search, push_pull,
                   {set("messages.push", bytes), set("messages.second-push", second_push)});
}

}  // namespace morgana::push_pull_paper
