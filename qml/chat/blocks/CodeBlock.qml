import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Code with its language, a copy button and syntax highlighting. Long lines scroll horizontally. A call of a tool is shown the
// same way, under the language "tool_call" (inference/frame_coalescer.h).
Rectangle {
    id: block

    required property string code
    required property string language
    property bool caret: false
    signal copyRequested(string text)

    implicitHeight: bar.height + flick.height + Theme.space(2)
    radius: Theme.radius
    color: Theme.colors.sunken
    border.width: 1
    border.color: Theme.colors.line

    RowLayout {
        id: bar
        anchors { left: parent.left; right: parent.right; top: parent.top; leftMargin: Theme.space(3); rightMargin: Theme.space(1) }
        height: Theme.space(7.5)
        Label { text: block.language === "" ? qsTr("text") : block.language === "tool_call" ? qsTr("Tool call") : block.language; kind: "note"; Layout.fillWidth: true; elide: Text.ElideRight }
        Button {
            id: copy
            kind: "quiet"
            text: copied.running ? qsTr("Copied") : qsTr("Copy")
            implicitHeight: Theme.space(6.5)
            Accessible.description: qsTr("Copies this code")
            onClicked: { block.copyRequested(block.code); copied.restart() }
            Timer { id: copied; interval: 1500 }
        }
    }
    Rectangle { y: bar.height; width: parent.width; height: 1; color: Theme.colors.line }
    Flickable {
        id: flick
        anchors { left: parent.left; right: parent.right; top: bar.bottom; margins: Theme.space(3); topMargin: Theme.space(2) }
        height: edit.contentHeight + Theme.space(3)
        contentWidth: edit.contentWidth
        contentHeight: edit.contentHeight
        flickableDirection: Flickable.HorizontalFlick
        boundsBehavior: Flickable.StopAtBounds
        interactive: contentWidth > width
        clip: true
        T.ScrollBar.horizontal: ScrollBar {}

        TextEdit {
            id: edit
            // Without a width all lines would be laid out again with each change. It only grows, with the longest line.
            property real longest: 0
            onContentWidthChanged: longest = Math.max(longest, contentWidth)
            width: Math.max(flick.width, longest)
            readOnly: true
            selectByMouse: true
            textFormat: TextEdit.PlainText
            color: Theme.colors.text
            selectionColor: Theme.colors.accent
            selectedTextColor: Theme.colors.accentInk
            font.family: Theme.mono
            font.pixelSize: Theme.codeSize
            Accessible.role: Accessible.Paragraph
            Accessible.name: block.code
            Rectangle {
                readonly property rect place: (edit.contentHeight, edit.contentWidth, edit.positionToRectangle(edit.length))
                visible: block.caret
                x: place.x + 1; y: place.y
                width: 2; height: place.height
                color: Theme.colors.accent
            }
        }
    }
    CodeHighlighter {
        lineHeight: Theme.codeLineFactor
        document: edit.textDocument
        code: block.code
        language: block.language
        keywordColor: Theme.colors.gguf
        typeColor: Theme.colors.mlx
        stringColor: Theme.colors.good
        numberColor: Theme.colors.safetensors
        commentColor: Theme.colors.faint
    }
}
