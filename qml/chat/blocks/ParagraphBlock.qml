import QtQuick
import Minerva.App
import Minerva.Theme

// Rich text that can be selected. The caret shows where a reply in progress goes on; until then the text is laid out in
// pieces, so that a long paragraph costs no more a word than a short one.
Item {
    id: block

    required property string html
    property bool caret: false
    property int level: 0  // 1..6: a heading

    readonly property real size: level === 0 ? Theme.bodySize : [20, 17, 15, 14, 14, 14][level - 1] * Theme.scale
    readonly property string head: "<style>a{color:" + Theme.colors.accent + "} code{font-family:'" + Theme.mono + "';font-size:"
          + Math.round(Theme.codeSize) + "px;background-color:" + Theme.colors.sunken + "}</style><p style=\"line-height:"
          + Math.round(100 * (level === 0 ? Theme.lineFactor : Math.max(1, Theme.lineFactor * 0.85))) + "%;margin:0\">"
    readonly property int mostLines: 1  // of the open piece

    implicitWidth: 1  // a layout stretches no item without a size, and a column skips one
    implicitHeight: column.height
    onWidthChanged: if (caret) pieces.join()

    TextPieces { id: pieces; growing: block.caret; before: block.head; after: "</p>"; html: block.html }
    Timer {
        id: settling
        interval: 0  // not while the text is being set
        onTriggered: {
            const open = block.caret ? repeater.itemAt(repeater.count - 1) as TextEdit : null
            if (!open || open.lineCount <= block.mostLines) return
            const last = pieces.endOf(open.textDocument)
            pieces.settle(open.positionAt(open.effectiveHorizontalAlignment === TextEdit.AlignRight ? open.width : 0, last.y + last.height / 2))
        }
    }
    Column {
        id: column
        width: block.width
        Repeater {
            id: repeater
            model: pieces
            TextEdit {
                id: edit
                required property int index
                required property string html
                required property bool open
                property rect end  // of the text
                function show(): void {
                    pieces.show(index, textDocument)
                    end = pieces.endOf(textDocument)
                }

                width: block.width
                onHtmlChanged: show()
                Connections { target: pieces; function onFramed(): void { edit.show() } }
                onContentSizeChanged: end = pieces.endOf(textDocument)
                Component.onCompleted: show()
                textFormat: TextEdit.RichText
                wrapMode: TextEdit.Wrap
                readOnly: true
                selectByMouse: true
                activeFocusOnPress: true
                color: Theme.colors.text
                selectionColor: Theme.colors.accent
                selectedTextColor: Theme.colors.accentInk
                font.family: Theme.sans
                font.pixelSize: block.size
                font.weight: block.level > 0 ? Font.DemiBold : Font.Normal
                onLinkActivated: link => Qt.openUrlExternally(link)
                onLineCountChanged: if (block.caret && lineCount > block.mostLines) settling.restart()  // `open` may be told later
                Accessible.role: block.level > 0 ? Accessible.Heading : Accessible.Paragraph
                Accessible.name: block.caret ? "" : edit.getText(0, edit.length)

                HoverHandler { cursorShape: edit.hoveredLink !== "" ? Qt.PointingHandCursor : Qt.IBeamCursor }

                Loader {
                    active: block.caret && edit.open
                    sourceComponent: Rectangle {
                        x: edit.end.x + 2
                        y: edit.end.y + edit.end.height - height - 1
                        width: 2
                        height: Math.min(edit.end.height, Theme.bodySize * 1.3)
                        color: Theme.colors.accent
                    }
                }
            }
        }
    }
}
