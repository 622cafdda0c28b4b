import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The servers that the user has entered, with their models.
ColumnLayout {
    id: view

    required property ServerService servers
    required property Settings settings
    signal chosen(string path)
    signal editRequested(string serverId)  // "": a new one

    spacing: Theme.space(3)
    Label {
        visible: list.count > 0
        text: view.settings.offline ?
            qsTr("Offline is on: only servers on this computer are reached.") :
            qsTr("Messages to these models leave Minerva, and only when you have chosen one of them.")
        kind: "note"
        color: view.settings.offline ? Theme.colors.warn : Theme.colors.muted
        wrapMode: Text.Wrap
        Layout.fillWidth: true
    }
    ErrorCard { error: view.servers.keyError; Layout.fillWidth: true }
    ListView {
        id: list
        visible: count > 0
        model: view.servers.list
        spacing: Theme.space(3)
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        activeFocusOnTab: count > 0
        Layout.fillWidth: true
        Layout.fillHeight: true
        T.ScrollBar.vertical: ScrollBar {}
        delegate: ServerRow {
            width: ListView.view.width
            onChosen: path => view.chosen(path)
            onRefreshAsked: view.servers.refresh(serverId)
            onEditAsked: view.editRequested(serverId)
            onRemoveAsked: view.servers.remove(serverId)
        }
    }
    Item { visible: list.count === 0; Layout.fillHeight: true; Layout.preferredHeight: 1 }
    EmptyState {
        visible: list.count === 0
        sentence: qsTr("Models that another program runs, on this computer or elsewhere, can be used here as well: vLLM, llama-server, Ollama, LM Studio, another Minerva, or any server with OpenAI's interface.")
        actionText: qsTr("Add a server")
        Layout.fillWidth: true
        Layout.maximumWidth: Infinity  // its texts' maximum would be that of the whole view
        onAction: view.editRequested("")
    }
    Item { visible: list.count === 0; Layout.fillHeight: true; Layout.preferredHeight: 2 }
}
