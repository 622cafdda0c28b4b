import QtQuick

// The text item used throughout the window. Shows characters as they are: Qt's Text renders what looks like HTML, and loads
// images from the addresses in it. The test app.plain_text forbids Text elsewhere.
Text {
    textFormat: Text.PlainText
}
