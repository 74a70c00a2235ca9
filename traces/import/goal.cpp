#include "traces/import/goal.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "traces/import/goal_form.h"
#include "traces/import/mapped_text.h"

namespace morgana {
namespace {

bool is_binary_goal(const MappedText& text) {
  std::uint64_t first = 0;
  if (text.text().size() < sizeof first) return false;
  std::memcpy(&first, text.text().data(), sizeof first);
  return first == goal::magic;
}

}  // namespace

std::shared_ptr<const DependencyGraph> read_goal_graph(const std::filesystem::path& file,
                                                       const std::function<void(double)>& progress) {
  MappedText text(file);
  if (is_binary_goal(text))
    return std::make_shared<DependencyGraph>(
        file, goal::read_binary(text, progress), [file](std::size_t rank, std::uint32_t node) {
          return fmt::format("{}: rank {}, node {}", file.string(), rank, node);
        });
  return std::make_shared<DependencyGraph>(
      file, goal::read_text(text, progress),
      [file](std::size_t rank, std::uint32_t node) { return goal::find_in_text(file, rank, node); });
}

bool is_goal(const std::filesystem::path& file) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(file, unreadable)) return false;
  const MappedText text(file);
  return is_binary_goal(text) || goal::begins_as_text(text);
}

}  // namespace morgana
