import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// Multi-line text editor without a frame, used by TextArea and the composer.
T.TextArea {
    id: editor

    implicitWidth: contentWidth + leftPadding + rightPadding
    implicitHeight: Math.max(contentHeight, placeholder.visible ? placeholder.implicitHeight : 0) + topPadding + bottomPadding
    wrapMode: TextEdit.Wrap
    selectByMouse: true
    color: Theme.colors.text
    placeholderTextColor: Theme.colors.faint
    selectionColor: Theme.colors.accent
    selectedTextColor: Theme.colors.accentInk
    font.family: Theme.sans
    font.pixelSize: Theme.bodySize
    property var ownPaste: () => false  // true: pasted otherwise

    TextMenu { target: editor; paste: () => editor.ownPaste() }
    PlainText {
        id: placeholder
        x: editor.leftPadding
        y: editor.topPadding
        width: editor.width - editor.leftPadding - editor.rightPadding
        visible: editor.length === 0 && editor.preeditText === ""
        text: editor.placeholderText
        color: editor.placeholderTextColor
        font: editor.font
        horizontalAlignment: Text.AlignLeft
        elide: Text.ElideRight
    }
}
