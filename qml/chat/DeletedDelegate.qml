import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.Components
import Minerva.Theme

// A deleted conversation: Enter restores it, pressing Delete twice removes it permanently.
T.ItemDelegate {
    id: row

    required property double conversationId
    required property string title
    required property string subtitle
    property bool sure: false  // the next Delete removes it
    signal restoreRequested()
    signal removeRequested()

    function remove(): void { if (sure) removeRequested(); else sure = true }

    implicitHeight: column.implicitHeight + Theme.space(4)
    leftPadding: Theme.space(2)
    rightPadding: Theme.space(1)
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.name: title + ", " + subtitle
    Accessible.description: qsTr("Enter restores it, Delete removes it for good")
    onActiveFocusChanged: if (!activeFocus && !buttons.activeFocus) sure = false
    Keys.onReturnPressed: restoreRequested()
    Keys.onDeletePressed: event => { if (!event.isAutoRepeat) remove() }

    contentItem: RowLayout {
        spacing: Theme.space(1)
        ColumnLayout {
            id: column
            spacing: Theme.space(0.5)
            Layout.fillWidth: true
            ElidedLabel { text: row.title; horizontalAlignment: Text.AlignLeft; elide: Text.ElideRight; Layout.fillWidth: true }
            Label { text: row.subtitle; kind: "label"; elide: Text.ElideRight; Layout.fillWidth: true }
        }
        FocusScope {
            id: buttons
            implicitWidth: pair.implicitWidth
            implicitHeight: pair.implicitHeight
            onActiveFocusChanged: if (!activeFocus && !row.activeFocus) row.sure = false
            RowLayout {
                id: pair
                spacing: Theme.space(1)
                Button { visible: !row.sure; kind: "quiet"; text: qsTr("Restore"); onClicked: row.restoreRequested() }
                Button {
                    kind: row.sure ? "danger" : "quiet"
                    text: row.sure ? qsTr("Delete for good") : qsTr("Delete now")
                    onClicked: row.remove()
                }
            }
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.hovered ? Theme.colors.sunken : "transparent"
        FocusRing { shown: row.visualFocus; around: 0 }
    }
}
