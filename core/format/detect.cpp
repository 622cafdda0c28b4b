#include "core/format/detect.h"

#include "core/format/readable.h"
#include "core/format/safetensors.h"

#include <string_view>

namespace minerva::format {

namespace {

struct Foreign {
  std::string_view start;
  const char* what;
};
constexpr std::string_view convertHint = "Choose the GGUF or SafeTensors version of this model.";

// Formats that users try to open, recognised to give a helpful message.
constexpr Foreign foreignFormats[] = {
    {"lmgg", "This is a file of the old GGML format, which came before GGUF"},
    {"ggml", "This is a file of the old GGML format, which came before GGUF"},
    {"tjgg", "This is a file of the old GGJT format, which came before GGUF"},
    {"fmgg", "This is a file of the old GGMF format, which came before GGUF"},
    {"FUGG", "This is a GGUF file in big-endian byte order"},
    {"PK\x03\x04", "This is a PyTorch checkpoint or a ZIP archive"},
    {"\x80\x02", "This is a pickled PyTorch checkpoint"},
    {"\x89HDF", "This is an HDF5 file"},
    {"version https://git-lfs", "This is a Git LFS pointer, not the model: its content was never downloaded"},
    {"<!DOCTYPE", "This is a web page, not a model: the download failed"},
    {"<html", "This is a web page, not a model: the download failed"},
    {"{", "This is a JSON file, not the weights: open the folder it is in"},
};

}  // namespace

Result<FileFormat> detectFormat(std::span<const std::byte> bytes, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.empty()) {
    return fail({.kind = ErrorKind::corrupt, .what = "The file is empty", .where = where, .hint = "Download it again."});
  }
  if (text.starts_with("GGUF")) return FileFormat::gguf;
  if (looksLikeSafeTensors(bytes)) return FileFormat::safetensors;
  for (const Foreign& foreign : foreignFormats) {
    if (!text.starts_with(foreign.start)) continue;
    return fail({.kind = ErrorKind::unsupported,
                 .what = foreign.what,
                 .where = where,
                 .expected = "GGUF or SafeTensors",
                 .hint = std::string(convertHint)});
  }
  return fail({.kind = ErrorKind::unsupported,
               .what = "This is not a supported model file",
               .where = where,
               .expected = "GGUF (starts with \"GGUF\") or SafeTensors (a header length and \"{\")",
               .actual = std::to_string(bytes.size()) + " bytes that start with \"" + readable(text.substr(0, 8)) + "\"",
               .hint = std::string(convertHint)});
}

}  // namespace minerva::format
