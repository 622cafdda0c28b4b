import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A single-line text field. `shortcutHint` is shown on the right while it is empty.
T.TextField {
    id: field

    property string shortcutHint: ""

    implicitWidth: Theme.space(50)
    implicitHeight: Math.max(Theme.hit, contentHeight + topPadding + bottomPadding)
    leftPadding: Theme.space(2.5)
    rightPadding: Theme.space(2.5)
    topPadding: Theme.space(1.5)
    bottomPadding: Theme.space(1.5)
    color: Theme.colors.text
    placeholderTextColor: Theme.colors.faint
    selectionColor: Theme.colors.accent
    selectedTextColor: Theme.colors.accentInk
    selectByMouse: true
    font.family: Theme.sans
    font.pixelSize: Theme.bodySize
    verticalAlignment: TextInput.AlignVCenter
    Accessible.name: placeholderText

    TextMenu { target: field }
    PlainText {
        id: placeholder
        anchors { left: parent.left; leftMargin: field.leftPadding; right: hint.left; top: parent.top; bottom: parent.bottom }
        horizontalAlignment: Text.AlignLeft
        verticalAlignment: Text.AlignVCenter
        text: field.placeholderText
        visible: field.text === "" && field.preeditText === ""
        color: field.placeholderTextColor
        font: field.font
        elide: Text.ElideRight
    }
    PlainText {
        id: hint
        anchors { right: parent.right; rightMargin: Theme.space(2.5); verticalCenter: parent.verticalCenter }
        text: field.shortcutHint
        visible: field.text === ""
        color: Theme.colors.faint
        font.family: Theme.mono
        font.pixelSize: Theme.labelSize
    }
    background: Rectangle {
        radius: Theme.radius
        color: Theme.colors.surface
        border.width: field.activeFocus ? Theme.focusWidth : 1
        border.color: field.activeFocus ? Theme.colors.accent : Theme.colors.line
    }
}
