"""What mpi4py does with MPI: pickled objects, buffers, callbacks, windows, files, errors, threads.

Run by the same command natively over Open MPI and under Morgana, on 2 ranks or more: prints one line a check,
"ok NAME" or "FAIL NAME", where it holds on all ranks.
    python3 mpi4py_calls.py FOLDER
"""

import os
import sys
import threading
from array import array

from mpi4py import MPI
from mpi4py.util import pkl5

from mpi4py_checks import after, before, check, ints, rank, run_all, size, world

folder = sys.argv[1]


def passed_round(send, receive):
    """Each rank sends to the next one. @return what has come"""
    request = send(after)
    received = receive(before)
    request.wait()
    return received


@check
def objects_are_pickled():
    sent = {"rank": rank, "text": "x" * 5000}
    return passed_round(lambda to: world.isend(sent, to), lambda of: world.recv(source=of))["rank"] == before


@check
def synchronous_and_combined():
    first = passed_round(lambda to: world.issend(rank, to), lambda of: world.recv(source=of))
    return first == before == world.sendrecv(rank, dest=after, source=before)


@check
def matched_probes_take_messages():
    status = MPI.Status()
    request = world.isend("matched", after, tag=9)
    message = world.mprobe(MPI.ANY_SOURCE, 9, status)
    received = message.recv()
    request.wait()
    return received == "matched" and status.source == before and world.improbe(MPI.ANY_SOURCE, 99) is None


@check
def statuses_count():
    status, room = MPI.Status(), ints(*[0] * 7)
    request = world.Isend(ints(*range(5)), after, 11)
    world.Recv(room, MPI.ANY_SOURCE, MPI.ANY_TAG, status)
    request.Wait()
    return (status.Get_count(MPI.INT), status.tag, status.source, status.error) == (5, 11, before, 0)


@check
def persistent_requests():
    received = ints(-1)
    requests = [world.Send_init(ints(rank), after), world.Recv_init(received, before)]
    for _ in range(3):
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
    for request in requests:
        request.Free()
    return received[0] == before


@check
def buffered_sends():
    memory = MPI.Alloc_mem(100000)
    MPI.Attach_buffer(memory)
    world.bsend("x" * 100, after)
    received = world.recv(source=before)
    MPI.Detach_buffer()
    MPI.Free_mem(memory)
    return len(received) == 100


@check
def cancelled_receives():
    request, status = world.Irecv(ints(0), after, 77), MPI.Status()
    request.Cancel()
    request.Wait(status)
    return status.Is_cancelled()


@check
def collectives_of_objects():
    return (
        world.bcast(("a", 1) if rank == 1 else None, root=1) == ("a", 1)
        and world.scatter([i * i for i in range(size)] if rank == 0 else None) == rank * rank
        and world.gather(rank, root=size - 1) == (list(range(size)) if rank == size - 1 else None)
        and world.allgather(str(rank)) == [str(i) for i in range(size)]
        and world.alltoall([(rank, i) for i in range(size)]) == [(i, rank) for i in range(size)]
        and world.scan(rank) == rank * (rank + 1) // 2
        and world.allreduce([rank], op=lambda left, right: left + right) == list(range(size))
        and world.allreduce((rank % 2, rank), op=MPI.MAXLOC) == (1, 1)
    )


@check
def collectives_of_buffers():
    sums = array("d", [rank] * 100)
    world.Allreduce(MPI.IN_PLACE, sums, MPI.SUM)
    counts = [i + 1 for i in range(size)]
    gathered = ints(*[-1] * sum(counts))
    world.Allgatherv(ints(*[rank] * (rank + 1)), [gathered, counts, None, MPI.INT])
    exchanged, places = ints(*[-1] * size), [4 * i for i in range(size)]
    each = [[1] * size, places, [MPI.INT] * size]
    world.Alltoallw([ints(*[rank] * size), *each], [exchanged, *each])
    part = ints(0)
    world.Reduce_scatter_block(ints(*range(size)), part)
    return (
        sums[99] == size * (size - 1) / 2
        and list(gathered) == [i for i in range(size) for _ in range(i + 1)]
        and list(exchanged) == list(range(size))
        and part[0] == rank * size
    )


@check
def nonblocking_collectives():
    received = ints(0)
    MPI.Request.Waitall([world.Ibarrier(), world.Iallreduce(ints(rank), received), world.Ibcast(ints(1), 0)])
    return received[0] == size * (size - 1) // 2


@check
def operators_in_python():
    def add(given, result, _):
        left, right = memoryview(given).cast("i"), memoryview(result).cast("i")
        for i in range(len(left)):
            right[i] += left[i]

    operator, received = MPI.Op.Create(add, True), ints(0, 0, 0)
    world.Allreduce(ints(rank, rank, rank), received, operator)
    operator.Free()
    return received[2] == size * (size - 1) // 2


@check
def communicators():
    half = world.Split(rank % 2)
    bridge = half.Create_intercomm(0, world, 1 - rank % 2)
    others = bridge.allgather(rank)
    merged = bridge.Merge(rank % 2 == 1)
    copy, request = world.Idup()
    request.Wait()
    right = (
        half.allreduce(rank) == sum(range(rank % 2, size, 2))
        and others == list(range(1 - rank % 2, size, 2))
        and merged.size == size
        and MPI.Comm.Compare(world, copy) == MPI.CONGRUENT
    )
    for made in (bridge, merged, half, copy):
        made.Free()
    return right


@check
def topologies():
    grid = world.Create_cart(MPI.Compute_dims(size, 2), [True, False])
    source, destination = grid.Shift(0, 1)
    right = grid.Get_cart_rank(grid.coords) == grid.rank
    right = right and grid.sendrecv(grid.rank, destination, source=source) == source
    ring = world.Create_dist_graph_adjacent([before], [after])
    right = right and ring.neighbor_allgather(rank) == [before]
    grid.Free()
    ring.Free()
    return right


@check
def datatypes():
    every_other = MPI.INT.Create_vector(4, 1, 2).Commit()
    received = ints(*[-1] * 4)
    request = world.Isend([ints(*range(8)), 1, every_other], after)
    world.Recv(received, before)
    request.Wait()
    pair = MPI.Datatype.Create_struct([1, 2], [0, 8], [MPI.INT, MPI.DOUBLE])
    right = list(received) == [0, 2, 4, 6] and (pair.size, pair.extent) == (20, 24)
    right = right and every_other.Get_envelope()[3] == MPI.COMBINER_VECTOR
    packed = bytearray(100)
    right = right and MPI.INT.Pack(ints(1, 2, 3), packed, 0, world) == 12
    every_other.Free()
    pair.Free()
    return right


@check
def attributes_are_copied_and_deleted():
    deleted = []
    keyval = MPI.Comm.Create_keyval(lambda comm, key, value: value + 1, lambda comm, key, value: deleted.append(value))
    first = world.Dup()
    first.Set_attr(keyval, 5)
    second = first.Dup()
    right = second.Get_attr(keyval) == 6
    second.Free()
    first.Free()
    MPI.Comm.Free_keyval(keyval)
    return right and sorted(deleted) == [5, 6] and world.Get_attr(MPI.TAG_UB) >= 32767


@check
def infos_and_names():
    info = MPI.Info.Create()
    info.Set("key", "value")
    right = dict(info.items()) == {"key": "value"}
    info.Free()
    copy = world.Dup()
    copy.Set_name("copy")
    right = right and copy.Get_name() == "copy" and MPI.INT.Get_name() == "MPI_INT"
    copy.Free()
    return right


@check
def errors_are_exceptions():
    try:
        world.Send(ints(1), size + 5)
        return False
    except MPI.Exception as error:
        right = error.Get_error_class() == MPI.ERR_RANK
    request = world.Isend(ints(*[1] * 10), after, 5)
    try:
        world.Recv(ints(0), before, 5)
        right = False
    except MPI.Exception as error:
        right = right and error.Get_error_class() == MPI.ERR_TRUNCATE
    request.Wait()
    return right


# Open MPI 4.1 makes no window of memory that it is given (MPI_Win_create) where several threads may call.
@check
def windows_with_fences():
    window = MPI.Win.Allocate(4 * size, 4, comm=world)
    memory = memoryview(window.tomemory()).cast("i")
    window.Fence()
    window.Put(ints(rank), after, (rank, 1, MPI.INT))
    window.Fence()
    received = memory[before]
    window.Free()
    return received == before


@check
def windows_with_locks():
    window = MPI.Win.Allocate(8, 8, comm=world)
    memory = memoryview(window.tomemory()).cast("l")
    memory[0] = 0
    world.Barrier()
    ticket = array("l", [0])
    window.Lock(0)
    window.Fetch_and_op(array("l", [1]), ticket, 0)
    window.Unlock(0)
    tickets = world.allgather(ticket[0])
    window.Lock_all()
    window.Accumulate(array("l", [rank + 1]), 0)
    window.Flush(0)
    window.Unlock_all()
    world.Barrier()
    window.Lock(rank)
    right = rank != 0 or memory[0] == size + size * (size + 1) // 2
    window.Unlock(rank)
    window.Free()
    return right and sorted(tickets) == list(range(size))


@check
def files():
    everyones = MPI.File.Open(world, os.path.join(folder, "everyones"), MPI.MODE_CREATE | MPI.MODE_RDWR)
    everyones.Write_at_all(4 * rank, ints(rank))
    everyones.Iwrite_at(4 * (size + rank), ints(rank)).Wait()
    everyones.Sync()
    world.Barrier()
    read = ints(*[-1] * 2 * size)
    everyones.Read_at_all(0, read)
    right = list(read) == 2 * list(range(size)) and everyones.Get_size() == 8 * size
    everyones.Close()
    try:
        MPI.File.Open(world, os.path.join(folder, "no", "such"), MPI.MODE_RDONLY)
        return False
    except MPI.Exception as error:
        return right and error.Get_error_class() == MPI.ERR_NO_SUCH_FILE


@check
def generalised_requests():
    called = []
    request = MPI.Grequest.Start(lambda status: status.Set_elements(MPI.INT, 3), lambda: called.append("free"), None)
    request.Complete()
    status = MPI.Status()
    request.Wait(status)
    return status.Get_elements(MPI.INT) == 3 and called == ["free"]


@check
def pickles_outside_of_the_message():
    comm = pkl5.Intracomm(world)
    return len(passed_round(lambda to: comm.isend(bytearray(100000), to), lambda of: comm.recv(source=of))) == 100000


@check
def several_threads():
    copies, sums = [world.Dup() for _ in range(3)], [None] * 3

    def add(i):
        sums[i] = copies[i].allreduce(i + rank)

    threads = [threading.Thread(target=add, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for copy in copies:
        copy.Free()
    return MPI.Query_thread() == MPI.THREAD_MULTIPLE and sums == [i * size + size * (size - 1) // 2 for i in range(3)]


run_all()
