// The platform file that a fit is written as.

#include <fmt/format.h>

#include <cmath>

#include "emulator/core/quantity.h"
#include "runs/fit/network_fit.h"

namespace morgana {
namespace {

constexpr double ps_in_us = 1e6, fs_in_us = 1e9;

std::string platform_time(double us) {
  return to_text(SimTime::from_ps(std::llround(us * ps_in_us)));
}

std::string cost_text(double us_per_byte) {
  return to_text(ByteCost::from_fs(std::llround(us_per_byte * fs_in_us)));
}

std::string size_text(double bytes) {
  return to_text(Bytes(std::llround(bytes)));
}

/// In a TOML string between quotes.
std::string toml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

}  // namespace

std::string platform_text(const NetworkFit& fit, const MeasuredTimes& times, const std::string& description) {
  std::string text = fmt::format("# Made by `morgana fit`.\ndescription = {}\n\n", toml_text(description));
  text += "[hosts]\nprocessors = 1\ncompute-scale = 1\n\n[messages]\n";
  const auto line = [&](const char* key, const std::string& value) {
    text += fmt::format("{} = \"{}\"\n", key, value);
  };
  line("send-overhead", platform_time(fit.send_overhead));
  line("receive-overhead", platform_time(fit.receive_overhead));
  line("send-per-byte", cost_text(fit.send_per_byte));
  line("receive-per-byte", cost_text(fit.receive_per_byte));
  line("eager-limit", fit.eager_limit ? size_text(*fit.eager_limit) : "1 GiB");
  line("control", size_text(fit.control));
  if (fit.rendezvous_overhead > 0) line("rendezvous-overhead", platform_time(fit.rendezvous_overhead));
  text += "\n[network]\nkind = \"loggp\"\n";
  line("latency", platform_time(fit.latency));
  line("gap", platform_time(fit.gap));
  line("gap-per-byte", cost_text(fit.gap_per_byte));
  if (fit.latency_bytes > 0) {
    line("latency-per-byte", cost_text(fit.latency_per_byte));
    line("latency-bytes", size_text(fit.latency_bytes));
  }
  std::string origin = "fitted to ";
  for (const std::string& one : times.origins) origin += (&one == &times.origins.front() ? "" : ", ") + one;
  for (const std::string& sentence : fit.open) origin += "; " + sentence;
  return text + "\n[source]\neverything = " + toml_text(origin) + "\n";
}

}  // namespace morgana
