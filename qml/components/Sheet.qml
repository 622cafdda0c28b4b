import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A drawer at the edge where lines end (right, or left in a mirrored window), over the page. Esc or a click outside closes it.
T.Drawer {
    id: sheet

    property real fullWidth: Theme.space(150)  // narrower in a narrow window
    // What Esc does, also while the sheet slides in.
    function goBack() { close() }
    readonly property Shortcut escapeKey: Shortcut { sequence: "Esc"; enabled: sheet.visible; onActivated: sheet.goBack() }

    parent: T.Overlay.overlay
    width: Math.min(fullWidth, parent ? parent.width * 0.92 : fullWidth)
    height: parent ? parent.height : 0
    edge: Theme.mirrored ? Qt.LeftEdge : Qt.RightEdge
    modal: true
    dim: true
    focus: true
    interactive: false
    enter: Transition { NumberAnimation { property: "position"; to: 1; duration: Theme.motion; easing.type: Easing.OutCubic } }
    exit: Transition { NumberAnimation { property: "position"; to: 0; duration: Theme.motion } }
    background: Rectangle {
        color: Theme.colors.bg
        Rectangle { x: sheet.edge === Qt.LeftEdge ? parent.width - 1 : 0; width: 1; height: parent.height; color: Theme.colors.line }
    }
    T.Overlay.modal: Rectangle { color: Qt.rgba(0, 0, 0, 0.35) }
}
