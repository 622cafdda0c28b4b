// Which smaller model drafts for a model (engine::LoadOptions::draft), and which models of the library could.
//
// Those of the same vocabulary with at most a third of its size, which a worker thread looks for while `model` is set. Kept in the
// settings file by the paths of models; it takes effect when the model is loaded next. GUI thread only.
#pragma once

#include <QMap>
#include <QObject>
#include <QVariantList>
#include <qqmlregistration.h>

#include <atomic>
#include <memory>

namespace minerva::app {

class ModelLibrary;
class Settings;

// The choices that are kept: paths of draft models, by those of the models (placeOf).
[[nodiscard]] QMap<QString, QString> keptDrafts(Settings& settings);

class DraftChoice : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with AppServices")
  Q_PROPERTY(QString model READ model WRITE setModel NOTIFY changed)  // path of the model whose choice is shown; "": none
  Q_PROPERTY(QVariantList all READ all NOTIFY changed)                // [{value, title}]: none, then models; empty: there are none
  Q_PROPERTY(QString chosen READ chosen NOTIFY changed)               // path; "": none
 public:
  // Both must outlive it.
  DraftChoice(Settings* settings, const ModelLibrary* library, QObject* parent = nullptr);
  ~DraftChoice() override;

  [[nodiscard]] QString model() const { return m_model; }
  void setModel(const QString& path);
  [[nodiscard]] QVariantList all() const;
  [[nodiscard]] QString chosen() const { return ofModel(m_model); }
  [[nodiscard]] bool isLooking() const { return m_looking; }  // models are still being compared
  Q_INVOKABLE void choose(const QString& draft);              // for `model`
  [[nodiscard]] QString ofModel(const QString& model) const { return m_ofModel.value(model); }

 Q_SIGNALS:
  void changed();
  void chosenFor(const QString& model);  // another draft model, or none

 private:
  struct Candidate {
    QString path, name;
  };
  using Stop = std::shared_ptr<std::atomic<bool>>;
  [[nodiscard]] QList<Candidate> smallerModels() const;
  [[nodiscard]] static QList<Candidate> thoseOfTheSameVocabulary(const QString& model, const QList<Candidate>& candidates,
                                                                 const Stop& stop);
  void stopLooking();

  Settings* m_settings;
  const ModelLibrary* m_library;
  QMap<QString, QString> m_ofModel;  // paths
  QString m_model;
  QList<Candidate> m_found;
  Stop m_stop;
  bool m_looking = false;
};

}  // namespace minerva::app
