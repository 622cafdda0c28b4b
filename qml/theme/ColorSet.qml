import QtQuick

// The colours of one set, by role. All are required, so that an incomplete set is a load error.
QtObject {
    required property color bg
    required property color surface
    required property color sunken
    required property color line
    required property color text
    required property color muted
    required property color faint
    required property color accent
    required property color accentInk
    required property color accentSoft
    required property color gguf
    required property color ggufSoft
    required property color safetensors
    required property color safetensorsSoft
    required property color mlx
    required property color mlxSoft
    required property color good
    required property color goodSoft
    required property color warn
    required property color warnSoft
    required property color bad
    required property color badSoft
    required property color ownMessage
}
