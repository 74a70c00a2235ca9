#pragma once

namespace morgana {

/// To be called before a relative name is looked up. @throws Error if the working folder has been removed, or
/// can't be read
void check_working_folder();

}  // namespace morgana
