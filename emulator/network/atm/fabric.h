#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/network/atm/gcra.h"
#include "emulator/network/atm/resource_cell.h"
#include "emulator/network/atm/switch.h"

namespace morgana::atm {

// The state that AtmNetwork and its switches share: hosts, connections, and the packets in the network. All
// times and durations are picoseconds of simulated time. A cell is "offered" to an output when the switch
// presents it to that output's queue. A "train" is the cells of one packet.

/// The VPI and VCI that name a connection on one link.
struct ChannelName {
  std::uint16_t vpi = 0, vci = 0;
  bool operator==(const ChannelName&) const = default;
};

/// One switch on a connection's path.
struct Hop {
  std::uint32_t at = 0;      ///< the switch's number
  std::uint32_t input = 0;   ///< the port of that switch that the cells come in by
  std::uint32_t output = 0;  ///< the port of that switch that they leave by
  ChannelName in, out;       ///< the connection's names on the links before and after the switch
  std::int64_t rest = 0;     ///< least time from a cell's offer here until the receiving NIC is done with it
  // The destination of the output's link:
  bool to_host = false;          ///< false: another switch
  std::uint32_t number = 0;      ///< of that host or switch
  std::uint32_t next_input = 0;  ///< the input there, if it is a switch
  std::int64_t distance = 0;     ///< from the end of a cell's transmission to its arrival at the host, or to
                                 ///< its offer to the next output
  // State of the drop policies (DropPolicy): the connection is within a packet; that packet has lost a cell;
  // it is refused as a whole (or its ABT block is).
  bool inside = false, damaged = false, refused = false;
  bool marked = false;  ///< the last data cell offered here was marked (EFCI), with no RM cell after it
};

/// Cells, packets and blocks of one connection since the start of the run.
struct ConnectionCounters {
  std::uint64_t cells_in = 0, cells_delivered = 0, cells_lost = 0;
  std::uint64_t policed = 0;         ///< of cells_lost: discarded by policing where they entered the network
  std::uint64_t packets_joined = 0;  ///< packets lost although all their cells came, because the packet
                                     ///< before lost its last cell and the receiver took both for one
  std::uint64_t blocks = 0;          ///< ABT: blocks all of whose cells have been sent
  std::uint64_t blocks_refused = 0;  ///< ABT: requests that a switch had no bandwidth for
};

/// The cells of a packet in the network, or one resource management cell.
struct Train {
  UnitId id{};
  std::uint32_t connection = 0;
  std::uint32_t cells = 0;
  std::uint32_t pending = 0;   ///< cells that the switches have not yet delivered or lost
  std::uint32_t lost = 0;      ///< cells
  std::uint32_t lost_hop = 0;  ///< index in the path of the hop that lost the first of them
  std::int64_t lost_at = 0;    ///< when it was lost
  std::int64_t end = 0;     ///< the latest end (delivery or loss) of the cells that are not pending; at least
                            ///< the end in an empty network
  std::int64_t bound = 0;   ///< the last pending cell can't end before this
  std::uint64_t waits = 0;  ///< its number in the order in which trains began to wait for a switch's next
                            ///< event, from 1; 0: it does not wait
  bool end_lost = false;    ///< its last cell, which is marked as the packet's end, was lost
  std::optional<ResourceCell> resource;  ///< set: the train is this resource management cell
};

/// A virtual connection from one host to another.
struct Connection {
  std::uint32_t from = 0, to = 0;  ///< host numbers
  TrafficContract contract;
  UnitListener* listener = nullptr;  ///< its own listener; null: the network's
  std::vector<Hop> path;
  ConnectionCounters counters;
  std::optional<RateConformance> policing;  ///< the first switch discards cells that do not conform
  /// The last packet that lost its last cell, if some of its cells came and no packet end since: the receiver
  /// takes the next packet's cells for more of it.
  std::optional<Train> without_end;
  // The resource management cells of an ABR connection with rate feedback, or of an ABT connection with
  // delayed transmission, return on a second connection.
  std::optional<std::uint32_t> turned_to;    ///< the number of that second connection
  std::optional<std::uint32_t> returned_of;  ///< of the second one: the number of the first

  /// Its hop at the switch of this number, which must be on the path.
  const Hop& hop_at(std::uint32_t number) const { return *std::ranges::find(path, number, &Hop::at); }
};

/// A host's NIC and its link. At both ends a packet takes its work (`_work`), and each of its cells a stage
/// (`_stage`).
struct Host {
  std::uint32_t at = 0, input = 0;  ///< the number of its switch, and the input there
  std::int64_t cell_time = 0;       ///< transmission of a cell on the link
  std::int64_t propagation = 0;
  std::int64_t send_stage = 0, receive_stage = 0;  ///< for each cell
  std::int64_t send_work = 0, receive_work = 0;    ///< for each packet
  bool serial = false;  ///< a cell's sending stage starts when the link has sent the cell before
  std::int64_t stage_free = 0, link_free = 0, receiver_free = 0;  ///< when each has done its last cell
  std::int64_t sending_done = 0, receiving_done = 0;              ///< when the work on packets is done
};

/// The destination of a switch's output.
struct Downstream {
  bool host = false;           ///< false: another switch
  std::uint32_t number = 0;    ///< of that host or switch
  std::uint32_t input = 0;     ///< the input there, if it is a switch
  std::int64_t cell_time = 0;  ///< transmission of a cell on the link
  std::int64_t distance = 0;   ///< as Hop::distance
};

/// The shared state of a network's switches. Numbers of connections, trains, hosts and switches are indices
/// into its vectors.
struct Fabric {
  bool lossy = false;  ///< switches' buffers are finite
  std::vector<Connection> connections;
  std::vector<Train> trains;
  std::vector<Host> hosts;
  std::vector<std::unique_ptr<Switch>> switches;
  std::vector<std::int64_t> earliest;               ///< by switch: Switch::earliest()
  std::vector<std::vector<Downstream>> downstream;  ///< by switch and output
  std::vector<std::uint32_t> finished;              ///< waiting trains (Train::waits) without pending cells

  Connection& connection_of(std::uint32_t train) { return connections[trains[train].connection]; }

  /// Cells of a train have left the output of a hop: moves them to the next switch's input, or to the host.
  /// The parameters are a Run's members, passed in registers because most calls are for single cells.
  /// @param at  the end of the first cell's transmission
  /// @param pitch  the time from one cell to the next
  /// @param number  of the train. @param index  of the first cell in it
  void pass_on(std::int64_t at, std::int64_t pitch, std::uint32_t count, std::uint32_t number,
               std::uint32_t index, Hop* hop) {
    Train& train = trains[number];
    at += hop->distance;
    if (hop->to_host) {
      arrive(train, connections[train.connection], hosts[hop->number], at, pitch, count);
      return note_end(train, number);
    }
    const std::uint32_t next = hop->number, input = hop->next_input;
    ++hop;
    // Where cells can be lost, the next queue may be a cell's end.
    train.bound = std::max(train.bound, at + (count - 1) * pitch + (lossy ? 0 : hop->rest));
    earliest[next] = std::min(earliest[next], at);
    switches[next]->inputs().push(input, at, pitch, count, number, index, hop);
  }
  void pass_on(const CellRun& run) { pass_on(run.at, run.pitch, run.count, run.train, run.index, run.hop); }

  /// Passes the cells of a run with gaps on to their next switch, or to the host.
  void pass_on(GappedRun out) {
    Train& train = trains[out.train];
    out.at += out.hop->distance;
    if (out.hop->to_host) {
      do {
        arrive(train, connections[train.connection], hosts[out.hop->number], out.at, out.pitch, out.count);
        out.at += out.count * out.pitch;
      } while (out.go_on());
      return note_end(train, out.train);
    }
    const std::uint32_t next = out.hop->number, input = out.hop->next_input;
    ++out.hop;
    train.bound = std::max(train.bound, out.last_of_all() + (lossy ? 0 : out.hop->rest));
    earliest[next] = std::min(earliest[next], out.at);
    switches[next]->inputs().push(input, out);
  }

  /// The same for cells at irregular times. @param departures  `count` times, ascending
  void pass_on(const std::int64_t* departures, std::uint32_t count, std::uint32_t number, std::uint32_t index,
               Hop* hop) {
    Train& train = trains[number];
    const std::int64_t distance = hop->distance;
    if (hop->to_host) {
      arrive(train, connections[train.connection], hosts[hop->number], departures, count, distance);
      return note_end(train, number);
    }
    const std::uint32_t next = hop->number, input = hop->next_input;
    ++hop;
    train.bound = std::max(train.bound, departures[count - 1] + distance + (lossy ? 0 : hop->rest));
    earliest[next] = std::min(earliest[next], departures[0] + distance);
    switches[next]->inputs().push(input, departures, distance, count, number, index, hop);
  }

  /// A switch has lost one cell of a train. @param number  of the train. @param index  of the cell in it
  void lose(std::uint32_t number, std::uint32_t index, const Hop* hop, std::int64_t at) {
    Train& train = trains[number];
    Connection& connection = connections[train.connection];
    --train.pending;
    if (train.lost++ == 0 || at < train.lost_at) {
      train.lost_at = at;
      train.lost_hop = static_cast<std::uint32_t>(hop - connection.path.data());
    }
    train.end_lost = train.end_lost || index + 1 == train.cells;
    ++connection.counters.cells_lost;
    train.end = std::max(train.end, at);
    note_end(train, number);
  }

 private:
  void note_end(const Train& train, std::uint32_t number) {
    if (train.waits > 0 && train.pending == 0) [[unlikely]]
      keep_finished(number);
  }
  // A function of its own, so that its callers stay short enough to be inlined.
  [[gnu::noinline]] void keep_finished(std::uint32_t number) { finished.push_back(number); }
  // The receiving stage is a FIFO queue, and only the end of the run's last cell matters. As the pitch is
  // constant, that cell either waits behind all others of its run or does not wait.
  static void arrive(Train& train, Connection& connection, Host& host, std::int64_t at, std::int64_t pitch,
                     std::uint32_t count) {
    const std::int64_t stage = host.receive_stage;
    const std::int64_t first = std::max(at, host.receiver_free) + stage;
    host.receiver_free =
        count == 1 ? first : std::max(first + (count - 1) * stage, at + (count - 1) * pitch + stage);
    came_out(train, connection, host, count);
  }
  static void arrive(Train& train, Connection& connection, Host& host, const std::int64_t* departures,
                     std::uint32_t count, std::int64_t distance) {
    std::int64_t free = host.receiver_free;
    for (std::uint32_t cell = 0; cell < count; ++cell)
      free = std::max(departures[cell] + distance, free) + host.receive_stage;
    host.receiver_free = free;
    came_out(train, connection, host, count);
  }
  static void came_out(Train& train, Connection& connection, const Host& host, std::uint32_t count) {
    train.pending -= count;
    connection.counters.cells_delivered += count;
    train.end = std::max(train.end, host.receiver_free);
  }
};

}  // namespace morgana::atm
