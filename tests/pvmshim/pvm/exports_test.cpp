// Our library exports what the real ones do, as far as programs can use it.

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace morgana {
namespace {

struct Export {
  bool is_function;
  std::uint64_t size;
};

/// The symbols that a shared library defines for others.
std::map<std::string, Export> exports_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string file = text.str();
  const auto read = [&file]<typename T>(std::size_t at, T& value) {
    std::memcpy(&value, file.data() + at, sizeof value);
  };
  Elf64_Ehdr header{};
  read(0, header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i)
    read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]);
  std::map<std::string, Export> exports;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM) continue;
    const Elf64_Shdr& names = sections.at(section.sh_link);
    for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      read(section.sh_offset + at, symbol);
      if (symbol.st_shndx == SHN_UNDEF) continue;
      exports[file.c_str() + names.sh_offset + symbol.st_name] = {ELF64_ST_TYPE(symbol.st_info) == STT_FUNC,
                                                                  symbol.st_size};
    }
  }
  return exports;
}

const std::map<std::string, Export>& ours() {
  static const auto exports = exports_of(std::string(MORGANA_PVM_LIBRARIES) + "/libpvm3.so.3");
  return exports;
}

/// What is only of use inside the real library: descriptors of its sockets, handlers of its internal
/// messages.
bool is_internal(const std::string& name) {
  static const std::set<std::string> internal{
      "pvm_fd_add",      "pvm_fd_delete",    "pvm_tc_noop",      "pvm_tc_settmask",
      "pvm_tc_settrace", "pvm_tc_settrcbuf", "pvm_tc_settrcopt", "pvm_tc_siblings",
  };
  return internal.contains(name);
}

void expect_calls_of(const std::string& library) {
  std::size_t calls = 0;
  for (const auto& [name, real] : exports_of(library)) {
    const bool is_call = name.starts_with("pvm_") || name.starts_with("Pvm");
    if (!is_call || is_internal(name)) continue;
    ++calls;
    const auto found = ours().find(name);
    if (found == ours().end()) {
      ADD_FAILURE() << name << " is missing";
      continue;
    }
    EXPECT_EQ(found->second.is_function, real.is_function) << name;
    if (!real.is_function) {
      EXPECT_EQ(found->second.size, real.size) << name;
    }
  }
  EXPECT_GT(calls, 10U);
}

TEST(Exports, HoldEveryCallOfTheRealLibrary) {
  expect_calls_of(REAL_PVM_LIBRARY);
}

TEST(Exports, HoldEveryCallOfTheRealGroupLibrary) {
  expect_calls_of(REAL_PVM_GROUP_LIBRARY);
}

// A program that is linked to the real library has room for its variables: ours must not be larger or
// smaller.
TEST(Exports, HaveVariablesOfTheRealOnesSizes) {
  const auto real = exports_of(REAL_PVM_LIBRARY);
  std::size_t variables = 0;
  for (const auto& [name, own] : ours()) {
    const auto found = real.find(name);
    if (own.is_function || found == real.end()) continue;
    ++variables;
    EXPECT_EQ(own.size, found->second.size) << name;
  }
  EXPECT_GT(variables, 15U);
}

// Imports of Debian's pvm-examples, netpipe-pvm and libfpvm3.a beyond pvm3.h, as nm -u shows them.
TEST(Exports, HoldWhatProgramsImportBeyondTheHeader) {
  for (const char* name : {"lpvmerr", "pvmctrc", "pvmdisplaymhfinfo", "pvmgetclock", "pvmlogerror",
                           "pvmmyctx", "pvmnametag", "pvmsleep", "PvmMax", "PvmMin", "PvmProduct", "PvmSum"})
    EXPECT_TRUE(ours().contains(name)) << name;
}

/// Calls that ask nobody anything, and say nothing of a message: a capture has no use for them.
bool is_local(const std::string& name) {
  static const std::set<std::string> local{
      // Buffers, options and names of the task itself; the version and the texts of errors.
      "pvm_alloc", "pvm_bufinfo", "pvm_export", "pvm_free", "pvm_getcontext", "pvm_getfds", "pvm_getminfo",
      "pvm_getopt", "pvm_getrbuf", "pvm_getsbuf", "pvm_gettmask", "pvm_perror", "pvm_realloc",
      "pvm_setcontext", "pvm_setminfo", "pvm_setopt", "pvm_setrbuf", "pvm_setsbuf", "pvm_settmask",
      "pvm_strerror", "pvm_tidtohost", "pvm_unexport", "pvm_version",
      // Packing goes through the calls for each type; unpacking is the program's own affair.
      "pvm_packf", "pvm_vpackf", "pvm_unpackf", "pvm_vunpackf", "pvm_upkbyte", "pvm_upkcplx", "pvm_upkdcplx",
      "pvm_upkdouble", "pvm_upkfloat", "pvm_upkint", "pvm_upklong", "pvm_upkmesg", "pvm_upkshort",
      "pvm_upkstr", "pvm_upkuint", "pvm_upkulong", "pvm_upkushort",
      // How received messages are chosen and handled: docs/limits.md.
      "pvm_addmhf", "pvm_delmhf", "pvm_recvf",
      // The machine's own operation, before there is a task or beside it.
      "pvm_gsdump", "pvm_reg_hoster", "pvm_reg_rm", "pvm_reg_tasker", "pvm_reg_tracer", "pvm_start_pvmd",
      "pvm_tickle"};
  return local.contains(name);
}

TEST(CaptureExports, HoldEveryCallThatCommunicates) {
  const auto captured = exports_of(MORGANA_PVM_CAPTURE);
  for (const char* library : {REAL_PVM_LIBRARY, REAL_PVM_GROUP_LIBRARY})
    for (const auto& [name, real] : exports_of(library)) {
      if (!real.is_function || !name.starts_with("pvm_") || is_internal(name)) continue;
      EXPECT_NE(captured.contains(name), is_local(name)) << name;
    }
}

TEST(CaptureExports, AreCallsOfTheRealLibraries) {
  const auto real = exports_of(REAL_PVM_LIBRARY), group = exports_of(REAL_PVM_GROUP_LIBRARY);
  const auto captured = exports_of(MORGANA_PVM_CAPTURE);
  EXPECT_GT(captured.size(), 50U);
  for (const auto& [name, own] : captured) EXPECT_TRUE(real.contains(name) || group.contains(name)) << name;
}

TEST(Exports, AreNothingThatIsNotMeant) {
  static const std::set<std::string> taken_over{"_Exit",
                                                "__poll_chk",
                                                "__ppoll_chk",
                                                "__read_chk",
                                                "__recv_chk",
                                                "__recvfrom_chk",
                                                "_exit",
                                                "accept",
                                                "accept4",
                                                "aio_suspend",
                                                "alarm",
                                                "clock",
                                                "clock_gettime",
                                                "clock_nanosleep",
                                                "cnd_broadcast",
                                                "cnd_signal",
                                                "cnd_timedwait",
                                                "epoll_pwait",
                                                "epoll_pwait2",
                                                "epoll_wait",
                                                "eventfd",
                                                "execl",
                                                "execle",
                                                "execlp",
                                                "execv",
                                                "execve",
                                                "execvp",
                                                "execvpe",
                                                "getitimer",
                                                "getrusage",
                                                "gettimeofday",
                                                "mq_timedreceive",
                                                "mq_timedsend",
                                                "mtx_timedlock",
                                                "nanosleep",
                                                "pause",
                                                "poll",
                                                "ppoll",
                                                "pselect",
                                                "pthread_cancel",
                                                "pthread_clockjoin_np",
                                                "pthread_cond_broadcast",
                                                "pthread_cond_clockwait",
                                                "pthread_cond_signal",
                                                "pthread_cond_timedwait",
                                                "pthread_create",
                                                "pthread_join",
                                                "pthread_mutex_clocklock",
                                                "pthread_mutex_timedlock",
                                                "pthread_rwlock_clockrdlock",
                                                "pthread_rwlock_clockwrlock",
                                                "pthread_rwlock_timedrdlock",
                                                "pthread_rwlock_timedwrlock",
                                                "pthread_timedjoin_np",
                                                "read",
                                                "recv",
                                                "recvfrom",
                                                "recvmsg",
                                                "select",
                                                "sem_clockwait",
                                                "sem_timedwait",
                                                "semtimedop",
                                                "send",
                                                "sendmsg",
                                                "sendto",
                                                "setitimer",
                                                "setsockopt",
                                                "sigsuspend",
                                                "sigtimedwait",
                                                "sigwait",
                                                "sigwaitinfo",
                                                "sleep",
                                                "syscall",
                                                "thrd_sleep",
                                                "time",
                                                "timer_create",
                                                "timer_delete",
                                                "timer_getoverrun",
                                                "timer_gettime",
                                                "timer_settime",
                                                "timerfd_create",
                                                "timerfd_gettime",
                                                "timerfd_settime",
                                                "times",
                                                "timespec_get",
                                                "ualarm",
                                                "usleep",
                                                "write"};
  const auto real = exports_of(REAL_PVM_LIBRARY), group = exports_of(REAL_PVM_GROUP_LIBRARY);
  for (const auto& [name, own] : ours())
    EXPECT_TRUE(taken_over.contains(name) || real.contains(name) || group.contains(name)) << name;
}

}  // namespace
}  // namespace morgana
