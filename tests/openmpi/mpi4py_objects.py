"""What mpi4py's objects do beyond mpi4py_calls.py: groups, topologies, types, requests, operators, windows, files,
handles, executors. Run as that script is:
    python3 mpi4py_objects.py FOLDER
"""

import os
import sys
from array import array

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor
from mpi4py.util import pkl5

from mpi4py_checks import after, before, check, ints, rank, run_all, size, world

folder = sys.argv[1]
others_sum = size * (size - 1) // 2


@check
def groups_are_sets():
    group = world.Get_group()
    first, rest = group.Incl([0]), group.Excl([0])
    right = MPI.Group.Union(first, rest).size == size and MPI.Group.Intersection(first, rest) == MPI.GROUP_EMPTY
    right = right and MPI.Group.Compare(MPI.Group.Difference(group, first), rest) == MPI.IDENT
    backwards = group.Range_incl([(size - 1, 0, -1)])
    right = right and MPI.Group.Translate_ranks(backwards, list(range(size)), group) == list(range(size))[::-1]
    return right and MPI.Group.Compare(group, backwards) == MPI.SIMILAR


@check
def communicators_of_groups():
    members = world.Get_group().Incl([0, size - 1])
    made = world.Create_group(members) if rank in (0, size - 1) else MPI.COMM_NULL
    right = world.Create(members).__bool__() == (rank in (0, size - 1))
    return right and (not made or made.allreduce(rank) == size - 1)


@check
def communicators_of_one_host():
    host = world.Split_type(MPI.COMM_TYPE_SHARED)
    return 1 <= host.size <= size and host.allreduce(1) == host.size


@check
def intercommunicators_pass_messages():
    half = world.Split(rank % 2)
    bridge = half.Create_intercomm(0, world, 1 - rank % 2)
    right = bridge.is_inter and bridge.remote_size + bridge.size == size and bridge.remote_group.size == bridge.remote_size
    if half.rank == 0:
        right = right and bridge.sendrecv("from %d" % (rank % 2), 0, source=0) == "from %d" % (1 - rank % 2)
    root = (MPI.ROOT if half.rank == 0 else MPI.PROC_NULL) if rank % 2 == 0 else 0
    said = bridge.bcast("said" if root == MPI.ROOT else None, root)
    right = right and (rank % 2 == 0 or said == "said")
    return right and bridge.allreduce(1) == bridge.remote_size


@check
def parts_of_grids():
    grid = world.Create_cart([size, 1], [True, True])
    line = grid.Sub([True, False])
    right = line.size == size and line.Get_topo() == ([size], [1], [rank]) and grid.Get_topology() == MPI.CART
    received = ints(-1, -1)
    line.Neighbor_alltoall(ints(rank, rank), received)
    return right and sorted(received) == sorted([before, after])


@check
def graphs():
    index, edges = [2 * (i + 1) for i in range(size)], sum(([(i - 1) % size, (i + 1) % size] for i in range(size)), [])
    graph = world.Create_graph(index, edges)
    right = graph.Get_neighbors(rank) == [before, after] and graph.Get_dims() == (size, 2 * size)
    spread = world.Create_dist_graph([rank], [1], [after])
    return right and spread.Get_dist_neighbors_count()[:2] == (1, 1) and spread.neighbor_alltoall([rank]) == [before]


@check
def types_with_gaps():
    kinds = {
        "vector": MPI.INT.Create_hvector(2, 1, 12),
        "indexed": MPI.INT.Create_indexed([1, 1], [0, 3]),
        "block": MPI.INT.Create_indexed_block(1, [0, 3]),
        "hindexed": MPI.INT.Create_hindexed([1, 1], [0, 12]),
    }
    right = True
    for kind in kinds.values():
        kind.Commit()
        received = ints(*[-1] * 4)
        world.Sendrecv([ints(5, 6, 7, 8), 1, kind], after, 0, [received, 1, kind], before, 0)
        right = right and list(received) == ([5, -1, -1, 8])
        right = right and (kind.size, kind.extent) == (8, 16)
        kind.Free()
    return right


@check
def parts_of_arrays():
    part = MPI.INT.Create_subarray([4, 4], [2, 2], [1, 1]).Commit()
    received = ints(*[-1] * 4)
    world.Sendrecv([ints(*range(16)), 1, part], after, 0, received, before, 0)
    shares = MPI.INT.Create_darray(size, rank, [2 * size], [MPI.DISTRIBUTE_BLOCK], [MPI.DISTRIBUTE_DFLT_DARG], [size])
    return list(received) == [5, 6, 9, 10] and shares.size == 8 and shares.extent == 8 * size


@check
def types_have_other_bounds():
    wide = MPI.INT.Create_resized(-4, 16)
    right = wide.Get_extent() == (-4, 16) and wide.Get_true_extent() == (0, 4) and (wide.lb, wide.ub) == (-4, 12)
    copy = wide.Dup()
    return right and copy.combiner == MPI.COMBINER_DUP and copy.extent == 16


@check
def types_say_how_they_were_made():
    made = MPI.DOUBLE.Create_vector(3, 2, 5)
    numbers, addresses, kinds = made.Get_contents()
    right = (numbers, addresses, kinds) == ([3, 2, 5], [], [MPI.DOUBLE]) and not made.is_predefined
    base, combiner, parameters = made.decode()
    return right and base == MPI.DOUBLE and combiner == "VECTOR" and parameters["stride"] == 5


@check
def packed_for_other_machines():
    sent, received, place = ints(1, -2, 3), ints(0, 0, 0), MPI.INT.Pack_external_size("external32", 3)
    packed = bytearray(place)
    end = MPI.INT.Pack_external("external32", sent, packed, 0)
    MPI.INT.Unpack_external("external32", packed, 0, received)
    return end == 12 and bytes(packed[:8]) == b"\0\0\0\1\xff\xff\xff\xfe" and received == sent


@check
def ready_sends():
    received = ints(-1)
    request = world.Irecv(received, before, 21)
    world.Barrier()
    world.Rsend(ints(rank), after, 21)
    request.Wait()
    return received[0] == before


@check
def waits_for_any_and_some():
    received = [ints(-1) for _ in range(3)]
    requests = [world.Irecv(received[i], before, 30 + i) for i in range(3)]
    for i in (2, 0, 1):
        world.Send(ints(i), after, 30 + i)
    done = {MPI.Request.Waitany(requests)}
    while len(done) < 3:
        done.update(MPI.Request.Waitsome(requests))
    return done == {0, 1, 2} and [one[0] for one in received] == [0, 1, 2] and MPI.Request.Testall(requests)


@check
def tested_until_they_are_done():
    request, polls = world.irecv(source=before, tag=40), 0
    world.send({"from": rank}, after, 40)
    found, message = request.test()
    while not found:
        found, message = request.test()
        polls += 1
    barrier = world.Ibarrier()
    while not barrier.Test():
        polls += 1
    return message == {"from": before} and polls >= 0


@check
def probed_until_they_come():
    request, status = world.isend(b"x" * 3000, after, 41), MPI.Status()
    while not world.iprobe(before, 41, status):
        pass
    message = world.recv(source=status.source, tag=status.tag)
    request.wait()
    world.Probe(MPI.PROC_NULL, 0, status)
    return len(message) == 3000 and status.source == MPI.PROC_NULL and status.Get_count(MPI.BYTE) == 0


@check
def matched_probes_of_buffers():
    request, received, status = world.Isend(ints(*range(9)), after, 42), ints(*[0] * 9), MPI.Status()
    message = world.Mprobe(before, 42, status)
    taken = message.Irecv(received)
    taken.Wait()
    request.Wait()
    return status.Get_elements(MPI.INT) == 9 and list(received) == list(range(9)) and message == MPI.MESSAGE_NULL


@check
def large_messages():
    sent, received = bytearray(bytes([rank + 1]) * 1000000), bytearray(1000000)
    world.Sendrecv(sent, after, 2, received, before, 2)
    return received.count(before + 1) == 1000000


@check
def operators_of_mpi():
    def reduced(operator, value):
        result = ints(0)
        world.Allreduce(ints(value), result, operator)
        return result[0]

    right = reduced(MPI.MAX, rank) == size - 1 and reduced(MPI.MIN, rank + 3) == 3 and reduced(MPI.PROD, 2) == 2**size
    right = right and reduced(MPI.BOR, 1 << rank) == 2**size - 1 and reduced(MPI.BAND, 7 - (rank == 0)) == 6
    right = right and reduced(MPI.BXOR, 5) == (5 if size % 2 else 0) and reduced(MPI.LOR, rank == 1) == 1
    return right and reduced(MPI.LAND, rank != 1) == 0 and reduced(MPI.LXOR, rank == 1) == 1


@check
def values_and_places():
    pair = ints(-1, -1)
    world.Allreduce([ints(10 - rank, rank), 1, MPI.INT_INT], [pair, 1, MPI.INT_INT], MPI.MINLOC)
    return list(pair) == [10 - (size - 1), size - 1]


@check
def operators_are_functions():
    right = MPI.SUM(2, 3) == 5 and MPI.MAX("a", "b") == "b" and MPI.MAXLOC((1, 0), (1, 2)) == (1, 0)
    return right and MPI.SUM.Is_commutative() and MPI.SUM.is_predefined


@check
def operators_whose_order_counts():
    def keep_left(given, result, _):
        memoryview(result).cast("i")[0] = memoryview(given).cast("i")[0]

    operator, result = MPI.Op.Create(keep_left, False), ints(-1)
    world.Allreduce(ints(rank + 5), result, operator)
    local = ints(7)
    operator.Reduce_local(ints(8), local)
    right = result[0] == 5 and local[0] == 8 and not operator.Is_commutative()
    operator.Free()
    return right


@check
def texts_are_joined_in_order():
    joined = world.reduce(str(rank), op=lambda left, right: left + right, root=1)
    parts = world.exscan(str(rank), op=lambda left, right: left + right)
    wanted = "".join(str(i) for i in range(size))
    return joined == (wanted if rank == 1 else None) and (rank == 0 or parts == wanted[:rank])


@check
def parts_of_several_lengths():
    counts = [i + 1 for i in range(size)]
    mine, gathered = ints(*[-1] * counts[rank]), ints(*[-1] * sum(counts))
    whole = [ints(*range(sum(counts))), counts] if rank == 0 else None
    world.Scatterv(whole, mine)
    world.Gatherv(mine, [gathered, counts] if rank == 0 else None)
    received = ints(*[-1] * sum(counts))
    world.Alltoallv([ints(*[rank] * (size * (rank + 1))), [rank + 1] * size], [received, counts])
    right = mine[0] == sum(counts[:rank]) and (rank != 0 or list(gathered) == list(range(sum(counts))))
    part = ints(*[0] * counts[rank])
    world.Reduce_scatter(ints(*[1] * sum(counts)), part, counts)
    return right and list(received) == sum(([i] * (i + 1) for i in range(size)), []) and set(part) == {size}


@check
def in_place_at_the_root():
    values = ints(*[rank] * size)
    world.Gather(MPI.IN_PLACE if rank == 0 else ints(rank), values if rank == 0 else None)
    right = rank != 0 or list(values) == list(range(size))
    world.Allgather(MPI.IN_PLACE, values := ints(*[rank if i == rank else -1 for i in range(size)]))
    return right and list(values) == list(range(size))


@check
def windows_with_groups():
    window = MPI.Win.Allocate(4, 4, comm=world)
    group = world.Get_group()
    window.Post(group.Incl([before]))
    window.Start(group.Incl([after]))
    window.Put(ints(rank + 1), after)
    window.Complete()
    window.Wait()
    right = memoryview(window.tomemory()).cast("i")[0] == before + 1
    right = right and MPI.Group.Compare(window.group, group) in (MPI.IDENT, MPI.CONGRUENT)
    window.Free()
    return right


@check
def windows_compare_and_swap():
    window = MPI.Win.Allocate(4, 4, comm=world)
    memoryview(window.tomemory()).cast("i")[0] = -1
    world.Barrier()
    found = ints(-2)
    window.Lock(0, MPI.LOCK_SHARED)
    window.Compare_and_swap(ints(rank), ints(-1), found, 0)
    window.Unlock(0)
    winners = world.allreduce(found[0] == -1)
    window.Free()
    return winners == 1


@check
def windows_with_requests():
    window = MPI.Win.Allocate(8, 4, comm=world)
    memoryview(window.tomemory()).cast("i")[1] = rank * 3
    world.Barrier()
    found, old = ints(-1), ints(-1)
    window.Lock_all()
    window.Rput(ints(rank), after).Wait()
    window.Rget(found, after, (1, 1, MPI.INT)).Wait()
    window.Flush_all()
    world.Barrier()
    window.Rget_accumulate(ints(100), old, rank, op=MPI.SUM).Wait()
    window.Unlock_all()
    right = found[0] == after * 3 and old[0] == before and memoryview(window.tomemory()).cast("i")[0] == before + 100
    window.Free()
    return right


@check
def windows_in_shared_memory():
    host = world.Split_type(MPI.COMM_TYPE_SHARED)
    window = MPI.Win.Allocate_shared(4, 4, comm=host)
    memory, unit = window.Shared_query((host.rank + 1) % host.size)
    window.Fence()
    memoryview(memory).cast("i")[0] = host.rank
    window.Fence()
    right = unit == 4 and memoryview(window.tomemory()).cast("i")[0] == (host.rank - 1) % host.size
    window.Free()
    return right


def opened(name):
    return MPI.File.Open(world, os.path.join(folder, name), MPI.MODE_CREATE | MPI.MODE_RDWR)


@check
def files_are_seen_through_types():
    file, view = opened("striped"), MPI.INT.Create_vector(2, 1, size).Commit()
    file.Set_view(4 * rank, MPI.INT, view)
    file.Write_all(ints(rank, rank + 100))
    file.Sync()
    world.Barrier()
    file.Set_view(0, MPI.INT, MPI.INT)
    read = ints(*[-1] * 2 * size)
    file.Read_at_all(0, read)
    file.Close()
    return list(read) == list(range(size)) + [i + 100 for i in range(size)]


@check
def files_have_one_place_for_all():
    file = opened("in order")
    file.Write_ordered(ints(*[rank] * (rank + 1)))
    file.Sync()
    world.Barrier()
    total = size * (size + 1) // 2
    read = ints(*[-1] * total)
    file.Read_at(0, read)
    right = file.Get_size() == 4 * total and file.Get_position_shared() == 4 * total
    file.Close()
    return right and list(read) == sum(([i] * (i + 1) for i in range(size)), [])


@check
def files_have_places_and_sizes():
    file = opened("sizes")
    file.Set_size(100)
    file.Seek(20)
    file.Seek(4, MPI.SEEK_CUR)
    right = file.Get_position() == 24 and file.Get_size() == 100 and file.amode & MPI.MODE_RDWR != 0
    right = right and MPI.Group.Compare(file.group, world.group) != MPI.UNEQUAL
    file.Close()
    world.Barrier()
    if rank == 0:
        MPI.File.Delete(os.path.join(folder, "sizes"))
    world.Barrier()
    return right and not os.path.exists(os.path.join(folder, "sizes"))


@check
def error_handlers_and_classes():
    copy = world.Dup()
    right = copy.Get_errhandler() == MPI.ERRORS_RETURN
    kind = MPI.Add_error_class()
    code = MPI.Add_error_code(kind)
    MPI.Add_error_string(code, "of the program")
    right = right and MPI.Get_error_class(code) == kind and MPI.Get_error_string(code) == "of the program"
    try:
        copy.Bcast(ints(1), size + 1)
        right = False
    except MPI.Exception as error:
        right = right and error.Get_error_class() == MPI.ERR_ROOT
    copy.Free()
    return right


@check
def statuses_are_written():
    status = MPI.Status()
    status.source, status.tag, status.error = 3, 4, MPI.ERR_TAG
    status.Set_elements(MPI.DOUBLE, 6)
    status.Set_cancelled(True)
    right = (status.Get_source(), status.Get_tag(), status.Get_error()) == (3, 4, MPI.ERR_TAG)
    return right and status.Get_count(MPI.DOUBLE) == 6 and status.Is_cancelled() and status.Get_count(MPI.BYTE) == 48


@check
def handles_of_fortran():
    right = MPI.Comm.f2py(world.py2f()) == world and MPI.Datatype.f2py(MPI.DOUBLE.py2f()) == MPI.DOUBLE
    right = right and MPI.Op.f2py(MPI.SUM.py2f()) == MPI.SUM and MPI.Group.f2py(MPI.GROUP_EMPTY.py2f()) == MPI.GROUP_EMPTY
    copy = world.Dup()
    again = MPI.Comm.f2py(copy.py2f())
    right = right and again == copy and again.allreduce(rank) == others_sum and world.py2f() == 0
    copy.Free()
    return right and MPI._addressof(world) != 0 and MPI._handleof(world) != MPI._handleof(MPI.COMM_SELF)


@check
def work_for_executors():
    with MPICommExecutor(world, root=0) as executor:
        if executor is None:
            return True
        powers = list(executor.map(pow, range(8), [2] * 8))
        failed = executor.submit(divmod, 1, 0).exception()
        return powers == [i * i for i in range(8)] and isinstance(failed, ZeroDivisionError)


@check
def collectives_of_large_objects():
    comm = pkl5.Intracomm(world)
    said = comm.bcast(bytearray(50000) if rank == 0 else None, root=0)
    gathered = comm.gather(bytearray([rank]) * 100, root=0)
    return len(said) == 50000 and (rank != 0 or [part[0] for part in gathered] == list(range(size)))


@check
def the_environment():
    version, library = MPI.Get_version(), MPI.Get_library_version()
    begin = MPI.Wtime()
    right = version >= (3, 1) and len(library) > 0 and MPI.Is_initialized() and not MPI.Is_finalized()
    right = right and MPI.Is_thread_main() and MPI.Wtick() > 0 and MPI.Wtime() >= begin and len(MPI.Get_processor_name()) > 0
    return right and world.Get_attr(MPI.APPNUM) in (0, None) and MPI._typedict["i"] == MPI.INT


run_all()
