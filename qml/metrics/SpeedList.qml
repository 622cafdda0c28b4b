import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The benchmarks that are kept, newest first. Enter or a click shows one, Delete removes it; the page offers to undo that.
ListView {
    id: speeds

    required property SpeedBenchmark speed
    readonly property LastingRows lasting: LastingRows {
        list: speeds.speed.kept
        onTaking: speeds.current = { index: speeds.currentIndex, file: speeds.file() }
        onTaken: speeds.keepCurrent()
    }
    property var current: ({ index: -1, file: "" })

    function file(): string { return lasting.rows[currentIndex]?.file ?? "" }
    // The current row stays current, or the one after it is if it has gone.
    function keepCurrent(): void {
        const same = lasting.rows.findIndex(row => row.file === current.file)
        currentIndex = same >= 0 ? same : Math.min(Math.max(current.index, 0), lasting.count - 1)
    }

    implicitHeight: contentHeight
    model: lasting.count
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
        readonly property var modelData: speeds.lasting.rows[index]
        width: ListView.view.width
        implicitHeight: Theme.space(12)
        enabled: !speeds.speed.running
        hoverEnabled: true
        highlighted: hovered || ListView.isCurrentItem && speeds.activeFocus
        Accessible.name: modelData.model + " " + modelData.format + " " + modelData.type + ", " + modelData.time + ", " + modelData.device
        onClicked: { speeds.currentIndex = index; speeds.speed.open(modelData.file) }
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
                onClicked: speeds.speed.remove(row.modelData.file)
                Layout.rightMargin: Theme.space(1)
            }
        }
        background: Rectangle {
            radius: Theme.tagRadius
            color: row.modelData.shown ? Theme.colors.accentSoft : row.highlighted ? Theme.colors.sunken : "transparent"
            Rectangle { width: parent.width; height: 1; color: Theme.colors.line; visible: !row.modelData.shown && !row.highlighted }
            FocusRing { shown: row.ListView.isCurrentItem && speeds.activeFocus; around: 0 }
        }
    }
    delegate: Line {}
}
