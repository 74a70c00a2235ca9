// Several mistakes of a file are reported at once, each in a line.
#include <gtest/gtest.h>

#include "tests/platform/bad_platform.h"

namespace morgana {
namespace {

INSTANTIATE_TEST_SUITE_P(
    SeveralMistakes, BadPlatform,
    ::testing::Values(
        // Unknown keys, values that do not fit, and where they are: in the order of their names.
        BadInput{"[network]\nlatnecy = \"5 us\"\ngap = \"5 B\"\n[hosts]\nprocessor = 4\n",
                 "my.toml:5:1: unknown key hosts.processor; did you mean hosts.processors?\n"
                 "my.toml:3:7: network.gap: "},
        BadInput{"[network]\nlatnecy = \"5 us\"\ngap = \"5 B\"\n",
                 "\nmy.toml:2:1: unknown key network.latnecy; did you mean network.latency?"},
        // Keys of a kind that there is not are not judged; those of hosts are.
        BadInput{"[network]\nkind = \"fabrik\"\nwhatever = 1\n[hosts]\nprocessor = 4\n",
                 "did you mean \"fabric\"?"},
        BadInput{"[network]\nkind = \"fabrik\"\nwhatever = 1\n[hosts]\nprocessor = 4\n",
                 "\nmy.toml:5:1: unknown key hosts.processor; did you mean hosts.processors?"},
        // What does not fit together.
        BadInput{
            "[network]\nkind = \"fabric\"\n[transport]\nkind = \"aal5\"\n[hosts.pcie]\nrate = \"1 Gb/s\"\n",
            "\nmy.toml:6:8: hosts.pcie.rate: "},
        // Keys that are given twice.
        BadInput{"\"hosts.count\" = 1\n\"network.gap\" = \"1 us\"\n[hosts]\ncount = 2\n[network]\ngap = \"2 "
                 "us\"\n",
                 "hosts.count is given twice; keep one of the two\n"}));

}  // namespace
}  // namespace morgana
