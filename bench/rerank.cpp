// Ranks documents, one a line of a file, for a query.
#include "bench/device_options.h"
#include "bench/report.h"
#include "bench/text_source.h"
#include "core/base/utf8.h"
#include "core/engine/reranker.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace minerva::bench {
namespace {

struct RerankOptions {
  DeviceOptions device;
  std::string model, query, file, instruction;
  std::vector<std::string> documents;
  int rows = engine::EmbedderOptions{}.rows, batch = engine::EmbedderOptions{}.texts, top = 0;
};

Result<void> runRerank(const RerankOptions& options) {
  std::vector<std::string> documents = options.documents;
  if (!options.file.empty()) {
    MINERVA_ASSIGN(const std::vector<std::string> lines, linesOf(options.file));
    documents.insert(documents.end(), lines.begin(), lines.end());
  }
  if (documents.empty()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "There are no documents",
                 .where = options.file.empty() ? "arguments" : options.file,
                 .expected = "--documents FILE with one a line, or --document TEXT",
                 .actual = "none"});
  }
  MINERVA_ASSIGN(const auto backend, openDevice(options.device));
  engine::EmbedderOptions load = embedderOptions(options.device, options.model);
  load.rows = options.rows;
  load.texts = options.batch;
  MINERVA_ASSIGN(const auto reranker, engine::Reranker::load(*backend, load, {}, {}));
  printWarnings(reranker->info().warnings);
  MINERVA_ASSIGN(const engine::RankedTexts ranked, reranker->rank(options.query, documents, {.instruction = options.instruction}));
  std::vector<std::size_t> order(documents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return ranked.scores[a] > ranked.scores[b]; });
  if (options.top > 0) order.resize(std::min(order.size(), static_cast<std::size_t>(options.top)));
  Json results = Json::array();
  for (const std::size_t i : order)
    results.push_back(
        {{"index", i}, {"score", ranked.scores[i]}, {"tokens", ranked.tokens[i]}, {"document", utf8::replaceBroken(documents[i])}});
  print({{"scores", reranker->asks() ? "probability" : "logit"}, {"results", results}});
  if (ranked.shortened > 0) {
    std::fprintf(stderr, "warning: %zu documents were cut so that they fit into %d tokens with the query\n", ranked.shortened,
                 reranker->info().textLength);
  }
  return {};
}

}  // namespace

Runner defineRerank(CLI::App& app) {
  auto options = std::make_shared<RerankOptions>();
  app.add_option("model", options->model, "A reranker: a file or folder")->required();
  app.add_option("--query", options->query, "What the documents are to answer")->required();
  app.add_option("--documents", options->file, "A file with a document on each line; -: stdin");
  app.add_option("--document", options->documents, "A document; may be repeated")->take_all()->allow_extra_args(false);
  app.add_option("--instruction", options->instruction, "What documents are judged by, for models that are asked (default: a web search)");
  app.add_option("--top", options->top, "Only the best so many; 0: all")->check(CLI::Range(0, 1 << 30));
  app.add_option("--batch", options->batch, "Documents of a step at most")->check(CLI::Range(1, 1 << 16));
  app.add_option("--rows", options->rows, "Tokens of a step with several documents")->check(CLI::Range(1, 1 << 20));
  addDeviceOptions(app, options->device);
  return [options] { return runRerank(*options); };
}

}  // namespace minerva::bench
