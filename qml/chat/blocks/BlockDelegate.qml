import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// One block of a message: chooses the component by kind; indents lists, draws the line beside quotes.
RowLayout {
    id: row

    required property int index
    required property int kind
    required property string html
    required property string verbatim
    required property string language
    required property int level
    required property int indent
    required property int quote
    required property string marker
    required property bool complete
    required property bool rightToLeft
    required property int columns
    required property var cells
    required property var alignments
    required property bool caret      // the reply goes on at the end of this block
    required property bool showThinking
    signal copyRequested(string text)

    spacing: 0
    layoutDirection: row.rightToLeft ? Qt.RightToLeft : Qt.LeftToRight
    Layout.topMargin: index === 0 ? 0 : kind === BlockModel.ListItem ? -Theme.space(1) : kind === BlockModel.Heading ? Theme.space(2) : 0
    visible: kind !== BlockModel.Thinking || showThinking

    Repeater {
        model: row.quote
        Rectangle {
            Layout.fillHeight: true
            Layout.preferredWidth: 3
            Layout.rightMargin: row.rightToLeft ? 0 : Theme.space(3)
            Layout.leftMargin: row.rightToLeft ? Theme.space(3) : 0
            radius: 1.5
            color: Theme.colors.line
        }
    }
    Item { visible: row.indent > 1; Layout.preferredWidth: Theme.space(5) * (row.indent - 1) }
    Item {
        visible: row.indent > 0
        Layout.preferredWidth: Theme.space(6)
        Layout.alignment: Qt.AlignTop
        Layout.preferredHeight: bullet.implicitHeight
        Label {
            id: bullet
            LayoutMirroring.enabled: row.rightToLeft
            anchors { right: parent.right; rightMargin: Theme.space(2) }
            text: row.marker
            color: Theme.colors.muted
        }
    }
    Loader {
        Layout.fillWidth: true
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
        ParagraphBlock { html: row.html; level: row.kind === BlockModel.Heading ? row.level : 0; caret: row.caret; onCopyRequested: text => row.copyRequested(text) }
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
        Item { implicitHeight: Theme.space(4); Rectangle { anchors.verticalCenter: parent.verticalCenter; width: parent.width; height: 1; color: Theme.colors.line } }
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
