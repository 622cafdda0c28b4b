// Preloaded into a program, kills it with SIGKILL just before its Nth rename or flush to disk (MINERVA_KILL_AT_CALL=N).
// Running it with every N in turn covers every state that a kill can leave behind.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<int> calls{0};

void count() {
  static const char* const at = std::getenv("MINERVA_KILL_AT_CALL");
  if (++calls == (at != nullptr ? std::atoi(at) : 0)) ::kill(::getpid(), SIGKILL);
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

#define COUNTED(name, parameters, arguments)                 \
  extern "C" int name parameters {                           \
    static const auto next = real<int(*) parameters>(#name); \
    count();                                                 \
    return next arguments;                                   \
  }

COUNTED(rename, (const char* from, const char* to), (from, to))
COUNTED(renameat2, (int a, const char* from, int b, const char* to, unsigned flags), (a, from, b, to, flags))
COUNTED(link, (const char* from, const char* to), (from, to))
COUNTED(unlink, (const char* path), (path))
COUNTED(rmdir, (const char* path), (path))
COUNTED(mkdir, (const char* path, mode_t mode), (path, mode))
COUNTED(fsync, (int file), (file))
COUNTED(fdatasync, (int file), (file))
