#include <gtest/gtest.h>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace script;

HostUse use_of(Machine machine, OperationSource& source) {
  Engine engine(machine, source, {});
  engine.run();
  return engine.host_use();
}

/// Rank 0 sends 100 bytes to rank 1 and 1000 to rank 2.
ScriptedSource two_messages() {
  return ScriptedSource({{send(1, 100, 1, 1), send(2, 1000, 1, 2), wait({1, 2}), exit()},
                         {receive(0, 100, 1, 1), wait({1}), exit()},
                         {receive(0, 1000, 1, 1), wait({1}), exit()}});
}

TEST(HostUse, TellsWhatStayedWithinAHostFromWhatUsedTheNetwork) {
  ScriptedSource source = two_messages();
  const HostUse use = use_of(logp_machine(3, 2), source);
  EXPECT_EQ(use.hosts, 2u);
  EXPECT_EQ(use.within.messages, 1u);
  EXPECT_EQ(use.within.bytes, Bytes(100));
  EXPECT_EQ(use.between.messages, 1u);
  EXPECT_EQ(use.between.bytes, Bytes(1000));
}

TEST(HostUse, CountsTheMessagesOfCollectives) {
  const std::vector<Operation> part{collective(CollectiveKind::broadcast, 64, 1), wait({1}), exit()};
  ScriptedSource source({part, part});
  const HostUse use = use_of(logp_machine(2), source);
  EXPECT_EQ(use.hosts, 2u);
  EXPECT_EQ(use.within.messages, 0u);
  EXPECT_EQ(use.between.messages, 1u);
  EXPECT_EQ(use.between.bytes, Bytes(64));
}

TEST(HostUse, CountsOneSidedAccessesWithWhatComesBack) {
  Operation access = plain(OperationKind::access);
  access.call = Call::MPI_Get;
  access.peer = Rank{1};
  access.bytes = Bytes(8);
  access.reply = Bytes(500);
  access.request = RequestId{1};
  ScriptedSource source({{access, wait({1}), exit()}, {exit()}});
  const HostUse use = use_of(logp_machine(2, 2), source);
  EXPECT_EQ(use.hosts, 1u);
  EXPECT_EQ(use.within.bytes, Bytes(508));
  EXPECT_EQ(use.between.messages, 0u);
}

/// Rank 0 serves the others.
class Served : public ScriptedSource {
 public:
  using ScriptedSource::ScriptedSource;
  bool is_service(Rank rank) const override { return rank == Rank{0}; }
};

TEST(HostUse, LeavesServicesAndWhatIsSaidToThemOut) {
  Served source({{receive(1, 100, 1, 1), wait({1}), exit()}, {send(0, 100, 1, 1), wait({1}), exit()}});
  const HostUse use = use_of(logp_machine(2), source);
  EXPECT_EQ(use.hosts, 1u);
  EXPECT_EQ(use.within.messages + use.between.messages, 0u);
}

}  // namespace
}  // namespace morgana
