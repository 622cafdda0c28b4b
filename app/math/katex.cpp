#include "app/math/katex.h"

#include <spdlog/spdlog.h>

#include <QFile>
#include <QLoggingCategory>

namespace minerva::app {
namespace {

constexpr const char* scriptFile = ":/katex/katex.min.js";

QLoggingCategory::CategoryFilter othersFilter = nullptr;

// Qt's QML compiler prints hundreds of style warnings about KaTeX's script.
void withoutRemarks(QLoggingCategory* category) {
  if (othersFilter) othersFilter(category);
  if (qstrcmp(category->categoryName(), "qt.qml.compiler") == 0) category->setEnabled(QtWarningMsg, false);
}

}  // namespace

bool Katex::isThere() { return QFile::exists(QLatin1String(scriptFile)); }

Result<void> Katex::load() {
  QFile script{QLatin1String(scriptFile)};
  if (!script.open(QIODevice::ReadOnly))
    return fail({.kind = ErrorKind::unsupported,
                 .what = "formulas are shown as source text: Minerva was built without KaTeX",
                 .hint = "install libjs-katex and fonts-katex and build Minerva again"});
  m_engine = std::make_unique<QJSEngine>();
  othersFilter = QLoggingCategory::installFilter(withoutRemarks);
  const QJSValue loaded =
      m_engine->evaluate(QStringLiteral("var self = this;") + QString::fromUtf8(script.readAll()), QStringLiteral("katex.min.js"));
  QLoggingCategory::installFilter(othersFilter);
  if (loaded.isError())
    return fail({.kind = ErrorKind::internal, .what = "KaTeX could not be loaded", .actual = loaded.toString().toStdString()});
  m_render = m_engine->evaluate(QStringLiteral(
      "(function(tex, display) { return katex.renderToString(tex, {displayMode: display, output: 'html', throwOnError: true, strict: false, trust: false, maxSize: 40, maxExpand: 500}) })"));
  return {};
}

Result<QString> Katex::markup(const QString& tex, bool display) {
  if (!m_loaded) {
    m_loaded = load();
    if (!*m_loaded) spdlog::warn("{}", m_loaded->error().message());  // logged once
  }
  MINERVA_TRY(*m_loaded);
  const QJSValue made = m_render.call({QJSValue(tex), QJSValue(display)});
  if (made.isError())
    return fail({.kind = ErrorKind::unsupported, .what = "KaTeX cannot parse this formula", .actual = made.toString().toStdString()});
  return made.toString();
}

}  // namespace minerva::app
