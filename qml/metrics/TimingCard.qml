import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Where the time of a reply was spent: a bar of the phases to scale, and a legend with names and times.
Card {
    id: card

    required property var shown  // MetricsController.shown
    readonly property PhaseWords words: PhaseWords {}
    readonly property real wall: shown.wall ?? NaN
    readonly property bool measured: wall > 0
    // All phases but those that a stopped reply did not reach, and the time not covered by any of them.
    readonly property var parts: measured ?
        words.rows.filter(row => !row.reached || shown.phases[row.key] > 0).map(row => ({ words: row, ms: shown.phases[row.key] }))
            .concat([{ words: words.unaccounted, ms: shown.unaccounted }]) :
        []

    function share(ms: real): string {
        return ms <= 0 ? "0 %" : ms / wall < 0.0005 ? "<" + Figures.decimal(0.1, 1) + " %" : Figures.decimal(ms / wall * 100, 1) + " %"
    }
    function written(ms: real): string {
        return ms <= 0 ? "0 ms" : ms < 0.05 ? "<" + Figures.decimal(0.1, 1) + " ms" : Figures.duration(ms)
    }

    implicitWidth: Theme.space(80)
    implicitHeight: column.implicitHeight + 2 * padding
    Accessible.role: Accessible.Chart
    Accessible.name: qsTr("Time of the reply by phases")

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(2.5)
        Item {
            implicitHeight: heading.height
            Layout.fillWidth: true
            Label {
                id: heading
                anchors.left: parent.left
                text: qsTr("Where the time went")
                kind: "label"
                font.weight: Font.DemiBold
                elide: Text.ElideRight
                width: parent.width - whole.width - Theme.space(2)
            }
            Label {
                id: whole
                anchors.right: parent.right
                text: card.measured ? qsTr("%1 in total").arg(Figures.duration(card.wall)) : ""
                kind: "label"
                font.weight: Font.DemiBold
                HoverHandler { id: wallHover }
                Tip { visible: wallHover.hovered; text: qsTr("From sending the message to the frame that shows the end of the reply") }
            }
        }
        Label {
            visible: !card.measured
            text: card.shown.benchmark ?
                qsTr("A benchmark measures its steps only; it has no phases.") :
                qsTr("The phases of this reply were not measured.")
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Rectangle {
            visible: card.measured
            Layout.fillWidth: true
            implicitHeight: Theme.space(6)
            radius: Theme.tagRadius
            color: Theme.colors.sunken
            clip: true
            Row {
                id: bar
                anchors.fill: parent
                Repeater {
                    model: card.parts
                    Rectangle {
                        id: piece
                        required property var modelData
                        required property int index
                        width: Math.max(0, modelData.ms / card.wall * bar.width)
                        height: bar.height
                        color: modelData.words.ink
                        opacity: legend.current < 0 || legend.current === index ? 1 : 0.35
                        HoverHandler { id: over; onHoveredChanged: legend.current = hovered ? piece.index : -1 }
                        Tip {
                            visible: over.hovered
                            delay: 100
                            text: piece.modelData.words.title + ": " + card.written(piece.modelData.ms) + ", " +
                                card.share(piece.modelData.ms) + ". " + piece.modelData.words.tip
                        }
                    }
                }
            }
        }
        GridLayout {
            id: legend
            property int current: -1
            visible: card.measured
            columns: Math.max(1, Math.floor(card.width / Theme.space(58)))
            columnSpacing: Theme.space(6)
            rowSpacing: Theme.space(0.5)
            Layout.fillWidth: true
            LayoutRepeater {
                model: card.parts
                RowLayout {
                    id: entry
                    required property var modelData
                    required property int index
                    spacing: Theme.space(2)
                    opacity: legend.current < 0 || legend.current === index ? 1 : 0.5
                    Layout.fillWidth: true
                    Layout.preferredWidth: 1
                    Accessible.role: Accessible.StaticText
                    Accessible.name: modelData.words.title + ": " + card.written(modelData.ms)
                    Accessible.description: modelData.words.tip
                    HoverHandler { id: hover; onHoveredChanged: legend.current = hovered ? entry.index : -1 }
                    Rectangle {
                        implicitWidth: Theme.space(2.5)
                        implicitHeight: implicitWidth
                        radius: Theme.space(0.75)
                        color: entry.modelData.words.ink
                        Tip { visible: hover.hovered; over: entry; text: entry.modelData.words.tip }
                    }
                    Label { text: entry.modelData.words.title; kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true }
                    Digits { text: card.written(entry.modelData.ms) }
                    Label {
                        text: card.share(entry.modelData.ms)
                        kind: "label"
                        horizontalAlignment: Text.AlignRight
                        Layout.preferredWidth: Theme.space(13)
                    }
                }
            }
        }
    }
}
