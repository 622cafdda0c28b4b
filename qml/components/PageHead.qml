import QtQuick
import QtQuick.Layouts

// The title and buttons of a page; button texts depend on the page's width.
//
// Qt 6.4 misses an update if the items of a layout change their implicit size, the layout is resized, and the items change
// their size again before the next frame. This happens when a page's width changes: items keep the sizes of their previous
// texts. Another layout pass after the event corrects them.
RowLayout {
    id: head

    onImplicitWidthChanged: Qt.callLater(arrange)

    function arrange(): void { ensurePolished() }
}
