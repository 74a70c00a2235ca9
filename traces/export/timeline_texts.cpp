// A timeline in the formats of other tools.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "traces/export/timeline.h"

namespace morgana {
namespace {

using Text = fmt::memory_buffer;

template <typename... Values>
void add(Text& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

/// Of a time in units of 10^digits ps: all its digits.
std::string decimal(SimTime time, int digits) {
  std::int64_t unit = 1;
  for (int i = 0; i < digits; ++i) unit *= 10;
  return fmt::format("{}.{:0{}}", time.ps() / unit, time.ps() % unit, digits);
}
std::string microseconds(SimTime time) {
  return decimal(time, 6);
}
std::string seconds(SimTime time) {
  return decimal(time, 12);
}

/// In double quotes, as JSON has it.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      out += c;
  }
  return out + '"';
}

}  // namespace

std::string chrome_json(const Timeline& timeline) {
  Text text;
  add(text,
      "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"program\":{},\"platform\":{}}},\"traceEvents\":[\n",
      quoted(timeline.program), quoted(timeline.platform));
  add(text, "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{{\"name\":{}}}}}",
      quoted(timeline.program + " on " + timeline.platform));
  for (std::size_t rank = timeline.services; rank < timeline.ranks; ++rank) {
    add(text,
        ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":{0},\"args\":{{\"name\":\"rank "
        "{0}\"}}}}",
        rank);
    add(text,
        ",\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":0,\"tid\":{0},\"args\":{{\"sort_index\":{0}"
        "}}}}",
        rank);
  }
  for (const Timeline::Call& call : timeline.calls)
    add(text,
        ",\n{{\"ph\":\"X\",\"name\":{},\"cat\":\"call\",\"pid\":0,\"tid\":{},\"ts\":{},\"dur\":{},"
        "\"args\":{{\"bytes\":{}}}}}",
        quoted(timeline.names[call.name]), index(call.rank), microseconds(call.begin),
        microseconds(call.end - call.begin), call.bytes.count());
  std::size_t number = 0;
  for (const Timeline::Message& message : timeline.messages) {
    add(text,
        ",\n{{\"ph\":\"s\",\"name\":\"message\",\"cat\":\"message\",\"id\":{},\"pid\":0,\"tid\":{},\"ts\":{},"
        "\"args\":{{\"bytes\":{},\"tag\":{}}}}}",
        ++number, index(message.from), microseconds(message.sent), message.bytes.count(),
        static_cast<std::int32_t>(message.tag));
    add(text,
        ",\n{{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"message\",\"cat\":\"message\",\"id\":{},\"pid\":0,\"tid\":"
        "{},"
        "\"ts\":{}}}",
        number, index(message.to), microseconds(message.received));
  }
  for (std::size_t rank = timeline.services; rank < timeline.ranks; ++rank)
    add(text,
        ",\n{{\"ph\":\"i\",\"s\":\"t\",\"name\":\"end\",\"cat\":\"rank\",\"pid\":0,\"tid\":{},\"ts\":{}}}",
        rank, microseconds(timeline.ends[rank]));
  add(text, "\n]}}\n");
  return fmt::to_string(text);
}

std::string paje_text(const Timeline& timeline) {
  Text text;
  add(text, "{}", R"(%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%       Alias string
%       Type string
%       StartContainerType string
%       EndContainerType string
%       Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
%       Alias string
%       Type string
%       Name string
%       Color color
%EndEventDef
%EventDef PajeCreateContainer 4
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
%       Time date
%       Type string
%       Name string
%EndEventDef
%EventDef PajePushState 6
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajePopState 7
%       Time date
%       Type string
%       Container string
%EndEventDef
%EventDef PajeStartLink 8
%       Time date
%       Type string
%       Container string
%       Value string
%       StartContainer string
%       Key string
%EndEventDef
%EventDef PajeEndLink 9
%       Time date
%       Type string
%       Container string
%       Value string
%       EndContainer string
%       Key string
%EndEventDef
)");
  add(text, "0 P 0 \"Program\"\n0 R P \"Rank\"\n1 S R \"Call\"\n2 L P R R \"Message\"\n");
  for (std::size_t i = 0; i < timeline.names.size(); ++i) {
    // Hues that lie apart for as many names as there are.
    const double hue = 6.0 * static_cast<double>(i) / static_cast<double>(timeline.names.size());
    const auto part = [hue](double shift) {
      double distance = std::abs(hue - shift);
      distance = std::min(distance, 6 - distance);
      return std::clamp(2 - distance, 0.0, 1.0);
    };
    add(text, "3 n{} S {} \"{:.3f} {:.3f} {:.3f}\"\n", i, quoted(timeline.names[i]), part(0), part(2),
        part(4));
  }
  add(text, "4 0 p P 0 {}\n", quoted(timeline.program));
  for (std::size_t rank = timeline.services; rank < timeline.ranks; ++rank)
    add(text, "4 0 r{0} R p \"rank {0}\"\n", rank);

  // At one time calls that end come before those that begin, messages behind them, and ranks that end last.
  struct Line {
    SimTime at;
    int order;
    std::string text;
  };
  std::vector<Line> lines;
  for (const Timeline::Call& call : timeline.calls) {
    const int after_begin = call.end == call.begin ? 3 : 0;
    lines.push_back(
        {call.begin, 1, fmt::format("6 {} S r{} n{}\n", seconds(call.begin), index(call.rank), call.name)});
    lines.push_back(
        {call.end, after_begin, fmt::format("7 {} S r{}\n", seconds(call.end), index(call.rank))});
  }
  std::size_t number = 0;
  for (const Timeline::Message& message : timeline.messages) {
    ++number;
    lines.push_back(
        {message.sent, 2,
         fmt::format("8 {} L p \"{} B, tag {}\" r{} m{}\n", seconds(message.sent), message.bytes.count(),
                     static_cast<std::int32_t>(message.tag), index(message.from), number)});
    lines.push_back(
        {message.received, 2,
         fmt::format("9 {} L p \"{} B, tag {}\" r{} m{}\n", seconds(message.received), message.bytes.count(),
                     static_cast<std::int32_t>(message.tag), index(message.to), number)});
  }
  for (std::size_t rank = timeline.services; rank < timeline.ranks; ++rank)
    lines.push_back(
        {timeline.ends[rank], 4, fmt::format("5 {} R r{}\n", seconds(timeline.ends[rank]), rank)});
  std::ranges::stable_sort(lines, [](const Line& a, const Line& b) {
    return std::pair(a.at, a.order) < std::pair(b.at, b.order);
  });
  for (const Line& line : lines) add(text, "{}", line.text);
  add(text, "5 {} P p\n", seconds(timeline.end));
  return fmt::to_string(text);
}

std::string timeline_csv(const Timeline& timeline) {
  Text text;
  add(text, "kind,rank,name,begin_ps,end_ps,bytes,peer,tag\n");
  for (const Timeline::Call& call : timeline.calls)
    add(text, "call,{},{},{},{},{},,\n", index(call.rank), timeline.names[call.name], call.begin.ps(),
        call.end.ps(), call.bytes.count());
  for (const Timeline::Message& message : timeline.messages)
    add(text, "message,{},message,{},{},{},{},{}\n", index(message.from), message.sent.ps(),
        message.received.ps(), message.bytes.count(), index(message.to),
        static_cast<std::int32_t>(message.tag));
  for (std::size_t rank = timeline.services; rank < timeline.ranks; ++rank)
    add(text, "end,{0},end,{1},{1},,,\n", rank, timeline.ends[rank].ps());
  return fmt::to_string(text);
}

}  // namespace morgana
