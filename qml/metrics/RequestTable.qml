import QtQuick
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The latest requests to the local server, newest first. Their texts are from clients: plain text, elided.
Card {
    id: table

    required property var requests  // the roles of RequestList
    required property int rows
    property bool narrow: false
    readonly property bool few: narrow || inside < Theme.space(36 + 4 * 22 + 50)  // columns: all of them leave the name no room

    readonly property FigureWords words: FigureWords {}
    readonly property var columns: [
        { key: "promptTokens", title: words.row("prompt").title, unit: words.row("prompt").unit, wide: true, show: v => Figures.integer(v) },
        { key: "tokens", title: qsTr("Tokens"), unit: "", wide: false, show: v => Figures.integer(v) },
        { key: "ttft", title: words.row("ttft").title, unit: "ms", wide: true, show: v => Figures.milliseconds(v) },
        { key: "speed", title: words.row("decode").title, unit: "tok/s", wide: false, show: v => Figures.speed(v) }
    ].filter(column => !few || !column.wide)
    readonly property real inside: width - 2 * padding
    readonly property real cellWidth: Theme.space(few ? 16 : 22)
    readonly property real stateWidth: Theme.space(few ? 24 : 36)
    readonly property real nameWidth: inside - stateWidth - columns.length * cellWidth
    readonly property real rowHeight: Theme.space(narrow ? 13 : 11)
    readonly property int mostRows: 12
    readonly property alias list: list

    padding: Theme.space(narrow ? 3 : 4)
    implicitWidth: Theme.space(80)
    implicitHeight: heads.height + list.height + 2 * padding

    function inkOf(state: int): color {
        switch (state) {
        case RequestList.Failed: return Theme.colors.bad
        case RequestList.Cancelled: return Theme.colors.warn
        case RequestList.Prefill:
        case RequestList.Writing: return Theme.colors.accent
        }
        return Theme.colors.muted
    }

    component Head: Label {
        kind: "label"
        font.weight: Font.DemiBold
        height: heads.height
        maximumLineCount: 2
        elide: Text.ElideRight
        verticalAlignment: Text.AlignVCenter
    }

    Row {
        id: heads
        height: Theme.space(10)
        Head { text: qsTr("Request"); width: table.nameWidth }
        Head { text: qsTr("State"); width: table.stateWidth }
        Repeater {
            model: table.columns
            Head {
                required property var modelData
                text: modelData.unit === "" ? modelData.title : modelData.title + "\n" + modelData.unit
                width: table.cellWidth
                horizontalAlignment: Text.AlignRight
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
        height: Math.min(table.rows, table.mostRows) * table.rowHeight
        model: table.requests
        clip: true
        activeFocusOnTab: count > 0
        keyNavigationEnabled: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ScrollBar {}
        Accessible.role: Accessible.Table
        Accessible.name: qsTr("Requests")
        delegate: Item {
            id: row
            required property int index
            required property string time
            required property string client
            required property string route
            required property string modelName
            required property int requestState
            required property string stateText
            required property string problem
            required property double promptTokens
            required property double tokens
            required property double ttft
            required property double speed
            readonly property var figures: ({ promptTokens: promptTokens, tokens: tokens, ttft: ttft, speed: speed })
            readonly property string second: [time, client, problem !== "" ? problem : modelName].filter(part => part !== "").join(" · ")
            x: Theme.mirrored ? list.width - width : 0
            width: table.inside
            height: table.rowHeight
            Accessible.role: Accessible.Row
            Accessible.name: route + ", " + stateText + ", " + second

            Rectangle { width: parent.width; height: 1; color: Theme.colors.line }
            FocusRing { shown: row.ListView.isCurrentItem && list.activeFocus; around: 0 }
            Row {
                anchors.verticalCenter: parent.verticalCenter
                Column {
                    width: table.nameWidth
                    spacing: Theme.space(0.5)
                    ElidedLabel { width: parent.width - Theme.space(3); text: row.route }
                    ElidedLabel { width: parent.width - Theme.space(3); text: row.second; kind: "label"; elide: Text.ElideRight }
                }
                Label {
                    text: row.stateText
                    kind: "note"
                    color: table.inkOf(row.requestState)
                    width: table.stateWidth
                    anchors.verticalCenter: parent.verticalCenter
                    elide: Text.ElideRight
                }
                Repeater {
                    model: table.columns
                    Label {
                        required property var modelData
                        text: modelData.show(row.figures[modelData.key]) || "–"
                        color: text === "–" ? Theme.colors.faint : Theme.colors.text
                        kind: "note"
                        width: table.cellWidth
                        anchors.verticalCenter: parent.verticalCenter
                        horizontalAlignment: Text.AlignRight
                        elide: Text.ElideRight
                    }
                }
            }
        }
    }
}
