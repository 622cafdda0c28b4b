import QtQuick
import QtQuick.Layouts

// The row of a page's title and buttons, whose words depend on the page's width.
//
// Qt 6.4 loses track of a layout whose items want another size, that is then resized, and whose items want another size once more
// before the next frame, as happens when a page gets its first or another width: the items keep the sizes of the words they had.
// Laid out once more when the event is over, they have those of the words they show.
RowLayout {
    id: head

    onImplicitWidthChanged: Qt.callLater(arrange)

    function arrange(): void { ensurePolished() }
}
