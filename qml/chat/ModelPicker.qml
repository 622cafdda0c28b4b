import QtQuick
import QtQuick.Layouts
import QtQuick.Dialogs
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Servers
import Minerva.Theme

// Format, name and type of the current model; opens a list of models to switch to.
T.AbstractButton {
    id: picker

    required property InferenceController inference
    required property ModelLibrary library
    required property ServerService servers
    property bool showType: true
    readonly property bool elsewhere: inference.model.server !== ""

    implicitWidth: Math.min(Theme.space(90), implicitContentWidth + leftPadding + rightPadding)
    horizontalPadding: Theme.space(2.5)
    implicitHeight: Theme.hit
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.name: qsTr("Model: %1").arg(!inference.model.isSet ? qsTr("none") :
        elsewhere ? qsTr("%1 on %2").arg(inference.model.name).arg(inference.model.server) : inference.model.name)
    onClicked: open()

    function open(): void { library.refresh(); servers.models.search = ""; popup.open() }
    function openFile(): void { fileDialog.open() }

    contentItem: RowLayout {
        spacing: Theme.space(2)
        FormatTag { format: picker.inference.model.format }
        Label {
            text: picker.inference.model.isSet ? picker.inference.model.name :
                picker.inference.state === InferenceController.Loading ? qsTr("Loading %1").arg(picker.inference.loadingName) :
                qsTr("Choose a model")
            elide: Text.ElideMiddle
            Layout.fillWidth: true
        }
        ServerTag { visible: picker.elsewhere; server: picker.inference.model.server; maximumWidth: Theme.space(picker.showType ? 30 : 18) }
        Label { visible: text !== "" && picker.showType; text: picker.inference.model.type; color: Theme.colors.muted }
        Label { visible: picker.inference.state === InferenceController.Resting; text: qsTr("resting"); kind: "note" }
        Icon { icon: "chevron-down"; size: Math.round(14 * Theme.scale) }
    }
    background: Rectangle {
        radius: Theme.radius
        color: picker.hovered || popup.opened ? Theme.colors.sunken : Theme.colors.surface
        border.width: 1
        border.color: Theme.colors.line
        FocusRing { shown: picker.visualFocus }
    }
    Tip {
        visible: picker.hovered && !popup.opened
        text: picker.inference.state === InferenceController.Resting ?
            qsTr("Unloaded after a while without messages, which freed %1. The next message loads it again.")
                .arg(Figures.bytes(picker.inference.freedBytes)) :
            picker.elsewhere ? qsTr("What you write is sent to %1").arg(picker.inference.device.detail) :
            picker.inference.model.isSet ? picker.inference.model.path :
            Actions.tip("chat.model")
    }

    T.Popup {
        id: popup
        y: picker.height + Theme.space(1)
        x: picker.width - width
        width: Theme.space(110)
        margins: Theme.space(2)
        padding: Theme.space(1)
        implicitHeight: contentItem.implicitHeight + 2 * padding
        focus: true
        background: Rectangle { radius: Theme.cardRadius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }
        contentItem: ColumnLayout {
            spacing: 0
            ListView {
                id: list
                Layout.fillWidth: true
                Layout.preferredHeight: Math.min(contentHeight, Theme.space(remote.visible ? 56 : 90))
                model: picker.library
                clip: true
                focus: true
                keyNavigationEnabled: true
                currentIndex: 0
                boundsBehavior: Flickable.StopAtBounds
                Keys.onDownPressed: event => {
                    event.accepted = remote.visible && currentIndex === count - 1
                    if (event.accepted) remote.focusFirst()
                }
                delegate: ModelPickerRow {
                    width: ListView.view.width
                    kept: picker.inference.kept.some(model => model.path === path)
                    onChosen: path => { popup.close(); picker.library.openPath(path) }
                    onUnloadAsked: path => picker.inference.unloadKept(path)
                }
            }
            Rectangle {
                visible: remote.visible
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(1)
                implicitHeight: 1
                color: Theme.colors.line
            }
            RemotePicker {
                id: remote
                visible: models.total > 0
                models: picker.servers.models
                chosenPath: picker.inference.model.path
                Layout.fillWidth: true
                onChosen: path => { popup.close(); picker.inference.load(path) }
                onLeftAbove: list.forceActiveFocus()
            }
            Rectangle {
                Layout.fillWidth: true
                Layout.topMargin: Theme.space(1)
                Layout.bottomMargin: Theme.space(1)
                height: 1
                color: Theme.colors.line
            }
            RowLayout {
                spacing: Theme.space(1)
                Button {
                    kind: "quiet"
                    iconName: "file"
                    text: qsTr("Open a file...")
                    tip: Actions.keys("model.open")
                    onClicked: { popup.close(); picker.openFile() }
                }
                Button {
                    kind: "quiet"
                    iconName: "folder"
                    text: qsTr("Open a folder...")
                    onClicked: { popup.close(); folderDialog.open() }
                }
                Item { Layout.fillWidth: true }
                Button {
                    kind: "quiet"
                    visible: picker.inference.model.isSet && !picker.elsewhere
                    text: qsTr("Unload")
                    onClicked: { popup.close(); picker.inference.unload() }
                }
            }
        }
    }
    FileDialog {
        id: fileDialog
        title: qsTr("Open a model")
        nameFilters: [qsTr("Models (*.gguf *.safetensors)"), qsTr("All files (*)")]
        onAccepted: picker.library.open(selectedFile)
    }
    FolderDialog {
        id: folderDialog
        title: qsTr("Open a model's folder")
        onAccepted: picker.library.open(selectedFolder)
    }
}
