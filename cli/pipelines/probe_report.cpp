#include "cli/pipelines/probe_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/common/run_options.h"
#include "cli/pipelines/pipeline_units.h"
#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/schedule.h"
#include "emulator/platform/platform_network.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana::cli {
namespace {

using namespace pipeline;

constexpr Bytes largest_probed = Bytes(std::int64_t{1} << 30);

Bytes size_of(const std::string& option, const std::string& text) {
  Bytes size;
  try {
    size = parse_bytes(text);
  } catch (const Error& error) {
    throw Error(fmt::format("{} {}: {}", option, text, error.what()));
  }
  if (size < Bytes(1)) throw Error(fmt::format("{} {}: there must be at least one byte", option, text));
  if (size > largest_probed)
    throw Error(fmt::format("{} {}: messages up to {} are probed", option, text, to_text(largest_probed)));
  return size;
}

ProbeSettings settings_of(const ProbeOptions& options) {
  ProbeSettings settings;
  settings.least = size_of("--least", options.least);
  settings.most = size_of("--most", options.most);
  settings.burst = options.burst;
  if (settings.most.count() < 2 * settings.least.count())
    throw Error(fmt::format("--most {}: a line needs sizes that differ; give at least twice --least {}",
                            options.most, options.least));
  try {
    settings.bound = parse_share(options.bound);
  } catch (const Error& error) {
    throw Error(fmt::format("--bound {}: {}", options.bound, error.what()));
  }
  if (settings.bound < 0.001 || settings.bound > 0.5)
    throw Error(fmt::format("--bound {}: a line may be off by 0.1 % to 50 %", options.bound));
  return settings;
}

std::string at(double share) {
  return fmt::format("{:.1f} %", percent * share);
}

std::string microseconds(RealTime time) {
  return fmt::format("{:.2f} us", us(time));
}

std::string objection(const Boundary& boundary, const ProbedRange& below, const ProbedRange& above,
                      Bytes eager_limit) {
  const std::string size = fmt::format("{} B", boundary.size.count());
  if (boundary.kind == Boundary::Kind::step && below.most == eager_limit)
    return fmt::format(
        "From {} on messages go by rendezvous (messages.eager-limit): with it latency or interval jumps by "
        "{}; "
        "waiting for a CTS is no stage.",
        size, at(boundary.jump));
  constexpr double flatter = 0.9;
  const bool overlap = above.latency.line.cost.value() < flatter * below.latency.line.cost.value();
  if (boundary.kind == Boundary::Kind::step)
    return fmt::format(
        "At {} latency or interval jumps by {}: what a packet more or another protocol costs{}.", size,
        at(boundary.jump),
        overlap ? "; from there on latency grows less by the byte, since a message's packets "
                  "overlap by themselves"
                : "");
  return fmt::format(
      "From {} on a message's latency or interval has another slope, which no stage explains: above a size "
      "the "
      "platform cuts messages itself and has their parts overlap.",
      size);
}

void object_to(const ProbedRange& range, const ProbeSettings& settings, std::vector<std::string>& said) {
  const double worst = std::max(range.latency.worst, range.interval.worst);
  if (worst > settings.bound)
    said.push_back(fmt::format(
        "From {} to {} B a straight line is off by up to {} (latency {}, interval {}).", range.least.count(),
        range.most.count(), at(worst), at(range.latency.worst), at(range.interval.worst)));
  const RealTime least = range.interval.line.time_for(real(range.least));
  if (range.interval.line.overhead.value() < -settings.bound * least.value())
    said.push_back(
        fmt::format("From {} to {} B the slowest stage would have an overhead of {}, less than nothing: it "
                    "is not the same "
                    "stage that sets the pace of the smallest and of the largest messages there.",
                    range.least.count(), range.most.count(), microseconds(range.interval.line.overhead)));
  const auto uneven = [](const ProbeSample& sample) {
    return (sample.longest - sample.shortest).value() / std::max(sample.interval.value(), 1.0);
  };
  const auto most = std::max_element(range.samples.begin(), range.samples.end(),
                                     [&](const auto& a, const auto& b) { return uneven(a) < uneven(b); });
  constexpr double noticeable = 0.25;
  if (uneven(*most) > noticeable)
    said.push_back(fmt::format(
        "Messages of {} B come out at intervals from {} to {}: not a stage sets the pace but windows, "
        "acknowledgements, timers, other traffic or collisions.",
        most->size.count(), microseconds(most->shortest), microseconds(most->longest)));
  const auto longer = [&](const ProbeSample& one) {
    return one.interval > one.latency * (1 + settings.bound);
  };
  const auto idle = std::find_if(range.samples.begin(), range.samples.end(), longer);
  if (idle != range.samples.end())
    said.push_back(fmt::format(
        "Messages of {} B follow each other every {}, although one needs only {}: something is occupied for "
        "longer than a message takes to pass it.",
        idle->size.count(), microseconds(idle->interval), microseconds(idle->latency)));
}

ProbedMessage probed_message(Bytes size, const ProbeResult& result, const PlatformProbe& platform) {
  ProbedMessage message;
  message.size = size;
  const auto measure = [&](std::size_t count) {
    const std::vector<Bytes> sizes = whole_bytes(equal_fragments(real(size), count), size);
    return real(platform.send(sizes).back());
  };
  message.fragments = result.best_equal_count(real(size));
  message.predicted = result.latency_of_equal(real(size), message.fragments).value();
  message.whole_predicted = result.latency_of_equal(real(size), 1).value();
  message.measured = measure(message.fragments);
  message.whole_measured = message.fragments == 1 ? message.measured : measure(1);
  return message;
}

}  // namespace

RealBytes middle(const ProbedRange& range) {
  return RealBytes(std::sqrt(real(range.least).value() * real(range.most).value()));
}

const PlatformProbe::Stage& slowest(const std::vector<PlatformProbe::Stage>& stages, RealBytes size) {
  return *std::max_element(stages.begin(), stages.end(), [size](const auto& a, const auto& b) {
    return a.occupied.line.time_for(size) < b.occupied.line.time_for(size);
  });
}

ProbeReport probe_report(const ProbeOptions& options) {
  const ProbeSettings settings = settings_of(options);
  const Bytes message = options.bytes ? size_of("--bytes", *options.bytes) : settings.most;
  if (message < settings.least || message > settings.most)
    throw Error(
        fmt::format("--bytes {}: what was not measured can't be predicted; give {} to {}, or change "
                    "--least or --most",
                    options.bytes.value_or(""), to_text(settings.least), to_text(settings.most)));
  const Platform platform = Platform::load(options.platform, options.overrides);
  if (platform.native())
    throw Error(fmt::format("{} has no model that could be probed: its messages are this machine's own MPI's",
                            platform.name()));
  print_platform_notices(platform);
  const PlatformProbe box(platform, options.seed);
  const Bytes eager_limit = box.eager_limit();
  ProbeReport report{platform.name(), settings, {}, {}, {}, {}, {}, PlatformNetwork::hints(platform)};
  report.result = probe(
      [&](std::span<const Bytes> sizes) {
        throw_if_interrupted();
        return box.send(sizes);
      },
      settings);
  for (std::size_t i = 0; i < report.result.ranges.size(); ++i) {
    const ProbedRange& range = report.result.ranges[i];
    std::vector<ProbeSample> at_once;
    for (const ProbeSample& one : range.samples)
      if (one.size <= eager_limit) at_once.push_back(one);
    report.stages.push_back(at_once.size() < 2 ? std::vector<PlatformProbe::Stage>()
                                               : box.stages(at_once, settings.burst));
    if (i > 0 && report.result.boundaries[i - 1].kind != Boundary::Kind::bottleneck)
      report.objections.push_back(
          objection(report.result.boundaries[i - 1], report.result.ranges[i - 1], range, eager_limit));
    object_to(range, settings, report.objections);
    if (range.least <= eager_limit && range.most > eager_limit)
      report.notes.push_back(fmt::format(
          "Messages of more than {} B go by rendezvous (messages.eager-limit), which the lines do "
          "not tell from the others.",
          eager_limit.count()));
  }
  report.message = probed_message(message, report.result, box);
  const double error = std::abs(report.message.measured / report.message.predicted - 1);
  if (report.message.predicted > RealTime() && error > settings.bound)
    report.objections.push_back(fmt::format("Cut so, {} needs {} instead of the predicted {}.",
                                            to_text(message), microseconds(report.message.measured),
                                            microseconds(report.message.predicted)));
  return report;
}

}  // namespace morgana::cli
