#include "emulator/traffic/saturation.h"

#include <algorithm>
#include <cmath>

namespace morgana {
namespace {

/// The points so far, in order of load.
class Search {
 public:
  Search(const std::function<LoadPoint(double)>& measure, const SaturationSearch& search)
      : measure_(measure), search_(search) {}

  Saturation run() {
    climb();
    for (unsigned i = 0; i < search_.halvings; ++i) look_around_peak();
    for (unsigned i = 0; i < 2 * search_.halvings; ++i) look_at_knee();
    const LoadPoint& best = *peak();
    return {best.accepted, best.load, knee(), points_};
  }

 private:
  static constexpr double much_the_same = 1.25;  // latency, of low loads

  void take(double load) {
    const auto place =
        std::upper_bound(points_.begin(), points_.end(), load,
                         [](double value, const LoadPoint& point) { return value < point.load; });
    points_.insert(place, measure_(load));
  }

  /// One that is accepted whole and hardly waits: at half of it latency is much the same.
  void find_start() {
    constexpr int attempts = 6;
    constexpr double divisor = 4;
    take(std::min(search_.lowest, search_.highest));
    for (int i = 0; i < attempts; ++i) {
      take(points_.front().load / divisor);
      if (points_[1].latency < much_the_same * points_[0].latency) break;
    }
  }

  /// By doubled loads, as long as all is accepted at much the same latency.
  void pass_idle_loads() {
    if (!search_.glance) return;
    constexpr double twice = 2, nearly_all = 0.95;
    const LoadPoint start = points_.front();
    double reached = points_.back().load;
    while (twice * reached < search_.highest) {
      const LoadPoint seen = search_.glance(twice * reached);
      if (seen.stalled || seen.latency > much_the_same * start.latency ||
          seen.accepted * start.load < nearly_all * start.accepted * seen.load)
        break;
      reached *= twice;
    }
    if (reached > points_.back().load) take(reached);
  }

  void climb() {
    constexpr double clearly_less = 0.95, far_behind = 0.6, gain = 1.01;
    find_start();
    pass_idle_loads();
    const double share = points_.front().accepted / points_.front().load;
    for (int without_gain = 0; without_gain < 2;) {
      const double best = peak()->accepted;
      if (!step_up()) return;
      const LoadPoint& last = points_.back();
      const bool over = last.accepted < clearly_less * best || last.accepted < far_behind * share * last.load;
      without_gain = last.accepted > gain * best ? 0 : without_gain + (over ? 2 : 1);
    }
    // The knee comes before or soon after.
    constexpr int more = 8;
    for (int i = 0; i < more && beyond_knee() == points_.size(); ++i)
      if (!step_up()) return;
  }

  /// False, and nothing is measured, at the highest load.
  bool step_up() {
    const double last = points_.back().load;
    if (last >= search_.highest) return false;
    take(std::min(last * search_.step, search_.highest));
    return true;
  }

  std::vector<LoadPoint>::const_iterator peak() const {
    return std::max_element(points_.begin(), points_.end(),
                            [](const LoadPoint& a, const LoadPoint& b) { return a.accepted < b.accepted; });
  }

  bool apart(const LoadPoint& low, const LoadPoint& high) const {
    return high.load >= search_.closest * low.load;
  }

  void look_around_peak() {
    const auto best = peak();
    std::vector<double> loads;
    if (best != points_.begin() && apart(*(best - 1), *best))
      loads.push_back(std::sqrt(best->load * (best - 1)->load));
    if (best + 1 != points_.end() && apart(*best, *(best + 1)))
      loads.push_back(std::sqrt(best->load * (best + 1)->load));
    for (const double load : loads) take(load);
  }

  /// The first point whose latency is at least twice the lowest load's.
  std::size_t beyond_knee() const {
    std::size_t i = 1;
    while (i < points_.size() && !points_[i].stalled && points_[i].latency < 2 * points_.front().latency) ++i;
    return i;
  }

  void look_at_knee() {
    const std::size_t i = beyond_knee();
    if (i < points_.size() && apart(points_[i - 1], points_[i]))
      take(std::sqrt(points_[i].load * points_[i - 1].load));
  }

  /// Between the two points around it latency is taken to grow evenly.
  std::optional<double> knee() const {
    const std::size_t i = beyond_knee();
    if (i == points_.size()) return std::nullopt;
    const LoadPoint &below = points_[i - 1], &above = points_[i];
    if (above.stalled) return below.load;
    const double share = (2 * points_.front().latency - below.latency) / (above.latency - below.latency);
    return below.load + share * (above.load - below.load);
  }

  const std::function<LoadPoint(double)>& measure_;
  const SaturationSearch& search_;
  std::vector<LoadPoint> points_;
};

}  // namespace

Saturation find_saturation(const std::function<LoadPoint(double)>& measure, const SaturationSearch& search) {
  return Search(measure, search).run();
}

}  // namespace morgana
