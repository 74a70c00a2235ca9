#include <bit>

#include "pvmshim/agent/examination.h"
#include "pvmshim/agent/frame.h"

namespace morgana {
namespace {

void put_seconds(ContentWriter& to, double seconds) {
  to.number(std::bit_cast<std::uint64_t>(seconds));
}
double seconds_from(ContentReader& from) {
  return std::bit_cast<double>(from.number());
}

}  // namespace

std::vector<std::byte> encode(const ExaminationOrder& order) {
  ContentWriter to;
  to.number(order.number).text(order.folder).text(order.file).text(order.content);
  put_agents(to, order.agents);
  return to.bytes();
}

ExaminationOrder decode_examination(std::span<const std::byte> content) {
  ContentReader from(content);
  ExaminationOrder order;
  order.number = static_cast<std::uint32_t>(from.number());
  order.folder = from.text();
  order.file = from.text();
  order.content = from.text();
  order.agents = agents_from(from);
  if (order.number >= order.agents.size()) throw MalformedFrame("an agent that is none of all");
  return order;
}

std::vector<std::byte> encode(const Findings& findings) {
  ContentWriter to;
  to.number(findings.checks.size());
  for (const Check& check : findings.checks)
    to.number(static_cast<std::uint64_t>(check.state)).text(check.what).text(check.detail).text(check.mend);
  put_seconds(to, findings.work);
  to.text(findings.no_files).number(findings.reached.size());
  for (const ReachedAgent& one : findings.reached) {
    to.number(one.agent);
    put_seconds(to, one.round_trip);
    to.text(one.why_not);
  }
  return to.bytes();
}

Findings decode_findings(std::span<const std::byte> content) {
  ContentReader from(content);
  Findings findings;
  findings.checks.resize(from.count());
  for (Check& check : findings.checks) {
    const std::uint64_t state = from.number();
    if (state > static_cast<std::uint64_t>(Check::State::failed)) throw MalformedFrame("a check's state");
    check.state = static_cast<Check::State>(state);
    check.what = from.text();
    check.detail = from.text();
    check.mend = from.text();
  }
  findings.work = seconds_from(from);
  findings.no_files = from.text();
  findings.reached.resize(from.count());
  for (ReachedAgent& one : findings.reached) {
    one.agent = static_cast<std::uint32_t>(from.number());
    one.round_trip = seconds_from(from);
    one.why_not = from.text();
  }
  return findings;
}

}  // namespace morgana
