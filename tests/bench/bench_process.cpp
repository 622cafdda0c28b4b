#include "tests/bench/bench_process.h"

#include "core/convert/synth.h"
#include "tests/core/format/temporary_folder.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace minerva::tests {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

const TemporaryFolder& folder() {
  static const TemporaryFolder made;
  return made;
}

}  // namespace

std::vector<nlohmann::json> Outcome::lines() const {
  std::vector<nlohmann::json> all;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) all.push_back(nlohmann::json::parse(line, nullptr, false));
  return all;
}

Outcome bench(const std::vector<std::string>& arguments, std::string_view input, const char* output) {
  const auto in = folder().write("in", input);
  std::string command = quoted(MINERVA_BENCH);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " < " + quoted(in.string()) + " > " + quoted(output != nullptr ? output : (folder().path() / "out").string()) + " 2> " +
             quoted((folder().path() / "err").string());
  const pid_t shell = ::fork();
  if (shell == 0) {
    ::execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = -1;
  struct rusage use {};
  if (shell < 0 || ::wait4(shell, &status, 0, &use) != shell) return {};
  Outcome outcome;
  outcome.peakBytes = std::int64_t{use.ru_maxrss} * 1024;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (output == nullptr) outcome.out = TemporaryFolder::read(folder().path() / "out");
  outcome.err = TemporaryFolder::read(folder().path() / "err");
  return outcome;
}

std::filesystem::path temporaryFolder() { return folder().path(); }

std::string tinyModel(const std::string& type) {
  const auto path = folder().path() / ("tiny-" + type + ".gguf");
  if (!std::filesystem::exists(path)) {
    const auto written = convert::writeSynthetic(path, {.shape = "test-tiny", .type = type});
    if (!written) throw std::runtime_error(written.error().message());
  }
  return path.string();
}

}  // namespace minerva::tests
