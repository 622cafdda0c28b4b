import QtQuick
import QtQml.Models
import QtQuick.Dialogs
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Servers
import Minerva.Theme

// Adds a model from the library, a file or a folder, or one of a server.
Button {
    id: button

    required property ModelLibrary library
    required property ServerService servers
    property bool narrow: false
    signal modelChosen(string path, string name, string format, string type)
    signal urlChosen(url location)
    signal serverModelChosen(string path)

    function openMenu(): void { library.refresh(); menu.popup(button, 0, button.height + Theme.space(1)) }
    function openServers(): void {
        servers.models.search = ""
        serversPopup.open()
    }

    iconName: "plus"
    text: narrow ? qsTr("Model") : qsTr("Add a model")
    tip: Actions.tip("compare.add")
    Accessible.name: qsTr("Add a model")
    onClicked: openMenu()

    Menu {
        id: menu
        implicitWidth: Theme.space(90)
        Instantiator {
            model: button.library
            delegate: MenuItem {
                required property string name
                required property string path
                required property string format
                required property string type
                required property bool missing
                required property string problem
                required property bool embeds
                text: name
                note: format === "" ? "" : format + " " + type
                enabled: !missing && problem === "" && !embeds
                onTriggered: button.modelChosen(path, name, format, type)
            }
            onObjectAdded: (index, object) => menu.insertItem(index, object)
            onObjectRemoved: (index, object) => menu.removeItem(object)
        }
        MenuItem { text: qsTr("Open a file..."); iconName: "file"; onTriggered: fileDialog.open() }
        MenuItem { text: qsTr("Open a folder..."); iconName: "folder"; onTriggered: folderDialog.open() }
        MenuItem {
            visible: button.servers.models.total > 0
            text: qsTr("A model of a server...")
            iconName: "server"
            onTriggered: button.openServers()
        }
    }
    T.Popup {
        id: serversPopup
        x: button.width - width
        y: button.height + Theme.space(1)
        width: Theme.space(90)
        margins: Theme.space(2)
        padding: Theme.space(1)
        focus: true
        onOpened: remote.focusStart()
        implicitHeight: contentItem.implicitHeight + 2 * padding
        background: Rectangle { radius: Theme.cardRadius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }
        contentItem: RemotePicker {
            id: remote
            models: button.servers.models
            onChosen: path => { serversPopup.close(); button.serverModelChosen(path) }
        }
    }
    FileDialog {
        id: fileDialog
        title: qsTr("Add a model to the comparison")
        nameFilters: [qsTr("Models (*.gguf *.safetensors)"), qsTr("All files (*)")]
        onAccepted: button.urlChosen(selectedFile)
    }
    FolderDialog {
        id: folderDialog
        title: qsTr("Add a model's folder to the comparison")
        onAccepted: button.urlChosen(selectedFolder)
    }
}
