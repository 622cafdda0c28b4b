#include "app/library/model_details.h"

#include "app/metrics/figures.h"
#include "app/text/error_words.h"
#include "app/text/text.h"
#include "core/engine/loader.h"
#include "core/inspect/model_report.h"

#include <QFile>
#include <QFutureWatcher>
#include <QtConcurrent>

#include <algorithm>
#include <map>

namespace minerva::app {
namespace {

void add(QVariantList& facts, const QString& title, const QString& value) {
  if (!value.isEmpty()) facts.append(QVariantMap{{QStringLiteral("title"), title}, {QStringLiteral("value"), value}});
}

QVariantList shares(std::vector<std::pair<QString, double>> sizes, bool sorted) {
  if (sorted) std::ranges::stable_sort(sizes, [](const auto& a, const auto& b) { return a.second > b.second; });
  double whole = 0;
  for (const auto& [title, bytes] : sizes) whole += bytes;
  QVariantList list;
  for (const auto& [title, bytes] : sizes)
    list.append(QVariantMap{
        {QStringLiteral("title"), title}, {QStringLiteral("bytes"), bytes}, {QStringLiteral("share"), whole > 0 ? bytes / whole : 0}});
  return list;
}

QVariantList shares(const std::map<std::string, std::uint64_t>& sizes, const std::map<std::string, QString>& titles = {}) {
  std::vector<std::pair<QString, double>> list;
  for (const auto& [name, bytes] : sizes) {
    const auto title = titles.find(name);
    list.emplace_back(title == titles.end() ? text(name) : title->second, static_cast<double>(bytes));
  }
  return shares(std::move(list), true);
}

// The reports of core/inspect are in English.
QString templateWords(const QString& said) {
  const QLatin1String builtIn("built in: ");
  if (said == QLatin1String("the model's own")) return ModelDetails::tr("the model's own");
  return said.startsWith(builtIn) ? ModelDetails::tr("built in: %1").arg(said.mid(builtIn.size())) : said;
}

QString tokenizerWords(QString said) { return said.replace(QLatin1String("byte-level BPE"), ModelDetails::tr("byte-level BPE")); }

QVariantList factsOf(const ModelReport& report) {
  QVariantList facts;
  const QString architecture = text(report.architecture);
  add(facts, ModelDetails::tr("Architecture"),
      report.config ? ModelDetails::tr("%1, %n layer(s) of %2", nullptr, static_cast<int>(report.config->layers.size()))
                          .arg(architecture)
                          .arg(report.config->hiddenSize)
                    : architecture);
  add(facts, ModelDetails::tr("Parameters"), Figures::parameters(static_cast<double>(report.parameters)));
  add(facts, ModelDetails::tr("Bits per weight"), Figures::decimal(report.bitsPerWeight(), 2));
  add(facts, ModelDetails::tr("On disk"), Figures::bytes(static_cast<double>(report.file->fileBytes())));
  if (report.config)
    add(facts, ModelDetails::tr("Context"), ModelDetails::tr("%1 tokens").arg(Figures::integer(report.config->contextLength)));
  add(facts, ModelDetails::tr("Tokenizer"),
      report.config ? ModelDetails::tr("%1, %2 tokens")
                          .arg(tokenizerWords(text(report.tokenizer)))
                          .arg(Figures::integer(report.config->vocabularySize))
                    : tokenizerWords(text(report.tokenizer)));
  add(facts, ModelDetails::tr("Chat template"), templateWords(text(report.chatTemplate)));
  add(facts, ModelDetails::tr("Location"), text(report.file->path().string()));
  return facts;
}

}  // namespace

ModelDetails::ModelDetails(QObject* parent) : QObject(parent) {}

ModelDetails::Content ModelDetails::read(const QString& path) {
  Content content;
  const auto report = inspectModel(QFile::encodeName(path).toStdString());
  if (!report) {
    content.error = ErrorInfo::from(report.error(), tr("This model cannot be opened"));
    return content;
  }
  const std::map<std::string, QString> partTitles{{"attention", tr("Attention")}, {"feed_forward", tr("Feed-forward")},
                                                  {"experts", tr("Experts")},     {"embedding", tr("Embedding")},
                                                  {"head", tr("Head")},           {"other", tr("Norms and other")}};
  content.name = text(report->name);
  content.format = QString::fromLatin1(format::name(report->file->format()));
  content.facts = factsOf(*report);
  content.types = shares(report->bytesByType);
  content.parts = shares(report->bytesByPart, partTitles);
  if (report->plan) {
    content.context = std::min(report->plan->contextLength, model::usualContext);
    const auto state = static_cast<double>(engine::stateBytesFor({.path = {}, .contextLength = content.context}, *report->plan));
    content.cacheType = QString::fromLatin1(model::name(report->plan->usualKv)).toUpper();
    content.memory = shares({{tr("Weights"), static_cast<double>(report->weightBytes)}, {tr("State of conversations"), state}}, false);
  }
  for (const Error& problem : report->problems) content.problems << shownMessage(problem);
  for (const std::string& warning : report->warnings) content.warnings << shownSentence(warning);
  return content;
}

void ModelDetails::setPath(const QString& path) {
  m_path = path;
  m_content = {};
  m_loading = !path.isEmpty();
  const quint64 asked = ++m_asked;
  Q_EMIT changed();
  if (!m_loading) return;
  auto* watcher = new QFutureWatcher<Content>(this);
  connect(watcher, &QFutureWatcher<Content>::finished, this, [this, watcher, asked] {
    watcher->deleteLater();
    if (asked != m_asked) return;
    m_loading = false;
    m_content = watcher->result();
    Q_EMIT changed();
  });
  watcher->setFuture(QtConcurrent::run(&ModelDetails::read, path));
}

}  // namespace minerva::app
