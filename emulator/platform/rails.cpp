#include "emulator/platform/rails.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "emulator/platform/background.h"
#include "emulator/platform/kinds/interfaces.h"
#include "emulator/platform/kinds/overlays.h"
#include "emulator/platform/sections.h"

namespace morgana {
namespace {

constexpr const char* faults_key = "network.faults";

/// What an item of network.faults says after its rail, which is nothing where it is about all.
struct FaultOfRail {
  std::optional<std::size_t> rail;
  std::string rest;
};

FaultOfRail fault_of_rail(const std::string& item) {
  constexpr std::string_view word = "rail ";
  if (!item.starts_with(word)) return {std::nullopt, item};
  std::size_t rail = 0;
  const char* const end = item.data() + item.size();
  const auto [after, error] = std::from_chars(item.data() + word.size(), end, rail);
  if (error != std::errc() || after == end || *after != ':')
    throw NoSuchRail(
        fmt::format("{:?}: {:?} is not a rail number; write it as in \"rail 1: cable 0-2 at 10 ms\"", item,
                    item.substr(word.size(), item.find(':') - word.size())));
  const std::string rest(after + 1, end);
  const std::size_t begin = rest.find_first_not_of(" \t");
  if (begin == std::string::npos)
    throw NoSuchRail(
        fmt::format("{:?} names no cable or switch; write it as in "
                    "\"rail 1: cable 0-2 at 10 ms\"",
                    item));
  return {rail, rest.substr(begin)};
}

}  // namespace

std::size_t rails_of(const Settings& settings) {
  const HostParameters hosts = host_table().read(settings);
  return hosts.rails == HostParameters::Rails::separate ? static_cast<std::size_t>(hosts.nics) : 1;
}

std::size_t nics_on_rail(const Settings& settings) {
  return static_cast<std::size_t>(host_table().read(settings).nics) / rails_of(settings);
}

Settings settings_of_rail(const Settings& settings, std::size_t rail) {
  const auto faults = settings.find(faults_key);
  if (faults == settings.end()) return settings;
  const std::size_t rails = rails_of(settings);
  std::vector<std::string> kept;
  for (const std::string& item : items_of(std::get<std::string>(faults->second))) {
    const FaultOfRail fault = fault_of_rail(item);
    if (fault.rail && (rails == 1 || *fault.rail >= rails))
      throw NoSuchRail(
          rails == 1
              ? fmt::format("{:?} names a rail, and there is one network; leave the rail out, or set {}",
                            item, nics_on_rail(settings) > 1 ? "hosts.rails to \"separate\"" : "hosts.nics")
              : fmt::format("{:?} names rail {}, and there are {}, numbered from 0", item, *fault.rail,
                            rails));
    if (!fault.rail || *fault.rail == rail) kept.push_back(fault.rest);
  }
  Settings own = settings;
  own[faults_key] = joined(kept);
  return own;
}

std::optional<Complaint> check_rails(const Resolved& platform) {
  const HostParameters hosts = host_table().read(platform.settings);
  const MessageLayer layer = message_table().read(platform.settings);
  const auto refuse = [&](const std::string& what) {
    return Complaint{"hosts.nics", fmt::format("hosts of several NICs do not go with {}", what)};
  };
  if (hosts.nics == 1) return std::nullopt;
  if (hosts.interrupts.handling != InterruptParameters::Handling::polling)
    return refuse("interrupts; set hosts.interrupts.handling to \"polling\", or hosts.nics to 1");
  if (transport_kind(platform.transport).in_kernel)
    return refuse("messages in kernels; choose another transport.kind, or set hosts.nics to 1");
  if (platform.overlay != overlay_kinds().front().name)
    return refuse("an overlay; set overlay.kind to \"none\", or hosts.nics to 1");
  if (layer.nic == NicChoice::round_robin) {
    if (layer.push > Bytes() || layer.second_push > Bytes() ||
        layer.unexpected_buffer < MessageLayer().unexpected_buffer)
      return Complaint{
          "messages.nic",
          "messages that go round-robin are put in order when they come, which push-pull messages "
          "are not; set messages.nic to \"by-rank\", or leave out messages.push, "
          "messages.second-push and messages.unexpected-buffer"};
  }
  // Its library copies each message on a processor, which it would have to do for all parts in turn.
  if (layer.stripe_from > Bytes() && platform.transport == gam_transport_kind().name)
    return Complaint{
        "messages.stripe-from",
        fmt::format("messages are not striped over NICs where processors copy them piece by piece "
                    "(transport.kind = \"{}\"); leave it out, or choose another transport.kind",
                    platform.transport)};
  // What has come by one of several connections can't be read before the message is whole.
  if (layer.stripe_from > Bytes() && layer.receive_per_byte > ByteCost() &&
      platform.transport == tcp_transport_kind().name)
    return Complaint{"messages.stripe-from",
                     "messages are not striped over NICs where receivers copy them out of sockets piece by "
                     "piece (transport.kind = \"tcp\" with messages.receive-per-byte); leave it out, or set "
                     "messages.nic to \"round-robin\""};
  if (hosts.rails == HostParameters::Rails::joined) return std::nullopt;
  if (platform.interface != interface_kinds().front().name)
    return refuse(fmt::format("interface.model = \"{}\" on rails of their own; set hosts.rails to \"joined\"",
                              platform.interface));
  if (network_kind(platform.network).carries_cells)
    return refuse("a network of cells for each; set hosts.rails to \"joined\"");
  if (has_background(platform.settings))
    return refuse(
        "background traffic on rails of their own; set background.load to 0, or hosts.rails to "
        "\"joined\"");
  return std::nullopt;
}

}  // namespace morgana
