#include "bench/peer_process.h"

#include "bench/load_events.h"
#include "bench/report.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace minerva::bench {
namespace {

constexpr std::string_view modelPlace = "{model}";

bool namesModel(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) { return word.find(modelPlace) != std::string::npos; });
}

bool isProgram(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File scratchFile() { return {std::tmpfile(), &std::fclose}; }

std::string contentsOf(std::FILE* file) {
  std::string text;
  std::rewind(file);
  std::array<char, 4096> bytes{};
  constexpr std::size_t most = 16u << 20;
  for (std::size_t n = 0; text.size() < most && (n = std::fread(bytes.data(), 1, bytes.size(), file)) > 0;) text.append(bytes.data(), n);
  return text;
}

std::string lastLine(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last.empty() ? "nothing said" : excerpt(last);
}

std::string endOf(int status) {
  if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
  return "ended by signal " + std::to_string(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

// Runs the words with stdout and stderr in files. The exit status as waitpid has it, or an error number as a negative one.
int spawnAndWait(const std::vector<std::string>& words, std::FILE* out, std::FILE* err) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // as posix_spawn has it; not written
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err), STDERR_FILENO);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -failed;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

double rateOf(const Json& row) {
  const auto samples = row.find("samples_ts");
  if (samples != row.end() && samples->is_array() && !samples->empty()) {
    std::vector<double> values;
    for (const Json& sample : *samples)
      if (sample.is_number()) values.push_back(sample.get<double>());
    if (!values.empty()) return median(values);
  }
  const auto mean = row.find("avg_ts");
  return mean != row.end() && mean->is_number() ? mean->get<double>() : 0;
}

std::string peerText(const Json& row, const char* field) {
  const auto found = row.find(field);
  if (found == row.end()) return "";
  if (found->is_string()) return excerpt(found->get_ref<const std::string&>());
  return found->is_number() ? found->dump() : "";
}

int peerCount(const Json& row, const char* field, int absent) {
  const auto found = row.find(field);
  return found != row.end() && found->is_number_integer() ? static_cast<int>(found->get<std::int64_t>()) : absent;
}

// Whether the list ("CPU", "Vulkan,CPU") names backends, but none that uses a GPU.
bool onlyOnCpu(const std::string& backends) {
  std::istringstream names(backends);
  for (std::string name; std::getline(names, name, ',');)
    if (name != "CPU" && name != "BLAS") return false;
  return !backends.empty();
}

}  // namespace

std::vector<std::string> unequalWork(const OurRun& ours, const PeerFigures& theirs) {
  std::vector<std::string> all;
  const auto note = [&](const std::string& how) { all.push_back(how + ": the ratios are not those of equal work"); };
  if (ours.cpu && theirs.threads != ours.threads)
    note("Minerva ran with " + std::to_string(ours.threads) + " threads, llama-bench with " + std::to_string(theirs.threads));
  if (!ours.cpu && onlyOnCpu(theirs.backends))
    note("Minerva ran on " + ours.device + ", llama-bench without a GPU (" + theirs.backends + ")");
  if (!theirs.kv.empty() && theirs.kv != ours.kv) note("Minerva kept keys and values in " + ours.kv + ", llama-bench in " + theirs.kv);
  if (ours.exact) note("Minerva computed in exact precision, which llama-bench does not have");
  if (ours.split) note("Minerva's layers were on several devices as its options say, of which llama-bench was not told");
  return all;
}

Result<std::vector<std::string>> splitCommand(std::string_view command) {
  std::vector<std::string> words;
  char quote = 0;
  bool open = false;  // in a word, which may be empty in quotes
  for (const char c : command) {
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      if (!open) words.emplace_back();
      open = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  if (quote != 0 || words.empty() || words.front().empty()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The command of the peer is not one",
                 .where = "--peer",
                 .expected = "a program, and its arguments if it needs any",
                 .actual = quote != 0 ? "a quote without its end" : "no program"});
  }
  return words;
}

std::vector<std::string> peerArguments(const std::vector<std::string>& command, const PeerTask& task) {
  std::vector<std::string> words = command;
  for (std::string& word : words) {
    const std::size_t at = word.find(modelPlace);
    if (at != std::string::npos) word.replace(at, modelPlace.size(), task.model);
  }
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  if (!namesModel(command)) {
    add({"-m", task.model, "-fa", "1"});
    if (task.threads > 0) add({"-t", std::to_string(task.threads)});
    if (task.cpu) add({"-dev", "none"});
    if (!task.kv.empty()) add({"-ctk", task.kv, "-ctv", task.kv});
  }
  add({"-p", std::to_string(task.prompt), "-n", std::to_string(task.generate), "-d", std::to_string(task.depth), "-r", "1", "-o", "json"});
  return words;
}

Result<PeerFigures> readPeerFigures(std::string_view output, const PeerTask& task) {
  const auto wrong = [&](const std::string& expected) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "The peer's output is not that of llama-bench",
                 .where = "--peer",
                 .expected = expected,
                 .actual = output.empty() ? "nothing" : excerpt(output)});
  };
  const std::size_t from = output.find('['), to = output.rfind(']');
  if (from == std::string_view::npos || to == std::string_view::npos || to < from) return wrong("a JSON array (-o json)");
  const Json rows = Json::parse(output.substr(from, to + 1 - from), nullptr, false);
  if (!rows.is_array()) return wrong("a JSON array (-o json)");
  PeerFigures figures;
  for (const Json& row : rows) {
    if (!row.is_object() || peerCount(row, "n_depth", 0) != task.depth) continue;  // n_depth: since May 2025
    const int prompt = peerCount(row, "n_prompt", -1), generate = peerCount(row, "n_gen", -1);
    if (prompt == task.prompt && generate == 0) figures.prefillPerSecond = rateOf(row);
    if (prompt == 0 && generate == task.generate) figures.decodePerSecond = rateOf(row);
    figures.threads = peerCount(row, "n_threads", 0);
    figures.build = peerText(row, "build_commit") + " " + peerText(row, "build_number");
    figures.cpu = peerText(row, "cpu_info");
    figures.backends = peerText(row, "backends");
    const std::string keys = peerText(row, "type_k"), values = peerText(row, "type_v");
    figures.kv = keys == values ? keys : keys + " and " + values;
  }
  if (figures.prefillPerSecond > 0 && figures.decodePerSecond > 0) return figures;
  return wrong("rows with a speed for " + std::to_string(task.prompt) + " prompt tokens and " + std::to_string(task.generate) +
               " decoded at depth " + std::to_string(task.depth));
}

Result<void> findPeer(const std::vector<std::string>& command) {
  const std::string& program = command.front();
  if (program.find('/') != std::string::npos) {
    if (isProgram(program)) return {};
  } else if (const char* path = std::getenv("PATH"); path != nullptr) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (isProgram(std::filesystem::path(folder.empty() ? "." : folder) / program)) return {};
  }
  return fail({.kind = ErrorKind::notFound,
               .what = "llama.cpp's llama-bench is not here",
               .where = program,
               .expected = "a program",
               .actual = program.find('/') != std::string::npos ? "none at this path" : "none of this name on PATH",
               .hint =
                   "It comes with llama.cpp: packages and releases are at https://github.com/ggml-org/llama.cpp (Debian: llama.cpp-tools); "
                   "then --peer PATH names it."});
}

Result<PeerFigures> runPeer(const std::vector<std::string>& command, const PeerTask& task) {
  const File out = scratchFile(), err = scratchFile();
  const auto failed = [&](std::string actual) {
    return fail({.kind = ErrorKind::io,
                 .what = "The peer failed",
                 .where = command.front(),
                 .expected = "exit status 0",
                 .actual = std::move(actual)});
  };
  if (!out || !err) return failed("no temporary file for its output");
  const int status = spawnAndWait(peerArguments(command, task), out.get(), err.get());
  if (status < 0) return failed(std::strerror(-status));
  if (status != 0) return failed(endOf(status) + ": " + lastLine(contentsOf(err.get())));
  return readPeerFigures(contentsOf(out.get()), task);
}

}  // namespace minerva::bench
