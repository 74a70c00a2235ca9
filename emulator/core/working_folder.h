#pragma once

namespace morgana {

/// For whoever is about to look up a relative name. @throws Error if the working folder has been removed, or
/// can't be read
void check_working_folder();

}  // namespace morgana
