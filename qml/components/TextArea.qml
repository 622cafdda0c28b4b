import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A multi-line text field that grows to `maximumHeight`. Emits `edited` when typing pauses or the focus is lost.
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
        T.ScrollBar.vertical: ScrollBar {}
        T.TextArea.flickable: TextEditor {
            id: edit
            leftPadding: Theme.space(2)
            rightPadding: Theme.space(2)
            topPadding: Theme.space(1.5)
            bottomPadding: Theme.space(1.5)
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
            Component.onDestruction: if (settle.running) area.edited()
        }
    }
}
