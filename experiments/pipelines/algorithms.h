#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "emulator/pipeline/hierarchy.h"
#include "emulator/pipeline/stage.h"

/// What the paper's section 5 computes, for rows and figures alike.
namespace morgana::pipelines_paper {

constexpr pipeline::RealBytes kilobytes(double count) {
  constexpr double bytes = 1024;
  return pipeline::RealBytes(count * bytes);
}
double us(pipeline::RealTime time);
/// "Improvement", as the paper uses the word: old / new - 1, in %.
double improvement(pipeline::RealTime before, pipeline::RealTime after);

/// Section 5.5's disk: an overhead in ms, and MB/s of which 1 is a KB a ms.
pipeline::Stage disk_of(double overhead_ms, double rate);

/// The slow network, a disk and, in the longer pipeline, the network once more.
struct DiskPipeline {
  pipeline::Stages stages;
  std::size_t disk = 0;
};
DiskPipeline network_and_disk(const pipeline::Stage& disk);
DiskPipeline network_disk_network(const pipeline::Stage& disk);

/// A way to send a message through a disk pipeline.
struct PipelineAlgorithm {
  pipeline::RealTime latency;
  pipeline::Sizes sizes;    ///< at the disk
  pipeline::Pieces pieces;  ///< at each stage
};
/// Equal fragments, all stages being peers.
PipelineAlgorithm algorithm_a(const DiskPipeline& pipeline, pipeline::RealBytes message);
/// Equal fragments of their own for the network, put together for the disk.
PipelineAlgorithm algorithm_b(const DiskPipeline& pipeline, pipeline::RealBytes message);
/// The same with sizes that rise or, in the longer pipeline, rise and fall (C').
PipelineAlgorithm algorithm_c(const DiskPipeline& pipeline, pipeline::RealBytes message);

/// The same through network_and_disk, with sizes that suit a network of one stage whose costs lie on this
/// line.
PipelineAlgorithm algorithm_c_by_line(const DiskPipeline& pipeline, pipeline::RealBytes message,
                                      const pipeline::Stage& line);

/// The paper's grid: overheads in ms, rates in MB/s.
std::vector<double> disk_overheads();
std::vector<double> disk_rates();
/// From 4 to 4096 KB.
std::vector<double> packet_sizes(int per_octave);

/// A static size (GAM, FM): fragments of it and a shorter last one.
pipeline::RealTime static_latency(const pipeline::Stages& stages, Bytes message, Bytes fragment);

}  // namespace morgana::pipelines_paper
