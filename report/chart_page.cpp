#include "report/chart_page.h"

#include "report/page_template.h"
#include "report/web_files.h"

namespace morgana {
namespace {

using nlohmann::json;

json json_of(MapPoint point) {
  return json::array({point.x, point.y});
}

json json_of(const StackedBars& bars) {
  return {{"kind", "bars"},          {"title", bars.title},
          {"parts", bars.parts},     {"categories", bars.categories},
          {"seconds", bars.seconds}, {"notes", bars.notes}};
}

const char* name_of(Curve::Style style) {
  switch (style) {
    case Curve::Style::marks_and_lines:
      return "marks-and-lines";
    case Curve::Style::marks:
      return "marks";
    case Curve::Style::line:
      break;
  }
  return "line";
}

json json_of(const Curves& curves) {
  json of{{"kind", "curves"},
          {"title", curves.title},
          {"x_name", curves.x_name},
          {"y_name", curves.y_name},
          {"x_is_size", curves.x_is_size},
          {"logarithmic_x", curves.logarithmic_x},
          {"logarithmic_y", curves.logarithmic_y},
          {"places", curves.places},
          {"curves", json::array()}};
  for (const Curve& curve : curves.curves) {
    json points = json::array();
    for (const CurvePoint& point : curve.points)
      points.push_back(json::array({point.x, point.y, point.radius}));
    of["curves"].push_back(
        {{"name", curve.name}, {"style", name_of(curve.style)}, {"points", std::move(points)}});
  }
  return of;
}

json json_of(const LinkMap& map) {
  json of{{"kind", "map"},          {"title", map.title},
          {"caption", map.caption}, {"coloured", map.coloured},
          {"darkest", map.darkest}, {"places", json::array()},
          {"hosts", json::array()}, {"lines", json::array()}};
  for (const LinkMap::Place& place : map.places)
    of["places"].push_back({{"at", json_of(place.at)}, {"name", place.name}});
  for (const LinkMap::Host& host : map.hosts)
    of["hosts"].push_back(
        {{"at", json_of(host.at)}, {"name_at", json_of(host.name_at)}, {"name", host.name}});
  for (const LinkMap::Line& line : map.lines) {
    json points = json::array();
    for (const MapPoint& point : line.points) points.push_back(json_of(point));
    of["lines"].push_back({{"points", std::move(points)}, {"share", line.share}, {"thin", line.thin}});
  }
  return of;
}

json json_of(const TimeSpace& picture) {
  json of{{"kind", "boxes"},
          {"title", picture.title},
          {"time_name", picture.time_name},
          {"rows", picture.rows},
          {"boxes", json::array()}};
  for (const TimeSpace::Box& box : picture.boxes)
    of["boxes"].push_back({{"row", box.row},
                           {"begin", box.begin},
                           {"end", box.end},
                           {"colour", box.colour},
                           {"label", box.label}});
  return of;
}

json json_of(const ChartTable& table) {
  return {{"kind", "table"},
          {"heading", table.heading},
          {"rows", table.rows},
          {"tones", table.tones},
          {"wide", table.wide}};
}

json json_of(const ChartSection& section) {
  json of{{"heading", section.heading}, {"text", section.text}, {"figures", json::array()}};
  for (const auto& [name, figure] : section.figures) {
    json drawn = std::visit([](const auto& one) { return json_of(one); }, figure);
    drawn["name"] = name;
    of["figures"].push_back(std::move(drawn));
  }
  return of;
}

}  // namespace

ChartTable chart_table(const TextTable& table) {
  const auto& rows = table.rows();
  return {rows.front(), {rows.begin() + 1, rows.end()}};
}

json chart_data(const ChartPage& page) {
  json data{{"title", page.title},     {"answer", page.answer},     {"facts", page.facts},
            {"notices", page.notices}, {"sections", json::array()}, {"runs", json::array()}};
  for (const ChartSection& section : page.sections) data["sections"].push_back(json_of(section));
  for (const ChartRun& run : page.runs) data["runs"].push_back({{"name", run.name}, {"data", run.data}});
  return data;
}

std::string chart_page(const ChartPage& page) {
  const WebFiles files = web_files();
  return filled_page(files.charts, chart_data(page),
                     {files.texts, files.axis, files.timeline, files.lives, files.links, files.figures,
                      files.charts_script});
}

}  // namespace morgana
