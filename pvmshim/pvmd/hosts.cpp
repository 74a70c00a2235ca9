#include "pvmshim/pvmd/hosts.h"

#include <algorithm>
#include <cassert>

#include "pvmshim/pvmd/codes.h"

namespace morgana::pvm {

std::optional<std::uint32_t> Hosts::of(TaskId id) const {
  if (id <= number_mask || !present(host_of(id))) return std::nullopt;
  return host_of(id);
}

std::optional<std::uint32_t> Hosts::find(const std::string& name, std::uint32_t asker) const {
  if (name == ".") return asker;
  for (std::uint32_t host = 0; host < size(); ++host)
    if (present_[host] && hosts_[host].name == name) return host;
  return std::nullopt;
}

std::int32_t Hosts::add(const std::string& name) {
  // What follows the name are options for starting the host's daemon, of which there is none.
  const std::size_t begin = name.find_first_not_of(" \t");
  if (begin == std::string::npos) return bad_parameter;
  const std::string word = name.substr(begin, name.find_first_of(" \t", begin) - begin);
  for (std::uint32_t host = 0; host < size(); ++host) {
    if (hosts_[host].name != word) continue;
    if (present_[host]) return duplicate_host;
    present_[host] = true;
    return host_id(host);
  }
  return no_host;
}

void Hosts::remove(std::uint32_t host) {
  assert(host > 0 && present(host));
  present_[host] = false;
}

std::vector<std::uint32_t> SpawnPlacement::place(std::uint32_t spawner, const std::vector<bool>& allowed,
                                                 std::uint32_t count) {
  const auto hosts =
      std::min(static_cast<std::uint32_t>(std::count(allowed.begin(), allowed.end(), true)), count);
  assert(hosts > 0);
  const auto size = static_cast<std::uint32_t>(allowed.size());
  const auto from = [&](std::uint32_t host) {
    while (host >= size || !allowed[host]) host = host >= size ? 0 : host + 1;
    return host;
  };
  std::uint32_t& next = next_.try_emplace(spawner, spawner + 1).first->second;
  next = from(next);

  std::vector<std::uint32_t> places;
  std::uint64_t filled = 0;  // a host has its share when this passes `count`
  while (places.size() < count) {
    places.push_back(next);
    filled += hosts;
    if (filled < count) continue;
    filled -= count;
    next = from(next + 1);
  }
  return places;
}

}  // namespace morgana::pvm
