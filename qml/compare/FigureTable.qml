import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// All figures of all models. Wide: a row per model. Narrow: a column per model. The best value of each figure is bold and green.
Card {
    id: table

    required property ColumnModel columns
    property bool narrow: false
    property string footnote: ""
    readonly property FigureColumns figures: FigureColumns {}
    readonly property real cellHeight: Theme.space(narrow ? 8 : 13)
    readonly property real nameWidth: Theme.space(narrow ? 24 : 48)

    padding: Theme.space(narrow ? 3 : 4)
    implicitWidth: 0  // as wide as its place, which the rows follow
    implicitHeight: body.implicitHeight + padding + Theme.space(2)
    Accessible.role: Accessible.Table
    Accessible.name: qsTr("Figures")

    component Head: Label {
        id: head
        property string tip: ""
        kind: "label"
        font.weight: Font.DemiBold
        elide: Text.ElideRight
        verticalAlignment: Text.AlignVCenter
        HoverHandler { id: hover }
        Tip { visible: hover.hovered && head.tip !== ""; text: head.tip }
    }
    component Cell: Label {
        property bool best: false
        verticalAlignment: Text.AlignVCenter
        horizontalAlignment: Text.AlignRight
        kind: table.narrow ? "note" : "body"
        color: text === "–" ? Theme.colors.faint : best ? Theme.colors.good : Theme.colors.text
        font.weight: best ? Font.DemiBold : Font.Normal
        elide: Text.ElideRight
        Accessible.name: best ? qsTr("%1, best").arg(text) : text
    }
    component Line: Rectangle { height: 1; color: Theme.colors.line }

    function value(row: var, figures: var): string { return row.show(figures[row.key] ?? NaN) || "–" }

    Column {
        id: body
        width: parent.width

        Row {
            visible: !table.narrow
            height: visible ? Theme.space(7) : 0
            Head { text: qsTr("Model"); width: table.nameWidth; height: parent.height }
            Repeater {
                model: table.figures.rows
                Head {
                    required property var modelData
                    text: modelData.title
                    tip: modelData.tip
                    horizontalAlignment: Text.AlignRight
                    width: (body.width - table.nameWidth) * modelData.share / table.figures.shares
                    height: Theme.space(7)
                }
            }
        }
        Repeater {
            model: table.narrow ? null : table.columns
            Item {
                id: row
                required property string format
                required property string type
                required property string label
                required property string path
                required property var figures
                required property var best
                width: body.width
                height: table.cellHeight
                Accessible.role: Accessible.Row
                Accessible.name: label + ", " + format + " " + type
                Line { width: parent.width }
                ColumnLayout {
                    width: table.nameWidth
                    anchors.verticalCenter: parent.verticalCenter
                    spacing: Theme.space(1)
                    ElidedLabel { text: row.label; whole: row.path; horizontalAlignment: Text.AlignLeft; Layout.fillWidth: true }
                    RowLayout {
                        spacing: Theme.space(2)
                        FormatTag { format: row.format }
                        Label { text: row.type; kind: "label" }
                    }
                }
                Row {
                    x: table.nameWidth
                    Repeater {
                        model: table.figures.rows
                        Cell {
                            required property var modelData
                            text: table.value(modelData, row.figures)
                            best: row.best[modelData.key] === true
                            width: (body.width - table.nameWidth) * modelData.share / table.figures.shares
                            height: table.cellHeight
                        }
                    }
                }
            }
        }
        Row {
            visible: table.narrow
            width: parent.width
            Column {
                width: table.nameWidth
                Item { width: 1; height: Theme.space(18) }
                Repeater {
                    model: table.narrow ? table.figures.rows : []
                    Item {
                        required property var modelData
                        width: table.nameWidth
                        height: table.cellHeight
                        Line { width: parent.width }
                        Head { text: parent.modelData.title; tip: parent.modelData.tip; width: parent.width; height: parent.height }
                    }
                }
            }
            Repeater {
                model: table.narrow ? table.columns : null
                Column {
                    id: stack
                    required property string format
                    required property string type
                    required property string label
                    required property string path
                    required property var figures
                    required property var best
                    width: (body.width - table.nameWidth) / Math.max(1, table.columns.count)
                    Column {
                        width: parent.width
                        height: Theme.space(18)
                        spacing: Theme.space(0.5)
                        ElidedLabel {
                            text: stack.label
                            whole: stack.path
                            kind: "note"
                            horizontalAlignment: Text.AlignRight
                            width: parent.width
                        }
                        FormatTag { format: stack.format; maximumWidth: parent.width - Theme.space(1); anchors.right: parent.right }
                        Label {
                            text: stack.type
                            kind: "label"
                            elide: Text.ElideRight
                            horizontalAlignment: Text.AlignRight
                            width: parent.width
                        }
                    }
                    Repeater {
                        model: table.figures.rows
                        Item {
                            required property var modelData
                            width: stack.width
                            height: table.cellHeight
                            Line { width: parent.width }
                            Cell {
                                anchors.fill: parent
                                text: table.value(parent.modelData, stack.figures)
                                best: stack.best[parent.modelData.key] === true
                            }
                        }
                    }
                }
            }
        }
        Line { visible: table.footnote !== ""; width: parent.width }
        Label {
            visible: text !== ""
            text: table.footnote
            kind: "label"
            wrapMode: Text.Wrap
            width: parent.width
            topPadding: Theme.space(2)
            bottomPadding: Theme.space(1)
        }
    }
}
