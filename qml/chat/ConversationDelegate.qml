import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// One conversation: title, model and time, or what the search found in it; rename (F2), export and delete from its menu.
T.ItemDelegate {
    id: row

    required property double conversationId
    required property string title
    required property string subtitle
    required property bool current
    required property bool busy
    required property string excerpt
    required property ChatController chat
    property bool renaming: false
    property bool menuShown: false
    signal chosen()
    signal menuRequested()

    implicitHeight: Theme.space(12.75)
    leftPadding: Theme.space(2)
    rightPadding: Theme.space(1)
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.name: title + ", " + subtitle
    onClicked: { chat.open(conversationId); chosen() }
    Keys.onReturnPressed: clicked()
    Keys.onDeletePressed: chat.remove(conversationId)
    Keys.onPressed: event => { if (event.key === Qt.Key_F2) { event.accepted = true; renaming = true } }

    TapHandler { acceptedButtons: Qt.RightButton; onTapped: row.menuRequested() }
    contentItem: RowLayout {
        spacing: Theme.space(1)
        ColumnLayout {
            spacing: Theme.space(0.5)
            Layout.fillWidth: true
            ElidedLabel { visible: !row.renaming; text: row.title; horizontalAlignment: Text.AlignLeft; elide: Text.ElideRight; Layout.fillWidth: true }
            Loader {
                visible: active
                active: row.renaming
                Layout.fillWidth: true
                sourceComponent: TextField {
                    implicitHeight: Theme.space(7)
                    text: row.title
                    Component.onCompleted: { selectAll(); forceActiveFocus() }
                    onAccepted: { row.chat.rename(row.conversationId, text); row.renaming = false }
                    onActiveFocusChanged: if (!activeFocus) row.renaming = false
                    Keys.onEscapePressed: row.renaming = false
                    Accessible.name: qsTr("New title")
                }
            }
            Label {
                visible: !row.renaming
                text: row.excerpt !== "" ? row.excerpt : row.subtitle
                textFormat: row.excerpt !== "" ? Text.StyledText : Text.PlainText
                kind: "label"
                elide: Text.ElideRight
                maximumLineCount: 1
                Layout.fillWidth: true
            }
        }
        Rectangle {
            visible: row.busy
            implicitWidth: Theme.space(2)
            implicitHeight: width
            radius: width / 2
            color: Theme.colors.accent
            Accessible.name: qsTr("a reply is being written")
        }
        IconButton {
            visible: (row.hovered || row.activeFocus || row.menuShown) && !row.renaming
            iconName: "more"
            tip: qsTr("Rename, export or delete")
            tipHidden: row.menuShown
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
