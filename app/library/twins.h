// Recognises versions of the same model in other formats by name: the file "Llama-3.2-1B-Instruct-Q4_K_M.gguf" and the folder
// "Llama-3.2-1B-Instruct-4bit" have the same base name. Pure functions.
#pragma once

#include <QString>

namespace minerva::app {

// The name of a file, folder or repository without format and quantization: "llama 3 2 1b instruct".
[[nodiscard]] QString baseNameOf(const QString& name);

struct TwinFacts {
  QString base;           // baseNameOf() of the file or folder
  QString family;         // empty: unknown
  double parameters = 0;  // 0: unknown
};
[[nodiscard]] bool areTwins(const TwinFacts& a, const TwinFacts& b);

}  // namespace minerva::app
