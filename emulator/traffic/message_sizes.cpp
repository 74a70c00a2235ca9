#include "emulator/traffic/message_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {
namespace {

constexpr double percent = 100;

std::vector<MessageSizes::Point> points_of(std::initializer_list<std::pair<double, double>> in_percent) {
  std::vector<MessageSizes::Point> points;
  for (const auto& [bytes, share] : in_percent) points.push_back({bytes, share / percent});
  return points;
}

/// @throws Error if it is none, or does not follow the one before
void check_point(const MessageSizes::Point& point, const MessageSizes::Point* before) {
  constexpr double largest = 1e12;
  if (!(point.bytes >= 0 && point.bytes <= largest))
    throw Error(fmt::format("a size of {} bytes is out of range; it must be 0 to 10^12", point.bytes));
  if (before != nullptr && (point.bytes < before->bytes || point.share < before->share))
    throw Error(
        fmt::format("sizes and shares must not decrease: {} bytes with {} % follow {} bytes with {} %",
                    point.bytes, percent * point.share, before->bytes, percent * before->share));
}

MessageSizes read_file(const std::string& name) {
  std::ifstream file(name);
  // A directory opens, and reads as empty.
  std::error_code none;
  if (!file || !std::filesystem::is_regular_file(name, none))
    throw Error(fmt::format(
        "--sizes: there is no file \"{}\" that can be read; write web-search, data-mining, hadoop or a "
        "file with lines of a size in bytes and the share of messages up to it in per cent",
        name));
  std::vector<MessageSizes::Point> points;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream text(line);
    MessageSizes::Point point;
    std::string more;
    if (!(text >> point.bytes >> point.share) || text >> more)
      throw Error(
          fmt::format("{}:{}: \"{}\" is not a size in bytes and a share in per cent", name, number, line));
    point.share /= percent;
    if (!(point.share >= 0 && point.share <= 1))
      throw Error(fmt::format("{}:{}: a share is from 0 to 100 %", name, number));
    try {
      check_point(point, points.empty() ? nullptr : &points.back());
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", name, number, error.what()));
    }
    points.push_back(point);
  }
  try {
    return MessageSizes(points);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

}  // namespace

MessageSizes::MessageSizes(Bytes size) : points_{{static_cast<double>(size.count()), 1}} {}

MessageSizes::MessageSizes(std::vector<Point> points) : points_(std::move(points)) {
  if (points_.empty())
    throw Error(
        "it has no sizes: write lines of a size in bytes and the share of messages up to it in per cent");
  for (std::size_t n = 0; n < points_.size(); ++n) check_point(points_[n], n > 0 ? &points_[n - 1] : nullptr);
  if (points_.back().bytes < 1) throw Error("the largest message has 0 bytes: it has at least 1");
  if (std::abs(points_.back().share - 1) > 1e-9)
    throw Error(fmt::format("the last share is {} %, and must be 100 %", percent * points_.back().share));
  points_.back().share = 1;
}

MessageSizes MessageSizes::named(const std::string& name) {
  if (name == "web-search")
    return MessageSizes(points_of({{0, 0},
                                   {10e3, 15},
                                   {20e3, 20},
                                   {30e3, 30},
                                   {50e3, 40},
                                   {80e3, 53},
                                   {200e3, 60},
                                   {1e6, 70},
                                   {2e6, 80},
                                   {5e6, 90},
                                   {10e6, 97},
                                   {30e6, 100}}));
  if (name == "data-mining")
    return MessageSizes(points_of({{0, 0},
                                   {180, 10},
                                   {216, 20},
                                   {560, 30},
                                   {900, 40},
                                   {1'100, 50},
                                   {1'870, 60},
                                   {3'160, 70},
                                   {10e3, 80},
                                   {400e3, 90},
                                   {3.16e6, 95},
                                   {100e6, 98},
                                   {1e9, 100}}));
  if (name == "hadoop")
    return MessageSizes(
        points_of({{0, 0},     {100, 1},    {200, 2},    {300, 5},    {350, 15}, {400, 20},  {500, 30},
                   {600, 40},  {700, 50},   {1e3, 60},   {2e3, 67},   {7e3, 70}, {30e3, 72}, {50e3, 82},
                   {80e3, 87}, {120e3, 90}, {300e3, 95}, {1e6, 97.5}, {2e6, 99}, {10e6, 100}}));
  return read_file(name);
}

Bytes MessageSizes::draw(RandomStream& random) const {
  const double share = random.uniform();
  const auto after = std::ranges::lower_bound(points_, share, {}, &Point::share);
  double bytes = after->bytes;
  if (after != points_.begin()) {
    const Point& before = *std::prev(after);
    bytes =
        before.bytes + (after->bytes - before.bytes) * (share - before.share) / (after->share - before.share);
  }
  return Bytes(std::max<std::int64_t>(1, std::llround(bytes)));
}

double MessageSizes::mean() const {
  double sum = points_.front().share * points_.front().bytes;
  for (std::size_t n = 1; n < points_.size(); ++n)
    sum += (points_[n].share - points_[n - 1].share) * (points_[n].bytes + points_[n - 1].bytes) / 2;
  return std::max(sum, 1.0);
}

}  // namespace morgana
