#include <gtest/gtest.h>

#include "tests/platform/bad_platform.h"

namespace morgana {
namespace {

TEST(BadPlatform, WrongFabric) {
  expect_refusals(
      refusal_of_file,
      {{"[network]\nkind = \"fabric\"\nbuffer = \"4 KiB\"\nheader = \"26 B\"\n",
        "my.toml:3:10: network.buffer: 4096 B"},
       {"[network]\nkind = \"fabric\"\nbuffer = \"4 KiB\"\nheader = \"26 B\"\n", "4160 B"},
       {"[network]\nkind = \"fabric\"\nhost-buffer = \"2 KiB\"\n",
        "my.toml:3:15: network.host-buffer: 2048 B"},
       {"[network]\nkind = \"fabric\"\noutput-queue = \"1 KiB\"\n",
        "my.toml:3:16: network.output-queue: 1024 B"},
       {"[network]\nkind = \"fabric\"\npropagation = \"0 s\"\n", "my.toml:3:15: network.propagation: 0 s"},
       {"[network]\nkind = \"fabric\"\nroutes = \"dimension-order\"\n", "my.toml:3:10: network.routes"},
       {"[network]\nkind = \"fabric\"\nroutes = \"dimension-order\"\n",
        "network.topology = \"torus\", \"mesh\" or \"hyperx\""},
       {"[network]\nkind = \"fabric\"\ntopology = \"ring\"\nswitches = 5\n", "network.routes"},
       {"[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"dimension-order\"\nlanes = 9\n",
        "my.toml:5:9: network.lanes"},
       {"[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"dimension-order\"\nlanes = 9\n",
        "(9)"},
       {"[network]\nkind = \"fabric\"\ntopology = \"torus\"\ncolumns = 4\nrows = 4\n"
        "hosts-per-switch = 1\nroutes = \"dimension-order\"\nclasses = 8\n"
        "faults = [\"cable 0-1 at 1 s\"]\n",
        "my.toml:8:11: network.classes"},
       {"[network]\nkind = \"fabric\"\ntopology = \"torus\"\ncolumns = 4\nrows = 4\n"
        "hosts-per-switch = 1\nroutes = \"dimension-order\"\nclasses = 8\n"
        "faults = [\"cable 0-1 at 1 s\"]\n",
        "(3)"},
       {"[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"ugal-g\"\n",
        "my.toml:4:10: network.routes"},
       {"[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"ugal-g\"\n", "ugal-g"},
       {"[network]\nkind = \"fabric\"\ntopology = \"ring\"\nswitches = 40\nroutes = \"valiant\"\n",
        "my.toml:5:10: network.routes"},
       {"[network]\nkind = \"fabric\"\ntopology = \"ring\"\nswitches = 40\nroutes = \"valiant\"\n",
        "40 of them"},
       {"[network]\nkind = \"fabric\"\ngrows-within = \"1 port\"\n",
        "my.toml:3:16: network.grows-within: 1 port"},
       {"[network]\nkind = \"fabric\"\nhosts-per-switch = 2\narity = 2\ngrows-within = \"3 ports\"\n"
        "[hosts]\ncount = 9\n",
        "my.toml:5:16: network.grows-within"},
       {"[network]\nkind = \"fabric\"\nhosts-per-switch = 2\narity = 2\ngrows-within = \"3 ports\"\n"
        "[hosts]\ncount = 9\n",
        "9 hosts"},
       {"[network]\nkind = \"fabric\"\ntopology = \"hyperx\"\nroutes = \"par\"\n",
        "my.toml:4:10: network.routes"},
       {"[network]\nkind = \"fabric\"\ntopology = \"hyperx\"\nroutes = \"par\"\n",
        "network.topology = \"dragonfly\""},
       {"[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"dal\"\n",
        "my.toml:4:10: network.routes"},
       {"[network]\nkind = \"fabric\"\ntopology = \"torus\"\nroutes = \"dal\"\n",
        "network.topology = \"hyperx\""},
       {"[network]\nkind = \"fabric\"\ntopology = \"hyperx\"\nsides = [3, 3, 3, 3, 3, 3, 3]\n"
        "lanes = 2\nroutes = \"dal\"\n",
        "(14)"},
       {"[network]\nkind = \"fabric\"\nload-delay = \"-1 us\"\n",
        "my.toml:3:14: network.load-delay: \"-1 us\""},
       {"[network]\nkind = \"fabric\"\nload-period = \"3 KiB\"\n",
        "my.toml:3:15: network.load-period: \"3 KiB\""},
       {"[network]\nkind = \"fabric\"\ntopology = \"dragonfly\"\ngroups = 20\nroutes = \"par\"\n",
        "my.toml:4:10: network.groups: 20 groups"},
       {"[network]\nkind = \"fabric\"\ntopology = \"dragonfly\"\ngroups = 20\nroutes = \"par\"\n",
        "4 switches of 2 global ports"},
       {"[network]\nkind = \"fabric\"\ntopology = \"dragonfly\"\nroutes = \"ecmp\"\n",
        "my.toml:4:10: network.routes"},
       {"[network]\nkind = \"fabric\"\ntopology = \"dragonfly\"\nroutes = \"spray\"\n",
        "network.routes = \"minimal\" or \"ugal-l\""},
       {"[network]\nkind = \"fabric\"\nhosts-per-switch = 1\nfaults = [\"switch 90 at 1 s\"]\n",
        "my.toml:4:10: network.faults: \"switch 90 at 1 s\""},
       {"[network]\nkind = \"fabric\"\nhosts-per-switch = 1\nfaults = [\"switch 90 at 1 s\"]\n", "switch 90"},
       {"[network]\nkind = \"fabric\"\nhosts-per-switch = 1\nfaults = [\"switch 3 at 1 s for 0 s\"]\n",
        "my.toml:4:10: network.faults: \"switch 3 at 1 s for 0 s\""},
       {"[network]\nkind = \"ethernet-switched\"\nswitches = 4\nhosts-per-switch = 1\nfaults = [\"switch "
        "3 at 1 s for 1 s\"]\n",
        "my.toml:5:10: network.faults: \"switch 3 at 1 s for 1 s\""},
       {"[network]\nkind = \"ethernet-switched\"\nswitches = 4\nhosts-per-switch = 1\nfaults = [\"switch "
        "3 at 1 s for 1 s\"]\n",
        "leave out \"for 1 s\""},
       {"[network]\nkind = \"fabric\"\nallocator = \"separable-input-first\"\nqueueing = \"output-queues\"\n",
        "my.toml:3:13: network.allocator"},
       {"[network]\nkind = \"fabric\"\nallocator = \"separable-input-first\"\nclasses = 2\n"
        "class-arbitration = \"strict\"\n",
        "my.toml:3:13: network.allocator"},
       {"[network]\nkind = \"fabric\"\nallocation-cycle = \"0 ns\"\n",
        "my.toml:3:20: network.allocation-cycle: 0 s"},
       {"[network]\nkind = \"fabric\"\nclasses = 2\nclass-arbitration = \"deficit-round-robin\"\n",
        "my.toml:3:11: network.class-weights"},
       {"[network]\nkind = \"fabric\"\nclasses = 2\nclass-arbitration = \"deficit-round-robin\"\n",
        "2 traffic classes"},
       {"[network]\nkind = \"fabric\"\nclass-arbitration = \"deficit-round-robin\"\n"
        "class-weights = [\"0\"]\n",
        "my.toml:4:17: network.class-weights: \"0\""},
       {"[network]\nkind = \"fabric\"\nclass-arbitration = \"deficit-round-robin\"\n"
        "class-weights = [\"256\"]\n",
        "my.toml:4:17: network.class-weights: 256"},
       {"[network]\nkind = \"fabric\"\nclasses = 2\nclass-arbitration = \"weighted\"\n"
        "high-priority = [\"1:9\"]\n",
        "my.toml:4:21: network.class-arbitration"},
       {"[network]\nkind = \"fabric\"\nclasses = 2\nclass-arbitration = \"weighted\"\n"
        "high-priority = [\"1:9\"]\n",
        "network.high-priority"},
       {"[network]\nkind = \"fabric\"\nclass-arbitration = \"weighted\"\nlow-priority = [\"1:9\"]\n",
        "my.toml:4:16: network.low-priority: \"1:9\""},
       {"[network]\nkind = \"fabric\"\nclass-arbitration = \"weighted\"\nlow-priority = [\"0:0\"]\n",
        "my.toml:4:16: network.low-priority: \"0:0\""},
       {"[network]\nkind = \"fabric\"\nclass-arbitration = \"weighted\"\nlow-priority = [\"0 9\"]\n",
        "my.toml:4:16: network.low-priority: \"0 9\""},
       {"[network]\nkind = \"fabric\"\nfaults = [\"host 0 pauses at 1 s\"]\n",
        "my.toml:3:10: network.faults"},
       {"[network]\nkind = \"fabric\"\nfaults = [\"host 0 pauses at 1 s\"]\n",
        "network.flow-control = \"pause\""},
       {"[network]\nkind = \"fabric\"\nfaults = [\"host 0 stops at 1 s\"]\n",
        "my.toml:3:10: network.faults: \"host 0 stops at 1 s\""},
       {"[network]\nkind = \"fabric\"\nfaults = [\"host 0 pauses at 1 s for 0 s\"]\n",
        "my.toml:3:10: network.faults: \"host 0 pauses at 1 s for 0 s\""},
       {"[network]\nkind = \"fabric\"\nbit-error-rate = 0.5\n", "my.toml:3:18: network.bit-error-rate: 0.5"},
       {"[network]\nkind = \"fabric\"\nroot = 400\n", "my.toml:3:8: network.root"},
       {"[network]\nkind = \"fabric\"\nroot = 400\n", "switch 400"},
       {"[network]\nkind = \"fabric\"\nqueueing = \"voq\"\n", "virtual-output-queues"},
       {"[network]\nkind = \"fabric\"\nqueueing = \"voq\"\n", "my.toml:3:12: network.queueing: \"voq\""}});
}

}  // namespace
}  // namespace morgana
