import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Adds a server or edits one: address, name, key, further models, and a test that lists its models. What was typed is there again when the sheet was
// left by Esc, until it is saved or cancelled.
Sheet {
    id: sheet

    required property ServerService servers
    property string serverId: ""  // "": a new one
    property bool hasKey: false
    readonly property var said: servers.check(serverId, address.text, key.text)
    readonly property int most: 40  // names of found models that are shown
    readonly property bool typed: address.text.trim() !== ""

    property var stored: ({})     // what the sheet began with: {name, address, key, models}
    property var drafts: ({})     // by serverId: what was typed and neither saved nor cancelled; not on the disk
    property bool settled: false  // saved or cancelled

    function edit(id: string, facts: var): void {
        serverId = id
        settled = false
        stored = { name: facts.name, address: facts.address, key: "", models: facts.models }
        const shown = drafts[id] ?? stored
        nameField.text = shown.name
        address.text = shown.address
        key.text = shown.key
        models.text = shown.models
        hasKey = facts.hasKey
        servers.forgetTry()
        open()
    }
    function keep(): void { if (typed && servers.keep(serverId, address.text, nameField.text, key.text, models.text)) settle() }
    function settle(): void { settled = true; close() }

    // What a test has found may be below the visible part.
    function showTried(): void { flick.contentY = Math.max(0, Math.min(test.y, flick.contentHeight - flick.height)) }
    onOpened: address.forceActiveFocus()
    closePolicy: T.Popup.CloseOnEscape  // not by a click beside it
    onAboutToHide: {
        const left = { name: nameField.text, address: address.text, key: key.text, models: models.text }
        drafts = Object.assign({}, drafts, { [serverId]: settled || JSON.stringify(left) === JSON.stringify(stored) ? undefined : left })
    }
    onClosed: { key.text = ""; servers.forgetTry() }

    component Title: Label { kind: "label"; font.weight: Font.DemiBold; Layout.topMargin: Theme.space(2); Layout.fillWidth: true }
    component Note: Label { visible: text !== ""; kind: "note"; wrapMode: Text.WrapAtWordBoundaryOrAnywhere; Layout.fillWidth: true }

    contentItem: Item {
        Connections {
            target: sheet.servers
            function onTriedChanged() { if (sheet.servers.tried.isSet || sheet.servers.found.length > 0) Qt.callLater(sheet.showTried) }
        }
        Flickable {
            id: flick
            anchors { left: parent.left; right: parent.right; top: parent.top; bottom: foot.top; bottomMargin: Theme.space(2) }
            contentHeight: column.implicitHeight + Theme.space(7)
            interactive: contentHeight > height
            boundsBehavior: Flickable.StopAtBounds
            clip: true
            T.ScrollBar.vertical: ScrollBar {}
            ColumnLayout {
                id: column
                x: Theme.space(5)
                y: Theme.space(5)
                width: flick.width - 2 * x
                spacing: Theme.space(1.5)
                RowLayout {
                    Layout.topMargin: -Theme.space(2)
                    Layout.rightMargin: -Theme.space(2)
                    Label { text: sheet.serverId === "" ? qsTr("Add a server") : qsTr("Edit the server"); kind: "header"; Layout.fillWidth: true }
                    IconButton { iconName: "close"; tip: qsTr("Close"); onClicked: sheet.close() }
                }
                Note { text: sheet.drafts[sheet.serverId] === undefined ? "" : qsTr("Typed before and not saved yet. Cancel discards it.") }
                Title { text: qsTr("Address") }
                TextField {
                    id: address
                    objectName: "serverAddress"
                    placeholderText: "localhost:8080"
                    inputMethodHints: Qt.ImhUrlCharactersOnly | Qt.ImhNoPredictiveText
                    Accessible.name: qsTr("Address")
                    Layout.fillWidth: true
                    onTextEdited: sheet.servers.forgetTry()
                    onAccepted: sheet.keep()
                }
                Note {
                    text: !sheet.typed ? qsTr("As the server prints it when it starts. Ollama: localhost:11434, LM Studio: localhost:1234, vLLM: localhost:8000.") :
                        sheet.said.refusal !== "" ? sheet.said.refusal : sheet.said.warning
                    color: !sheet.typed ? Theme.colors.muted : sheet.said.refusal !== "" ? Theme.colors.bad : Theme.colors.warn
                }
                Title { text: qsTr("Name") }
                TextField {
                    id: nameField
                    objectName: "serverName"
                    placeholderText: qsTr("The address, if empty")
                    maximumLength: 60
                    Accessible.name: qsTr("Name")
                    Layout.fillWidth: true
                    onAccepted: sheet.keep()
                }
                Title { text: qsTr("Key") }
                RowLayout {
                    spacing: Theme.space(2)
                    TextField {
                        id: key
                        objectName: "serverKey"
                        placeholderText: sheet.hasKey && !sheet.said.keyGoes ? qsTr("In your keyring; enter another one to replace it") : qsTr("Only if the server asks for one")
                        echoMode: TextInput.Password
                        inputMethodHints: Qt.ImhSensitiveData | Qt.ImhNoPredictiveText
                        Accessible.name: qsTr("Key")
                        Layout.fillWidth: true
                        onTextEdited: sheet.servers.forgetTry()
                        onAccepted: sheet.keep()
                    }
                    Button {
                        visible: sheet.hasKey
                        text: qsTr("Remove the key")
                        onClicked: { sheet.servers.removeKey(sheet.serverId); sheet.hasKey = false }
                    }
                }
                Note {
                    text: sheet.said.keyGoes ? qsTr("The address is another host's: the key kept for the earlier one is not sent there. Enter it again if it is the same.") :
                        qsTr("Kept in your keyring, nowhere else, and sent only to this server.")
                    color: sheet.said.keyGoes ? Theme.colors.warn : Theme.colors.muted
                }
                Title { text: qsTr("Further models") }
                TextField {
                    id: models
                    objectName: "serverModels"
                    placeholderText: qsTr("Only if the server does not list them")
                    inputMethodHints: Qt.ImhNoPredictiveText
                    Accessible.name: qsTr("Further models")
                    Layout.fillWidth: true
                    onAccepted: sheet.keep()
                }
                Note { text: qsTr("Names with commas between them: some servers list no models, or not all that they answer for.") }
                RowLayout {
                    id: test
                    spacing: Theme.space(3)
                    Layout.topMargin: Theme.space(3)
                    Button {
                        objectName: "serverTest"
                        text: qsTr("Test")
                        tip: qsTr("Asks the server for its models, and nothing else")
                        enabled: sheet.typed && sheet.said.refusal === "" && !sheet.servers.trying
                        onClicked: sheet.servers.tryOut(sheet.serverId, address.text, key.text)
                    }
                    Progress { visible: sheet.servers.trying; indeterminate: true; Layout.fillWidth: true; Accessible.name: qsTr("Looking for models") }
                    Label {
                        visible: sheet.servers.found.length > 0
                        text: sheet.servers.foundKind !== "" ?
                            qsTr("%1 answers, with %n model(s)", "", sheet.servers.found.length).arg(sheet.servers.foundKind) :
                            qsTr("The server answers, with %n model(s)", "", sheet.servers.found.length)
                        color: Theme.colors.good
                        wrapMode: Text.Wrap
                        Layout.fillWidth: true
                    }
                    Item { visible: !sheet.servers.trying && sheet.servers.found.length === 0; Layout.fillWidth: true }
                }
                ErrorCard { objectName: "serverRefusal"; error: sheet.servers.tried; Layout.fillWidth: true }
                LayoutRepeater {
                    model: sheet.servers.found.slice(0, sheet.most)
                    ElidedLabel {
                        required property string modelData
                        text: modelData
                        kind: "note"
                        horizontalAlignment: Text.AlignLeft
                        Layout.fillWidth: true
                    }
                }
                Note { text: sheet.servers.found.length > sheet.most ? qsTr("and %n more", "", sheet.servers.found.length - sheet.most) : "" }
            }
        }
        RowLayout {
            id: foot
            anchors { left: parent.left; right: parent.right; bottom: parent.bottom; margins: Theme.space(5) }
            spacing: Theme.space(2)
            Item { Layout.fillWidth: true }
            Button { text: qsTr("Cancel"); onClicked: sheet.settle() }
            Button {
                objectName: "serverKeep"
                kind: "main"
                text: sheet.serverId === "" ? qsTr("Add") : qsTr("Save")
                enabled: sheet.typed && sheet.said.refusal === ""
                onClicked: sheet.keep()
            }
        }
    }
}
