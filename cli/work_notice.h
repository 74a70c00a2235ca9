#pragma once

namespace morgana::cli {

/// From now on work that takes longer than a few seconds (LongWork: routing a large network) is reported on
/// standard error, with how much of it is done, every now and then; and a signal that asks the command to end
/// breaks it off.
void announce_long_work();

}  // namespace morgana::cli
