// Models that lie in the repository.
#pragma once

#include <QString>

namespace minerva::app {

inline const QString builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");
inline const QString anotherModel = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/llama-gqa-bf16/hf");
inline const QString gguf = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/golden/models/q-llama/gguf/q-llama-Q4_K_M.gguf");

}  // namespace minerva::app
