import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A tab for one view of a page; the current one is tinted.
T.AbstractButton {
    id: tab

    property bool tight: false  // where there is little room

    implicitWidth: label.implicitWidth + Theme.space(tight ? 3 : 6)
    implicitHeight: Math.max(Theme.hit, label.implicitHeight + Theme.space(3))
    checkable: true
    autoExclusive: true
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.PageTab
    Accessible.name: text

    contentItem: Item {
        Label { id: label; anchors.centerIn: parent; text: tab.text; color: tab.checked ? Theme.colors.accent : Theme.colors.text }
    }
    background: Rectangle {
        radius: Theme.radius
        color: tab.checked ? Theme.colors.accentSoft : tab.hovered ? Theme.colors.sunken : Theme.colors.surface
        border.width: tab.checked ? 0 : 1
        border.color: Theme.colors.line
        FocusRing { shown: tab.visualFocus }
    }
}
