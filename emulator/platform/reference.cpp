#include <algorithm>
#include <span>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/platform/aliases.h"
#include "emulator/platform/fitted_presets.h"
#include "emulator/platform/platform.h"
#include "emulator/platform/sections.h"

namespace morgana {
namespace {

constexpr std::string_view introduction = R"(# Platforms: every key

This page is generated from the schema: `morgana platforms --reference > docs/platforms.md`.

A platform is a TOML file. `morgana platforms` lists those that come with Morgana, `morgana platforms NAME` prints
one with every value, its meaning and its source; what it prints is itself a platform file. A file of your own is
named by its path, ending in `.toml`:

```toml
extends = "ethernet-10"        # another platform, by name or by a path relative to this file
description = "Our workstations: the same wire, faster protocol"

[messages]
send-overhead = "300 us"

[source]
"messages.send-overhead" = "measured by us, June"
```

| key | value | meaning |
| --- | --- | --- |
| `name` | text | default: the file's name without its ending |
| `description` | text | one sentence |
| `year` | year | of the technology, for the groups of `morgana platforms`; none: of no particular one |
| `extends` | text | the platform whose values hold where this file says nothing |
| `native` | true or false | the program runs over this machine's real MPI and is measured; nothing else can be set |
| `source` | text or table | where the values come from: one text for the whole file, or a table with a text for a key (`"network.latency"`), a section (`network`) or the rest (`everything`) |

`--set network.latency="10 us"` overrides a key, quotes or not. Choosing another `kind` of network, transport or overlay, or
another `model` of interface, than the platform extended forgets what was set for the former kind. A network of another kind keeps bandwidth and latency (in keys of its own, see `--set network.bandwidth` below), and keys that both kinds have; a note lists what was dropped. Unknown keys, keys of another kind, wrong units and
values out of range are errors that name file, line and column.

## Values

| form | how it is written |
| --- | --- |
| time | `"8.25 us"`: ps, ns, us, ms, s, min, h; rounded once, to the picosecond |
| size | `"1500 B"`: B, kB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024); whole bytes |
| rate | `"155.52 Mb/s"`: b/s, kb/s, Mb/s, Gb/s, Tb/s; B/s, kB/s, MB/s, GB/s (powers of 1000) |
| cost per byte | `"0.03 ns/B"`, `"24.9 us/KB"`: fs, ps, ns, us or ms per B, KB or KiB (both 1024 B), MB or MiB (both 1024 KiB); or a rate, `"25 GB/s"`; rounded once, to the femtosecond per byte |
| share | `"25 %"` or `0.25` |
| factor | `1.5`, a plain number |
| count | `200` or, with what is counted, `"200 frames"` |
| list | `["0-1", "1-2"]` or, as in `--set`, `"0-1, 1-2"` |

Every time is at most 1000 s, every size at most 1024 GiB, every rate from 1 kb/s to 100 Tb/s, every cost per byte
at most 1 ms/B, every share at most 100 %, every factor and count at most 1000000.

## What if?

`--set` also multiplies: `--set network.rate=x2` is twice what the platform has, `x0.5` half of it, for every key whose
value is a number. And it knows two notions that stand for other keys on each kind of network, so that one command asks the same of
several platforms:

)";

constexpr std::string_view notions = R"(
`--set network.bandwidth=x2` multiplies all keys of that row (a cost per byte is halved), and `--set network.latency="2 us"`
those that make it up, in proportion, so that their sum is that: the time from one host to another at the same switch
that neither bytes nor interfaces cost. Rates and lengths said for single trunks and hosts (`"0-1 at 1 Gb/s"`) stay. A bus
(`shared-bus`) has neither. Of several `--set` the later ones find what the earlier ones have set.
)";

std::string row(const std::string& name, const std::string& form, const std::string& limits,
                const std::string& fallback, const std::string& meaning) {
  return "| `" + name + "` | " + form + " | " + limits + " | " + fallback + " | " + meaning + " |\n";
}

/// @param first  at most so many
std::string rows_of(const Section& section, std::size_t first) {
  std::string text = "\n| key | value | limits | default | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const Key& key : std::span(section.keys).first(std::min(first, section.keys.size())))
    text += row(key.name.substr(section.name.size() + 1), form_of(key), own_limits_of(key),
                to_text(key, key.fallback), key.meaning);
  return text;
}

std::string algorithms() {
  const auto table = [](CollectiveLibrary library, const std::string& name) {
    std::string text =
        "\n| kind | algorithm | what it does | " + name + " chooses it |\n| --- | --- | --- | --- |\n";
    for (const AlgorithmChoice& choice : algorithm_choices())
      if (choice.library == library)
        text += "| " + std::string(choice.kind) + " | `" + std::string(choice.algorithm) + "` | " +
                std::string(choice.description) + " | " + std::string(choice.chosen_when) + " |\n";
    return text;
  };
  return table(CollectiveLibrary::mpich, "MPICH 4.0") + table(CollectiveLibrary::openmpi, "Open MPI 4.1");
}

}  // namespace

std::string platform_reference() {
  std::string text = std::string(introduction) + alias_table() + std::string(notions);
  std::string last;
  for (const Section& section : schema()) {
    if (section.name != last) {
      text += "\n## [" + section.name + "]\n";
      if (has_kinds(section.name)) {
        const Key kind = kind_key(section.name);
        const bool transport = section.name == "transport";
        text += "\n`" + kind.name.substr(section.name.size() + 1) + "`: " + form_of(kind) + ". Default: " +
                (transport ? "direct where the network carries messages of any length, else go-back-n"
                           : to_text(kind, kind.fallback)) +
                ".\n";
      }
    }
    last = section.name;
    if (!section.kind.empty())
      text += "\n### " + kind_key(section.name).name.substr(section.name.size() + 1) + " = \"" +
              section.kind + "\"\n";
    text += "\n" + section.meaning + "\n";
    if (section.name == "collectives") {
      text += rows_of(section, 5) + algorithms();  // the others are a kind each, with an algorithm as value
    } else if (!section.keys.empty()) {
      text += rows_of(section, section.keys.size());
    }
  }
  text += fitted_presets();
  return text;
}

}  // namespace morgana
