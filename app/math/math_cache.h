// Cache of rendered formulas, drawn on a separate thread. GUI thread only.
//
// A singleton, because QML creates the texts and items that show formulas. The thread starts with the first formula.
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
  double pixels = 16;  // size of the surrounding text
  QColor color;
  double ratio = 1;  // device pixels per pixel
  friend bool operator==(const MathRequest&, const MathRequest&) = default;
  [[nodiscard]] QString key() const;
};

struct MathPicture {
  QImage image;                                // null: cannot be drawn; see `problem`
  double width = 0, height = 0, baseline = 0;  // in pixels; the baseline is measured from the top
  QString problem;
};

// Renders formulas. Use on one thread only.
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
  // The cached picture, or null: it is being drawn and ready() will follow.
  [[nodiscard]] const MathPicture* find(const MathRequest& request);

 Q_SIGNALS:
  void ready();  // some requested pictures are available

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
