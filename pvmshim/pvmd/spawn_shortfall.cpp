#include "pvmshim/pvmd/spawn_shortfall.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "pvmshim/pvmd/codes.h"

namespace morgana::pvm {
namespace {

constexpr const char* notes_file = "spawn-shortfalls";

std::string meaning_of(std::int32_t code) {
  switch (code) {
    case bad_parameter:
      return "PvmBadParam: an argument is not valid";
    case no_host:
      return "PvmNoHost: no such host is in the virtual machine";
    case no_file:
      return "PvmNoFile: there is no such program";
    case no_memory:
      return "PvmNoMem: the host has no memory left";
    case out_of_resources:
      return "PvmOutOfRes: the virtual machine holds no more tasks";
    default:
      return "PVM's error " + std::to_string(code);
  }
}

}  // namespace

void add_shortfall(std::vector<SpawnShortfall>& all, SpawnShortfall call) {
  const auto known = std::ranges::find(all, call.file, &SpawnShortfall::file);
  if (known == all.end()) {
    all.push_back(std::move(call));
    return;
  }
  known->asked += call.asked;
  known->started += call.started;
}

std::string text_of(const SpawnShortfall& shortfall) {
  std::ostringstream text;
  text << "pvm_spawn started " << shortfall.started << " of " << shortfall.asked
       << (shortfall.asked == 1 ? " task of " : " tasks of ") << shortfall.file << " ("
       << meaning_of(shortfall.code) << ")";
  return text.str();
}

void note_shortfall(const std::filesystem::path& folder, const SpawnShortfall& call) {
  std::ostringstream text;
  text << call.asked << ' ' << call.started << ' ' << call.code << ' ' << call.file << '\n';
  const std::string line = text.str();
  const int file =
      open((folder / notes_file).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return;
  (void)!write(file, line.data(), line.size());  // at once: lines of several processes do not mix
  close(file);
}

std::vector<SpawnShortfall> noted_shortfalls(const std::filesystem::path& folder) {
  std::vector<SpawnShortfall> all;
  std::ifstream notes(folder / notes_file);
  SpawnShortfall call;
  while (notes >> call.asked >> call.started >> call.code && notes.get() == ' ' &&
         std::getline(notes, call.file))
    add_shortfall(all, call);
  return all;
}

}  // namespace morgana::pvm
