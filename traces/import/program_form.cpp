#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

#include "traces/import/dumpi/files.h"
#include "traces/import/imported_program.h"

namespace morgana {

std::optional<ProgramForm> program_form(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  std::array<char, 8> begin{};
  std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
  const std::string_view text(begin.data(), begin.size());
  if (text == "#DIMEMAS") return ProgramForm::dimemas;
  if (text == "#Paraver") return ProgramForm::paraver;
  if (dumpi::is_dumpi(file)) return ProgramForm::dumpi;
  return std::nullopt;
}

std::unique_ptr<ImportedProgram> read_program(ProgramForm form, const std::filesystem::path& file) {
  switch (form) {
    case ProgramForm::dumpi:
      return read_dumpi(file);
    case ProgramForm::dimemas:
      return read_dimemas(file);
    case ProgramForm::paraver:
      break;
  }
  return read_paraver(file);
}

}  // namespace morgana
