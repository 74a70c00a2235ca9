#pragma once

#include <stdexcept>

namespace morgana {

/// An error that the user can cause and fix. Its sentence says what is wrong, where (file, line, key, rank,
/// record) and how to fix it. main() prints it on standard error after "morgana: " and exits with code 2,
/// unless the derived class has a code of its own.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace morgana
