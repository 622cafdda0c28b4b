import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The stored records, newest first, one row each. Enter or a click shows one in full.
Card {
    id: table

    required property HistoryModel history
    property double current: 0
    property bool narrow: false
    signal chosen(var recordId)

    readonly property FigureWords words: FigureWords {}
    readonly property var keys: narrow ?
        ["ttft", "decode", "stalls"] :
        ["prompt", "reused", "generated", "ttft", "prefill", "decode", "p50", "p95", "p99", "stalls", "share"]
    readonly property var columns: keys.map(key => words.row(key))
    readonly property real nameWidth: inside * (narrow ? 0.46 : 0.3)
    readonly property real inset: Theme.space(2)  // of a row's text from the ends of its ground
    readonly property real inside: width - 2 * padding - 2 * inset
    readonly property real cellWidth: (inside - nameWidth) / columns.length
    readonly property real rowHeight: Theme.space(narrow ? 13 : 11)
    readonly property int mostRows: 12
    readonly property alias list: list

    padding: Theme.space(narrow ? 3 : 4)
    implicitWidth: Theme.space(80)
    implicitHeight: heads.height + list.height + 2 * padding

    Row {
        id: heads
        x: table.inset
        height: Theme.space(10)
        Label {
            text: qsTr("Model")
            kind: "label"
            font.weight: Font.DemiBold
            width: table.nameWidth
            height: parent.height
            verticalAlignment: Text.AlignVCenter
        }
        Repeater {
            model: table.columns
            Label {
                id: head
                required property var modelData
                text: modelData.title + "\n" + modelData.unit
                kind: "label"
                font.weight: Font.DemiBold
                width: table.cellWidth
                height: heads.height
                maximumLineCount: 2
                elide: Text.ElideRight
                leftPadding: effectiveHorizontalAlignment === Text.AlignRight ? Theme.space(2) : 0
                rightPadding: Theme.space(2) - leftPadding
                verticalAlignment: Text.AlignVCenter
                horizontalAlignment: Text.AlignRight
                HoverHandler { id: headHover }
                Tip { visible: headHover.hovered; text: head.modelData.tip }
            }
        }
    }
    ListView {
        id: list
        anchors {
            left: parent.left
            right: parent.right
            rightMargin: -Theme.space(3)  // the scroll bar stands beside the rows, not over them
            top: heads.bottom
        }
        height: Math.min(table.history.count, table.mostRows) * table.rowHeight
        model: table.history
        clip: true
        activeFocusOnTab: count > 0
        keyNavigationEnabled: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollBar {}
        Accessible.role: Accessible.Table
        Accessible.name: qsTr("Measured replies")
        Keys.onReturnPressed: currentItem?.choose()
        Keys.onEnterPressed: currentItem?.choose()

        component Line: T.ItemDelegate {
            id: row
            required property int index
            required property var recordId
            required property string time
            required property string title
            required property string format
            required property string type
            required property string device
            required property bool benchmark
            required property int repetitions
            required property var figures
            readonly property bool here: recordId === table.current
            function choose(): void { table.chosen(recordId) }
            x: Theme.mirrored ? list.width - width : 0
            width: table.inside + 2 * table.inset
            height: table.rowHeight
            hoverEnabled: true
            padding: 0
            leftPadding: table.inset
            rightPadding: table.inset
            Accessible.role: Accessible.Row
            Accessible.name: title + " " + type + ", " + time + ", " + device + (benchmark ? ", " + qsTr("benchmark") : "")
            onClicked: { list.currentIndex = index; choose() }
            background: Rectangle {
                color: row.here ? Theme.colors.accentSoft : row.hovered ? Theme.colors.sunken : "transparent"
                radius: Theme.tagRadius
                Rectangle { width: parent.width; height: 1; color: Theme.colors.line; visible: !row.here && !row.hovered }
                FocusRing { shown: row.ListView.isCurrentItem && list.activeFocus; around: 0 }
            }
            contentItem: Row {
                Column {
                    width: table.nameWidth
                    anchors.verticalCenter: parent.verticalCenter
                    spacing: Theme.space(0.5)
                    RowLayout {
                        width: parent.width - Theme.space(2)
                        spacing: Theme.space(2)
                        ElidedLabel { text: row.title; Layout.fillWidth: true; Layout.maximumWidth: Math.ceil(implicitWidth) }
                        FormatTag { format: table.narrow ? "" : row.format }
                        Label { text: row.type; kind: "label"; visible: !table.narrow }
                        Tag {
                            id: mark
                            visible: row.benchmark
                            text: table.narrow ? qsTr("bench") : qsTr("benchmark")
                            ink: Theme.colors.accent
                            ground: Theme.colors.accentSoft
                            HoverHandler { id: markHover }
                            Tip {
                                visible: markHover.hovered
                                text: qsTr("Medians of %n repetition(s) with random text", "", row.repetitions)
                            }
                        }
                        Item { Layout.fillWidth: true }
                    }
                    ElidedLabel {
                        width: parent.width - Theme.space(2)
                        text: row.time + " · " + row.device
                        kind: "label"
                        elide: Text.ElideRight
                    }
                }
                Repeater {
                    model: table.columns
                    Label {
                        id: cell
                        required property var modelData
                        readonly property double low: row.figures[modelData.key + "Low"] ?? NaN
                        text: modelData.show(row.figures[modelData.key]) || "–"
                        color: text === "–" ? Theme.colors.faint :
                            modelData.key === "stalls" && row.figures.stalls > 0 ? Theme.colors.warn :
                            Theme.colors.text
                        kind: "note"
                        width: table.cellWidth
                        height: table.rowHeight
                        verticalAlignment: Text.AlignVCenter
                        horizontalAlignment: Text.AlignRight
                        elide: Text.ElideRight
                        HoverHandler { id: cellHover; enabled: cell.low > 0 }
                        Tip {
                            visible: cellHover.hovered && cell.low > 0
                            text: qsTr("%1 to %2 in %n repetition(s)", "", row.repetitions)
                                .arg(cell.modelData.show(cell.low))
                                .arg(cell.modelData.show(row.figures[cell.modelData.key + "High"]))
                        }
                    }
                }
            }
        }
        delegate: Line {}
    }
}
