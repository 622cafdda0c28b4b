// Pictures of formulas: made on a thread of its own, kept while there is room. GUI thread only.
//
// One for the program: texts and items that show formulas are made by QML, everywhere. It starts with the first formula.
#pragma once

#include "app/math/katex.h"
#include "app/math/math_fonts.h"

#include <QCache>
#include <QColor>
#include <QImage>
#include <QObject>
#include <QSet>
#include <QThread>
#include <QTimer>

namespace minerva::app {

struct MathRequest {
  QString tex;
  bool display = false;
  double pixels = 16;  // size of the text around it
  QColor color;
  double ratio = 1;  // device pixels a pixel
  friend bool operator==(const MathRequest&, const MathRequest&) = default;
  [[nodiscard]] QString key() const;
};

struct MathPicture {
  QImage image;                                // null: it cannot be drawn, and `problem` says why
  double width = 0, height = 0, baseline = 0;  // in pixels; the baseline from the top
  QString problem;
};

// What makes them. Belongs to the thread that uses it.
struct MathPress {
  Katex katex;
  MathFonts fonts;
  [[nodiscard]] MathPicture draw(const MathRequest& request);
};

class MathCache : public QObject {
  Q_OBJECT
 public:
  static MathCache& instance();
  ~MathCache() override;
  // Null: not there yet; ready() follows.
  [[nodiscard]] const MathPicture* find(const MathRequest& request);

 Q_SIGNALS:
  void ready();  // some of what was asked for is there

 private:
  explicit MathCache(QObject* parent);
  void take(const QString& key, const MathPicture& picture);
  QThread m_thread;
  class Worker;
  Worker* m_worker;
  QCache<QString, MathPicture> m_pictures;
  QSet<QString> m_asked;
  QTimer m_told;
};

}  // namespace minerva::app
