// Parses the command line, runs one verb and maps its result to an exit code.
#include "bench/verb.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

int main(int argc, char** argv) {
  CLI::App app{"minerva-bench: local language models from the terminal", "minerva-bench"};
  app.require_subcommand(1);
  minerva::bench::Runner chosen;
  for (const minerva::bench::Verb& verb : minerva::bench::verbs()) {
    CLI::App* options = app.add_subcommand(verb.name, verb.help);
    options->callback([&chosen, runner = verb.define(*options)] { chosen = runner; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  try {
    const minerva::Result<void> result = chosen();
    if (result) return 0;
    std::string line = result.error().message();
    std::ranges::replace(line, '\n', ' ');
    std::fprintf(stderr, "minerva-bench: %s\n", line.c_str());
  } catch (const std::exception& error) {  // from the standard library, such as out of memory
    std::fprintf(stderr, "minerva-bench: %s\n", error.what());
  }
  return 1;
}
