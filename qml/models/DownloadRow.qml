import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A download: progress, and buttons to pause, resume, cancel or use it.
Card {
    id: row

    required property int index
    required property string name
    required property string title
    required property string label
    required property string format
    required property int downloadState
    required property double share
    required property string progress
    required property var error
    required property string path
    readonly property bool halted: downloadState === DownloadsModel.Paused || downloadState === DownloadsModel.Failed
    readonly property bool done: downloadState === DownloadsModel.Done
    property bool sure: false  // the next press deletes what was downloaded
    signal resumed(int row)
    signal paused(int row)
    signal cancelled(int row)
    signal chatRequested(string path)

    ColumnLayout {
        width: parent.width
        spacing: Theme.space(2)
        RowLayout {
            spacing: Theme.space(4)
            ColumnLayout {
                spacing: Theme.space(1.5)
                Layout.fillWidth: true
                RowLayout {
                    spacing: Theme.space(2)
                    ElidedLabel {
                        text: row.title
                        whole: row.name
                        font.weight: Font.DemiBold
                        horizontalAlignment: Text.AlignLeft
                        Layout.fillWidth: true
                        Layout.maximumWidth: implicitWidth + 1
                    }
                    FormatTag { format: row.format }
                    Label { text: row.label; color: Theme.colors.muted; elide: Text.ElideRight; Layout.fillWidth: true }
                }
                Progress { visible: !row.done; value: row.share; Layout.fillWidth: true; Accessible.name: qsTr("Download progress") }
                Label { text: row.progress; kind: "note"; elide: Text.ElideRight; Layout.fillWidth: true }
            }
            Button {
                kind: row.done ? "main" : "plain"
                text: row.done ? qsTr("Chat") :
                    row.downloadState === DownloadsModel.Failed ? qsTr("Try again") :
                    row.halted ? qsTr("Resume") :
                    qsTr("Pause")
                Layout.preferredWidth: Math.max(implicitWidth, Theme.space(20))
                onClicked: row.done ? row.chatRequested(row.path) : row.halted ? row.resumed(row.index) : row.paused(row.index)
            }
            IconButton {
                id: cancel
                visible: !row.sure
                iconName: "close"
                tip: row.done ? qsTr("Remove from this list; the model stays") : qsTr("Cancel and delete what was downloaded")
                onClicked: {
                    if (row.done) return void row.cancelled(row.index)
                    row.sure = true
                    discard.forceActiveFocus(Qt.TabFocusReason)
                }
            }
            Button {
                id: discard
                visible: row.sure
                kind: "danger"
                text: qsTr("Delete it")
                tip: qsTr("Deletes what was downloaded")
                onActiveFocusChanged: if (!activeFocus) row.sure = false
                onClicked: row.cancelled(row.index)
            }
        }
        ErrorCard {
            error: row.error
            Layout.fillWidth: true
        }
    }
}
