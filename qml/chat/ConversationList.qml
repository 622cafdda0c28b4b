import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The conversations, newest first, by day; search filters them.
ColumnLayout {
    id: page

    required property ChatController chat
    signal chosen()

    function focusSearch(): void { search.forceActiveFocus() }

    spacing: Theme.space(2)
    Button {
        kind: "main"
        text: qsTr("New chat")
        tip: "Ctrl+N"
        implicitHeight: Theme.space(9.5)
        Layout.fillWidth: true
        Layout.topMargin: Theme.space(3)
        onClicked: { page.chat.newConversation(); page.chosen() }
    }
    TextField {
        id: search
        Layout.fillWidth: true
        implicitHeight: Theme.space(8.75)
        placeholderText: qsTr("Search conversations")
        shortcutHint: "Ctrl K"
        onTextChanged: page.chat.conversations.search = text
        Keys.onEscapePressed: text !== "" ? clear() : page.chosen()
        Keys.onDownPressed: list.enter()
        Keys.onReturnPressed: list.enter()
    }
    ListView {
        id: list
        readonly property real barRoom: Theme.space(3)  // the scroll bar stands beside the rows
        Layout.fillWidth: true
        Layout.rightMargin: -barRoom
        Layout.fillHeight: true
        function enter(): void {
            if (count === 0) return
            forceLayout()
            if (currentIndex < 0 || currentIndex >= count || !currentItem) currentIndex = 0
            if (currentItem) currentItem.forceActiveFocus(Qt.TabFocusReason)
        }
        model: page.chat.conversations
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        spacing: Theme.space(1)
        activeFocusOnTab: true
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Conversations")
        T.ScrollBar.vertical: ScrollBar {}
        section.property: "section"
        section.delegate: Label {
            required property string section
            text: section
            kind: "label"
            font.weight: Font.DemiBold
            leftPadding: Theme.space(2)
            topPadding: Theme.space(2.5)
            bottomPadding: Theme.space(2)
        }
        delegate: ConversationDelegate {
            width: ListView.view.width - list.barRoom
            chat: page.chat
            menuShown: menu.opened && menu.conversationId === conversationId
            onChosen: page.chosen()
            onMenuRequested: menu.openFor(conversationId)
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
        function openFor(id: double): void { conversationId = id; popup() }
        function rename(): void {
            const row = list.itemAtIndex(page.chat.conversations.rowOf(conversationId))
            if (row) row.renaming = true
        }
        MenuItem { text: qsTr("Rename"); note: "F2"; iconName: "pencil"; onTriggered: menu.rename() }
        MenuItem { text: qsTr("Export..."); iconName: "arrow-down"; onTriggered: exportDialog.open() }
        MenuItem { text: qsTr("Delete"); note: "Del"; iconName: "trash"; onTriggered: page.chat.remove(menu.conversationId) }
    }
    FileDialog {
        id: exportDialog
        title: qsTr("Export the conversation")
        fileMode: FileDialog.SaveFile
        defaultSuffix: "md"
        nameFilters: [qsTr("Markdown (*.md)"), qsTr("Everything, as JSON (*.json)")]
        onAccepted: page.chat.exportTo(menu.conversationId, selectedFile)
    }
    Rectangle {
        visible: page.chat.canUndoDelete
        Layout.fillWidth: true
        Layout.bottomMargin: Theme.space(3)
        implicitHeight: undo.implicitHeight + Theme.space(2)
        radius: Theme.radius
        color: Theme.colors.sunken
        RowLayout {
            id: undo
            anchors { left: parent.left; right: parent.right; verticalCenter: parent.verticalCenter; leftMargin: Theme.space(3) }
            Label { text: qsTr("Deleted %1").arg(page.chat.undoTitle); kind: "note"; elide: Text.ElideMiddle; Layout.fillWidth: true }
            Button { kind: "quiet"; text: qsTr("Undo"); onClicked: page.chat.undoDelete() }
        }
        Timer { running: page.chat.canUndoDelete; interval: 10000; onTriggered: page.chat.dismissUndo() }
    }
}
