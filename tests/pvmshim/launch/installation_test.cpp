#include "pvmshim/launch/process/installation.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "emulator/core/error.h"

namespace morgana {
namespace {

TEST(OwnLibrary, IsLookedForWhereTheUserSays) {
  setenv("MORGANA_LIBRARIES", "/no/such/folder", 1);
  EXPECT_THAT(
      [] { own_library("libmorgana-mpi.so"); },
      testing::ThrowsMessage<Error>(testing::HasSubstr("/no/such/folder/libmorgana-mpi.so is missing")));
  unsetenv("MORGANA_LIBRARIES");
}

}  // namespace
}  // namespace morgana
