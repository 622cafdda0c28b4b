import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A popup menu of MenuItem.
T.Menu {
    id: menu

    readonly property real widest: Array.from({ length: count }, (v, i) => itemAt(i)?.implicitWidth ?? 0).reduce((a, b) => Math.max(a, b), 0)

    implicitWidth: Math.max(Theme.space(45), widest + leftPadding + rightPadding)
    implicitHeight: contentHeight + topPadding + bottomPadding
    padding: Theme.space(1)
    margins: Theme.space(2)
    overlap: 1
    onVisibleChanged: Tips.openMenus += visible ? 1 : -1
    Component.onDestruction: if (visible) --Tips.openMenus

    delegate: MenuItem {}
    contentItem: ListView {
        implicitHeight: contentHeight
        model: menu.contentModel
        interactive: Window.window ? contentHeight + menu.topPadding + menu.bottomPadding > Window.window.height : false
        clip: true
        currentIndex: menu.currentIndex
    }
    background: Rectangle {
        radius: Theme.radius
        color: Theme.colors.surface
        border.width: 1
        border.color: Theme.colors.line
    }
}
