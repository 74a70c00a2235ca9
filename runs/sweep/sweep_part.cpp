#include "runs/sweep/sweep_part.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {
namespace {

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::size_t> number_of_variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : number_in(text);
}

std::optional<SweepPart> told_by_mpiexec() {
  const auto rank = number_of_variable("PMI_RANK"), size = number_of_variable("PMI_SIZE");
  if (!rank || !size) return std::nullopt;
  return SweepPart{*rank + 1, *size};
}

std::optional<SweepPart> told_by_slurm() {
  const auto task = number_of_variable("SLURM_ARRAY_TASK_ID"),
             least = number_of_variable("SLURM_ARRAY_TASK_MIN"),
             count = number_of_variable("SLURM_ARRAY_TASK_COUNT");
  if (!task || !least || !count) return std::nullopt;
  return SweepPart{*task - *least + 1, *count};
}

std::optional<SweepPart> written(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto number = number_in(text.substr(0, slash)), of = number_in(text.substr(slash + 1));
  if (!number || !of) return std::nullopt;
  return SweepPart{*number, *of};
}

}  // namespace

SweepPart read_part(const std::string& text) {
  std::optional<SweepPart> part;
  if (text == "mpi") {
    part = told_by_mpiexec();
    if (!part)
      throw Error(
          "--part mpi: PMI_RANK and PMI_SIZE are not set: start this by MPICH's mpiexec, or say which part "
          "as K/N");
  } else if (text == "slurm") {
    part = told_by_slurm();
    if (!part)
      throw Error(
          "--part slurm: SLURM_ARRAY_TASK_ID, _MIN and _COUNT are not set: start this as an array job "
          "(sbatch --array=1-N), or say which part as K/N");
  } else {
    part = written(text);
  }
  if (!part || part->number < 1 || part->number > part->of)
    throw Error(fmt::format("--part {}: not a part; say K/N with 1 <= K <= N, for example 2/8", text));
  return *part;
}

void leave_job() {
  static constexpr std::array prefixes{"PMI_", "PMIX_", "HYDI_", "HYDRA_", "MPI_LOCAL", "SLURM_"};
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name(*variable);
    if (std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); }))
      names.emplace_back(name.substr(0, name.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

std::filesystem::path part_file(const std::filesystem::path& results, const SweepPart& part) {
  return results.string() + fmt::format(".part-{}-of-{}", part.number, part.of);
}

std::vector<std::filesystem::path> part_files(const std::filesystem::path& results) {
  const std::string begin = results.filename().string() + ".part-";
  std::filesystem::path folder = results.parent_path();
  if (folder.empty()) folder = ".";
  std::vector<std::filesystem::path> found;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin)) continue;
    const std::string rest = name.substr(begin.size());
    const std::size_t of = rest.find("-of-");
    if (of != std::string::npos && number_in(rest.substr(0, of)) && number_in(rest.substr(of + 4)))
      found.push_back(results.parent_path() / name);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace morgana
