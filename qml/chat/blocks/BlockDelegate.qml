import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// One block of a message: selects the component by kind, indents lists, draws the bars of quotes. Requires a width; its
// height is final on creation.
BlockItem {
    id: row

    required property int index
    required property int kind
    required property string language
    required property int level
    required property int indent
    required property int quote
    required property string marker
    required property bool opensList
    required property bool complete
    required property bool rightToLeft
    required property int columns
    required property var cells
    required property var alignments
    required property bool caret      // the reply continues at the end of this block
    required property bool showThinking
    signal copyRequested(string text)

    readonly property real gap: index === 0 ? 0 :
        Theme.space(kind === BlockModel.ListItem && !opensList ? 1.5 : kind === BlockModel.Heading ? 4.5 : 2.5)
    readonly property real quoteWidth: 3 + Theme.space(3)  // of one bar and the space after it
    readonly property real markerWidth: indent > 0 ? Theme.space(6) : 0
    readonly property real before: quote * quoteWidth + Theme.space(5) * Math.max(0, indent - 1) + markerWidth

    // x of an item of width `wide` at distance `from` from the side where the text begins.
    function place(from: real, wide: real): real { return rightToLeft ? width - from - wide : from }

    visible: kind !== BlockModel.Thinking || showThinking
    implicitHeight: gap + Math.ceil(body.height)  // so that text starts on whole pixels

    Loader {
        active: row.before > 0
        x: row.place(0, width)
        y: row.gap
        width: row.before
        height: body.height
        sourceComponent: Item {
            Repeater {
                model: row.quote
                Rectangle {
                    required property int index
                    x: row.rightToLeft ? row.before - index * row.quoteWidth - width : index * row.quoteWidth
                    width: 3
                    height: parent.height
                    radius: 1.5
                    color: Theme.colors.line
                }
            }
            Label {
                x: row.rightToLeft ? Theme.space(2) : row.before - width - Theme.space(2)
                text: row.marker
                color: Theme.colors.muted
            }
        }
    }
    Loader {
        id: body
        x: row.place(row.before, width)
        y: row.gap
        width: row.width - row.before
        sourceComponent: {
            switch (row.kind) {
            case BlockModel.Code: return code
            case BlockModel.Table: return table
            case BlockModel.Rule: return rule
            case BlockModel.Thinking: return thinking
            case BlockModel.Math: return math
            }
            return paragraph
        }
    }
    Component {
        id: paragraph
        ParagraphBlock {
            html: row.html
            level: row.kind === BlockModel.Heading ? row.level : 0
            caret: row.caret
            onCopyRequested: text => row.copyRequested(text)
        }
    }
    Component {
        id: code
        CodeBlock { code: row.verbatim; language: row.language; caret: row.caret; onCopyRequested: text => row.copyRequested(text) }
    }
    Component {
        id: table
        TableBlock { columns: row.columns; cells: row.cells; alignments: row.alignments; onCopyRequested: text => row.copyRequested(text) }
    }
    Component {
        id: rule
        Item {
            implicitHeight: Theme.space(4)
            Rectangle { anchors.verticalCenter: parent.verticalCenter; width: parent.width; height: 1; color: Theme.colors.line }
        }
    }
    Component {
        id: math
        MathBlock { source: row.verbatim; onCopyRequested: text => row.copyRequested(text) }
    }
    Component {
        id: thinking
        ThinkingBlock { source: row.verbatim; complete: row.complete }
    }
}
