// Traces of other tools with bytes changed, parts cut out or doubled, lines swapped, or cut off: reading and
// running them ends with a sentence or with a run, never with a hang, a crash or a lot of memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "replay/trace_import.h"
#include "tests/support/bsc_traces.h"
#include "tests/support/dumpi_writer.h"
#include "tests/support/effort.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

using namespace morgana::testing;
using ::testing::HasSubstr;

constexpr std::uint64_t damaged_copies = 200;

/// Two lines, or in a binary file two parts, change places.
void swap_parts(std::string& text, RandomStream& random, bool lines) {
  if (!lines) {
    constexpr std::size_t part = 24;
    const std::size_t one = random.below(text.size() - part), other = random.below(text.size() - part);
    for (std::size_t i = 0; i < part; ++i) std::swap(text[one + i], text[other + i]);
    return;
  }
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    all.push_back(text.substr(begin, end + 1 - begin));
    begin = end + 1;
  }
  std::swap(all[random.below(all.size())], all[random.below(all.size())]);
  text.clear();
  for (const std::string& line : all) text += line;
}

void damage(std::string& text, RandomStream& random, bool lines) {
  const std::string_view bytes = lines ? "0123456789:.-()cds#\n" : std::string_view();
  for (std::uint64_t times = 1 + random.below(3); times > 0 && text.size() > 60; --times) {
    const std::size_t at = random.below(text.size());
    switch (random.below(6)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text[at] = lines ? bytes[random.below(bytes.size())] : static_cast<char>(random.below(4));
        break;
      case 2:
        text.erase(at, 1 + random.below(12));
        break;
      case 3:
        text.insert(at, text.substr(at, 1 + random.below(12)));
        break;
      case 4:
        if (text.ends_with('\n') || !lines) swap_parts(text, random, lines);
        break;
      default:
        if (times == 1 && random.below(2) == 0) text.resize(at);
    }
  }
}

struct Outcomes {
  int ran = 0, refused = 0, stuck = 0;
};

/// @param file  of the one that is damaged
Outcomes import_damaged(const std::string& good, const std::string& file, bool lines,
                        const TemporaryFolder& folder) {
  Outcomes outcomes;
  const int copies = static_cast<int>(random_cases(damaged_copies));
  for (int copy = 0; copy < copies; ++copy) {
    RandomStream random(static_cast<std::uint64_t>(copy), "damage");
    std::string text = good;
    damage(text, random, lines);
    folder.write(file, text);
    SCOPED_TRACE("copy " + std::to_string(copy));
    const std::filesystem::path path = folder / file;
    try {
      const auto form = program_form(path);
      // What does not begin as it should is taken for another form, or refused by the one that is named.
      const auto program = form ? read_program(*form, path) : lines ? read_paraver(path) : read_dumpi(path);
      import_trace(*program, "damaged", folder / "out.otf2");
      ++outcomes.ran;
    } catch (const Deadlock&) {
      ++outcomes.stuck;
    } catch (const Error& error) {
      ++outcomes.refused;
      const std::string said = error.what();
      EXPECT_GT(said.size(), 20u);
      EXPECT_EQ(said.find('\0'), std::string::npos);
      // The reader names the file; what only the run finds names a rank.
      EXPECT_TRUE(said.find(folder.path().string()) != std::string::npos ||
                  said.find("rank ") != std::string::npos)
          << said;
    }
    std::filesystem::remove_all(folder / "out.otf2");
  }
  ::testing::Test::RecordProperty("ran", outcomes.ran);
  ::testing::Test::RecordProperty("refused", outcomes.refused);
  ::testing::Test::RecordProperty("stuck", outcomes.stuck);
  // Most damage is noticed, and not all of it.
  EXPECT_GT(outcomes.refused, copies / 10);
  EXPECT_EQ(outcomes.ran + outcomes.refused + outcomes.stuck, copies);
  return outcomes;
}

TEST(DamagedTraces, OfDumpiEndWithASentence) {
  const TemporaryFolder folder;
  const std::vector<std::string> files = dumpi_ring();
  write_dumpi(folder, files);
  import_damaged(files[1], "t-0001.bin", false, folder);
}

TEST(DamagedTraces, OfDimemasEndWithASentence) {
  const TemporaryFolder folder;
  import_damaged(dimemas_ring, "in", true, folder);
}

TEST(DamagedTraces, OfParaverEndWithASentence) {
  const TemporaryFolder folder;
  import_damaged(paraver_pair, "in", true, folder);
}

// Undamaged, they run: a ring of 100 doubles, and what else dumpi_ring() says.
TEST(DamagedTraces, TheirOriginalsRun) {
  const TemporaryFolder folder;
  const auto dumpi = read_dumpi(write_dumpi(folder, dumpi_ring()));
  TraceImport imported = import_trace(*dumpi, "ring", folder / "a.otf2");
  EXPECT_EQ(imported.statistics.total().messages_sent, 6u);
  EXPECT_EQ(imported.statistics.total().bytes_sent, Bytes(4 * 800 + 2 * 10));
  const auto dimemas = read_dimemas(folder.write("ring.dim", dimemas_ring));
  imported = import_trace(*dimemas, "ring", folder / "b.otf2");
  EXPECT_EQ(imported.statistics.total().messages_sent, 3u);
  EXPECT_EQ(imported.statistics.simulated_time(), SimTime::from_ps(3'000'000));  // rank 0 computes 1 and 2 us
  const auto paraver = read_paraver(folder.write("pair.prv", paraver_pair));
  imported = import_trace(*paraver, "pair", folder / "c.otf2");
  EXPECT_EQ(imported.statistics.total().messages_sent, 2u);
  EXPECT_EQ(imported.statistics.total().bytes_sent, Bytes(1008));
}

}  // namespace
}  // namespace morgana
