import QtQuick
import QtQuick.Layouts
import QtQuick.Dialogs
import QtQuick.Templates as T
import Minerva.Actions
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The models page: models on this machine, models on the hub, downloads; servers elsewhere.
Item {
    id: page

    required property ModelLibrary library
    required property InferenceController inference
    required property CopyJob copies
    required property DraftChoice draft
    required property LoadForecast draftForecast
    required property HubService hub
    required property ServerService servers
    required property Settings settings
    property string view: "here"  // "discover", "servers"
    readonly property bool here: view === "here"
    readonly property bool goesBack: details.path !== "" || view === "discover" && (hub.repository !== "" || hub.busy)  // Esc does
    signal chatRequested()
    signal settingRequested()  // the search by meaning

    readonly property bool narrow: width < Theme.space(180)
    readonly property bool tight: width < Theme.space(240)  // the buttons beside the tabs have icons only
    readonly property bool tiny: width < Theme.space(130)

    Component.onCompleted: library.refresh()
    onVisibleChanged: {
        if (!visible) return
        library.refresh()  // other programs may have downloaded something
        library.checkFits()
    }
    Connections {
        target: page.library
        function onDataChanged(): void { if (page.visible) page.library.checkFits() }  // a header has been read
    }
    ActionShortcut {
        name: "models.search"
        possible: details.path === ""
        onActivated: { page.view = "discover"; discover.focusSearch() }
    }

    property string detailsTitle: ""  // as the list names the model
    ModelDetails { id: details; onChanged: if (page.draft.model !== path) page.draft.model = path }
    ModelDetailsView {
        anchors { fill: parent; margins: Theme.space(page.narrow ? 4 : 6); topMargin: Theme.pageTop }
        visible: details.path !== ""
        details: details
        title: page.detailsTitle
        draft: page.draft
        draftForecast: page.draftForecast
        repository: page.hub.repositoryOf(details.path)
        embeds: page.library.embeddingModels().some(model => model.value === details.path)
        onHubRequested: { page.hub.open(repository); details.path = ""; page.view = "discover" }
        onVisibleChanged: if (visible) forceActiveFocus()
        onClosed: details.path = ""
        onChatRequested: path => { details.path = ""; page.library.openPath(path); page.chatRequested() }
    }
    ColumnLayout {
        id: column
        visible: details.path === ""
        anchors { fill: parent; margins: Theme.space(page.narrow ? 4 : 6); topMargin: Theme.pageTop }
        spacing: Theme.space(4)
        PageHead {
            spacing: Theme.space(2)
            Label { visible: !page.tiny; text: qsTr("Models"); kind: "title"; Layout.rightMargin: Theme.space(1) }
            Tab {
                text: page.narrow ? qsTr("Here") : qsTr("On this computer %1").arg(page.library.count)
                checked: page.here
                onClicked: page.view = "here"
            }
            Tab { text: qsTr("Discover"); checked: page.view === "discover"; onClicked: page.view = "discover" }
            Tab { objectName: "serversTab"; text: qsTr("Servers"); checked: page.view === "servers"; onClicked: page.view = "servers" }
            Item { Layout.fillWidth: true }
            Button {
                visible: page.view === "servers" && page.servers.list.count > 0
                iconName: "plus"
                text: page.tight ? "" : qsTr("Add a server")
                tip: page.tight ? Accessible.name : ""
                Accessible.name: qsTr("Add a server")
                onClicked: serverSheet.edit("", page.servers.facts(""))
            }
            Button {
                visible: page.here
                iconName: "folder"
                text: page.tight ? "" : qsTr("Open a folder...")
                tip: page.tight ? Accessible.name : ""
                Accessible.name: qsTr("Open a folder...")
                onClicked: folderDialog.open()
            }
            Button {
                visible: page.here
                iconName: "file"
                text: page.tight ? "" : qsTr("Open a file...")
                Accessible.name: qsTr("Open a file...")
                tip: Actions.keys("model.open")
                onClicked: fileDialog.open()
            }
        }
        ErrorCard {
            error: page.inference.error
            actionText: qsTr("Try again")
            otherText: page.inference.tooLarge ? qsTr("Load anyway") : ""
            otherTip: qsTr("On the CPU. The computer may become slow, or the system may end Minerva; conversations are kept")
            dismissible: true
            Layout.fillWidth: true
            onAction: page.inference.retry()
            onOther: page.inference.loadAnyway()
            onDismissed: page.inference.dismissError()
        }
        ErrorCard {
            visible: page.copies.state === CopyJob.Failed
            error: page.copies.error
            dismissible: true
            Layout.fillWidth: true
            onDismissed: page.copies.dismiss()
        }
        ListView {
            id: downloads
            visible: count > 0
            Layout.fillWidth: true
            Layout.preferredHeight: Math.min(contentHeight, page.height * 0.4)
            model: page.hub.downloads
            spacing: Theme.space(2)
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}
            delegate: DownloadRow {
                width: ListView.view.width
                onResumed: row => page.hub.downloads.resume(row)
                onPaused: row => page.hub.downloads.pause(row)
                onCancelled: row => page.hub.downloads.cancel(row)
                onChatRequested: path => { page.library.openPath(path); page.chatRequested() }
            }
        }
        DiscoverView {
            id: discover
            visible: page.view === "discover"
            hub: page.hub
            library: page.library
            settings: page.settings
            onChatRequested: path => { page.library.openPath(path); page.chatRequested() }
            Layout.fillWidth: true
            Layout.fillHeight: true
        }
        ServersView {
            visible: page.view === "servers"
            servers: page.servers
            settings: page.settings
            Layout.fillWidth: true
            Layout.fillHeight: true
            onChosen: path => { page.inference.load(path); page.chatRequested() }
            onEditRequested: serverId => {
                serverSheet.edit(serverId, page.servers.facts(serverId))
            }
        }
        CopyCard {
            id: copyCard
            job: page.copies
            Layout.fillWidth: true
            onChatRequested: path => { page.library.openPath(path); page.chatRequested() }
        }
        Flickable {  // limited height, so that the list below stays in view
            id: notesView
            visible: page.here && notes.says
            Layout.fillWidth: true
            Layout.preferredHeight: Math.min(contentHeight, page.height * 0.4)
            contentHeight: notes.implicitHeight
            interactive: contentHeight > height
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}
            LibraryNotes { id: notes; library: page.library; width: notesView.width - (notesView.interactive ? Theme.space(3) : 0) }
        }
        Rectangle {
            visible: page.here
            Layout.fillWidth: true
            Layout.preferredHeight: Math.min(titles.height + list.contentHeight + 2, column.height - y - foot.height - column.spacing)
            radius: Theme.cardRadius
            color: Theme.colors.surface
            border.width: 1
            border.color: Theme.colors.line
            ModelsHeader {
                id: titles
                anchors { left: parent.left; right: parent.right; top: parent.top; margins: 1 }
                height: implicitHeight
            }
            ListView {
                id: list
                anchors {
                    left: parent.left
                    right: parent.right
                    top: titles.bottom
                    bottom: parent.bottom
                    leftMargin: 1
                    rightMargin: 1
                    bottomMargin: 1
                }
                model: page.library
                clip: true
                boundsBehavior: Flickable.StopAtBounds
                activeFocusOnTab: count > 0
                T.ScrollBar.vertical: ScrollBar {}
                delegate: ModelRow {
                    width: ListView.view.width
                    onChosen: path => { if (!loaded) page.library.openPath(path); page.chatRequested() }
                    onSearchRequested: path => { page.settings.meaningModel = path; page.settingRequested() }
                    onDetailsRequested: { page.detailsTitle = name; details.path = path }
                    onCopyRequested: copyCard.open({ name: name, path: path, parameters: parameters, sizeBytes: sizeBytes })
                    onForgotten: row => page.library.remove(row)
                    onTrashRequested: row => page.library.moveToTrash(row)
                }
            }
        }
        RowLayout {
            id: foot
            visible: page.here
            spacing: Theme.space(3)
            Label {
                kind: "note"
                text: qsTr("GGUF files and SafeTensors folders are used where they are; nothing is copied. Drop a file on the window to open it.")
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }
            Button {
                kind: "quiet"
                text: qsTr("Find duplicates")
                tip: qsTr("Reads files of the same size once to find out whether they are identical")
                enabled: page.library.duplicates.state !== Duplicates.Looking
                onClicked: page.library.lookForDuplicates()
            }
        }
        Item { visible: page.here; Layout.fillHeight: true }
    }
    ServerSheet { id: serverSheet; objectName: "serverSheet"; servers: page.servers }
    FileDialog {
        id: fileDialog
        title: qsTr("Open a model")
        nameFilters: [qsTr("Models (*.gguf *.safetensors)"), qsTr("All files (*)")]
        onAccepted: { page.library.open(selectedFile); page.chatRequested() }
    }
    FolderDialog {
        id: folderDialog
        title: qsTr("Open a model's folder")
        onAccepted: { page.library.open(selectedFolder); page.chatRequested() }
    }
}
