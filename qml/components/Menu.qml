import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A popup menu of MenuItem. Up and Down wrap around, wherever the pointer is; Home and End select the first and last item.
T.Menu {
    id: menu

    readonly property real widest: Array.from({ length: count }, (v, i) => itemAt(i)?.implicitWidth ?? 0)
        .reduce((a, b) => Math.max(a, b), 0)

    // Selects the next visible and enabled item after `from` (by: 1) or before it (by: -1), wrapping around.
    function step(from: int, by: int): void {
        for (let i = 1; i <= count; ++i) {
            const index = (from + i * by + 2 * count) % count
            if (!itemAt(index)?.visible || !itemAt(index)?.enabled) continue
            currentIndex = index
            return
        }
    }

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
        focus: true
        currentIndex: menu.currentIndex
        Keys.onPressed: event => {
            if (event.key === Qt.Key_Down) menu.step(menu.currentIndex, 1)
            else if (event.key === Qt.Key_Up) menu.step(menu.currentIndex < 0 ? menu.count : menu.currentIndex, -1)
            else if (event.key === Qt.Key_Home) menu.step(-1, 1)
            else if (event.key === Qt.Key_End) menu.step(menu.count, -1)
            else return
            event.accepted = true
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: Theme.colors.surface
        border.width: 1
        border.color: Theme.colors.line
    }
}
