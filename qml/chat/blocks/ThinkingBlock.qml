import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// The thoughts of a reasoning model, collapsible. Laid out only while open, and in parts: of those of a reply being written, which
// may be very long, only the last one changes.
ColumnLayout {
    id: block

    required property string source
    required property bool complete
    property bool open: false
    property string shown: ""  // what the parts hold of the source
    property int last: 0       // where the last part begins
    readonly property int least: 2000  // characters of a part before it ends with a line
    readonly property int most: 8000

    function show(): void {
        if (!open || !source.startsWith(shown)) {
            parts.clear()
            last = 0
        }
        shown = open ? source : ""
        for (let row = Math.max(0, parts.count - 1); open; ++row) {
            const end = endOfPart()
            const text = end < 0 ? source.slice(last) : source.slice(last, end)
            if (row < parts.count) parts.setProperty(row, "part", text); else parts.append({ part: text })
            if (end < 0) return
            last = end + (/\s/.test(source[end]) ? 1 : 0)
        }
    }
    // Where the last part ends; -1: not yet. More text behind it changes nothing.
    function endOfPart(): int {
        const line = source.indexOf("\n", last + least)
        if (line >= 0 && line < last + most) return line
        if (source.length <= last + most) return -1
        const space = source.lastIndexOf(" ", last + most)
        if (space > last) return space
        return last + most - (/[\ud800-\udbff]/.test(source[last + most - 1]) ? 1 : 0)
    }

    spacing: Theme.space(1)
    onSourceChanged: show()
    onOpenChanged: show()
    Component.onCompleted: show()
    Button {
        kind: "quiet"
        Layout.leftMargin: -Theme.space(2)
        iconName: block.open ? "chevron-down" : "chevron-right"
        text: block.complete ? qsTr("Thoughts") : qsTr("Thinking...")
        onClicked: block.open = !block.open
    }
    Column {
        visible: block.open
        Layout.leftMargin: Theme.space(4)
        Layout.fillWidth: true
        Repeater {
            model: ListModel { id: parts }
            Label {
                required property string part
                text: part
                width: parent.width
                kind: "note"
                wrapMode: Text.Wrap
            }
        }
    }
}
