#pragma once

#include <string>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {

/// A file in the temporary folder, gone when this is.
class TemporaryFile {
 public:
  /// @throws Error if the text can't be written there
  explicit TemporaryFile(const std::string& text);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }
  std::string read() const;

 private:
  std::string name_;
};

/// Runs a program that draws, to its end.
/// @param package  the Debian package that has it
/// @throws Error if it is missing, or ends with an error, which it has told itself on standard error
void run_drawing_program(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& package);

}  // namespace morgana
