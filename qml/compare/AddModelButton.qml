import QtQuick
import QtQml.Models
import QtQuick.Dialogs
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Adds a model from the library, a file or a folder.
Button {
    id: button

    required property ModelLibrary library
    property bool narrow: false
    signal modelChosen(string path, string name, string format, string type)
    signal urlChosen(url location)

    function openMenu(): void { library.refresh(); menu.popup(button, 0, button.height + Theme.space(1)) }

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
                text: name
                note: format === "" ? "" : format + " " + type
                enabled: !missing && problem === ""
                onTriggered: button.modelChosen(path, name, format, type)
            }
            onObjectAdded: (index, object) => menu.insertItem(index, object)
            onObjectRemoved: (index, object) => menu.removeItem(object)
        }
        MenuItem { text: qsTr("Open a file..."); iconName: "file"; onTriggered: fileDialog.open() }
        MenuItem { text: qsTr("Open a folder..."); iconName: "folder"; onTriggered: folderDialog.open() }
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
