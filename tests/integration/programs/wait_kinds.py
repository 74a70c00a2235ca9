"""One wait of Python's for each first argument: as wait_kinds.c."""
import asyncio, concurrent.futures, ctypes, multiprocessing, os, queue, sched, select, selectors
import signal, socket, subprocess, sys, threading, time

SPAN, LONG = 0.2, 30


def later(act):
    """Another thread, which does that a span later."""

    def run():
        time.sleep(SPAN)
        act()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def over(error, wait):
    """What comes of a wait that raises an error when its time is over."""
    try:
        return wait()
    except error:
        return "time is over"


def of_sleep():
    time.sleep(SPAN)


def of_event():
    return threading.Event().wait(SPAN)


def of_event_thread():
    event = threading.Event()
    later(event.set)
    return event.wait(LONG)


def of_lock():
    lock = threading.Lock()
    lock.acquire()
    return lock.acquire(timeout=SPAN)


def of_rlock_thread():
    lock = threading.RLock()
    taken = threading.Event()

    def run():
        with lock:
            taken.set()
            time.sleep(SPAN)

    threading.Thread(target=run).start()
    taken.wait()
    return lock.acquire(timeout=LONG)


def of_condition():
    condition = threading.Condition()
    with condition:
        return condition.wait_for(lambda: False, SPAN)


def of_semaphore():
    return threading.Semaphore(0).acquire(timeout=SPAN)


def of_barrier():
    return over(threading.BrokenBarrierError, lambda: threading.Barrier(2).wait(SPAN))


def of_timer():
    event = threading.Event()
    threading.Timer(SPAN, event.set).start()
    return event.wait()


def of_join():
    thread = later(lambda: None)
    thread.join(LONG)
    return thread.is_alive()


def of_future():
    future = concurrent.futures.Future()
    return over(concurrent.futures.TimeoutError, lambda: future.result(SPAN))


def of_pool():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(time.sleep, SPAN / 2) for _ in range(4)]
        done = concurrent.futures.wait(futures, timeout=LONG).done
    return len(done)


def of_as_completed():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        future = pool.submit(time.sleep, SPAN)
        limited = lambda: list(concurrent.futures.as_completed([future], timeout=SPAN / 2))
        return over(concurrent.futures.TimeoutError, limited)


def of_queue():
    return over(queue.Empty, lambda: queue.Queue().get(timeout=SPAN))


def of_asyncio():
    async def both():
        await asyncio.gather(asyncio.sleep(SPAN), asyncio.sleep(SPAN / 2))

    asyncio.run(both())


def of_asyncio_limit():
    return over(asyncio.TimeoutError, lambda: asyncio.run(asyncio.wait_for(asyncio.sleep(LONG), SPAN)))


def of_asyncio_thread():
    async def other():
        return await asyncio.to_thread(time.sleep, SPAN)

    return asyncio.run(other())


def of_select():
    return len(select.select([], [], [], SPAN)[0])


def of_poll():
    poll = select.poll()
    poll.register(os.pipe()[0], select.POLLIN)
    return len(poll.poll(1000 * SPAN))


def of_selectors_thread():
    ends = os.pipe()
    selector = selectors.DefaultSelector()
    selector.register(ends[0], selectors.EVENT_READ)
    later(lambda: os.write(ends[1], b"x"))
    return len(selector.select(LONG))


def of_socket():
    ends = socket.socketpair()
    ends[0].settimeout(SPAN)
    return over(socket.timeout, lambda: ends[0].recv(1))


def of_alarm():
    signal.signal(signal.SIGALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_REAL, SPAN)
    signal.pause()


def of_alarm_exception():
    def raises(number, frame):
        raise TimeoutError

    signal.signal(signal.SIGALRM, raises)
    signal.setitimer(signal.ITIMER_REAL, SPAN)
    return over(TimeoutError, lambda: time.sleep(LONG))


def of_sigtimedwait():
    return signal.sigtimedwait([signal.SIGUSR1], SPAN)


def of_sched():
    scheduler = sched.scheduler()
    scheduler.enter(SPAN, 1, lambda: None)
    scheduler.run()


def of_subprocess():
    child = subprocess.Popen(["sleep", "30"], env={"PATH": os.environ["PATH"]})
    try:
        return over(subprocess.TimeoutExpired, lambda: child.wait(SPAN))
    finally:
        child.kill()
        child.wait()


def of_connection():
    ends = multiprocessing.Pipe()
    return ends[0].poll(SPAN)


def of_clock():
    begin = time.monotonic()
    while time.monotonic() < begin + SPAN:
        pass


KINDS = {name[3:]: wait for name, wait in list(globals().items()) if name.startswith("of_")}


def main():
    if len(sys.argv) < 2:
        return print("\n".join(KINDS))
    mpi = ctypes.CDLL("libmpich.so.12")
    mpi.MPI_Init(None, None)
    begin, date = time.monotonic(), time.time()
    result = KINDS[sys.argv[1]]()
    took = [time.monotonic() - begin, time.time() - date]
    late = 5e-3 if "simulated" in sys.argv else 3600
    print("%s: %s" % (sys.argv[1], result))
    if not all(SPAN - 1e-5 <= one <= SPAN + late for one in took):
        print("FAIL: took %.9f and %.9f s, not %.3f" % (*took, SPAN))
    else:
        print("PASS wait")
    sys.stdout.flush()
    mpi.MPI_Finalize()


main()
