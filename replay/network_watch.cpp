#include "replay/network_watch.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "emulator/report/link_report.h"

namespace morgana {
namespace {

constexpr std::size_t traced_links = 64;

NetworkMetrics::Series series_of(const std::string& name, const LinkHistory& history,
                                 const std::vector<float>& shares, std::size_t link) {
  constexpr double percent = 100;
  NetworkMetrics::Series series{name, "%", false, {}};
  const std::size_t windows = history.windows();
  for (std::size_t i = 0; i < windows; ++i) {
    const double value = percent * static_cast<double>(shares[link * windows + i]);
    if (series.points.empty() || series.points.back().second != value)
      series.points.emplace_back(history.window * static_cast<std::int64_t>(i), value);
  }
  series.points.emplace_back(history.end, 0);
  return series;
}

NetworkMetrics::Series queue_of(const LinkHistory& history, std::size_t link) {
  constexpr double us = 1e6;
  NetworkMetrics::Series series{text_of(history.links[link]) + ": queued", "us", false, {}};
  const std::size_t windows = history.windows();
  for (std::size_t i = 0; i < windows; ++i) {  // what is seen at a window's end
    const double value = us * history.queued[link * windows + i].seconds();
    const SimTime at = std::min(history.window * static_cast<std::int64_t>(i + 1), history.end);
    if (series.points.empty() ? value > 0 : series.points.back().second != value)
      series.points.emplace_back(at, value);
  }
  return series;
}

}  // namespace

std::vector<NetworkMetrics::Series> link_series(const LinkHistory& history, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t link = 0; link < history.links.size(); ++link)
    if (history.links[link].utilisation > 0) order.push_back(link);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t link) { return history.links[link].utilisation; });
  if (order.size() > most) order.resize(most);
  std::ranges::sort(order);
  std::vector<NetworkMetrics::Series> all;
  for (const std::size_t link : order) {
    all.push_back(series_of(text_of(history.links[link]) + ": busy", history, history.busy, link));
    if (!history.stopped.empty())
      all.push_back(series_of(text_of(history.links[link]) + ": stopped", history, history.stopped, link));
    if (!history.queued.empty()) all.push_back(queue_of(history, link));
  }
  return all;
}

void NetworkWatch::close(SimTime end) {
  account_.close(end);
  if (!sampler_ || std::exchange(closed_, true)) return;
  counted_ = sampler_->close(end);  // it stays: its next event is still to come
}

NetworkMetrics NetworkWatch::metrics() const {
  NetworkMetrics metrics{link_series(account_.history(), traced_links)};
  for (const CounterHistory& one : counted_) metrics.series.push_back({one.name, "#", true, one.counts});
  return metrics;
}

}  // namespace morgana
