#include "runs/figures.h"

#include "emulator/network/atm/atm_network.h"

namespace morgana {
namespace {

constexpr FigureName names[] = {
    {"total_ps", "the last rank's end"},
    {"compute_ps", "of a rank, in the mean: outside of calls; of an execution trace while it computes"},
    {"communication_ps", "of a rank, in the mean: in calls; of an execution trace while it does not compute"},
    {"communication_share", "of all ranks' time together, the part that is communication_ps"},
    {"messages", "point to point, sent by all ranks"},
    {"bytes", "in these messages"},
    {"mean_latency_ps", "from a message's send to its arrival at the receiver's host"},
    {"median_latency_ps", "same"},
    {"p99_latency_ps", "same, 99 of 100 messages are faster"},
    {"messages_lost", "by a transport that repeats nothing"},
    {"messages_returned", "to their senders, by a transport that has given up"},
    {"cells", "of an ATM network: put into it"},
    {"cells_lost", "of an ATM network: by its switches"},
    {"estimated_loss",
     "of an ATM network: mean of its switches' share of cells that found network.estimate-buffer cells "
     "there"},
    {"hosts", "on which ranks ran"},
    {"share_within_hosts", "of all bytes, those of collectives included, the part that used no network"},
};

void add_cells(Figures& figures, AtmNetwork& network) {
  network.settle();
  double cells = 0, lost = 0;
  for (std::size_t i = 0; i < network.connections(); ++i) {
    const atm::ConnectionCounters& counters = network.connection(ChannelId(i)).counters;
    cells += static_cast<double>(counters.cells_in);
    lost += static_cast<double>(counters.cells_lost);
  }
  figures["cells"] = cells;
  figures["cells_lost"] = lost;
  figures["estimated_loss"] = network.estimated_loss();
}

}  // namespace

std::span<const FigureName> run_figures() {
  return names;
}

Figures figures_of(const RunStatistics& statistics, const RunAccount& account, Machine& machine) {
  const RunStatistics::PerRank all = statistics.total();
  const auto total = static_cast<double>(statistics.simulated_time().ps());
  const double share = all.communication_share();
  const Distribution& latency = statistics.latency();
  const auto whole_ps = [](double seconds) {
    return static_cast<double>(SimTime::from_seconds(seconds).ps());
  };
  Figures figures{{"total_ps", total},
                  {"compute_ps", static_cast<double>(statistics.mean_compute().ps())},
                  {"communication_ps", static_cast<double>(statistics.mean_communication().ps())},
                  {"communication_share", share},
                  {"messages", static_cast<double>(all.messages_sent)},
                  {"bytes", static_cast<double>(all.bytes_sent.count())},
                  {"mean_latency_ps", whole_ps(latency.summary().mean())},
                  {"median_latency_ps", whole_ps(latency.median())},
                  {"p99_latency_ps", whole_ps(latency.quantile(0.99))},
                  {"messages_lost", static_cast<double>(account.lost_messages())},
                  {"messages_returned", static_cast<double>(account.returned_messages())}};
  const HostUse hosts = account.host_use();
  figures["hosts"] = static_cast<double>(hosts.hosts);
  figures["share_within_hosts"] = hosts.share_within();
  if (auto* network = dynamic_cast<AtmNetwork*>(machine.network.get())) add_cells(figures, *network);
  return figures;
}

}  // namespace morgana
