import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Messages about the library: a model moved to the trash, duplicate files, unreadable folders.
ColumnLayout {
    id: notes

    required property ModelLibrary library
    readonly property ModelTrash trash: library.trash
    readonly property Duplicates duplicates: library.duplicates
    readonly property bool says: trash.name !== "" || trash.error.isSet ||
        duplicates.state !== Duplicates.Idle || library.unreadable.length > 0

    spacing: Theme.space(3)

    ErrorCard {
        error: notes.trash.error
        dismissible: true
        Layout.fillWidth: true
        onDismissed: notes.trash.dismiss()
    }
    Card {
        visible: notes.trash.name !== ""
        padding: Theme.space(3)
        Layout.fillWidth: true
        Accessible.role: Accessible.AlertMessage
        Accessible.name: gone.text
        RowLayout {
            width: parent.width
            spacing: Theme.space(3)
            Icon { icon: "trash"; color: Theme.colors.muted }
            ColumnLayout {
                spacing: Theme.space(0.5)
                Layout.fillWidth: true
                Label { id: gone; text: qsTr("%1 is in the trash").arg(notes.trash.name); wrapMode: Text.Wrap; Layout.fillWidth: true }
                ElidedLabel {
                    kind: "note"
                    text: qsTr("Empty it to free %1: %2").arg(Figures.bytes(notes.trash.bytes)).arg(notes.trash.place)
                    horizontalAlignment: Text.AlignLeft
                    Layout.fillWidth: true
                }
            }
            Button { text: qsTr("Undo"); enabled: !notes.trash.busy; onClicked: notes.trash.undo() }
            IconButton { iconName: "close"; tip: qsTr("Dismiss"); onClicked: notes.trash.dismiss() }
        }
    }
    Card {
        visible: notes.duplicates.state === Duplicates.Looking
        padding: Theme.space(3)
        Layout.fillWidth: true
        RowLayout {
            width: parent.width
            spacing: Theme.space(4)
            ColumnLayout {
                spacing: Theme.space(1.5)
                Layout.fillWidth: true
                Progress {
                    Layout.fillWidth: true
                    indeterminate: notes.duplicates.bytesTotal <= 0
                    value: notes.duplicates.bytesTotal > 0 ? notes.duplicates.bytesDone / notes.duplicates.bytesTotal : 0
                    Accessible.name: qsTr("File comparison progress")
                }
                Label {
                    kind: "note"
                    elide: Text.ElideMiddle
                    Layout.fillWidth: true
                    text: notes.duplicates.bytesTotal > 0 ?
                        qsTr("Comparing files: %1 of %2 · %3")
                            .arg(Figures.bytes(notes.duplicates.bytesDone))
                            .arg(Figures.bytes(notes.duplicates.bytesTotal))
                            .arg(notes.duplicates.reading) :
                        qsTr("Comparing files")
                }
            }
            Button { text: qsTr("Cancel"); onClicked: notes.duplicates.cancel() }
        }
    }
    Card {
        visible: notes.duplicates.state === Duplicates.Done
        padding: Theme.space(3)
        Layout.fillWidth: true
        ColumnLayout {
            width: parent.width
            spacing: Theme.space(2)
            RowLayout {
                spacing: Theme.space(2)
                Label {
                    text: notes.duplicates.groups.length === 0 ? qsTr("There are no duplicate files.") :
                        qsTr("Duplicate files take %1").arg(Figures.bytes(notes.duplicates.bytesSaved))
                    font.weight: Font.DemiBold
                    wrapMode: Text.Wrap
                    Layout.fillWidth: true
                }
                IconButton { iconName: "close"; tip: qsTr("Close"); onClicked: notes.duplicates.dismiss() }
            }
            LayoutRepeater {
                model: notes.duplicates.groups
                ColumnLayout {
                    id: group
                    required property var modelData
                    spacing: Theme.space(0.5)
                    Layout.fillWidth: true
                    RowLayout {
                        spacing: Theme.space(2)
                        ElidedLabel {
                            text: group.modelData.name
                            whole: qsTr("SHA-256 %1").arg(group.modelData.sha256)
                            horizontalAlignment: Text.AlignLeft
                            Layout.fillWidth: true
                        }
                        Label { text: qsTr("%1 can be freed").arg(Figures.bytes(group.modelData.saved)); kind: "note" }
                    }
                    LayoutRepeater {
                        model: group.modelData.places
                        ElidedLabel {
                            required property var modelData
                            kind: "note"
                            text: (modelData.owner !== "" ? modelData.owner + " · " : "") + modelData.path
                            horizontalAlignment: Text.AlignLeft
                            Layout.fillWidth: true
                        }
                    }
                }
            }
            Label {
                visible: notes.duplicates.groups.length > 0
                kind: "note"
                text:
                    qsTr("Minerva uses each file where it is, so one copy is enough. Delete the others with the program they belong to.")
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
            LayoutRepeater {
                model: notes.duplicates.unread
                Label {
                    required property string modelData
                    text: modelData
                    kind: "note"
                    color: Theme.colors.warn
                    wrapMode: Text.Wrap
                    Layout.fillWidth: true
                }
            }
        }
    }
    LayoutRepeater {
        model: notes.library.unreadable
        Label {
            required property string modelData
            text: modelData
            kind: "note"
            color: Theme.colors.warn
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
    }
}
