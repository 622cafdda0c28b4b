import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Finds actions, conversations and models by typing. Arrow keys select, Enter activates, Esc closes and restores the focus.
T.Popup {
    id: commandPalette  // not `palette`, which in a delegate is the row's own colours

    required property ConversationListModel conversations
    required property ModelLibrary library
    required property ServerService servers
    signal conversationChosen(double conversationId)
    signal modelChosen(string path)

    parent: T.Overlay.overlay
    x: parent ? Math.round((parent.width - width) / 2) : 0
    y: parent ? Math.round(parent.height * 0.12) : 0
    width: Math.min(Theme.space(150), (parent ? parent.width : 0) - Theme.space(8))
    height: Math.min(contentItem.implicitHeight + 2 * padding, (parent ? parent.height : 0) * 0.76)
    padding: Theme.space(2)
    modal: true
    dim: true
    focus: true
    onAboutToShow: { field.clear(); found.refresh(); list.currentIndex = 0 }
    onOpened: field.forceActiveFocus()

    function choose(row: int): void {
        commandPalette.close()  // first, because the choice may set the focus
        found.choose(row)
    }

    PaletteModel {
        id: found
        actions: Actions
        conversations: commandPalette.conversations
        library: commandPalette.library
        servers: commandPalette.servers
        query: field.text
        onActionChosen: name => Actions.trigger(name)
        onConversationChosen: id => commandPalette.conversationChosen(id)
        onModelChosen: path => commandPalette.modelChosen(path)
        onQueryChanged: { list.currentIndex = 0; list.positionViewAtBeginning() }
    }
    T.Overlay.modal: Rectangle { color: Qt.rgba(0, 0, 0, Theme.dark ? 0.5 : 0.25) }
    background: Rectangle { radius: Theme.cardRadius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }
    contentItem: ColumnLayout {
        spacing: Theme.space(2)
        TextField {
            id: field
            Layout.fillWidth: true
            implicitHeight: Theme.space(10)
            placeholderText: Actions.title("app.palette")
            focus: true
            Accessible.description: list.currentItem ? list.currentItem.Accessible.name : ""
            Keys.onDownPressed: list.incrementCurrentIndex()
            Keys.onUpPressed: list.decrementCurrentIndex()
            Keys.onReturnPressed: commandPalette.choose(list.currentIndex)
            Keys.onEnterPressed: commandPalette.choose(list.currentIndex)
            Keys.onPressed: event => {
                if (event.key === Qt.Key_PageDown || event.key === Qt.Key_PageUp) {
                    event.accepted = true
                    list.currentIndex = Math.max(0, Math.min(list.count - 1, list.currentIndex + (event.key === Qt.Key_PageDown ? 8 : -8)))
                } else if (event.key === Qt.Key_Tab || event.key === Qt.Key_Backtab) {
                    event.accepted = true  // nothing else here is focusable
                }
            }
        }
        ListView {
            id: list
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            model: found
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            highlightMoveDuration: 0
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Results")
            T.ScrollBar.vertical: ScrollBar {}
            delegate: PaletteRow {
                width: ListView.view.width
                onChosen: index => commandPalette.choose(index)
            }
        }
        Label {
            visible: list.count === 0
            kind: "note"
            text: qsTr("No matches.")
            Layout.margins: Theme.space(2)
        }
    }
}
