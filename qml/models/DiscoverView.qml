import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Models on the hub: recommended ones, search results, or one repository.
ColumnLayout {
    id: view

    required property HubService hub
    required property ModelLibrary library
    required property Settings settings

    signal chatRequested(string path)

    readonly property bool searching: hub.searched !== ""
    readonly property bool cancels: visible && hub.busy && hub.repository === ""  // Esc does
    readonly property var rows: searching ?
        Array.from(hub.hits, hit => ({
            repository: hit.name,
            title: hit.title,
            formats: hit.formats,
            note: [hit.owner, qsTr("%1 downloads").arg(Figures.integer(hit.downloads)), hit.gated ? qsTr("gated") : ""]
                .filter(part => part !== "").join(" · ")
        })) :
        Array.from(hub.catalogue, entry => ({
            repository: entry.repository,
            title: entry.name,
            formats: [entry.format],
            note: entry.why + " · " + entry.repository
        }))

    spacing: Theme.space(4)

    Shortcut { sequence: "Esc"; enabled: view.cancels; onActivated: view.hub.cancel() }
    onVisibleChanged: if (visible && hub.repository === "") focusSearch()

    function focusSearch(): void { search.forceActiveFocus(); search.selectAll() }

    TextField {
        id: search
        Layout.fillWidth: true
        placeholderText: qsTr("Search Hugging Face, or paste a link")
        shortcutHint: Actions.keys("models.search")
        enabled: !view.settings.offline
        onAccepted: view.hub.search(text)
        onTextChanged: if (text === "" && view.hub.query !== "") view.hub.search("")
    }
    RowLayout {
        visible: view.settings.offline
        spacing: Theme.space(3)
        Label {
            text: qsTr("Minerva is set to stay offline: no requests are sent to the hub.")
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Button { text: qsTr("Go online"); onClicked: view.settings.offline = false }
    }
    Item {  // gives the card its final width before it is shown, because its height depends on it
        visible: view.hub.error.isSet
        implicitHeight: failure.implicitHeight
        Layout.fillWidth: true
        ErrorCard {
            id: failure
            width: view.width
            height: implicitHeight
            error: view.hub.error
            actionText: qsTr("Try again")
            onAction: view.hub.retry()
        }
    }
    RepositoryView {
        visible: view.hub.repository !== ""
        hub: view.hub
        library: view.library
        onChatRequested: path => view.chatRequested(path)
        Layout.fillWidth: true
        Layout.fillHeight: true
    }
    ColumnLayout {
        visible: view.hub.repository === ""
        spacing: Theme.space(3)
        Layout.fillWidth: true
        Layout.fillHeight: true
        Item {  // reserves the space, as in RepositoryView
            implicitHeight: asking.implicitHeight
            Layout.fillWidth: true
            Progress { id: asking; visible: view.hub.busy; indeterminate: true; width: parent.width; Accessible.name: qsTr("Asking the hub") }
        }
        HubWait { hub: view.hub; doing: qsTr("Searching for \"%1\"").arg(view.hub.query); Layout.fillWidth: true }
        Label {
            text: view.searching ? qsTr("Results for \"%1\"").arg(view.hub.searched) : qsTr("Recommended")
            kind: "header"
            elide: Text.ElideRight
            Layout.fillWidth: true
        }
        EmptyState {
            visible: view.searching && !view.hub.busy && !view.hub.error.isSet && list.count === 0
            sentence: qsTr("No model with GGUF, SafeTensors or MLX files has this in its name.")
            Layout.fillWidth: true
            Layout.topMargin: Theme.space(6)
        }
        Rectangle {
            visible: list.count > 0
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.preferredHeight: list.contentHeight + 2
            Layout.maximumHeight: list.contentHeight + 2
            radius: Theme.cardRadius
            color: Theme.colors.surface
            border.width: 1
            border.color: Theme.colors.line
            ListView {
                id: list
                anchors { fill: parent; margins: 1 }
                model: view.rows
                clip: true
                boundsBehavior: Flickable.StopAtBounds
                T.ScrollBar.vertical: ScrollBar {}
                delegate: HitRow {
                    required property int index
                    required property var modelData
                    width: ListView.view.width
                    title: modelData.title
                    note: modelData.note
                    formats: modelData.formats
                    bottomMost: index === list.count - 1
                    enabled: !view.settings.offline
                    onClicked: view.hub.open(modelData.repository)
                }
            }
        }
        Label {
            kind: "note"
            text: qsTr("No requests are sent to the hub before you search or open a model. Files are checked as they arrive and used only if they are correct.")
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Item { Layout.fillHeight: true }
    }
}
