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
    signal copyRequested(string text)

    property real size: level === 0 ? Theme.bodySize : [20, 17, 15, 14, 14, 14][level - 1] * Theme.scale
    property real lineFactor: level === 0 ? Theme.lineFactor : Math.max(1, Theme.lineFactor * 0.85)
    property int weight: level > 0 ? Font.DemiBold : Font.Normal
    property string align: ""  // "right", "center"; else as the text's direction has it
    readonly property string head: "<style>a{color:" + Theme.colors.accent + "} code{font-family:'" + Theme.mono + "';font-size:"
          + Math.round(Theme.codeSize) + "px;background-color:" + Theme.colors.sunken + "}</style><p " + (align === "" ? "" : "align=\"" + align + "\" ")
          + "style=\"line-height:" + Math.round(100 * lineFactor) + "%;margin:0\">"
    readonly property int mostLines: 1  // of the open piece

    implicitWidth: 1  // a layout stretches no item without a size, and a column skips one
    implicitHeight: column.height
    onWidthChanged: if (pieces.growing) pieces.join()
    onCaretChanged: {
        joining.stop()
        if (!caret && repeater.count > 1) joining.start(); else pieces.growing = caret
    }
    Component.onCompleted: pieces.growing = caret

    TextPieces {
        id: pieces
        before: block.head
        after: "</p>"
        html: block.html
        mathColor: Theme.colors.text
        mathRatio: block.Screen.devicePixelRatio
    }
    // A long text is laid out as one in a frame of its own: the last of its words come with enough else.
    Timer { id: joining; interval: 100; onTriggered: pieces.growing = false }
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
                property bool shown: false
                property rect end  // of the text
                function show(): void {
                    pieces.show(index, textDocument)
                    end = pieces.endOf(textDocument)
                }

                width: block.width
                onHtmlChanged: show()
                onWidthChanged: if (shown) pieces.fit(index, textDocument)
                Connections { target: pieces; function onFramed(): void { edit.show() } }
                onContentSizeChanged: end = pieces.endOf(textDocument)
                onFontChanged: if (shown) show()  // formulas are drawn in its size
                Component.onCompleted: { show(); shown = true }
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
                font.weight: block.weight
                onLinkActivated: link => Qt.openUrlExternally(link)
                onLineCountChanged: if (block.caret && lineCount > block.mostLines) settling.restart()  // `open` may be told later
                // A formula's picture is copied as its source.
                Keys.onPressed: event => {
                    if (!event.matches(StandardKey.Copy) || edit.selectedText === "") return
                    event.accepted = true
                    block.copyRequested(pieces.selected(edit.textDocument, edit.selectionStart, edit.selectionEnd))
                }
                Accessible.role: block.level > 0 ? Accessible.Heading : Accessible.Paragraph
                Accessible.name: block.caret ? "" : pieces.selected(edit.textDocument, 0, edit.length)

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
