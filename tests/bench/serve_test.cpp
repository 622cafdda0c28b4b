// minerva-bench serve as a separate program: its first line, a reply, and its end.
#include <gtest/gtest.h>
#include <httplib.h>

#include <array>
#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace minerva {
namespace {

struct Child {
  pid_t id = -1;
  int out = -1;
};

Child startServe(const char* host) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t id = fork();
  if (id == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    execl(MINERVA_BENCH, MINERVA_BENCH, "serve", MINERVA_SOURCE_DIR "/resources/builtin-model", "--host", host, "--port", "0", "--device",
          "cpu", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  return {id, ends[0]};
}

std::string firstLine(const Child& child) {
  std::string line;
  for (char c = 0; read(child.out, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

int exitStatus(const Child& child) {
  int status = 0;
  waitpid(child.id, &status, 0);
  close(child.out);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Serve, SaysWhereItListensAndEndsWithSigterm) {
  const Child child = startServe("127.0.0.1");
  const std::string line = firstLine(child);
  ASSERT_EQ(line.substr(0, 29), "listening on http://127.0.0.1") << line;
  const auto health = httplib::Client(line.substr(13)).Get("/health");
  ASSERT_TRUE(health);
  EXPECT_EQ(health->status, 200);
  kill(child.id, SIGTERM);
  EXPECT_EQ(exitStatus(child), 0);
}

TEST(Serve, RefusesAnOpenDoorWithoutAKey) {
  const Child child = startServe("0.0.0.0");
  EXPECT_EQ(firstLine(child), "");
  EXPECT_EQ(exitStatus(child), 1);
}

}  // namespace
}  // namespace minerva
