import QtQuick
import QtQuick.Dialogs
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Exports the result as Markdown, CSV, JSON or an image.
Button {
    id: button

    required property CompareController compare
    required property Item picture  // the item to render
    property string exportKind: "md"
    property bool narrow: false
    property string said: ""        // result of the last export of the shown run
    readonly property date shownRun: compare.created
    onShownRunChanged: said = ""

    function openMenu(): void { menu.popup(button, 0, button.height + Theme.space(1)) }
    function save(location: url, as: string): void {
        if (as !== "png") {
            said = compare.exportTo(location, as) ? qsTr("Saved as %1").arg(compare.localPath(location)) : ""
            return
        }
        const path = compare.localPath(location)
        const failed = qsTr("The picture could not be written to %1").arg(path)
        const begun = picture.grabToImage(
            result => button.said = result.saveToFile(path) ? qsTr("Saved as %1").arg(path) : failed,
            Qt.size(picture.width * 2, picture.height * 2))
        if (!begun) said = failed
    }
    function choose(as: string): void { exportKind = as; dialog.open() }

    text: narrow ? "" : qsTr("Export")
    iconName: narrow ? "arrow-down" : ""
    horizontalPadding: Theme.space(narrow ? 2 : 4)
    Accessible.name: qsTr("Export")
    tip: Actions.tip("compare.export")
    onClicked: openMenu()

    Menu {
        id: menu
        MenuItem { text: qsTr("Markdown..."); note: ".md"; onTriggered: button.choose("md") }
        MenuItem { text: qsTr("Table..."); note: ".csv"; onTriggered: button.choose("csv") }
        MenuItem { text: qsTr("Everything..."); note: ".json"; onTriggered: button.choose("json") }
        MenuItem { text: qsTr("Picture..."); note: ".png"; onTriggered: button.choose("png") }
    }
    FileDialog {
        id: dialog
        title: qsTr("Export the comparison")
        fileMode: FileDialog.SaveFile
        defaultSuffix: button.exportKind
        nameFilters: [button.exportKind.toUpperCase() + " (*." + button.exportKind + ")"]
        onAccepted: button.save(selectedFile, button.exportKind)
    }
}
