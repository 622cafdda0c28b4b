import QtQuick
import Minerva.Theme

// What Tab goes to is in view: pages are scrolled to it, by as little as it takes. (Text that is pressed to select from it is
// where the pointer is.)
QtObject {
    property Item focused: null

    onFocusedChanged: Qt.callLater(reveal)  // what appears with the focus has its place by then

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
