#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace morgana::cli {

// What an option takes, checked in Morgana's own words: `--api: "foo" is not auto, mpi or pvm`.

CLI::Validator one_of(const std::vector<std::string>& words);
/// More than `low` and less than `high`.
CLI::Validator number_between(double low, double high);
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

}  // namespace morgana::cli
