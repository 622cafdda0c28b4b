// Fills a TextEdit with highlighted code: `CodeHighlighter { document: edit.textDocument; code: ...; language: ... }`.
//
// Appended code is inserted at the end, so existing lines are neither laid out nor highlighted again. The colours come
// from the theme and may change at any time. Languages are defined in languages.cpp; unknown ones stay plain. GUI thread
// only.
#pragma once

#include <QColor>
#include <QQuickTextDocument>
#include <QSyntaxHighlighter>
#include <qqmlregistration.h>

namespace minerva::app {

struct Language;

class CodeHighlighter : public QSyntaxHighlighter {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickTextDocument* document READ quickDocument WRITE setQuickDocument NOTIFY changed)
  Q_PROPERTY(QString code READ code WRITE setCode NOTIFY changed)
  Q_PROPERTY(QString language READ language WRITE setLanguage NOTIFY changed)
  Q_PROPERTY(double lineHeight MEMBER m_lineHeight WRITE setLineHeight NOTIFY changed)  // relative to the font's line height; set it first
  Q_PROPERTY(QColor keywordColor MEMBER m_keyword WRITE setKeywordColor NOTIFY changed)
  Q_PROPERTY(QColor typeColor MEMBER m_type WRITE setTypeColor NOTIFY changed)
  Q_PROPERTY(QColor stringColor MEMBER m_string WRITE setStringColor NOTIFY changed)
  Q_PROPERTY(QColor numberColor MEMBER m_number WRITE setNumberColor NOTIFY changed)
  Q_PROPERTY(QColor commentColor MEMBER m_comment WRITE setCommentColor NOTIFY changed)
 public:
  explicit CodeHighlighter(QObject* parent = nullptr);
  [[nodiscard]] QQuickTextDocument* quickDocument() const { return m_document; }
  void setQuickDocument(QQuickTextDocument* document);
  [[nodiscard]] QString code() const { return m_code; }
  void setCode(const QString& code);
  [[nodiscard]] QString language() const { return m_language; }
  void setLanguage(const QString& language);
  void setLineHeight(double factor);
  void setKeywordColor(const QColor& color) { recolour(m_keyword, color); }
  void setTypeColor(const QColor& color) { recolour(m_type, color); }
  void setStringColor(const QColor& color) { recolour(m_string, color); }
  void setNumberColor(const QColor& color) { recolour(m_number, color); }
  void setCommentColor(const QColor& color) { recolour(m_comment, color); }

 Q_SIGNALS:
  void changed();

 protected:
  void highlightBlock(const QString& text) override;

 private:
  void spaceLines();
  void recolour(QColor& member, const QColor& color);
  QQuickTextDocument* m_document = nullptr;
  QString m_code, m_language;
  double m_lineHeight = 1;
  const Language* m_rules = nullptr;
  QColor m_keyword, m_type, m_string, m_number, m_comment;
};

}  // namespace minerva::app
