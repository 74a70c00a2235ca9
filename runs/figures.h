#pragma once

#include <map>
#include <span>
#include <string>

#include "emulator/engine/run_account.h"
#include "emulator/messaging/machine.h"
#include "emulator/report/run_statistics.h"

namespace morgana {

/// What a run gave, by name. A time's name ends in its unit: _ps in the figures of every run.
using Figures = std::map<std::string, double>;

/// What a run's figures are called, with a sentence on each.
struct FigureName {
  const char* name;
  const char* meaning;
};
/// Those of every run on a modelled platform, in the order in which they are shown.
std::span<const FigureName> run_figures();

/// Of a run that is over: where its time went, its messages, and what the network has counted. Figures of
/// cells are there for networks of cells only.
Figures figures_of(const RunStatistics& statistics, const RunAccount& account, Machine& machine);

}  // namespace morgana
