#include "app/shell/language.h"

#include <QGuiApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include <spdlog/spdlog.h>

namespace minerva::app {
namespace {

// The translation file has one context for all texts of the window: a text is translated the same way everywhere. The engine's errors,
// which are not written for the window, have their own (app/text/error_words.h).
class Words : public QTranslator {
 public:
  using QTranslator::QTranslator;
  QString translate(const char* context, const char* text, const char*, int n) const override {
    const bool ofEngine = QLatin1String(context) == QLatin1String("Errors") || QLatin1String(context) == QLatin1String("Figures");
    return QTranslator::translate(ofEngine ? context : "Minerva", text, nullptr, n);
  }
};

// Kept until the program ends or another language replaces them.
QTranslator* ours = nullptr;
QTranslator* qts = nullptr;

void replace(QTranslator*& installed, QTranslator* by) {
  delete installed;  // uninstalls it
  installed = by;
  if (by != nullptr) QCoreApplication::installTranslator(by);
}

}  // namespace

QString languageCode(const QString& setting) {
  if (setting != QLatin1String("system")) return setting == QLatin1String("de") ? QStringLiteral("de") : QStringLiteral("en");
  for (const QString& language : QLocale::system().uiLanguages())
    for (const char* known : {"de", "en"})
      if (language.startsWith(QLatin1String(known))) return QLatin1String(known);
  return QStringLiteral("en");
}

void useLanguage(const QString& setting) {
  const QString code = languageCode(setting);
  replace(ours, nullptr);
  replace(qts, nullptr);
  if (code != QLatin1String("en")) {  // Qt's own texts are English
    auto* qt = new QTranslator(qApp);
    if (qt->load(QStringLiteral("qtbase_") + code, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
      replace(qts, qt);  // names of keys, buttons of dialogs; only if Qt's translations are installed
    else delete qt;
  }
  auto* words = new Words(qApp);
  if (words->load(QStringLiteral(":/translations/minerva_") + code)) {
    replace(ours, words);
  } else {
    delete words;
    spdlog::error("the translation '{}' could not be read from the program's resources", code.toStdString());
  }
  // Keep the system's regional formats (dates) if its language is the chosen one.
  const QLocale system = QLocale::system(), own(code);
  QLocale::setDefault(system.language() == own.language() ? system : own);
  if (setting == QLatin1String("system")) QGuiApplication::setLayoutDirection(QLocale::system().textDirection());
}

}  // namespace minerva::app
