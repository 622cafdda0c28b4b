import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// List of stored comparisons. Enter or a click opens one, Delete removes it; the page offers to undo that.
ListView {
    id: list

    required property CompareController compare
    signal chosen(var runId)

    implicitHeight: contentHeight
    model: compare.runs
    clip: true
    activeFocusOnTab: count > 0
    keyNavigationEnabled: true
    boundsBehavior: Flickable.StopAtBounds
    T.ScrollBar.vertical: ScrollBar {}
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Earlier comparisons")
    Keys.onReturnPressed: if (count > 0) chosen(compare.runs.idAt(currentIndex))
    Keys.onEnterPressed: if (count > 0) chosen(compare.runs.idAt(currentIndex))
    Keys.onDeletePressed: event => { if (count > 0 && !event.isAutoRepeat) compare.remove(compare.runs.idAt(currentIndex)) }

    component Row: T.ItemDelegate {
        id: row
        required property int index
        required property var runId
        required property string title
        required property string models
        required property string time
        width: ListView.view.width
        implicitHeight: Theme.space(14)
        hoverEnabled: true
        highlighted: hovered || ListView.isCurrentItem && list.activeFocus
        Accessible.name: title + ", " + models + ", " + time
        contentItem: RowLayout {
            spacing: Theme.space(2)
            ColumnLayout {
                spacing: Theme.space(0.5)
                Layout.fillWidth: true
                Layout.leftMargin: Theme.space(3)
                Label { text: row.title; elide: Text.ElideRight; Layout.fillWidth: true }
                RowLayout {
                    spacing: Theme.space(2)
                    Layout.fillWidth: true
                    Label { text: row.models; kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true }
                    Label { text: row.time; kind: "note"; Layout.minimumWidth: implicitWidth }  // tells runs of the same prompt apart
                }
            }
            IconButton {
                iconName: "trash"
                tip: qsTr("Forget this comparison")
                focusPolicy: Qt.NoFocus
                opacity: row.highlighted ? 1 : 0.5  // there for touch, too
                onClicked: list.compare.remove(row.runId)
                Layout.rightMargin: Theme.space(1)
            }
        }
        background: Rectangle {
            radius: Theme.tagRadius
            color: row.highlighted ? Theme.colors.sunken : "transparent"
            FocusRing { shown: row.ListView.isCurrentItem && list.activeFocus; around: 0 }
        }
        onClicked: list.chosen(runId)
    }
    delegate: Row {}
}
