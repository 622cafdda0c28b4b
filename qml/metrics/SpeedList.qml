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

    function file(): string { return count > 0 && currentIndex >= 0 ? speed.kept[currentIndex].file : "" }

    implicitHeight: contentHeight
    model: speed.kept
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
        required property var modelData
        required property int index
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
