import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// How evenly tokens were generated: milliseconds between tokens, with stalls marked.
Card {
    id: card

    required property var shown      // MetricsController.shown
    required property var intervals  // points: x token, y ms
    required property var stalls     // the subset that are stalls

    readonly property FigureWords words: FigureWords {}
    readonly property bool known: intervals.length > 1
    readonly property real firstToken: known ? intervals[0].x : 0
    readonly property real lastToken: known ? intervals[intervals.length - 1].x : 1
    readonly property alias marks: marks

    implicitWidth: Theme.space(80)
    implicitHeight: column.implicitHeight + 2 * padding

    component Figure: FigureLine {
        required property string key
        readonly property var words: card.words.row(key)
        readonly property var amount: card.shown.figures?.[key] ?? NaN
        name: words.title
        value: words.alone ? words.alone(amount) : words.show(amount)
        unit: words.alone ? "" : words.unit
        tip: words.tip
        Layout.fillWidth: true
        Layout.preferredWidth: 1
    }

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(2.5)
        Item {
            implicitHeight: heading.height
            Layout.fillWidth: true
            Label { id: heading; anchors.left: parent.left; text: qsTr("Steadiness"); kind: "label"; font.weight: Font.DemiBold }
            Label {
                anchors.right: parent.right
                readonly property double count: card.shown.figures?.stalls ?? NaN
                text: !card.known ? "" : count > 0 ? qsTr("%n stall(s)", "", count) : qsTr("no stalls")
                color: count > 0 ? Theme.colors.warn : Theme.colors.muted
                kind: "label"
                font.weight: Font.DemiBold
                HoverHandler { id: stallHover }
                Tip { visible: stallHover.hovered; text: card.words.stall }
            }
        }
        Label { visible: !card.known; text: qsTr("Too few tokens to tell."); kind: "note"; Layout.fillWidth: true }
        Item {
            id: plot
            LayoutMirroring.enabled: false  // tokens run left to right
            LayoutMirroring.childrenInherit: true
            visible: card.known
            Layout.fillWidth: true
            implicitHeight: Theme.space(26)
            Accessible.role: Accessible.Chart
            Accessible.name: qsTr("Milliseconds between tokens")
            Label { id: top; text: qsTr("%1 ms").arg(Figures.milliseconds(line.highest)); kind: "label" }
            Rectangle {
                anchors.bottom: parent.bottom
                anchors.bottomMargin: bottom.height
                width: parent.width
                height: 1
                color: Theme.colors.line
            }
            SeriesLine {
                id: line
                anchors { fill: parent; topMargin: top.height; bottomMargin: bottom.height }
                points: card.intervals
                upper: Math.max(1, highest * 1.05)
                color: Theme.colors.accent
                thickness: 1.5 * Theme.scale
            }
            Repeater {
                id: marks
                model: card.known ? card.stalls : []
                Rectangle {
                    id: mark
                    required property var modelData
                    width: Theme.space(2.5)
                    height: width
                    radius: width / 2
                    color: Theme.colors.warn
                    border.width: 2
                    border.color: Theme.colors.surface
                    x: line.x + (card.lastToken > card.firstToken ?
                        (modelData.x - card.firstToken) / (card.lastToken - card.firstToken) : 0) * line.width - width / 2
                    y: line.y + (1 - modelData.y / line.upper) * line.height - height / 2
                    Accessible.role: Accessible.StaticText
                    Accessible.name: qsTr("Stall at token %1: %2").arg(modelData.x).arg(Figures.duration(modelData.y))
                    HoverHandler { id: markHover; margin: Theme.space(1) }
                    Tip { visible: markHover.hovered; delay: 100; text: mark.Accessible.name + ". " + card.words.stall }
                }
            }
            RowLayout {
                id: bottom
                anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
                Label { text: qsTr("token %1").arg(Figures.integer(card.firstToken)); kind: "label"; Layout.fillWidth: true }
                Label { text: Figures.integer(card.lastToken); kind: "label" }
            }
        }
        GridLayout {
            columns: Math.max(1, Math.floor(card.width / Theme.space(38)))
            columnSpacing: Theme.space(6)
            rowSpacing: Theme.space(0.5)
            Layout.fillWidth: true
            LayoutRepeater {
                model: ["decode", "prefill", "ttft", "p50", "p95", "p99", "prompt", "reused", "generated", "share"]
                Figure { required property string modelData; key: modelData }
            }
        }
    }
}
