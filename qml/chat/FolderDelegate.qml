import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A folder: opens and closes (Enter, Right, Left); rename (F2) and remove (Del) from its menu.
T.ItemDelegate {
    id: row

    required property double folderId
    required property string title
    required property bool collapsed
    required property int members
    required property bool current
    required property bool busy
    required property ChatController chat
    property bool renaming: false
    property bool menuShown: false
    signal menuRequested()
    signal renameEnded()  // by a key

    implicitHeight: Theme.space(9)
    leftPadding: Theme.space(1)
    rightPadding: Theme.space(1)
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.TreeItem
    Accessible.name: qsTr("Folder %1, %n conversation(s)", "", members).arg(title)
    Accessible.description: collapsed ? qsTr("closed") : qsTr("open")
    onClicked: chat.setCollapsed(folderId, !collapsed)
    Keys.onReturnPressed: clicked()
    Keys.onDeletePressed: event => { if (!event.isAutoRepeat) chat.removeFolder(folderId) }
    Keys.onPressed: event => {
        if (event.key === Qt.Key_F2) renaming = true
        else if (event.key === Qt.Key_Right) chat.setCollapsed(folderId, false)
        else if (event.key === Qt.Key_Left) chat.setCollapsed(folderId, true)
        else if (event.key === Qt.Key_Menu || (event.key === Qt.Key_F10 && event.modifiers === Qt.ShiftModifier)) menuRequested()
        else return
        event.accepted = true
    }

    TapHandler { acceptedButtons: Qt.RightButton; onTapped: row.menuRequested() }
    contentItem: RowLayout {
        spacing: Theme.space(1)
        Icon { icon: row.collapsed ? "chevron-right" : "chevron-down"; size: Math.round(14 * Theme.scale) }
        Icon { icon: "folder"; size: Math.round(16 * Theme.scale) }
        ElidedLabel {
            visible: !row.renaming
            text: row.title
            horizontalAlignment: Text.AlignLeft
            elide: Text.ElideRight
            Layout.fillWidth: true
            Layout.leftMargin: Theme.space(1)
        }
        TitleEditor {
            editing: row.renaming
            title: row.title
            Layout.fillWidth: true
            onAccepted: text => { row.chat.renameFolder(row.folderId, text); row.renaming = false }
            onCancelled: row.renaming = false
            onClosed: { row.forceActiveFocus(Qt.TabFocusReason); row.renameEnded() }
        }
        Rectangle {
            visible: row.busy
            implicitWidth: Theme.space(2)
            implicitHeight: width
            radius: width / 2
            color: Theme.colors.accent
            Accessible.name: qsTr("a reply is being written")
        }
        Label { visible: !row.renaming && !more.visible; text: row.members; kind: "label"; Layout.rightMargin: Theme.space(2) }
        IconButton {
            id: more
            visible: (row.hovered || row.activeFocus || activeFocus || row.menuShown) && !row.renaming
            iconName: "more"
            tip: qsTr("Rename or remove the folder  Menu key")
            implicitWidth: Theme.space(7)
            onClicked: row.menuRequested()
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.current ? Theme.colors.surface : row.hovered ? Theme.colors.sunken : "transparent"
        border.width: row.current ? 1 : 0
        border.color: Theme.colors.line
        FocusRing { shown: row.activeFocus; around: 0 }
    }
}
