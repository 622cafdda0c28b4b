// Parses the command line, runs one verb and maps its result to an exit code.
#include "bench/verb.h"
#include "core/base/standard_output.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

namespace {

// For help and wrong usage; a word that is no verb is named, which the library does not.
int leave(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !unknown.empty()) {
    std::fprintf(stderr, "minerva-bench: there is no verb '%s'; minerva-bench --help lists them\n",
                 minerva::utf8::printable(unknown.front()).c_str());
    return 2;
  }
  return app.exit(error) == 0 ? 0 : 2;
}

// An exit status: of what the verb says, and whether that has arrived.
int finish(const minerva::Result<void>& result) {
  const minerva::Result<void> written = minerva::flushStandardOutput();
  if (result && written) return 0;
  std::string line = result ? written.error().message() : result.error().message();
  std::ranges::replace(line, '\n', ' ');
  std::fprintf(stderr, "minerva-bench: %s\n", line.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"minerva-bench: local language models from the terminal", "minerva-bench"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "minerva-bench " MINERVA_VERSION);
  minerva::bench::Runner chosen;
  for (const minerva::bench::Verb& verb : minerva::bench::verbs()) {
    CLI::App* options = app.add_subcommand(verb.name, verb.help);
    options->callback([&chosen, runner = verb.define(*options)] { chosen = runner; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = leave(app, error);
    return status == 0 ? finish({}) : status;
  }
  try {
    return finish(chosen());
  } catch (const std::exception& error) {  // from the standard library, such as out of memory
    std::fprintf(stderr, "minerva-bench: %s\n", error.what());
  }
  return 1;
}
