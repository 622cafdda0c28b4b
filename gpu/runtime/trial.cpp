#include "gpu/runtime/trial.h"

#include "gpu/runtime/cache_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace minerva::gpu {

namespace {

// The file has a letter for each try that did not end: one that ended the program, and one more after which it was allowed again.
constexpr char tried = 'x', allowed = 'r';

// The last letters of it, which decide.
std::string lettersOf(int handle) {
  std::array<char, 16> letters{};
  const ssize_t count = pread(handle, letters.data(), letters.size(), 0);
  return {letters.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

void append(int handle, char letter) {
  static_cast<void>(lseek(handle, 0, SEEK_END));
  while (write(handle, &letter, 1) < 0 && errno == EINTR) {
  }
  static_cast<void>(fsync(handle));  // a device that hangs may take the system with it
}

int openLocked(const std::filesystem::path& file, int flags) {
  const int handle = open(file.c_str(), flags | O_RDWR | O_CLOEXEC, 0644);
  if (handle < 0) return -1;
  if (flock(handle, LOCK_EX | LOCK_NB) == 0) return handle;
  close(handle);
  return -1;
}

// Tries that end the program, from which on it is avoided. A load of kernels may be long enough for a user to end it.
std::ptrdiff_t mostTries(TrialStage stage) { return stage == TrialStage::kernels ? 2 : 1; }

bool readAvoided(const std::filesystem::path& file, TrialStage stage) {
  const int handle = openLocked(file, 0);
  if (handle < 0) return false;  // there is none, or somebody is at it
  const std::string letters = lettersOf(handle);
  const std::ptrdiff_t more = std::ranges::count(letters, tried) - mostTries(stage);
  const bool avoided = more > 0 || (more == 0 && letters.ends_with(tried));
  if (avoided && more == 0) append(handle, allowed);
  close(handle);
  return avoided;
}

}  // namespace

std::filesystem::path trialFile(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, TrialStage stage) {
  constexpr std::array kinds{"unit-query-failed", "units-failed", "measuring-failed", "kernels-failed"};
  return cacheFile(folder, device, kinds[static_cast<std::size_t>(stage)]);
}

// What was found first holds for the process.
bool isAvoided(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, TrialStage stage) {
  if (folder.empty()) return false;
  static std::mutex mutex;
  static std::map<std::filesystem::path, bool> found;  // that are avoided
  const std::filesystem::path file = trialFile(folder, device, stage);
  const std::scoped_lock lock(mutex);
  bool& avoided = found[file];
  avoided = avoided || readAvoided(file, stage);
  return avoided;
}

Trial::Trial(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, TrialStage stage) {
  if (folder.empty()) return;
  m_file = trialFile(folder, device, stage);
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  m_handle = openLocked(m_file, O_CREAT);
  if (m_handle >= 0) append(m_handle, tried);
}

Trial::~Trial() {
  if (m_handle < 0) return;
  if (!m_remember) unlink(m_file.c_str());
  close(m_handle);
}

void Trial::failed(const Error& error) {
  if (error.kind != ErrorKind::deviceLost || m_handle < 0) return;
  append(m_handle, tried);
  m_remember = true;
}

}  // namespace minerva::gpu
