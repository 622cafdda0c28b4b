import QtQuick
import Minerva.Theme

// Scrolls pages as little as necessary to show the item focused by keyboard. (Text focused by clicking into it is already visible.)
QtObject {
    property Item focused: null

    onFocusedChanged: Qt.callLater(reveal)  // items that appear on focus have their positions by then

    function reveal(): void {
        if (!focused?.activeFocusOnTab) return
        for (let at = focused.parent; at !== null; at = at.parent) {
            const view = at as Flickable
            if (view !== null && focused.height <= view.height) scroll(view)
        }
    }
    function scroll(view: Flickable): void {
        const margin = Math.min(Theme.space(4), (view.height - focused.height) / 2)
        const top = focused.mapToItem(view.contentItem, 0, 0).y - margin
        const bottom = top + focused.height + 2 * margin
        const highest = view.originY - view.topMargin
        const lowest = Math.max(highest, view.originY + view.contentHeight + view.bottomMargin - view.height)
        if (top < view.contentY) view.contentY = Math.max(highest, top)
        else if (bottom > view.contentY + view.height) view.contentY = Math.min(lowest, bottom - view.height)
    }
}
