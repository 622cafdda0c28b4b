// Which models are the same one in other formats, told by names: "Llama-3.2-1B-Instruct-Q4_K_M.gguf" and the folder
// "Llama-3.2-1B-Instruct-4bit" have one base. Pure functions.
#pragma once

#include <QString>

namespace minerva::app {

// "llama 3 2 1b instruct": of a file's, folder's or repository's name, without what names a format or quantization.
[[nodiscard]] QString baseNameOf(const QString& name);

struct TwinFacts {
  QString base;           // baseNameOf() of the file or folder
  QString family;         // empty: not known
  double parameters = 0;  // 0: not known
};
[[nodiscard]] bool areTwins(const TwinFacts& a, const TwinFacts& b);

}  // namespace minerva::app
