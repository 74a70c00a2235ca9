// Whatever stands in a tuner file, reading it ends with a table or with an Error of one line that names the
// file, and so does every decision by it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "emulator/collectives/nccl/nccl_tuner.h"
#include "emulator/core/error.h"

namespace {

using namespace morgana;
using Collective = MeasuredCollective;

void require(bool condition) {
  if (!condition) std::abort();
}

void decide(const nccl::Tuner& tuner, const nccl::GpuLayout& layout, const nccl::Parameters& parameters) {
  for (const Collective collective : {Collective::all_reduce, Collective::all_gather,
                                      Collective::reduce_scatter, Collective::broadcast, Collective::reduce})
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{65'536}, std::int64_t{1} << 40}) {
      const auto decision = tuner.decide(collective, bytes, layout, parameters);
      if (decision) require(decision->line > 0 && decision->channels <= 64);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string file = "t.csv";
  nccl::Parameters switches;
  switches.nvls = switches.collnet = nccl::Parameters::Ability::yes;
  constexpr std::array layouts{nccl::GpuLayout{8, 8, 8}, nccl::GpuLayout{4, 1, 1},
                               nccl::GpuLayout{32, 8, 8, false, nccl::Reducers::here, nccl::Reducers::here}};
  try {
    const auto tuner = nccl::Tuner::parse(std::string_view(reinterpret_cast<const char*>(data), size), file);
    for (const nccl::GpuLayout& layout : layouts) {
      decide(tuner, layout, nccl::Parameters());
      decide(tuner, layout, switches);
    }
  } catch (const Error& error) {
    require(std::string_view(error.what()).starts_with(file));
  }
  return 0;
}
