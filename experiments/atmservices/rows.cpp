#include "experiments/atmservices/rows.h"

namespace morgana::atm_services_paper {

int lower_load(const std::string& program) {
  return program == "pde1" ? 70 : 65;
}

std::vector<int> loads_of(const std::string& program) {
  return {30, 50, lower_load(program), 80, 90, 100, 105, 110};
}

std::string printed_name(const std::string& program) {
  return program == "pde1" ? "PDE1" : "PDE2";
}

double latency(const Laboratory& laboratory, const Point& point) {
  return laboratory.mean(loaded(point), "cell_latency_s");
}

std::vector<Condition> conditions_of(const std::vector<Point>& points) {
  std::vector<Condition> conditions;
  for (const Point& point : points) conditions.push_back(loaded(point));
  return conditions;
}

Row shape(const std::string& id, const std::string& title, const std::string& paper, const std::string& rule,
          const std::vector<Point>& points) {
  Row row{id, title, paper, "", RowKind::shape, as_worded(rule)};
  row.needs = conditions_of(points);
  return row;
}

}  // namespace morgana::atm_services_paper
