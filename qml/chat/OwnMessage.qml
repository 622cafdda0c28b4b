import QtQuick
import Minerva.App
import Minerva.Theme

// The user's message: plain text in a bubble whose lower right corner is square.
Rectangle {
    id: bubble

    required property string text

    // Only rich text can have the line height; a pasted file does not need it.
    readonly property bool rich: text.length < 20000
    function escaped(plain: string): string { return plain.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\n/g, "<br>") }

    implicitWidth: Math.min(Math.ceil(words.implicitWidth) + 2 * Theme.space(3.5), Theme.space(150))
    implicitHeight: Math.ceil((words.item?.contentHeight ?? 0) + Theme.space(4.75))
    radius: Theme.bubbleRadius
    color: Theme.colors.ownMessage

    Rectangle { anchors { right: parent.right; bottom: parent.bottom } width: parent.radius; height: parent.radius; color: parent.color; radius: Theme.space(1) }
    Loader {
        id: words
        anchors { left: parent.left; right: parent.right; top: parent.top; leftMargin: Theme.space(3.5); rightMargin: Theme.space(3.5); topMargin: Theme.space(2.75) }
        sourceComponent: bubble.rich ? spaced : plain
    }
    Component { id: spaced; Words { textFormat: TextEdit.RichText } }
    Component { id: plain; Words { textFormat: TextEdit.PlainText; text: bubble.text } }
    ParagraphText {
        document: bubble.rich && words.item ? words.item.textDocument : null
        tag: "<p style=\"white-space:pre-wrap;margin:0;line-height:" + Math.round(100 * Theme.lineFactor) + "%\">"
        html: bubble.rich ? bubble.escaped(bubble.text) : ""
    }
    component Words: TextEdit {
        wrapMode: TextEdit.Wrap
        readOnly: true
        selectByMouse: true
        color: Theme.colors.text
        selectionColor: Theme.colors.accent
        selectedTextColor: Theme.colors.accentInk
        font.family: Theme.sans
        font.pixelSize: Theme.bodySize
        Accessible.name: bubble.text
    }
}
