#include <gtest/gtest.h>

#include "tests/platform/bad_platform.h"

namespace morgana {
namespace {

INSTANTIATE_TEST_SUITE_P(
    WrongFabric, BadPlatform,
    ::testing::Values(
        BadInput{
            "[network]\nkind = \"fabric\"\nbuffer = \"4 KiB\"\nheader = \"26 B\"\n",
            "my.toml:3:10: network.buffer: 4096 B don't hold the largest packet, which takes 4160 B with its "
            "header"},
        BadInput{"[network]\nkind = \"fabric\"\nhost-buffer = \"2 KiB\"\n",
                 "my.toml:3:15: network.host-buffer: 2048 B don't hold"},
        BadInput{"[network]\nkind = \"fabric\"\noutput-queue = \"1 KiB\"\n",
                 "my.toml:3:16: network.output-queue: 1024 B don't hold"},
        BadInput{"[network]\nkind = \"fabric\"\npropagation = \"0 s\"\n",
                 "my.toml:3:15: network.propagation: 0 s is out of range"},
        BadInput{"[network]\nkind = \"fabric\"\nroutes = \"dimension-order\"\n",
                 "my.toml:3:10: network.routes: dimension-order needs network.topology = \"torus\", \"mesh\" "
                 "or \"hyperx\""},
        BadInput{"[network]\nkind = \"fabric\"\ntopology = \"ring\"\nswitches = 5\n",
                 "network.routes: this topology with these routes can deadlock"},
        BadInput{
            "[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"dimension-order\"\nlanes = 9\n",
            "network.lanes: traffic classes (1) times the routing's virtual channels (2) times lanes (9) are "
            "more than 16"},
        BadInput{
            "[network]\nkind = \"fabric\"\ntopology = \"torus\"\ncolumns = 4\nrows = 4\n"
            "hosts-per-switch = 1\nroutes = \"dimension-order\"\nclasses = 8\n"
            "faults = [\"cable 0-1 at 1 s\"]\n",
            "my.toml:8:11: network.classes: traffic classes (8) times the routing's virtual channels (3) "
            "times "
            "lanes (1) are more than 16 virtual channels. Ways round network.faults are why: with them "
            "the routing has 3 virtual channels, the last one an escape channel, and 2 without faults. "
            "Set fewer network.classes or network.lanes, choose other network.routes, or leave out faults "
            "of cables between switches"},
        BadInput{"[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"ugal-g\"\n",
                 "my.toml:4:10: network.routes: ugal-g is not for a torus, a mesh or a hyperx; ugal-l is"},
        BadInput{
            "[network]\nkind = \"fabric\"\ntopology = \"ring\"\nswitches = 40\nroutes = \"valiant\"\n",
            "network.routes: these routes take a virtual channel for each cable of their longest way, 40 of "
            "them here, and a link has at most 16"},
        BadInput{"[network]\nkind = \"fabric\"\ngrows-within = \"1 port\"\n",
                 "my.toml:3:16: network.grows-within"},
        BadInput{"[network]\nkind = \"fabric\"\nhosts-per-switch = 2\narity = 2\ngrows-within = \"3 ports\"\n"
                 "[hosts]\ncount = 9\n",
                 "network.grows-within: a switch of the network for 9 hosts has"},
        BadInput{"[network]\nkind = \"fabric\"\ntopology = \"hyperx\"\nroutes = \"par\"\n",
                 "my.toml:4:10: network.routes: par needs network.topology = \"dragonfly\"; ugal-l is for "
                 "any other, too"},
        BadInput{"[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"dal\"\n",
                 "my.toml:4:10: network.routes: dal needs network.topology = \"hyperx\"; ugal-l is for tori, "
                 "meshes and dragonflies, too"},
        BadInput{
            "[network]\nkind = \"fabric\"\ntopology = \"hyperx\"\nsides = [3, 3, 3, 3, 3, 3, 3]\n"
            "lanes = 2\nroutes = \"dal\"\n",
            "traffic classes (1) times the routing's virtual channels (14) times lanes (2) are more than 16"},
        BadInput{"[network]\nkind = \"fabric\"\nload-delay = \"-1 us\"\n",
                 "my.toml:3:14: network.load-delay"},
        BadInput{"[network]\nkind = \"fabric\"\nload-period = \"3 KiB\"\n",
                 "my.toml:3:15: network.load-period"},
        BadInput{
            "[network]\nkind = \"fabric\"\ntopology = \"dragonfly\"\ngroups = 20\nroutes = \"par\"\n",
            "my.toml:4:10: network.groups: 20 groups are more than the 9 that 4 switches of 2 global ports "
            "each can be joined to"},
        BadInput{"[network]\nkind = \"fabric\"\ntopology = \"dragonfly\"\nroutes = \"ecmp\"\n",
                 "my.toml:4:10: network.routes: this topology with these routes can deadlock"},
        BadInput{"[network]\nkind = \"fabric\"\ntopology = \"dragonfly\"\nroutes = \"spray\"\n",
                 "\nnetwork.routes = \"minimal\" or \"ugal-l\" cannot deadlock here: set one of them"},
        BadInput{"[network]\nkind = \"fabric\"\nhosts-per-switch = 1\nfaults = [\"switch 90 at 1 s\"]\n",
                 "my.toml:4:10: network.faults: \"switch 90 at 1 s\": there is no switch 90"},
        BadInput{
            "[network]\nkind = \"fabric\"\nhosts-per-switch = 1\nfaults = [\"switch 3 at 1 s for 0 s\"]\n",
            "my.toml:4:10: network.faults: \"switch 3 at 1 s for 0 s\": an outage must take some time"},
        BadInput{
            "[network]\nkind = \"ethernet-switched\"\nswitches = 4\nhosts-per-switch = 1\nfaults = [\"switch "
            "3 at 1 s for 1 s\"]\n",
            "network.faults: \"switch 3 at 1 s for 1 s\": on this network what fails stays so; leave out "
            "\"for 1 s\""},
        BadInput{"[network]\nkind = \"fabric\"\nallocator = \"separable-input-first\"\n"
                 "queueing = \"output-queues\"\n",
                 "my.toml:3:13: network.allocator: separable-input-first allocates what waits at inputs: set "
                 "network.queueing = \"input-queues\" or \"virtual-output-queues\""},
        BadInput{"[network]\nkind = \"fabric\"\nallocator = \"separable-input-first\"\n"
                 "class-arbitration = \"strict\"\n",
                 "network.allocator: separable-input-first does not look at traffic classes: set "
                 "network.class-arbitration = \"round-robin\", or an output-queue"},
        BadInput{"[network]\nkind = \"fabric\"\nallocation-cycle = \"0 ns\"\n",
                 "my.toml:3:20: network.allocation-cycle"},
        BadInput{"[network]\nkind = \"fabric\"\nclasses = 2\nclass-arbitration = \"deficit-round-robin\"\n",
                 "network.class-weights: there are 0 for 2 traffic classes (network.classes)"},
        BadInput{"[network]\nkind = \"fabric\"\nclass-arbitration = \"deficit-round-robin\"\n"
                 "class-weights = [\"0\"]\n",
                 "network.class-weights: \"0\" can't be read; write a weight from 1 to 255"},
        BadInput{"[network]\nkind = \"fabric\"\nclass-arbitration = \"deficit-round-robin\"\n"
                 "class-weights = [\"256\"]\n",
                 "network.class-weights: 256 is more than 255"},
        BadInput{"[network]\nkind = \"fabric\"\nclasses = 2\nclass-arbitration = \"weighted\"\n"
                 "high-priority = [\"1:9\"]\n",
                 "network.class-arbitration: traffic class 0 stands in neither network.high-priority nor"},
        BadInput{"[network]\nkind = \"fabric\"\nclass-arbitration = \"weighted\"\nlow-priority = [\"1:9\"]\n",
                 "network.low-priority: \"1:9\": there is no traffic class 1, only 1 from 0"},
        BadInput{"[network]\nkind = \"fabric\"\nclass-arbitration = \"weighted\"\nlow-priority = [\"0:0\"]\n",
                 "network.low-priority: \"0:0\": a weight is 1 to 255"},
        BadInput{"[network]\nkind = \"fabric\"\nclass-arbitration = \"weighted\"\nlow-priority = [\"0 9\"]\n",
                 "network.low-priority: \"0 9\" can't be read"},
        BadInput{"[network]\nkind = \"fabric\"\nfaults = [\"host 0 pauses at 1 s\"]\n",
                 "network.faults: a host that pauses needs network.flow-control = \"pause\""},
        BadInput{"[network]\nkind = \"fabric\"\nfaults = [\"host 0 stops at 1 s\"]\n",
                 "network.faults: \"host 0 stops at 1 s\" can't be read; write \"host 5 pauses at 10 ms\""},
        BadInput{"[network]\nkind = \"fabric\"\nfaults = [\"host 0 pauses at 1 s for 0 s\"]\n",
                 "network.faults: \"host 0 pauses at 1 s for 0 s\": a pause must take some time"},
        BadInput{"[network]\nkind = \"fabric\"\nbit-error-rate = 0.5\n",
                 "my.toml:3:18: network.bit-error-rate: 0.5 is out of range"},
        BadInput{"[network]\nkind = \"fabric\"\nroot = 400\n", "network.root: there is no switch 400"},
        BadInput{"[network]\nkind = \"fabric\"\nqueueing = \"voq\"\n", "virtual-output-queues"}));

}  // namespace
}  // namespace morgana
