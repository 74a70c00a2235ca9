#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "emulator/engine/operation_source.h"

namespace morgana {

class ComputeTimes;
class TraceTranslation;

/// A recorded OTF2 trace (ours or Score-P's) as ranks' operations. Computing is what lies between MPI calls,
/// scaled; what the calls themselves took is dropped: the model says it anew. The trace is read once, before
/// the replay or before several, and translated (see TraceTranslation).
///
/// A replay keeps what the program saw, so that it goes the same way on every platform: a wildcard receive or
/// probe asks for what it got; a wait for any or some, and a test that found something, waits for what
/// completed there; a test that found nothing is a test again, and what it finds on a faster platform is not
/// waited for later. On the recorded platform all of them take the recorded time.
class TraceSource : public OperationSource {
 public:
  /// @param trace  the folder or its .otf2 anchor file
  /// @param compute_scale  of the platform replayed on; the scale recorded in the trace is taken out first
  /// @throws Error for a trace that can't be opened
  explicit TraceSource(const std::filesystem::path& trace, double compute_scale = 1.0);
  /// The same for a trace that has been read: replays of one trace may share that.
  /// @param times  vary the scaled computing, and must outlive this; null: it is as recorded
  explicit TraceSource(std::shared_ptr<const TraceTranslation> trace, double compute_scale = 1.0,
                       ComputeTimes* times = nullptr);
  ~TraceSource() override;

  std::size_t ranks() const override;
  bool runs_at_start(Rank rank) const override;
  bool is_service(Rank rank) const override;
  /// Ranks 0 to services() - 1 only serve the others.
  std::size_t services() const;
  /// How many ranks run from the start on, the first ones.
  std::size_t ranks_at_start() const;
  /// Whether ranks are placed where the program's own machine starts them (a PVM program's tasks: the first
  /// on the first host, where its daemon is), not by the user; so also if the program started none.
  bool places_its_ranks() const;
  /// Whether messages' tags name endpoints of Active Messages (EndpointTag).
  bool tags_name_endpoints() const;
  bool built_for_openmpi() const;
  /// Where it was recorded: TraceProperties::platform
  const std::string& platform() const;
  /// TraceProperties::waits_for_switches
  bool waits_for_switches() const;
  /// How many hosts the recorded run had, as far as its ranks show.
  std::size_t hosts() const;
  /// Ranks that begin late do so on the recorded host, modulo this many. @param hosts  > 0
  void place_on(std::size_t hosts);
  /// @throws Error naming location and record for what is truncated, inconsistent or foreign
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override;

  /// Sentences for the user: skipped locations, unmatched messages.
  std::vector<std::string> notices() const;
  /// How much of the trace has been replayed, 0 to 1.
  double progress() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
