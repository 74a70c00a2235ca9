#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "emulator/core/counter_table.h"
#include "emulator/core/link_load.h"

namespace morgana {

/// "switch 3", "host 17".
std::string text_of(const LinkEnd& end);
/// "switch 3 port 1 to switch 4 port 0", "host 17 to switch 3 port 1".
std::string text_of(const LinkLoad& link);

/// The link with the highest utilisation, the first of equals; nothing if there is none.
const LinkLoad* busiest(const NetworkLinks& links);

/// "busiest: switch 3 port 1 to switch 4 port 0, 12.3 %"; that nothing was sent, or "" without links.
std::string busiest_text(const NetworkLinks& links);

/// The busiest links as a table for people: at most `rows` of those along which something went.
std::string links_text(const NetworkLinks& links, std::size_t rows = 20);

/// A list of all links, each direction by itself: from, from_port, to, to_port, what is carried under its
/// unit's name ("flits", "cells", "frames"), utilisation and, where there is one, stopped; of_program, false,
/// where only others used it.
nlohmann::ordered_json links_json(const NetworkLinks& links);

/// Reads what links_json has written. @param origin  the file, for messages
/// @throws Error for anything else
NetworkLinks read_links(const nlohmann::json& list, const std::string& origin);

}  // namespace morgana
