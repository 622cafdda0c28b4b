// A paragraph's rich text in the document of the TextEdit that shows it.
//
// While the text grows at its end, the whole of it is given again and again. A document lays out a text block as a whole, so
// all lines but the last become a block of their own as soon as they are complete, and what stands is neither shaped nor
// painted again; what is selected in it stays selected. When the text stops growing the blocks are joined: it is the document
// it would have been from the start. GUI thread only.
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
  // CSS for the text, and the paragraph's tag.
  Q_PROPERTY(QString style MEMBER m_style NOTIFY framed)
  Q_PROPERTY(QString tag MEMBER m_tag NOTIFY framed)
  // How formulas are drawn; while the text grows, and where they cannot be drawn, their source stands there.
  Q_PROPERTY(QColor mathColor MEMBER m_mathColor NOTIFY framed)
  Q_PROPERTY(double mathRatio MEMBER m_mathRatio NOTIFY framed)  // device pixels a pixel
  Q_PROPERTY(bool linked READ isLinked NOTIFY changed)           // some of the text leads somewhere: links()
  // Where the text ends, in the document's coordinates: no width, the height of its last line.
  Q_PROPERTY(QRectF end READ end NOTIFY endChanged)
 public:
  explicit ParagraphText(QObject* parent = nullptr);
  void setDocument(QTextDocument* document);  // must outlive this or be destroyed first; nothing else may change its text
  [[nodiscard]] QString html() const { return m_html; }
  void setHtml(const QString& html);
  [[nodiscard]] bool isGrowing() const { return m_growing; }
  void setGrowing(bool growing);
  [[nodiscard]] bool isLinked() const { return m_html.contains(QLatin1String("<a href=")); }
  [[nodiscard]] QRectF end() const { return m_end; }

  // To be called when the document's width or font has changed: lines end elsewhere, formulas have another size.
  Q_INVOKABLE void refit();
  // The text between two places of the document; a formula's picture is its source.
  Q_INVOKABLE QString text(int from, int to) const;
  // [{from, to, link, text}]: the links and their places in the document, in the text's order.
  Q_INVOKABLE QVariantList links() const;

 Q_SIGNALS:
  void changed();
  void framed();  // what is around the text: it is shown anew
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
  bool m_complete = true;                              // else QML is still setting what it was given
  bool m_watching = false, m_formulasMissing = false;  // some are still being drawn
  qsizetype m_settled = 0;                             // so much of m_html stands in the blocks before the last
  QStringList m_openTags;                              // at that place, outermost first
  QRectF m_end;
};

}  // namespace minerva::app
