#include "app/inference/text_embedder.h"

#include "core/base/processors.h"
#include "gpu/available.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <new>

namespace minerva::app {
namespace {

constexpr int longestText = 512;
constexpr int mostThreads = 2;

// The one asked for if the model states it, otherwise its usual one; but a document does not get a query's.
std::string promptName(const engine::EmbedderInfo& info, TextEmbedder::Kind kind) {
  const std::string own = kind == TextEmbedder::Kind::query ? "query" : "document";
  if (info.prompts.contains(own)) return own;
  return info.usualPrompt == "query" || info.usualPrompt == "document" ? std::string() : info.usualPrompt;
}

void scaleToLengthOne(std::span<const float> from, float* to) {
  double square = 0;
  for (const float x : from) square += static_cast<double>(x) * x;
  const auto factor = static_cast<float>(square > 0 ? 1 / std::sqrt(square) : 0);
  std::transform(from.begin(), from.end(), to, [factor](float x) { return x * factor; });
}

}  // namespace

QString TextEmbedder::keyOf(const QString& path) {
  const QFileInfo info(path);
  QDateTime changed = info.lastModified();
  if (info.isDir())
    for (const QFileInfo& file : QDir(path).entryInfoList({QStringLiteral("*.safetensors"), QStringLiteral("*.json")}, QDir::Files))
      changed = std::max(changed, file.lastModified());
  return path + QLatin1Char('\n') + QString::number(changed.isValid() ? changed.toMSecsSinceEpoch() : 0);
}

void TextEmbedder::unload() {
  m_embedder.reset();
  m_backend.reset();
  m_path.clear();
}

Result<void> TextEmbedder::load(const QString& path, const std::stop_token& stop) {
  if (m_embedder && m_path == path) return {};
  unload();
  MINERVA_ASSIGN(m_backend, createBackend("cpu", {.threads = std::min(physicalCores(), mostThreads)}));
  const engine::EmbedderOptions options{.path = QFile::encodeName(path).toStdString(), .textLength = longestText};
  MINERVA_ASSIGN(m_embedder, engine::Embedder::load(*m_backend, options, {}, stop));
  m_path = path;
  return {};
}

Result<EmbeddedTexts> TextEmbedder::embed(const QString& path, const std::vector<std::string>& texts, Kind kind,
                                          const std::stop_token& stop) try {
  MINERVA_TRY(load(path, stop));
  std::vector<std::string> usable;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (m_embedder->tokensOf(texts[i]).empty()) continue;
    usable.push_back(texts[i]);
    places.push_back(i);
  }
  MINERVA_ASSIGN(const engine::TextVectors vectors, m_embedder->embed(usable, {.prompt = promptName(m_embedder->info(), kind)}, stop));
  EmbeddedTexts result{.values = {}, .dimensions = m_embedder->info().dimensions};
  const auto width = static_cast<std::size_t>(result.dimensions);
  result.values.resize(texts.size() * width);
  for (std::size_t i = 0; i < places.size(); ++i) scaleToLengthOne(vectors.of(i), result.values.data() + places[i] * width);
  return result;
} catch (const std::bad_alloc&) {
  unload();
  return fail({.kind = ErrorKind::outOfMemory,
               .what = "there is not enough memory for the embedding model",
               .where = path.toStdString(),
               .hint = "close other programs, or choose a smaller model"});
}

}  // namespace minerva::app
