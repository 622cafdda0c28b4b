import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A drawer with the text of an attached file or a long message. A list of parts, so that only visible ones are laid out.
Sheet {
    id: sheet

    required property ChatController chat
    readonly property var nothing: ({ name: "", bytes: 0, text: "", parts: [] })
    property var shown: nothing
    property bool prose: false

    function showFile(row: int, position: int): void { show(chat.attachment(row, position), false) }
    function showMessage(row: int): void { show(chat.wholeText(row), true) }
    function show(found: var, asProse: bool): void {
        if (found["name"] === undefined) return  // it does not exist
        shown = found
        prose = asProse
        open()
    }

    fullWidth: Theme.space(170)
    onOpened: content.forceActiveFocus()
    onClosed: shown = nothing

    contentItem: ColumnLayout {
        id: content
        focus: true
        spacing: Theme.space(2)
        Keys.onPressed: event => {
            const lowest = Math.max(list.originY, list.originY + list.contentHeight + list.bottomMargin - list.height)
            const to = event.key === Qt.Key_Down ? list.contentY + Theme.space(10) :
                event.key === Qt.Key_Up ? list.contentY - Theme.space(10) :
                event.key === Qt.Key_PageDown ? list.contentY + list.height * 0.9 :
                event.key === Qt.Key_PageUp ? list.contentY - list.height * 0.9 :
                event.key === Qt.Key_Home ? list.originY :
                event.key === Qt.Key_End ? lowest :
                NaN
            if (isNaN(to)) return
            list.contentY = Math.max(list.originY, Math.min(lowest, to))
            event.accepted = true
        }
        RowLayout {
            Layout.fillWidth: true
            Layout.topMargin: Theme.space(3)
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(3)
            spacing: Theme.space(2)
            Label { text: sheet.shown.name; kind: "header"; elide: Text.ElideMiddle; Layout.fillWidth: true }
            Label { text: Figures.bytes(sheet.shown.bytes); kind: "note" }
            IconButton {
                iconName: copied.running ? "check" : "copy"
                tip: qsTr("Copy")
                onClicked: { sheet.chat.copyText(sheet.shown.text); copied.restart() }
                Timer { id: copied; interval: 1500 }
            }
            IconButton { iconName: "close"; tip: qsTr("Close  Esc"); onClicked: sheet.close() }
        }
        Rectangle { Layout.fillWidth: true; implicitHeight: 1; color: Theme.colors.line }
        ListView {
            id: list
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.leftMargin: Theme.space(5)
            clip: true
            model: sheet.shown.parts
            bottomMargin: Theme.space(5)
            boundsBehavior: Flickable.StopAtBounds
            keyNavigationEnabled: false
            T.ScrollBar.vertical: ScrollBar {}
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Text of %1").arg(sheet.shown.name)
            delegate: TextEdit {
                required property string modelData
                width: ListView.view.width - Theme.space(5)
                text: modelData
                textFormat: TextEdit.PlainText
                readOnly: true
                selectByMouse: true
                wrapMode: TextEdit.Wrap
                color: Theme.colors.text
                selectionColor: Theme.colors.accent
                selectedTextColor: Theme.colors.accentInk
                font.family: sheet.prose ? Theme.sans : Theme.mono
                font.pixelSize: sheet.prose ? Theme.bodySize : Theme.codeSize
                Accessible.name: modelData
            }
        }
    }
}
