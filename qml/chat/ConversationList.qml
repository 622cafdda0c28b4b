import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The list of conversations: pinned ones, folders, then the others by day, newest first; can be searched.
ColumnLayout {
    id: page

    required property ChatController chat
    readonly property bool hasFocus: list.activeFocus
    signal chosen()               // continue in the composer
    signal clicked()              // shown; the list keeps the focus for Delete and the arrow keys
    signal typed(string text)     // while a conversation has the focus
    signal deletedRequested()

    function focusSearch(): void { search.forceActiveFocus(); search.selectAll() }
    function importFile(): void { importDialog.open() }
    // Adds a folder and starts renaming it. `holding`: the conversation to move into it, or 0.
    function addFolder(holding: double): void {
        chat.conversations.search = ""  // shows no folders
        const folder = page.chat.addFolder(qsTr("New folder"))
        if (folder === 0) return
        if (holding !== 0) page.chat.moveTo(holding, folder)
        list.rename(folder)
    }

    spacing: Theme.space(2)
    RowLayout {
        spacing: Theme.space(1)
        Layout.topMargin: Theme.space(3)
        Button {
            kind: "main"
            text: qsTr("New chat")
            tip: Actions.keys("chat.new")
            implicitHeight: Theme.space(9.5)
            Layout.fillWidth: true
            onClicked: { page.chat.newConversation(); page.chosen() }
        }
        IconButton {
            iconName: "more"
            tip: qsTr("New folder, import, recently deleted")
            implicitHeight: Theme.space(9.5)
            onClicked: moreMenu.open()
            Menu {
                id: moreMenu
                y: parent.height
                MenuItem {
                    text: qsTr("New folder")
                    note: Actions.keys("chat.folder")
                    iconName: "folder-plus"
                    onTriggered: page.addFolder(0)
                }
                MenuItem {
                    text: qsTr("Import conversations...")
                    note: Actions.keys("chat.import")
                    iconName: "file"
                    onTriggered: page.importFile()
                }
                MenuItem {
                    text: qsTr("Recently deleted...")
                    note: Actions.keys("chat.deleted")
                    iconName: "trash"
                    onTriggered: page.deletedRequested()
                }
            }
        }
    }
    TextField {
        id: search
        Layout.fillWidth: true
        implicitHeight: Theme.space(8.75)
        placeholderText: qsTr("Search conversations")
        shortcutHint: Actions.keys("chat.search")
        text: page.chat.conversations.search  // of the list beside the page and the one in the drawer
        onTextChanged: page.chat.conversations.search = text  // also what a screen reader puts in
        Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape && text !== ""
        Keys.onEscapePressed: if (text !== "") page.chat.conversations.search = ""; else page.chosen()
        Keys.onDownPressed: list.enter()
        Keys.onReturnPressed: list.enter()
    }
    ListView {
        id: list
        readonly property real barRoom: Theme.space(3)  // for the scroll bar beside the rows
        readonly property real rowWidth: width - barRoom
        readonly property real rowX: LayoutMirroring.enabled ? barRoom : 0
        Layout.fillWidth: true
        Layout.rightMargin: -barRoom
        Layout.fillHeight: true
        function enter(): void {
            if (count === 0) return
            forceLayout()
            if (currentIndex < 0 || currentIndex >= count || !currentItem) currentIndex = 0
            if (currentItem) currentItem.forceActiveFocus(Qt.TabFocusReason)
        }
        function keepFocus(): void { if (activeFocus && !currentItem?.activeFocus) enter() }
        function showRow(id: double): bool {
            const row = page.chat.conversations.rowOf(id)
            if (row < 0) return false
            currentIndex = row
            positionViewAtIndex(row, ListView.Contain)
            forceLayout()
            return currentItem !== null
        }
        function focusRow(id: double): void { if (showRow(id)) currentItem.forceActiveFocus(Qt.TabFocusReason) }
        function rename(id: double): void { if (showRow(id)) (currentItem as Item)["rename"]() }
        model: page.chat.conversations
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        spacing: Theme.space(1)
        activeFocusOnTab: count > 0
        onActiveFocusChanged: if (activeFocus && !currentItem?.activeFocus) enter()
        onCountChanged: if (activeFocus) Qt.callLater(keepFocus)  // the focused row may have been removed
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Conversations")
        T.ScrollBar.vertical: ScrollBar {}
        section.property: "section"
        section.delegate: Label {
            required property string section
            x: list.rowX
            width: list.rowWidth
            text: section
            kind: "label"
            font.weight: Font.DemiBold
            leftPadding: Theme.space(2)
            rightPadding: Theme.space(2)
            topPadding: Theme.space(2.5)
            bottomPadding: Theme.space(2)
        }
        // A row shows a folder or a conversation; the delegate inside has the focus.
        delegate: FocusScope {
            id: cell
            required property int index
            required property double conversationId
            required property string title
            required property string subtitle
            required property bool current
            required property bool busy
            required property string excerpt
            required property bool pinned
            required property double folderId
            required property bool collapsed
            required property int members
            required property bool nested
            x: list.rowX
            width: list.rowWidth
            implicitHeight: row.implicitHeight
            function rename(): void { (row.item as ConversationDelegate ?? row.item as FolderDelegate).renaming = true }
            Loader {
                id: row
                width: parent.width
                focus: true
                sourceComponent: cell.conversationId !== 0 ? conversationRow : folderRow
            }
            Component {
                id: conversationRow
                ConversationDelegate {
                    focus: true
                    conversationId: cell.conversationId; title: cell.title; subtitle: cell.subtitle; current: cell.current
                    busy: cell.busy; excerpt: cell.excerpt; pinned: cell.pinned; nested: cell.nested
                    chat: page.chat
                    menuShown: menu.opened && menu.conversationId === conversationId
                    onChosen: page.chosen()
                    onPicked: { list.currentIndex = cell.index; page.clicked() }
                    onTyped: text => page.typed(text)
                    onMenuRequested: menu.openFor(conversationId, pinned, cell.folderId)
                    onRenameEnded: Qt.callLater(list.focusRow, conversationId)
                }
            }
            Component {
                id: folderRow
                FolderDelegate {
                    focus: true
                    folderId: cell.folderId; title: cell.title; collapsed: cell.collapsed; members: cell.members
                    current: cell.current; busy: cell.busy
                    chat: page.chat
                    menuShown: folderMenu.opened && folderMenu.folderId === folderId
                    onMenuRequested: { folderMenu.folderId = folderId; folderMenu.popup() }
                    onRenameEnded: Qt.callLater(list.focusRow, folderId)
                }
            }
        }
        Label {
            anchors { left: parent.left; right: parent.right; top: parent.top; margins: Theme.space(2) }
            visible: list.count === 0
            kind: "note"
            wrapMode: Text.Wrap
            text: search.text !== "" ? qsTr("No conversation matches.") : qsTr("Conversations you start appear here.")
        }
    }
    Menu {
        id: menu
        property double conversationId: 0
        property double folderId: 0
        property bool pinned: false
        function openFor(id: double, isPinned: bool, folder: double): void {
            conversationId = id
            pinned = isPinned
            folderId = folder
            popup()
        }
        MenuItem { text: qsTr("Rename"); note: "F2"; iconName: "pencil"; onTriggered: list.rename(menu.conversationId) }
        MenuItem {
            text: menu.pinned ? qsTr("Unpin") : qsTr("Pin to the top")
            note: Actions.keys("chat.pin")
            iconName: "pin"
            onTriggered: page.chat.setPinned(menu.conversationId, !menu.pinned)
        }
        MenuItem { text: qsTr("Move to folder..."); iconName: "folder"; onTriggered: moveMenu.popup() }
        MenuItem { text: qsTr("Export..."); iconName: "arrow-down"; onTriggered: exportMenu.popup() }
        MenuItem {
            text: qsTr("Delete")
            note: Actions.nativeKeys("Del")
            iconName: "trash"
            onTriggered: page.chat.remove(menu.conversationId)
        }
    }
    Menu {
        id: moveMenu
        Repeater {
            model: page.chat.conversations.folders
            MenuItem {
                required property var modelData
                text: modelData.name
                checkable: true
                checked: menu.folderId === modelData.folderId
                onTriggered: page.chat.moveTo(menu.conversationId, modelData.folderId)
            }
        }
        MenuItem {
            text: qsTr("No folder")
            visible: page.chat.conversations.folders.length > 0
            checkable: true
            checked: menu.folderId === 0
            onTriggered: page.chat.moveTo(menu.conversationId, 0)
        }
        MenuItem { text: qsTr("New folder..."); iconName: "folder-plus"; onTriggered: page.addFolder(menu.conversationId) }
    }
    Menu {
        id: exportMenu
        MenuItem { text: qsTr("Markdown..."); note: ".md"; onTriggered: exportDialog.choose("md") }
        MenuItem { text: qsTr("Everything, as JSON..."); note: ".json"; onTriggered: exportDialog.choose("json") }
    }
    Menu {
        id: folderMenu
        property double folderId: 0
        MenuItem { text: qsTr("Rename"); note: "F2"; iconName: "pencil"; onTriggered: list.rename(folderMenu.folderId) }
        MenuItem {
            text: qsTr("Remove folder, keep conversations")
            note: Actions.nativeKeys("Del")
            iconName: "trash"
            onTriggered: page.chat.removeFolder(folderMenu.folderId)
        }
    }
    FileDialog {
        id: exportDialog
        title: qsTr("Export the conversation")
        fileMode: FileDialog.SaveFile
        property string kind: "md"
        property url folder: ""  // of the last export
        function choose(as: string): void {
            kind = as
            currentFile = page.chat.exportPlace(menu.conversationId, folder, kind)
            open()
        }
        defaultSuffix: kind
        nameFilters: [kind === "md" ? qsTr("Markdown (*.md)") : qsTr("Everything, as JSON (*.json)")]
        onAccepted: { folder = currentFolder; page.chat.exportTo(menu.conversationId, selectedFile, kind) }
    }
    FileDialog {
        id: importDialog
        title: qsTr("Import conversations: Minerva (.json, .md), ChatGPT (conversations.json), OpenAI messages (.json, .jsonl)")
        nameFilters: [qsTr("Conversations (*.json *.jsonl *.md)"), qsTr("All files (*)")]
        onAccepted: page.chat.importFrom(selectedFile)
    }
    Rectangle {
        visible: page.chat.importNote !== ""
        Layout.fillWidth: true
        Layout.bottomMargin: Theme.space(3)
        implicitHeight: importNote.implicitHeight + Theme.space(2)
        radius: Theme.radius
        color: Theme.colors.sunken
        RowLayout {
            id: importNote
            anchors { left: parent.left; right: parent.right; verticalCenter: parent.verticalCenter; leftMargin: Theme.space(3) }
            Label {
                text: page.chat.importNote
                kind: "note"
                wrapMode: Text.Wrap
                Layout.fillWidth: true
                Accessible.role: Accessible.AlertMessage
            }
            IconButton { iconName: "close"; tip: qsTr("Dismiss"); onClicked: page.chat.dismissImportNote() }
        }
    }
    UndoLine {
        id: undoLine
        visible: page.chat.canUndoDelete
        Layout.fillWidth: true
        Layout.bottomMargin: Theme.space(3)
        text: qsTr("Deleted %1").arg(page.chat.undoTitle)
        onUndone: page.chat.undoDelete()
        onPassed: page.chat.dismissUndo()
        Connections {
            target: page.chat
            function onUndoChanged() { undoLine.again() }
        }
    }
}
