#pragma once

#include <stdexcept>

namespace morgana {

/// Something the user can mend. The sentence says what is wrong, where (file, line, key, rank, record) and
/// how to mend it. Every program turns it into `morgana: ...` on stderr and exit code 2, in one place.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace morgana
