#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace morgana {

/// The folder of the platforms that come with Morgana: what the environment variable MORGANA_PLATFORMS says,
/// else the one beside the running program (of a build or of an installation), else the source tree's, else
/// that of an installation in /usr/local or /usr.
/// @throws Error if MORGANA_PLATFORMS names no folder
std::filesystem::path library_folder();

/// Names of the platforms in it, sorted.
std::vector<std::string> library_names();

/// @param name  of a platform in the library, or, if it has a slash or ends in .toml, a file relative to
/// `folder`
/// @param where  put before the message of an error: "my.toml:1:1: "
/// @throws Error naming the nearest platform
std::filesystem::path find_platform(const std::string& name, const std::filesystem::path& folder,
                                    const std::string& where);

/// @throws Error for what can't be read, is no plain file or has more than 1 MiB
std::string read_text(const std::filesystem::path& file, const std::string& where);

}  // namespace morgana
