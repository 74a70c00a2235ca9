# Morgana built and tried in a container, on Debian 12 or 13:
#   docker build -t morgana .                                      # Debian 13
#   docker build -t morgana --build-arg RELEASE=bookworm .         # Debian 12, with PVM
#   docker run --rm -it --cap-add SYS_PTRACE --shm-size 4g morgana
# (One-sided communication reads other ranks' memory, hence SYS_PTRACE.)
ARG RELEASE=trixie
FROM debian:${RELEASE}
WORKDIR /opt/morgana
COPY . .
RUN ./quickstart && rm -rf /var/lib/apt/lists/*
ENV PATH=/opt/morgana/build/bin:$PATH
WORKDIR /work
CMD ["bash"]
