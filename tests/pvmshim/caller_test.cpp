#include "pvmshim/clock/caller.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace morgana {
namespace {

const void* address_of(auto* function) {
  return reinterpret_cast<const char*>(function) + 1;  // as a return address, it points into the code
}

TEST(Caller, TakesTheProgramAndTheCLibraryForTheProgram) {
  EXPECT_FALSE(called_from_below(address_of(&called_from_below)));
  EXPECT_FALSE(called_from_below(dlsym(RTLD_DEFAULT, "qsort")));
}

TEST(Caller, TakesCodeThatLiesInNoFileForTheProgram) {
  const int on_the_stack = 0;
  EXPECT_FALSE(called_from_below(&on_the_stack));
}

TEST(Caller, KnowsTheLibrariesWhoseWaitsAreTheirOwn) {
  EXPECT_EQ(code_at(dlsym(RTLD_DEFAULT, "_ZNSt6thread4joinEv")), CodeOf::cpp_library);
  EXPECT_EQ(code_at(dlsym(RTLD_DEFAULT, "qsort")), CodeOf::program);
  EXPECT_EQ(code_at(address_of(&called_from_below)), CodeOf::program);
}

TEST(Caller, KnowsTheNetworkLibraryAsSoonAsItIsLoaded) {
  ASSERT_FALSE(called_from_below(address_of(&called_from_below)));  // it has looked at the loaded libraries
  void* library = dlopen("libucs.so.0", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const void* function = dlsym(library, "ucs_status_string");
  ASSERT_NE(function, nullptr);
  EXPECT_TRUE(called_from_below(function));
}

}  // namespace
}  // namespace morgana
