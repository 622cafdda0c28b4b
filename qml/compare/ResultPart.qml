import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The models' columns, and the measurements below them. Exported images show this item.
Rectangle {
    id: part

    required property CompareController compare
    property bool narrow: false

    readonly property bool choosing: compare.state === CompareController.Choosing
    readonly property bool done: compare.state === CompareController.Done
    readonly property int across: {
        const most = Math.max(1, Math.floor(width / Theme.space(narrow ? 85 : 62)))
        const count = Math.max(1, compare.columns.count)
        return most >= count ? count : Math.min(2, most)
    }

    color: Theme.colors.bg
    implicitHeight: column.implicitHeight

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(3)

        Rectangle {
            visible: !part.choosing
            Layout.fillWidth: true
            implicitHeight: Math.max(Theme.space(9), asked.implicitHeight + Theme.space(3))
            radius: Theme.radius
            color: Theme.colors.surface
            border.width: 1
            border.color: Theme.colors.line
            RowLayout {
                anchors { fill: parent; leftMargin: Theme.space(3); rightMargin: Theme.space(1) }
                spacing: Theme.space(2)
                Label {
                    id: asked
                    text: part.compare.prompts[part.compare.shownPrompt] ?? ""
                    wrapMode: Text.Wrap
                    maximumLineCount: 3
                    elide: Text.ElideRight
                    Layout.fillWidth: true
                }
                Label {
                    visible: part.compare.prompts.length > 1
                    text: qsTr("%1 of %2").arg(part.compare.shownPrompt + 1).arg(part.compare.prompts.length)
                    kind: "note"
                }
                IconButton {
                    visible: part.compare.prompts.length > 1
                    enabled: part.done && part.compare.shownPrompt > 0
                    iconName: "chevron-left"
                    tip: qsTr("Previous prompt")
                    onClicked: --part.compare.shownPrompt
                }
                IconButton {
                    visible: part.compare.prompts.length > 1
                    enabled: part.done && part.compare.shownPrompt + 1 < part.compare.prompts.length
                    iconName: "chevron-right"
                    tip: qsTr("Next prompt")
                    onClicked: ++part.compare.shownPrompt
                }
            }
        }
        VerdictCard {
            verdict: part.compare.verdict
            agrees: part.compare.verdictAgrees
            lines: part.compare.verdictLines
            rows: part.compare.verdictRows
            Layout.fillWidth: true
        }
        GridLayout {
            columns: part.across
            columnSpacing: Theme.space(3)
            rowSpacing: Theme.space(3)
            Layout.fillWidth: true
            LayoutRepeater {
                model: part.compare.columns
                ColumnCard {
                    choosing: part.choosing
                    Layout.fillWidth: true
                    Layout.fillHeight: true
                    Layout.preferredWidth: 1
                    onRemoved: part.compare.removeModel(index)
                }
            }
        }
        FigureTable {
            visible: !part.choosing
            columns: part.compare.columns
            narrow: part.narrow
            footnote: part.done && part.compare.positions > 0 ?
                qsTr("KL, same top token and perplexity against %1, the most precise (most bits per weight), over %2 tokens of one text. Speeds on %3.")
                    .arg(part.compare.reference).arg(part.compare.positions).arg(part.compare.device) :
                ""
            Layout.fillWidth: true
        }
        GridLayout {
            visible: part.done && part.compare.columns.compared > 0
            columns: part.narrow ? 1 : 2
            columnSpacing: Theme.space(3)
            rowSpacing: Theme.space(3)
            Layout.fillWidth: true
            SpreadChart {
                columns: part.compare.columns
                reference: part.compare.reference
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
            }
            DivergenceCard {
                columns: part.compare.columns
                reference: part.compare.reference
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
            }
        }
        GridLayout {
            visible: part.done && part.compare.columns.finished > 1
            columns: part.narrow ? 1 : 3
            columnSpacing: Theme.space(3)
            rowSpacing: Theme.space(3)
            Layout.fillWidth: true
            BarsCard {
                columns: part.compare.columns
                title: qsTr("Decode, tok/s: higher is faster")
                key: "decode"
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
            }
            BarsCard {
                columns: part.compare.columns
                title: qsTr("Time to first token: shorter is faster")
                key: "ttft"
                show: v => Figures.duration(v)
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
            }
            BarsCard {
                columns: part.compare.columns
                title: qsTr("Memory: less is better")
                key: "memory"
                show: v => Figures.bytes(v)
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
            }
        }
    }
}
