#include "emulator/core/working_folder.h"

#include <filesystem>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {

void check_working_folder() {
  std::error_code gone;
  if (std::filesystem::current_path(gone).empty())
    throw Error("the folder in which morgana was started can't be used (" + gone.message() +
                "): change to one that exists, and start it there");
}

}  // namespace morgana
