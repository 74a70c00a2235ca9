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

/// VPI and VCI, which name a connection on one link.
struct ChannelName {
  std::uint16_t vpi = 0, vci = 0;
  bool operator==(const ChannelName&) const = default;
};

/// One switch on a connection's way.
struct Hop {
  std::uint32_t at = 0;      ///< switch
  std::uint32_t input = 0;   ///< of that switch
  std::uint32_t output = 0;  ///< of that switch
  ChannelName in, out;       ///< on the links before and after
  std::int64_t rest = 0;     ///< least time from an offer here to the end of the receiving interface
  // What lies behind the output.
  bool to_host = false;
  std::uint32_t number = 0;      ///< of the host or the switch
  std::uint32_t next_input = 0;  ///< of the switch
  std::int64_t distance = 0;     ///< from a departure to the arrival at the host or the next offer
  // What the drop policies remember of the packet that is passing.
  bool inside = false, damaged = false, refused = false;
  bool marked = false;  ///< the last cell of data that was offered here has been marked (EFCI)
};

struct ConnectionCounters {
  std::uint64_t cells_in = 0, cells_delivered = 0, cells_lost = 0;
  std::uint64_t policed = 0;         ///< of the lost: discarded where they entered the network
  std::uint64_t packets_joined = 0;  ///< lost though all of their cells came: behind others without an end
  std::uint64_t blocks = 0;          ///< of ABT, all of whose cells have been sent
  std::uint64_t blocks_refused = 0;  ///< requests, by the first switch that had no room
};

/// A packet under way.
struct Train {
  UnitId id{};
  std::uint32_t connection = 0;
  std::uint32_t cells = 0;
  std::uint32_t pending = 0;  ///< cells that have neither come out nor been lost, as far as worked out
  std::uint32_t lost = 0;
  std::uint32_t lost_hop = 0;  ///< where the first was lost, if any
  std::int64_t lost_at = 0;    ///< and when
  std::int64_t end = 0;        ///< when the last of the cells that came to an end did, or the least possible
  std::int64_t bound = 0;      ///< the last of those that have not can't come to an end before this
  std::uint64_t waits = 0;  ///< its place among those that wait for what happens at switches; 0: it does not
  bool end_lost = false;    ///< its last cell, which is marked as the packet's end, was lost
  std::optional<ResourceCell> resource;  ///< it is one cell for resource management
};

struct Connection {
  std::uint32_t from = 0, to = 0;  ///< hosts
  TrafficContract contract;
  UnitListener* listener = nullptr;  ///< other than the network's
  std::vector<Hop> path;
  ConnectionCounters counters;
  std::optional<RateConformance> policing;  ///< what the first switch discards cells by
  /// The last packet of which cells, but not the end, stand at the receiver: it takes what comes up to the
  /// next end for their packet's.
  std::optional<Train> without_end;
  // Of ABR connections with explicit rates, and of ABT's that wait for an answer.
  std::optional<std::uint32_t> turned_to;    ///< the channel on which resource management cells go back
  std::optional<std::uint32_t> returned_of;  ///< of such a channel: the connection

  /// Its hop at a switch; there must be one.
  const Hop& hop_at(std::uint32_t number) const { return *std::ranges::find(path, number, &Hop::at); }
};

/// A host's interface. Each packet and each cell takes a stage of its own at both ends.
struct Host {
  std::uint32_t at = 0, input = 0;  ///< switch and its input
  std::int64_t cell_time = 0, propagation = 0;
  std::int64_t send_stage = 0, receive_stage = 0;  ///< for each cell
  std::int64_t send_work = 0, receive_work = 0;    ///< for each packet
  bool serial = false;  ///< the sending stage waits until the cell before is on the wire
  std::int64_t stage_free = 0, link_free = 0, receiver_free = 0;
  std::int64_t sending_done = 0, receiving_done = 0;  ///< of the work on packets
};

/// Where a switch's output leads.
struct Downstream {
  bool host = false;
  std::uint32_t number = 0;  ///< of the host or the switch
  std::uint32_t input = 0;   ///< of the switch
  std::int64_t cell_time = 0;
  std::int64_t distance = 0;  ///< from a departure to the arrival at the host or the offer at the next output
};

/// All that the switches of a network share.
struct Fabric {
  bool lossy = false;  ///< buffers are finite
  std::vector<Connection> connections;
  std::vector<Train> trains;
  std::vector<Host> hosts;
  std::vector<std::unique_ptr<Switch>> switches;
  std::vector<std::int64_t> earliest;               ///< of each switch
  std::vector<std::vector<Downstream>> downstream;  ///< of each switch and output
  std::vector<std::uint32_t> finished;              ///< trains that waited and have no cell pending any more

  Connection& connection_of(std::uint32_t train) { return connections[trains[train].connection]; }

  /// Cells of a train left the output of a hop, the first at `at`. In single values, not as a Run: they come
  /// one by one too often to be written to memory and read again.
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
  void pass_on(const Run& run) { pass_on(run.at, run.pitch, run.count, run.train, run.index, run.hop); }

  /// The same for cells that left with others in between.
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

  /// The same for cells that left at any distance.
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

  /// @param index  of the cell in its train
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
  // By itself, so that what leads here stays short enough to be inlined.
  [[gnu::noinline]] void keep_finished(std::uint32_t number) { finished.push_back(number); }
  // The receiving stage is one more queue, first in, first out, of which only the last cell's end matters:
  // a run starts a backlog at most once, with its first cell or when the pitch is less than the stage.
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
