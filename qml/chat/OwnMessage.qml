import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The user's message: plain text in a bubble with a square lower right corner. If very long, only its beginning is shown,
// with a button for the rest: laying out 200,000 characters takes a second.
Rectangle {
    id: bubble

    required property string text
    signal wholeRequested()

    readonly property bool cut: text.length > 8000
    readonly property string beginning: cut ? beginningOf(text) + "..." : text

    // At most 1000 characters or 20 lines, cut at the end of a word. Without types: on slice() in a typed function Qt 6.4's
    // compiler of QML reads memory that it never wrote, and qmllint crashed in one run of twelve.
    function beginningOf(much) {
        return much.slice(0, 1000).split("\n", 20).join("\n").replace(/\s+\S*$|[\ud800-\udbff]$/, "")
    }
    function escaped(plain: string): string {
        return plain.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/\n/g, "<br>")
    }

    implicitWidth: Math.min(
        Math.max(Math.ceil(edit.implicitWidth) + 2 * Theme.space(3.5), more.implicitWidth + 2 * Theme.space(1.5)),
        Theme.space(150))
    implicitHeight: Math.ceil(edit.contentHeight + Theme.space(4.75)) + (cut ? Theme.hit : 0)
    radius: Theme.bubbleRadius
    color: Theme.colors.ownMessage

    Rectangle {
        anchors { right: parent.right; bottom: parent.bottom }
        width: parent.radius
        height: parent.radius
        color: parent.color
        radius: Theme.space(1)
    }
    ParagraphText {  // only rich text supports a line height
        document: edit.textDocument
        tag: "<p style=\"white-space:pre-wrap;margin:0;line-height:" + Math.round(100 * Theme.lineFactor) + "%\">"
        html: bubble.escaped(bubble.beginning)
    }
    TextEdit {
        id: edit
        anchors {
            left: parent.left
            right: parent.right
            top: parent.top
            leftMargin: Theme.space(3.5)
            rightMargin: Theme.space(3.5)
            topMargin: Theme.space(2.75)
        }
        textFormat: TextEdit.RichText
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
    Loader {
        id: more
        active: bubble.cut
        anchors { left: parent.left; bottom: parent.bottom; leftMargin: Theme.space(1.5); bottomMargin: Theme.space(1.5) }
        sourceComponent: Button {
            kind: "quiet"
            text: qsTr("Show all %1 characters").arg(Figures.integer(bubble.text.length))
            onClicked: bubble.wholeRequested()
        }
    }
}
