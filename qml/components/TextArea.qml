import QtQuick
import QtQuick.Controls.Basic as Basic
import Minerva.Theme

// Some lines of text; grows to `maximumHeight`. `edited` comes when one pauses or leaves.
Rectangle {
    id: area

    property alias text: edit.text
    property real maximumHeight: Theme.space(50)
    signal edited()

    implicitWidth: Theme.space(50)
    implicitHeight: Math.min(maximumHeight, Math.max(Theme.space(16), edit.implicitHeight + 2))
    radius: Theme.radius
    color: Theme.colors.surface
    border.width: edit.activeFocus ? Theme.focusWidth : 1
    border.color: edit.activeFocus ? Theme.colors.accent : Theme.colors.line

    Flickable {
        anchors { fill: parent; margins: 2 }
        contentHeight: edit.implicitHeight
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        interactive: contentHeight > height
        Basic.ScrollBar.vertical: ScrollBar {}
        Basic.TextArea.flickable: Basic.TextArea {
            id: edit
            leftPadding: Theme.space(2)
            rightPadding: Theme.space(2)
            topPadding: Theme.space(1.5)
            bottomPadding: Theme.space(1.5)
            wrapMode: TextEdit.Wrap
            selectByMouse: true
            color: Theme.colors.text
            selectionColor: Theme.colors.accent
            selectedTextColor: Theme.colors.accentInk
            font.family: Theme.sans
            font.pixelSize: Theme.bodySize
            background: null
            Accessible.name: area.Accessible.name
            onTextChanged: if (activeFocus) settle.restart()
            onActiveFocusChanged: if (!activeFocus && settle.running) { settle.stop(); area.edited() }
            Keys.onPressed: event => {
                if (event.key !== Qt.Key_Tab && event.key !== Qt.Key_Backtab) return
                event.accepted = true
                const forward = event.key === Qt.Key_Tab
                nextItemInFocusChain(forward).forceActiveFocus(forward ? Qt.TabFocusReason : Qt.BacktabFocusReason)
            }
            Timer { id: settle; interval: 500; onTriggered: area.edited() }
        }
    }
}
