#include "traces/import/imported_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/support/effort.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {
using ::morgana::testing::TemporaryFolder;

std::vector<Operation> operations_of(ImportedProgram& program, Rank rank) {
  std::vector<Operation> all;
  do {
    program.next(rank, all.emplace_back());
  } while (all.back().kind != OperationKind::exit);
  return all;
}

TEST(ImportedProgram, AWaitNamesTheRequestOfItsPeerAndTag) {
  const TemporaryFolder folder;
  const auto program = read_time_independent(
      folder.write("a.ti",
                   "0 irecv 1 7 10 1\n0 irecv -333 -444 10 1\n0 isend 1 9 3 0\n0 compute 2e3\n0 wait 0 1 9\n"
                   "0 wait 1 0 3\n0 wait 1 0 7\n1 init\n"),
      1e9);
  ASSERT_EQ(program->ranks(), 2u);
  const auto all = operations_of(*program, Rank{0});
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[0].bytes, Bytes(40));
  EXPECT_EQ(all[1].peer, any_rank);
  EXPECT_EQ(all[1].tag, any_tag);
  EXPECT_EQ(all[2].bytes, Bytes(24));
  EXPECT_EQ(all[3].elapsed, SimTime::from_ps(2'000'000));
  EXPECT_EQ(all[3].requests[0], all[2].request);
  EXPECT_EQ(all[4].requests[0], all[1].request);  // nobody but the wildcard waits for tag 3
  EXPECT_EQ(all[5].requests[0], all[0].request);
}

// Messages that require nothing go first, then calculations, and only then is waited.
TEST(ImportedProgram, AScheduleStartsWhatItCanBeforeItWaits) {
  const TemporaryFolder folder;
  const auto program =
      read_goal(folder.write("a.goal",
                             "num_ranks 2\nrank 0 {\nr: recv 8b from 1\na: calc 7\na requires r\nb: calc 5\n"
                             "s: send 9b to 1 tag 2\nt: send 9b to 1 tag 3\nt requires a\n}\n"));
  const auto all = operations_of(*program, Rank{0});
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].kind, OperationKind::receive);
  EXPECT_EQ(all[1].kind, OperationKind::send);
  EXPECT_EQ(all[1].tag, Tag{2});
  EXPECT_EQ(all[2].kind, OperationKind::wait);
  EXPECT_EQ(all[2].elapsed, SimTime::from_ps(5'000));
  EXPECT_EQ(all[3].tag, Tag{3});
  EXPECT_EQ(all[3].elapsed, SimTime::from_ps(7'000));
  EXPECT_EQ(all[4].requests.size(), 2u);
  EXPECT_EQ(operations_of(*program, Rank{1}).size(), 1u);
}

/// Bytes changed, lines doubled, cut or exchanged: all is read, or refused by an Error.
void read_mutations(const std::string& text, const std::string& name,
                    const std::function<std::unique_ptr<ImportedProgram>(const std::string&)>& read) {
  const TemporaryFolder folder;
  int refused = 0;
  const int cases = static_cast<int>(random_cases(600));
  for (int seed = 1; seed <= cases; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed), "imports");
    std::string mutated = text;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
      const std::size_t at = random.below(mutated.size());
      switch (random.below(4)) {
        case 0:
          mutated[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          mutated[at] = " 0123456789-e{}\n"[random.below(16)];
          break;
        case 2:
          mutated.erase(at, 1 + random.below(12));
          break;
        default:
          mutated.insert(at, mutated.substr(at, 1 + random.below(12)));
      }
      if (mutated.empty()) mutated = " ";
    }
    try {
      const auto program = read(folder.write(name, mutated));
      for (std::size_t rank = 0; rank < std::min<std::size_t>(program->ranks(), 8); ++rank)
        EXPECT_LT(operations_of(*program, Rank{static_cast<std::int32_t>(rank)}).size(), 10'000u);
    } catch (const Error& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, cases);
}

TEST(ImportedProgram, DamagedTimeIndependentTracesAreReadOrRefused) {
  read_mutations(
      "0 init\n1 init\n0 compute 1e6\n0 send 1 7 100 1\n1 recv 0 7 -1 1\n0 irecv 1 3 50 2\n1 isend 0 3 50 2\n"
      "0 wait 1 0 3\n1 waitall 1\n0 sendRecv 5 1 6 1 5 5\n1 sendRecv 5 0 6 0 5 5\n0 bcast 10 1 4\n1 bcast 10 "
      "1 4\n"
      "0 gatherv 10 10 11 0 1 1\n1 gatherv 11 0 0 0 1 1\n0 alltoallv 46 10 11 40 10 10 6 6\n0 sleep 1.5\n"
      "0 scatterv 10 11 10 0 1 1\n0 reducescatter 10 11 12 0\n0 allgatherv 10 10 11 1 1\n0 finalize\n",
      "m.ti", [](const std::string& file) { return read_time_independent(file, 1e9); });
}

TEST(ImportedProgram, DamagedSchedulesAreReadOrRefused) {
  read_mutations(
      "num_ranks 2\nrank 0 {\nl1: calc 1000 cpu 0\nl2: send 10b to 1 tag 0 cpu 0 nic 0\nl2 requires l1\n"
      "l3: recv 8b from 1\nl3 irequires l2\nl4: calc 5\nl4 requires l3\n}\nrank 1 {\nl1: recv 10b from 0\n"
      "l2: send 8b to 0 // back\nl2 requires l1\n}\n",
      "m.goal", [](const std::string& file) { return read_goal(file); });
}

}  // namespace
}  // namespace morgana
