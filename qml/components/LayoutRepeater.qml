import QtQuick

// A Repeater among the children of a Layout. There, a plain one crashes in Qt 6.4: the Layout forgets a removed item only with the next
// frame, but the item is deleted before, and a change of the Layout's size in between reads it. Here the Layout forgets it at once.
Repeater {
    id: repeater

    onItemRemoved: (index, item) => {
        if (!item || !repeater.parent) return
        item.parent = null
        repeater.parent.ensurePolished()
    }
}
