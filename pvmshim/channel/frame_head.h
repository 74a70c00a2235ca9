#pragma once

#include <cstdint>

namespace morgana {

/// What the processes of a run on several machines say to each other over a stream: the emulator, and an
/// agent on each machine. All are of the same build, on machines of one byte order, so numbers go as they
/// lie in memory.
enum class FrameKind : std::uint32_t {
  // An agent to the emulator.
  hello,      ///< who it is: first, with the run's secret
  begun,      ///< how many of its ranks have started, and how many have called MPI_Init
  operation,  ///< of a rank: a record of the codec
  progress,   ///< of a rank that computes: how far it has come since its last operation, ps
  output,     ///< what its ranks have written: the descriptor, 1 or 2, in the place of the rank
  name,       ///< what the program has called a context
  sent,    ///< how many messages have gone to an agent, in the place of the rank, before what follows is said
  ended,   ///< its ranks' processes: exit code, most threads
  failed,  ///< its ranks can't go on: exit code (0: no rank's doing), why
  task_reply,  ///< what came of a `task` request (TaskReply)
  task_ended,  ///< a PVM task's process has: how, whether asked, computed since, most threads; its words come
               ///< before
  ready,       ///< a worker: to which list of runs it has come (RunList)
  made,        ///< a worker: the list's number, a run's, what came of it
  examined,    ///< what it has found on its machine
  alive,       ///< a sign of life, once a second
  room,        ///< whether its ranks lack room for what they send (RoomReply)
  // The emulator to an agent.
  setup,      ///< what to start, and where the other agents are
  answer,     ///< to a rank: a record of the codec
  dropped,    ///< no process will read this payload of a rank's of its
  expect,     ///< how many messages have gone to this agent from one, in the place of the rank, before what
              ///< follows
  taken,      ///< of a rank: how many of its operations have been taken, so that it may say more
  await,      ///< of a rank that computes: to report when it has come so far, ps, and at once what it says
  place,      ///< a PVM task that may begin: on which machine
  task,       ///< what to do with PVM tasks (TaskRequest)
  tell_name,  ///< asks for `name`
  tell_room,  ///< asks for `room`: the question's number
  examine,    ///< look around on your machine: instead of `setup`
  work,       ///< become a worker (WorkOrder): instead of `setup`
  make,       ///< to a worker: the number of a run
  outcomes,   ///< to a worker: what came of all runs of the list
  quit,       ///< end all that still runs
  // Either way, and between agents, where machines are examined.
  probe,  ///< to be sent back at once
  // An agent to the emulator, which passes it on.
  caught,  ///< lines that PVM tasks have written for one on another machine that catches them
  // An agent to another one, and, where PVM's daemon has sent something or is sent it, to and from the
  // emulator.
  peer,      ///< which agent it is: first, with the run's secret
  want,      ///< asks for a payload
  block,     ///< of a payload: its handle, its own mark, its readers, its size, where this part begins, its
             ///< bytes
  gone,      ///< a payload that was asked for: all who read it have done so
  released,  ///< a payload: its handle, and how many readers have read it
  message,   ///< announced to a rank as it is sent: payload (its block came before), context, tag
  letter,    ///< a datagram of MPICH's, to a rank
  access,    ///< to a rank's memory: who asks, and what (MemoryRequest)
  accessed,  ///< the reply: who has asked, and what came of it (MemoryReply)
};
constexpr FrameKind last_frame_kind = FrameKind::accessed;

/// Before each frame's content.
struct FrameHead {
  FrameKind kind;
  std::int32_t rank;   ///< the rank that it is about; -1: none
  std::uint64_t size;  ///< of the content, in bytes
};

}  // namespace morgana
