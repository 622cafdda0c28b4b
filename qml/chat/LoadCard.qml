import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A model being loaded: its name, the progress, and a button to cancel.
Rectangle {
    id: card

    required property InferenceController inference

    implicitHeight: column.implicitHeight + Theme.space(6)
    radius: Theme.cardRadius
    color: Theme.colors.surface
    border.width: 1
    border.color: Theme.colors.line

    RowLayout {
        id: column
        anchors { left: parent.left; right: parent.right; verticalCenter: parent.verticalCenter; margins: Theme.space(4) }
        spacing: Theme.space(4)
        ColumnLayout {
            spacing: Theme.space(1.5)
            Layout.fillWidth: true
            Label { text: qsTr("Loading %1").arg(card.inference.loadingName); elide: Text.ElideMiddle; Layout.fillWidth: true }
            Progress {
                Layout.fillWidth: true
                indeterminate: card.inference.loadProgress < 0
                value: Math.max(0, card.inference.loadProgress)
                Accessible.name: qsTr("Load progress")
            }
            Label {
                kind: "note"
                text: card.inference.loadBytesTotal > 0 ?
                    qsTr("%1 · %2 of %3")
                        .arg(card.inference.loadPhase)
                        .arg(Figures.bytes(card.inference.loadBytesDone))
                        .arg(Figures.bytes(card.inference.loadBytesTotal)) :
                    card.inference.loadPhase
            }
        }
        Button { text: qsTr("Cancel"); onClicked: card.inference.cancelLoad() }
    }
}
