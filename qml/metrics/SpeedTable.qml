import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The figures of a benchmark, a row for each measurement: what the charts say, as numbers.
Card {
    id: table

    required property var rows  // SpeedBenchmark.table
    property bool narrow: false

    readonly property FigureWords words: FigureWords {}
    readonly property var columns: [
        { key: "batch", title: qsTr("At once"), unit: "", tip: qsTr("Conversations at the same time; rates are of all of them together"), show: v => Figures.integer(v) },
        { key: "depth", title: qsTr("In context"), unit: qsTr("tokens"), tip: qsTr("Tokens that were in the context of each conversation before"), show: v => v > 0 ? Figures.integer(v) : "0" },
        words.row("prefill"), words.row("decode"), words.row("ttft"),
        { key: "tpot", title: qsTr("p50"), unit: "ms", tip: words.row("p50").tip, show: v => Figures.milliseconds(v), wide: true },
        { key: "tpot95", title: qsTr("p95"), unit: "ms", tip: words.row("p95").tip, show: v => Figures.milliseconds(v), wide: true },
        { key: "share", title: qsTr("Bandwidth"), unit: "", tip: words.row("share").tip, show: v => Figures.percent(v), wide: true }
    ].filter(column => !narrow || !column.wide)
    readonly property real cellWidth: (width - 2 * padding) / columns.length

    function sentence(row: var): string {
        return columns.map(column => column.title + " " + (column.show(row[column.key]) || "–") + " " + column.unit).join(", ")
    }

    padding: Theme.space(narrow ? 3 : 4)
    implicitWidth: Theme.space(80)
    implicitHeight: body.implicitHeight + 2 * padding
    Accessible.role: Accessible.Table
    Accessible.name: qsTr("Figures")

    Column {
        id: body
        width: parent.width
        Row {
            Repeater {
                model: table.columns
                Label {
                    id: head
                    required property var modelData
                    text: modelData.title + "\n" + modelData.unit
                    kind: "label"
                    font.weight: Font.DemiBold
                    width: table.cellWidth
                    height: Theme.space(10)
                    maximumLineCount: 2
                    elide: Text.ElideRight
                    horizontalAlignment: Text.AlignRight
                    rightPadding: Theme.space(2)
                    HoverHandler { id: headHover }
                    Tip { visible: headHover.hovered; text: head.modelData.tip }
                }
            }
        }
        Repeater {
            model: table.rows
            Item {
                id: row
                required property var modelData
                width: body.width
                height: Theme.space(9)
                Accessible.role: Accessible.Row
                Accessible.name: table.sentence(modelData)
                Rectangle { width: parent.width; height: 1; color: Theme.colors.line }
                Row {
                    Repeater {
                        model: table.columns
                        Label {
                            required property var modelData
                            text: modelData.show(row.modelData[modelData.key]) || "–"
                            color: text === "–" ? Theme.colors.faint : Theme.colors.text
                            kind: "note"
                            width: table.cellWidth
                            height: row.height
                            verticalAlignment: Text.AlignVCenter
                            horizontalAlignment: Text.AlignRight
                            rightPadding: Theme.space(2)
                            elide: Text.ElideRight
                        }
                    }
                }
            }
        }
    }
}
