import QtQuick

// The window's text. Its characters are shown as they are: Qt's own Text takes for HTML what looks like HTML, and loads the
// images in it from wherever they are said to be. app.plain_text lets no bare Text pass.
Text {
    textFormat: Text.PlainText
}
