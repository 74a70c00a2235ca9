// Several mistakes of a file are reported at once, each in a line.
#include <gtest/gtest.h>

#include "tests/platform/bad_platform.h"

namespace morgana {
namespace {

TEST(BadPlatform, SeveralMistakes) {
  expect_refusals(
      refusal_of_file,
      {// Unknown keys, values that do not fit, and where they are: in the order of their names.
       {"[network]\nlatnecy = \"5 us\"\ngap = \"5 B\"\n[hosts]\nprocessor = 4\n",
        "my.toml:5:1: unknown key hosts.processor"},
       {"[network]\nlatnecy = \"5 us\"\ngap = \"5 B\"\n[hosts]\nprocessor = 4\n",
        "hosts.processors?\nmy.toml:3:7: network.gap"},
       {"[network]\nlatnecy = \"5 us\"\ngap = \"5 B\"\n", "my.toml:2:1: unknown key network.latnecy"},
       // Keys of a kind that there is not are not judged; those of hosts are.
       {"[network]\nkind = \"fabrik\"\nwhatever = 1\n[hosts]\nprocessor = 4\n", "\"fabric\""},
       {"[network]\nkind = \"fabrik\"\nwhatever = 1\n[hosts]\nprocessor = 4\n",
        "my.toml:5:1: unknown key hosts.processor"},
       // What does not fit together.
       {"[network]\nkind = \"fabric\"\n[transport]\nkind = \"aal5\"\n[hosts.pcie]\nrate = \"1 Gb/s\"\n",
        "my.toml:6:8: hosts.pcie.rate"},
       {"[network]\nkind = \"fabric\"\n[transport]\nkind = \"aal5\"\n[hosts.pcie]\nrate = \"1 Gb/s\"\n",
        "my.toml:4:8: transport.kind"},
       // Keys that are given twice.
       {"\"hosts.count\" = 1\n\"network.gap\" = \"1 us\"\n[hosts]\ncount = 2\n[network]\ngap = \"2 "
        "us\"\n",
        "hosts.count"},
       {"\"hosts.count\" = 1\n\"network.gap\" = \"1 us\"\n[hosts]\ncount = 2\n[network]\ngap = \"2 "
        "us\"\n",
        "network.gap"}});
}

}  // namespace
}  // namespace morgana
