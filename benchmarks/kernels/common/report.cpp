#include "benchmarks/kernels/common/report.h"

#include <vector>

#include "benchmarks/kernels/common/text.h"

namespace morgana::kernels {
namespace {

enum Tag { tag_lengths = 950, tag_traffic };

}  // namespace

std::string report(const Kernel& kernel, const Request& request, int workers, const Outcome& outcome) {
  std::string text = text_of("%s class %s, %d task%s:", kernel.name.c_str(), request.class_name.c_str(),
                             workers, workers == 1 ? "" : "s");
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    text += text_of(" %s %d", kernel.sizes[i].name.c_str(), request.sizes[i]);
  }
  text += "\n" + outcome.figures;
  text += outcome.passed ? "PASS\n" : "FAIL\n";
  return text + text_of("time %.6f s\n", outcome.seconds);
}

Traffic traffic_of_all(Team& team) {
  Traffic own = team.traffic();
  if (!team.first()) {
    std::vector<double> pairs;
    for (const auto& [length, count] : own.by_length()) {
      pairs.push_back(static_cast<double>(length));
      pairs.push_back(static_cast<double>(count));
    }
    const std::vector<std::int32_t> size{static_cast<std::int32_t>(pairs.size())};
    team.send(0, tag_lengths, size);
    team.send(0, tag_traffic, pairs);
    team.finish();
    return own;
  }
  Traffic sum = own;
  for (int from = 1; from < team.size(); ++from) {
    std::vector<std::int32_t> size(1);
    team.receive(from, tag_lengths, size);
    std::vector<double> pairs(static_cast<std::size_t>(size[0]));
    team.receive(from, tag_traffic, pairs);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      sum.add(static_cast<std::int64_t>(pairs[i]), static_cast<std::int64_t>(pairs[i + 1]));
    }
  }
  return sum;
}

}  // namespace morgana::kernels
