import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The benchmarks that are kept, newest first. Enter or a click shows one, Delete removes it; the page offers to undo that.
ListView {
    id: list

    required property SpeedBenchmark speed
    property var rows: []
    property int rowCount: 0  // the model: with a new list of rows, the first of them would be current

    function file(): string { return rows[currentIndex]?.file ?? "" }
    // The current row stays current, or the one after it is if it has gone.
    function takeRows(): void {
        const now = Array.from(speed.kept), at = currentIndex, current = file()  // a copy: the list itself changes with the property
        rowCount = Math.min(rowCount, now.length)  // first, because those that go read their row
        rows = now
        rowCount = now.length
        const same = now.findIndex(row => row.file === current)
        currentIndex = same >= 0 ? same : Math.min(Math.max(at, 0), now.length - 1)
    }

    Component.onCompleted: takeRows()
    Connections {
        target: list.speed
        function onKeptChanged() { list.takeRows() }
    }
    implicitHeight: contentHeight
    model: rowCount
    clip: true
    interactive: false  // the page scrolls
    activeFocusOnTab: count > 0
    keyNavigationEnabled: true
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Kept benchmarks")
    Keys.onReturnPressed: speed.open(file())
    Keys.onEnterPressed: speed.open(file())
    Keys.onDeletePressed: event => { if (!event.isAutoRepeat) speed.remove(file()) }

    component Line: T.ItemDelegate {
        id: row
        required property int index
        readonly property var modelData: list.rows[index]
        width: ListView.view.width
        implicitHeight: Theme.space(12)
        enabled: !list.speed.running
        hoverEnabled: true
        highlighted: hovered || ListView.isCurrentItem && list.activeFocus
        Accessible.name: modelData.model + " " + modelData.format + " " + modelData.type + ", " + modelData.time + ", " + modelData.device
        onClicked: { list.currentIndex = index; list.speed.open(modelData.file) }
        contentItem: RowLayout {
            spacing: Theme.space(2)
            ElidedLabel { text: row.modelData.model; Layout.leftMargin: Theme.space(3); Layout.maximumWidth: Math.ceil(implicitWidth); Layout.fillWidth: true }
            FormatTag { format: row.modelData.format }
            Label { text: row.modelData.type; kind: "label" }
            ElidedLabel { text: row.modelData.time + " · " + row.modelData.device; kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true }
            IconButton {
                iconName: "trash"
                tip: qsTr("Forget this benchmark")
                focusPolicy: Qt.NoFocus
                opacity: row.highlighted ? 1 : 0.5  // there for touch, too
                onClicked: list.speed.remove(row.modelData.file)
                Layout.rightMargin: Theme.space(1)
            }
        }
        background: Rectangle {
            radius: Theme.tagRadius
            color: row.modelData.shown ? Theme.colors.accentSoft : row.highlighted ? Theme.colors.sunken : "transparent"
            Rectangle { width: parent.width; height: 1; color: Theme.colors.line; visible: !row.modelData.shown && !row.highlighted }
            FocusRing { shown: row.ListView.isCurrentItem && list.activeFocus; around: 0 }
        }
    }
    delegate: Line {}
}
