#include "experiments/am2/rows.h"

// Figures 6, 7 and 9.
namespace morgana::am2_paper {
namespace {

Curve over_clients(const Laboratory& laboratory, const std::string& name, int outstanding,
                   const char* figure) {
  Curve curve{name, {}};
  for (const int clients : client_numbers())
    curve.points.push_back(
        {static_cast<double>(clients), laboratory.mean(on_am2(requests(clients, outstanding)), figure)});
  return curve;
}

std::vector<Condition> all_clients(int outstanding) {
  std::vector<Condition> all;
  for (const int clients : client_numbers()) all.push_back(on_am2(requests(clients, outstanding)));
  return all;
}

ExperimentFigure figure_6() {
  const std::vector<int> sizes{64, 128, 256, 512, 1024, 2048, 4096, 8192};
  std::vector<Condition> needs;
  for (const int bytes : sizes)
    for (const Condition& one : {on_am2(stream(bytes)), on_gam(stream(bytes))}) needs.push_back(one);
  return {"figure-6", needs, [sizes](const Laboratory& laboratory) {
            Curve am2{"AM-II", {}}, gam{"GAM", {}};
            for (const int bytes : sizes) {
              const auto rate = [&](const Condition& one) { return laboratory.mean(one, "mb_per_s"); };
              am2.points.push_back({static_cast<double>(bytes), rate(on_am2(stream(bytes)))});
              gam.points.push_back({static_cast<double>(bytes), rate(on_gam(stream(bytes)))});
            }
            return Curves{"Figure 6: bandwidth between two hosts",
                          "message (bytes)",
                          "bandwidth (MB/s)",
                          true,
                          false,
                          {},
                          {am2, gam}};
          }};
}

}  // namespace

void add_figures(Experiment& experiment) {
  experiment.figures.push_back(figure_6());
  experiment.figures.push_back(
      {"figure-7", all_clients(credits), [](const Laboratory& laboratory) {
         return Curves{
             "Figure 7: requests of 4 words that a server answers", "clients", "rate (1/s)", false, false, {},
             {over_clients(laboratory, "server", credits, "rate")}};
       }});
  experiment.figures.push_back({"figure-9", all_clients(1), [](const Laboratory& laboratory) {
                                  return Curves{"Figure 9: round trips to a server",
                                                "clients",
                                                "round trip (us)",
                                                false,
                                                false,
                                                {},
                                                {over_clients(laboratory, "one request each", 1, "trip_us")}};
                                }});
}

}  // namespace morgana::am2_paper
