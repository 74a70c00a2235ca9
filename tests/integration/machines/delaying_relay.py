#!/usr/bin/env python3
"""Two network interfaces as the ends of a line on which frames take time and get lost, where the kernel has no
netem.

    delaying_relay.py SECONDS SHARE INTERFACE INTERFACE    passes frames on for ever; the file `lost` counts
    delaying_relay.py plain INTERFACE    first, where programs send: an interface that leaves no checksums and no
                                         segments to a device, which here is none
"""
import ctypes
import fcntl
import heapq
import random
import select
import socket
import struct
import sys
import time

SIOCETHTOOL = 0x8946
ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO = 0x17, 0x1F, 0x24
ETH_P_ALL = 3


def make_plain(interface):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for command in (ETHTOOL_STXCSUM, ETHTOOL_STSO, ETHTOOL_SGSO):
            off = ctypes.create_string_buffer(struct.pack("II", command, 0))
            fcntl.ioctl(any_socket, SIOCETHTOOL, struct.pack("16sP", interface.encode(), ctypes.addressof(off)))


def opened(interface):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    end.bind((interface, 0))
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    return end


def relay(delay, share_lost, ends):
    chance = random.Random(1)
    under_way, passed, lost = [], 0, 0
    print("ready", flush=True)
    while True:
        patience = max(0, under_way[0][0] - time.monotonic()) if under_way else None
        for end in select.select(ends, [], [], patience)[0]:
            frame, source = end.recvfrom(1 << 16)
            if source[2] == socket.PACKET_OUTGOING:
                continue
            if chance.random() < share_lost:
                lost += 1
                with open("lost", "w", encoding="ascii") as file:
                    file.write(f"{lost}\n")
                continue
            passed += 1
            heapq.heappush(under_way, (time.monotonic() + delay, passed, ends[end is ends[0]], frame))
        while under_way and under_way[0][0] <= time.monotonic():
            _, _, to, frame = heapq.heappop(under_way)
            to.send(frame)


if sys.argv[1] == "plain":
    make_plain(sys.argv[2])
else:
    relay(float(sys.argv[1]), float(sys.argv[2]), [opened(interface) for interface in sys.argv[3:5]])
