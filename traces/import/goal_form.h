#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/import/dependency_graph.h"
#include "traces/import/mapped_text.h"

namespace morgana::goal {

/// Of a calculation: below the end of simulated time.
constexpr std::uint64_t most_ns = 4'000'000'000'000'000;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 50;
constexpr std::uint64_t most_ranks = 1'000'000;
constexpr std::uint32_t any = 0xFFFF'FFFF;

/// The first number of a binary schedule, in 8 bytes.
constexpr std::uint64_t magic = 4223;

using Progress = std::function<void(double)>;

std::vector<RankGraph> read_text(MappedText& text, const Progress& progress);
std::vector<RankGraph> read_binary(MappedText& bytes, const Progress& progress);
/// Whether its first word is num_ranks.
bool begins_as_text(const MappedText& text);
/// File, line and label of a node, which the text is read again for.
std::string find_in_text(const std::filesystem::path& file, std::size_t rank, std::uint32_t node);

}  // namespace morgana::goal
