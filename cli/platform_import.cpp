#include "cli/platform_import.h"

#include <fmt/format.h>

#include <filesystem>

namespace morgana::cli {
namespace {

using topology::NetworkFile;

std::string end_text(const NetworkFile::End& end, bool with_port) {
  return with_port && end.port ? fmt::format("{}.{}", end.at, *end.port) : fmt::format("{}", end.at);
}

/// A text of the file on one line, whatever is in it.
std::string one_line(std::string text) {
  for (char& letter : text)
    if ((letter >= 0 && letter < ' ') || letter == '\x7F') letter = '?';
  return text;
}

/// With what is said of the link, where cables may differ.
std::string item(const std::string& ends, const std::string& link, bool alike) {
  return alike || link.empty() ? fmt::format("\"{}\"", ends) : fmt::format("\"{} {}\"", ends, link);
}

/// A list of a platform file, an item a line with its name.
std::string list(const char* key, const std::vector<std::pair<std::string, std::string>>& items) {
  std::string text = fmt::format("{} = [\n", key);
  for (const auto& [value, comment] : items)
    text += comment.empty() ? fmt::format("  {},\n", value) : fmt::format("  {},  # {}\n", value, comment);
  return text + "]\n";
}

std::string beginning(const NetworkFile& network, const std::string& base, const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  std::string text =
      fmt::format("extends = \"{}\"\ndescription = \"{} with the network of {}", base, base, name);
  text += network.keys.empty() ? fmt::format(": {} switches\"\n", network.switches.size()) : "\"\n";
  for (const std::string& note : network.notes) text += fmt::format("# {}\n", one_line(note));
  text += "\n[hosts]\ncount = \"auto\"\n";
  if (network.processors > 0) text += fmt::format("processors = {}\n", network.processors);
  return text + "\n[network]\n";
}

/// Those that the file's program takes.
std::string routes_of(const NetworkFile& network, bool is_fabric) {
  if (network.routes.empty()) return "";
  if (is_fabric) return fmt::format("routes = \"{}\"\n", network.routes);
  return fmt::format("# a fabric would have routes = \"{}\"; here they are those of the platform extended\n",
                     network.routes);
}

std::string ending(const std::string& file) {
  return fmt::format("\n[source]\n\"network\" = \"{}\"\n", std::filesystem::path(file).filename().string());
}

}  // namespace

std::string platform_with_keys(const NetworkFile& network, const std::string& base, const std::string& file,
                               bool is_fabric) {
  std::string text = beginning(network, base, file);
  if (is_fabric) text += "link-speed = \"rate\"\n";
  for (const auto& [key, value] : network.keys) text += fmt::format("{} = {}\n", key, value);
  return text + routes_of(network, is_fabric) + ending(file);
}

std::string platform_with(const NetworkFile& network, const std::string& base, const std::string& file,
                          bool ports_have_numbers, const std::vector<std::string>& routes, bool is_fabric) {
  const bool alike = ports_have_numbers;
  std::vector<std::pair<std::string, std::string>> cables, hosts;
  for (const NetworkFile::Cable& cable : network.cables)
    cables.emplace_back(
        item(end_text(cable.a, ports_have_numbers) + "-" + end_text(cable.b, ports_have_numbers), cable.link,
             alike),
        "");
  for (std::size_t host = 0; host < network.hosts.size(); ++host) {
    const NetworkFile::Host& one = network.hosts[host];
    hosts.emplace_back(item(end_text(one.at, ports_have_numbers), one.link, alike),
                       fmt::format("host {}: {}", host, one_line(one.name)));
  }
  std::string text = beginning(network, base, file) + "topology = \"listed\"\n";
  text += fmt::format("switches = {}\n", network.switches.size());
  for (std::size_t at = 0; at < network.switches.size(); ++at)
    text += fmt::format("# switch {}: {}\n", at, one_line(network.switches[at]));
  if (!ports_have_numbers && !hosts.empty())
    text += "hosts-per-switch = \"spread\"  # hosts-at says where they hang\n";
  if (!hosts.empty()) text += list("hosts-at", hosts);
  text += list("cables", cables);
  if (!routes.empty()) {
    std::vector<std::pair<std::string, std::string>> entries;
    for (const std::string& route : routes) entries.emplace_back(fmt::format("\"{}\"", route), "");
    text += "routes = \"listed\"\n" + list("route-table", entries);
  } else {
    text += routes_of(network, is_fabric);
  }
  return text + ending(file);
}

}  // namespace morgana::cli
