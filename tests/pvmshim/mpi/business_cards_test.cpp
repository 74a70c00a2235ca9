#include "pvmshim/mpi/emulate/ucx/business_cards.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "pvmshim/mpi/emulate/ucx/link_table.h"

namespace morgana::mpi::emulated {
namespace {

// The questions stand as MPICH 4.0.2 puts them; "6D72676E" is "mrgn", and a rank follows in four bytes, the
// lowest first (0x105 = 261).
constexpr const char* own_put = "cmd=put kvsname=kvs_1_0 key=-allgather-shm-1-2 value=(h6D72676E02000000)x\n";

TEST(BusinessCard, NamesItsRank) {
  for (const int rank : {0, 1, 255, 256, 4095, 70'000}) EXPECT_EQ(rank_on(business_card(rank)), rank);
}

TEST(CardAnswers, SpellTheOthersCardsLikeTheOwn) {
  CardAnswers cards(2);
  EXPECT_EQ(cards.answer(own_put), "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(cards.answer("cmd=get kvsname=kvs_1_0 key=-allgather-shm-1-261\n"),
            "cmd=get_result rc=0 msg=success value=(h6D72676E05010000)x\n");
}

TEST(CardAnswers, LeaveEverythingElseToMpiexec) {
  CardAnswers cards(2);
  EXPECT_FALSE(cards.answer("cmd=get kvsname=kvs_1_0 key=-allgather-shm-1-1\n")) << "none has been put yet";
  EXPECT_FALSE(cards.answer("cmd=put kvsname=kvs_1_0 key=-allgather-shm-1-2 value=other\n"));
  ASSERT_TRUE(cards.answer(own_put));
  for (const char* line :
       {"cmd=barrier_in\n", "cmd=get kvsname=kvs_1_0 key=PMI_process_mapping\n",
        "cmd=get kvsname=kvs_1_0 key=-allgather-shm-2-1\n", "cmd=get kvsname=kvs_1_0 key=-allgather-shm-1-\n",
        "cmd=get kvsname=kvs_1_0 key=-allgather-shm-1-1x\n",
        "cmd=get kvsname=kvs_1_0 key=-allgather-shm-1--1\n",
        "cmd=put kvsname=kvs_1_0 key=-allgather-shm-2-3 value=6D72676E02000000\n", "cmd=finalize\n", "\n",
        ""})
    EXPECT_FALSE(cards.answer(line)) << line;
}

TEST(LinkTable, KnowsWhatALibraryCallsAndNothingOfOneThatIsNotLoaded) {
  // This test's libgtest or libstdc++, whichever is there, must be found by its name; libc.so calls nobody
  // by a name that nobody has.
  EXPECT_FALSE(functions_called_by("libstdc++.so", "mem").empty());
  EXPECT_TRUE(functions_called_by("libstdc++.so", "no_function_begins_like_this").empty());
  EXPECT_TRUE(functions_called_by("libthat_is_not_loaded.so", "").empty());
  EXPECT_FALSE(replace_calls_of("libthat_is_not_loaded.so", {{"write", nullptr}}));
}

TEST(LinkTable, ReplacesNothingWhereOneOfTheFunctionsIsNotCalled) {
  const auto before = functions_called_by("libstdc++.so", "write");
  EXPECT_FALSE(replace_calls_of("libstdc++.so", {{"memcpy", nullptr}, {"no_such_function", nullptr}}));
  EXPECT_EQ(std::string("still ") + "alive", "still alive");  // which calls memcpy
}

TEST(LinkTable, ReplacesCallsThroughProtectedTablesToo) {
  for (const char* library : {REPLACED_LAZY, REPLACED_NOW}) {
    void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(loaded, nullptr) << dlerror();
    const auto number = reinterpret_cast<long (*)()>(dlsym(loaded, "number_of_parent"));
    const auto written = reinterpret_cast<int* (*)()>(dlsym(loaded, "neighbour_of_the_table"));
    ASSERT_EQ(number(), getppid()) << library;
    const std::string name = std::filesystem::path(library).filename();
    const auto other = +[]() -> pid_t { return -7; };
    EXPECT_TRUE(replace_calls_of(name, {{"getppid", reinterpret_cast<void*>(other)}}));
    EXPECT_EQ(number(), -7) << library;
    ++*written();  // what the loader leaves writable still is
    EXPECT_TRUE(replace_calls_of(name, {{"getppid", reinterpret_cast<void*>(&getppid)}}));
    EXPECT_EQ(number(), getppid()) << library;
    dlclose(loaded);
  }
}

}  // namespace
}  // namespace morgana::mpi::emulated
