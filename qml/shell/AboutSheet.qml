import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// About Minerva: version, libraries and their licences, and the notices that Qt's licence requires. There are no links here;
// addresses can be selected and copied.
Sheet {
    id: sheet

    property string shownLicense: ""  // "LGPL-3", "GPL-3"; "": none

    function goBack() { if (shownLicense !== "") shownLicense = ""; else close() }

    fullWidth: Theme.space(170)
    onOpened: content.forceActiveFocus()
    onClosed: shownLicense = ""

    component Selectable: TextEdit {
        readOnly: true
        selectByMouse: true
        textFormat: TextEdit.PlainText
        wrapMode: TextEdit.WrapAtWordBoundaryOrAnywhere
        color: Theme.colors.muted
        selectionColor: Theme.colors.accent
        selectedTextColor: Theme.colors.accentInk
        font.family: Theme.sans
        font.pixelSize: Theme.noteSize
        Accessible.name: text
    }
    component LibraryRow: ColumnLayout {
        id: row
        required property var library
        spacing: Theme.space(0.5)
        RowLayout {
            spacing: Theme.space(2)
            Layout.fillWidth: true
            Label { text: row.library.name; font.weight: Font.DemiBold }
            Label { text: row.library.version; kind: "note" }
        }
        Label {
            text: qsTr("For %1 (%2)").arg(row.library.purpose).arg(row.library.use)
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Label { text: qsTr("License: %1").arg(row.library.license); kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
        Label { text: qsTr("Copyright: %1").arg(row.library.copyright); kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
        Selectable { text: row.library.address; Layout.fillWidth: true }
    }

    contentItem: ColumnLayout {
        id: content
        focus: true
        spacing: Theme.space(2)
        Keys.onPressed: event => {
            const lowest = Math.max(0, flick.contentHeight - flick.height)
            const to = event.key === Qt.Key_Down ? flick.contentY + Theme.space(10) :
                event.key === Qt.Key_Up ? flick.contentY - Theme.space(10) :
                event.key === Qt.Key_PageDown ? flick.contentY + flick.height * 0.9 :
                event.key === Qt.Key_PageUp ? flick.contentY - flick.height * 0.9 :
                event.key === Qt.Key_Home ? 0 :
                event.key === Qt.Key_End ? lowest :
                NaN
            if (isNaN(to)) return
            flick.contentY = Math.max(0, Math.min(lowest, to))
            event.accepted = true
        }
        RowLayout {
            Layout.fillWidth: true
            Layout.topMargin: Theme.space(3)
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(3)
            spacing: Theme.space(2)
            Label { text: Actions.title("app.about"); kind: "header"; Layout.fillWidth: true }
            Button { kind: "quiet"; visible: sheet.shownLicense !== ""; text: qsTr("Back"); onClicked: sheet.shownLicense = "" }
            IconButton { iconName: "close"; tip: qsTr("Close  Esc"); onClicked: sheet.close() }
        }
        Rectangle { Layout.fillWidth: true; implicitHeight: 1; color: Theme.colors.line }
        Flickable {
            id: flick
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.leftMargin: Theme.space(5)
            contentHeight: page.height + Theme.space(5)
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}
            Column {
                id: page
                width: flick.width - Theme.space(5)
                spacing: Theme.space(4)
                Selectable {
                    visible: sheet.shownLicense !== ""
                    width: parent.width
                    text: visible ? About.licenseText(sheet.shownLicense) : ""
                    font.family: Theme.mono
                    font.pixelSize: Theme.codeSize
                    color: Theme.colors.text
                }
                ColumnLayout {
                    visible: sheet.shownLicense === ""
                    width: parent.width
                    spacing: Theme.space(2)
                    Label {
                        objectName: "aboutVersion"
                        text: qsTr("Minerva %1").arg(About.version)
                        kind: "title"
                        topPadding: Theme.space(3)
                    }
                    Label {
                        text: qsTr("Chat with language models that run on this computer. Minerva opens models in GGUF, SafeTensors and MLX formats and runs them with its own engine, on the CPU or, through Vulkan, on a GPU. Nothing is sent anywhere unless you ask for it.")
                        wrapMode: Text.Wrap
                        Layout.fillWidth: true
                    }
                    Label { text: "Qt"; kind: "header"; topPadding: Theme.space(3) }
                    Label {
                        objectName: "aboutQt"
                        text: qsTr("Minerva uses Qt %1 under the GNU Lesser General Public License, version 3. Qt is linked dynamically: you may use another compatible version of it with this program, including one that you have modified. Its source is published at the address below; the source of the installed version is in your system's package repository.")
                            .arg(About.qtVersion)
                        wrapMode: Text.Wrap
                        Layout.fillWidth: true
                    }
                    Selectable { text: "https://download.qt.io/official_releases/qt/"; Layout.fillWidth: true }
                    RowLayout {
                        spacing: Theme.space(2)
                        Button {
                            objectName: "showLgpl"
                            text: qsTr("Show the LGPL")
                            onClicked: { sheet.shownLicense = "LGPL-3"; flick.contentY = 0 }
                        }
                        Button {
                            text: qsTr("Show the GPL")
                            tip: qsTr("The LGPL supplements the GPL")
                            onClicked: { sheet.shownLicense = "GPL-3"; flick.contentY = 0 }
                        }
                    }
                    Label { text: qsTr("Made with"); kind: "header"; topPadding: Theme.space(3) }
                    LayoutRepeater {
                        model: About.libraries
                        LibraryRow {
                            required property var modelData
                            library: modelData
                            Layout.fillWidth: true
                            Layout.bottomMargin: Theme.space(2)
                        }
                    }
                }
            }
        }
    }
}
