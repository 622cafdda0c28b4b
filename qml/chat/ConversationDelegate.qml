import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A conversation: title, model and time, or the search excerpt; rename (F2), move, export and delete from its menu.
T.ItemDelegate {
    id: row

    required property double conversationId
    required property string title
    required property string subtitle
    required property bool current
    required property bool busy
    required property bool pinned
    required property bool nested
    required property string excerpt
    required property ChatController chat
    property bool renaming: false
    property bool menuShown: false
    signal chosen()
    signal picked()  // by mouse
    signal typed(string text)
    signal menuRequested()
    signal renameEnded()  // by a key

    implicitHeight: Theme.space(12.75)
    readonly property real leading: Theme.space(nested ? 6 : 2)
    leftPadding: mirrored ? Theme.space(1) : leading
    rightPadding: mirrored ? leading : Theme.space(1)
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.name: (pinned ? qsTr("%1, pinned").arg(title) : title) + ", " + subtitle
    onClicked: { chat.open(conversationId); forceActiveFocus(Qt.MouseFocusReason); picked() }
    Keys.onReturnPressed: { chat.open(conversationId); chosen() }
    Keys.onDeletePressed: event => { if (!event.isAutoRepeat) chat.remove(conversationId) }  // a held key would delete row after row
    Keys.onPressed: event => {
        if (event.key === Qt.Key_F2) renaming = true
        else if (event.key === Qt.Key_P && event.modifiers === Qt.ControlModifier) chat.setPinned(conversationId, !pinned)
        else if (event.key === Qt.Key_Menu || (event.key === Qt.Key_F10 && event.modifiers === Qt.ShiftModifier)) menuRequested()
        else if (event.text > " " && event.text !== "\x7f" &&
            !(event.modifiers & (Qt.ControlModifier | Qt.AltModifier | Qt.MetaModifier))) typed(event.text)
        else return
        event.accepted = true
    }

    TapHandler { acceptedButtons: Qt.RightButton; onTapped: row.menuRequested() }
    contentItem: RowLayout {
        spacing: Theme.space(1)
        ColumnLayout {
            spacing: Theme.space(0.5)
            Layout.fillWidth: true
            ElidedLabel {
                visible: !row.renaming
                text: row.title
                horizontalAlignment: Text.AlignLeft
                elide: Text.ElideRight
                Layout.fillWidth: true
            }
            TitleEditor {
                editing: row.renaming
                title: row.title
                Layout.fillWidth: true
                onAccepted: text => { row.chat.rename(row.conversationId, text); row.renaming = false }
                onCancelled: row.renaming = false
                onClosed: { row.forceActiveFocus(Qt.TabFocusReason); row.renameEnded() }
            }
            Label {
                visible: !row.renaming && row.excerpt === ""
                text: row.subtitle
                kind: "label"
                elide: Text.ElideRight
                maximumLineCount: 1
                Layout.fillWidth: true
            }
            MarkedLabel {
                visible: !row.renaming && row.excerpt !== ""
                html: row.excerpt
                kind: "label"
                elide: Text.ElideRight
                maximumLineCount: 1
                Layout.fillWidth: true
            }
        }
        Icon { visible: row.pinned && !row.renaming; icon: "pin"; size: Math.round(14 * Theme.scale); color: Theme.colors.faint }
        Rectangle {
            visible: row.busy && !stop.visible
            implicitWidth: Theme.space(2)
            implicitHeight: width
            radius: width / 2
            color: Theme.colors.accent
            Accessible.name: qsTr("a reply is being written")
        }
        IconButton {
            id: stop
            visible: row.busy && more.visible
            iconName: "stop"
            tip: qsTr("Stop the reply")
            implicitWidth: Theme.space(7)
            onClicked: row.chat.stopIn(row.conversationId)
        }
        IconButton {
            id: more
            visible: (row.hovered || row.activeFocus || activeFocus || stop.activeFocus || row.menuShown) && !row.renaming
            iconName: "more"
            tip: qsTr("Rename, pin, move, export or delete  Menu key")
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
