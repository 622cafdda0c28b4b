// Shows a paragraph's rich text in the document of a TextEdit.
//
// While the text grows, html is set to the whole text again and again. QTextDocument lays out a text block as a whole, so
// complete lines are moved to separate blocks: they are neither shaped nor painted again, and selections in them are
// kept. When the text is complete the blocks are joined, which gives the same document as setting the text at once. GUI
// thread only.
#pragma once

#include <QColor>
#include <QObject>
#include <QPointer>
#include <QQmlParserStatus>
#include <QQuickTextDocument>
#include <QRectF>
#include <QStringList>
#include <QTextDocument>
#include <QVariant>
#include <qqmlregistration.h>

namespace minerva::app {

class ParagraphText : public QObject, public QQmlParserStatus {
  Q_OBJECT
  Q_INTERFACES(QQmlParserStatus)
  QML_ELEMENT
  Q_PROPERTY(QQuickTextDocument* document READ quickDocument WRITE setQuickDocument NOTIFY changed)
  Q_PROPERTY(QString html READ html WRITE setHtml NOTIFY changed)
  Q_PROPERTY(bool growing READ isGrowing WRITE setGrowing NOTIFY changed)
  // Style sheet of the text, and the paragraph's opening tag.
  Q_PROPERTY(QString style MEMBER m_style NOTIFY framed)
  Q_PROPERTY(QString tag MEMBER m_tag NOTIFY framed)
  // How formulas are drawn. While the text grows, and if a formula cannot be drawn, its source is shown instead.
  Q_PROPERTY(QColor mathColor MEMBER m_mathColor NOTIFY framed)
  Q_PROPERTY(double mathRatio MEMBER m_mathRatio NOTIFY framed)  // device pixels per pixel
  Q_PROPERTY(bool linked READ isLinked NOTIFY changed)           // whether there are links: links()
  // End of the text in document coordinates: zero width, height of the last line.
  Q_PROPERTY(QRectF end READ end NOTIFY endChanged)
 public:
  explicit ParagraphText(QObject* parent = nullptr);
  void setDocument(QTextDocument* document);  // must outlive this object, or be destroyed first; its text must not be changed by others
  [[nodiscard]] QString html() const { return m_html; }
  void setHtml(const QString& html);
  [[nodiscard]] bool isGrowing() const { return m_growing; }
  void setGrowing(bool growing);
  [[nodiscard]] bool isLinked() const { return m_html.contains(QLatin1String("<a href=")); }
  [[nodiscard]] QRectF end() const { return m_end; }

  // Must be called when the document's width or font changes: line breaks and formula sizes change.
  Q_INVOKABLE void refit();
  // The text between two positions of the document; formulas as their source.
  Q_INVOKABLE QString text(int from, int to) const;
  // [{from, to, link, text}]: the links with their document positions, in text order.
  Q_INVOKABLE QVariantList links() const;

 Q_SIGNALS:
  void changed();
  void framed();  // style, tag or formula colours have changed: the text is rendered again
  void endChanged();

 private:
  [[nodiscard]] QQuickTextDocument* quickDocument() const { return m_quickDocument; }
  void setQuickDocument(QQuickTextDocument* document);
  void classBegin() override { m_complete = false; }
  void componentComplete() override;
  [[nodiscard]] bool isShown() const { return m_complete && m_document != nullptr; }
  void takeStyle();
  void showWhole();
  void showOpen();
  void settle();
  void join();
  void measureEnd();
  void watchFormulas();
  QPointer<QQuickTextDocument> m_quickDocument;
  QPointer<QTextDocument> m_document;
  QString m_html, m_style, m_tag = QStringLiteral("<p>");
  QColor m_mathColor = Qt::black;
  double m_mathRatio = 1;
  bool m_growing = false;
  bool m_complete = true;                              // false while QML sets the initial properties
  bool m_watching = false, m_formulasMissing = false;  // a formula is still being drawn
  qsizetype m_settled = 0;                             // length of the part of m_html in the blocks before the last
  QStringList m_openTags;                              // open tags at m_settled, outermost first
  QRectF m_end;
};

}  // namespace minerva::app
