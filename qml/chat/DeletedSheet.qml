import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Recently deleted conversations. Each can be restored or deleted permanently; all can be deleted after a confirmation.
Sheet {
    id: sheet

    required property ChatController chat
    property bool emptying: false  // asking for confirmation to delete all

    fullWidth: Theme.space(125)
    onOpened: { emptying = false; list.currentIndex = 0; list.enter() }

    contentItem: ColumnLayout {
        id: content
        spacing: Theme.space(2)
        RowLayout {
            Layout.fillWidth: true
            Layout.topMargin: Theme.space(3)
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(3)
            spacing: Theme.space(2)
            Label { text: qsTr("Recently deleted"); kind: "header"; elide: Text.ElideRight; Layout.fillWidth: true }
            Button {
                visible: sheet.chat.deleted.count > 0 && !sheet.emptying
                kind: "quiet"
                text: qsTr("Delete all now...")
                onClicked: sheet.emptying = true
            }
            IconButton { iconName: "close"; tip: qsTr("Close  Esc"); onClicked: sheet.close() }
        }
        Rectangle { Layout.fillWidth: true; implicitHeight: 1; color: Theme.colors.line }
        Label {
            text: sheet.chat.deleted.count > 0 ?
                qsTr("They are kept for %1 days, then removed for good when Minerva starts.").arg(sheet.chat.deleted.keptDays) :
                qsTr("Nothing was deleted in the last %1 days.").arg(sheet.chat.deleted.keptDays)
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(5)
        }
        Rectangle {
            visible: sheet.emptying
            Layout.fillWidth: true
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(5)
            implicitHeight: question.implicitHeight + Theme.space(6)
            radius: Theme.cardRadius
            color: Theme.colors.warnSoft
            border.width: 1
            border.color: Theme.colors.line
            Accessible.role: Accessible.AlertMessage
            Accessible.name: asked.text
            ColumnLayout {
                id: question
                anchors { left: parent.left; right: parent.right; top: parent.top; margins: Theme.space(3) }
                spacing: Theme.space(2)
                Label {
                    id: asked
                    text: qsTr("Delete %n conversation(s) for good? This cannot be undone.", "", sheet.chat.deleted.count)
                    wrapMode: Text.Wrap
                    Layout.fillWidth: true
                }
                Flow {
                    spacing: Theme.space(2)
                    Layout.fillWidth: true
                    Button { text: qsTr("Keep them"); onClicked: sheet.emptying = false }
                    Button {
                        kind: "danger"
                        text: qsTr("Delete all now")
                        onClicked: { sheet.emptying = false; sheet.chat.emptyDeleted(); content.forceActiveFocus() }
                    }
                }
            }
        }
        ListView {
            id: list
            function enter(): void {
                if (count === 0) return content.forceActiveFocus()
                if (currentIndex < 0 || currentIndex >= count) currentIndex = 0
                forceLayout()
                if (currentItem) currentItem.forceActiveFocus(Qt.TabFocusReason)
            }
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.topMargin: Theme.space(1)
            Layout.leftMargin: Theme.space(3)
            Layout.rightMargin: Theme.space(3)
            clip: true
            model: sheet.chat.deleted
            spacing: Theme.space(1)
            boundsBehavior: Flickable.StopAtBounds
            activeFocusOnTab: count > 0
            onActiveFocusChanged: if (activeFocus && !currentItem?.activeFocus) enter()
            T.ScrollBar.vertical: ScrollBar {}
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Recently deleted")
            delegate: DeletedDelegate {
                width: ListView.view.width - Theme.space(2)
                onRestoreRequested: { sheet.close(); sheet.chat.restore(conversationId) }
                onRemoveRequested: { sheet.chat.removeForGood(conversationId); list.enter() }
            }
        }
    }
}
