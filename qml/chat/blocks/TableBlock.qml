import QtQuick
import QtQuick.Layouts
import Minerva.Components
import Minerva.Theme

// A Markdown table; the first row is the header.
Rectangle {
    id: block

    required property int columns
    required property var cells       // rich text, row by row
    required property var alignments  // Text.AlignLeft etc., one per column
    signal copyRequested(string text)

    implicitHeight: grid.implicitHeight + 2
    radius: Theme.radius
    color: "transparent"
    border.width: 1
    border.color: Theme.colors.line
    clip: true
    onCellsChanged: grow()
    Component.onCompleted: {
        grow()
        grid.ensurePolished()  // compute the heights of wrapped cells now, not in the next frame
    }
    // Changes only the cells whose text is another: of a table being written, the last ones.
    property var shown: []
    function grow(): void {
        const now = Array.from(cells)
        if (places.count > now.length) places.remove(now.length, places.count - now.length)
        for (let place = 0; place < now.length; ++place) {
            if (place >= places.count) places.append({ part: now[place] })
            else if (shown[place] !== now[place]) places.setProperty(place, "part", now[place])
        }
        shown = now
    }

    Flickable {
        anchors { fill: parent; margins: 1 }
        contentWidth: Math.max(width, grid.implicitWidth)
        contentHeight: grid.implicitHeight
        interactive: contentWidth > width
        flickableDirection: Flickable.HorizontalFlick
        boundsBehavior: Flickable.StopAtBounds
        GridLayout {
            id: grid
            width: parent.width
            columns: Math.max(1, block.columns)
            columnSpacing: 0
            rowSpacing: 0
            LayoutRepeater {
                model: ListModel { id: places }  // existing cells are kept while the table grows
                Rectangle {
                    id: cell
                    required property int index
                    required property string part
                    readonly property bool header: index < block.columns
                    Layout.fillWidth: true
                    Layout.fillHeight: true
                    Layout.maximumWidth: Theme.space(110)
                    implicitWidth: Math.min(Theme.space(75), text.implicitWidth + Theme.space(6))
                    implicitHeight: Math.max(text.implicitHeight, own.implicitHeight) + Theme.space(3)
                    color: header ? Theme.colors.sunken : "transparent"
                    Rectangle {
                        visible: cell.index < places.count - block.columns
                        anchors.bottom: parent.bottom
                        width: parent.width
                        height: 1
                        color: Theme.colors.line
                    }
                    // Cells with formulas (images) or links need a ParagraphBlock; the text below is then used only for measuring.
                    Loader {
                        id: own
                        active: /<code title="math">|<a href=/.test(text.html)
                        anchors { left: text.left; right: text.right; verticalCenter: text.verticalCenter }
                        sourceComponent: ParagraphBlock {
                            html: text.html
                            size: Theme.noteSize
                            lineFactor: 1
                            weight: text.font.weight
                            align: text.horizontalAlignment === Text.AlignRight ? "right" :
                                text.horizontalAlignment === Text.AlignHCenter ? "center" :
                                ""
                            onCopyRequested: words => block.copyRequested(words)
                        }
                    }
                    PlainText {
                        id: text
                        visible: !own.active
                        anchors { fill: parent; leftMargin: Theme.space(3); rightMargin: Theme.space(3) }
                        readonly property string html: cell.part
                        readonly property bool rich: /[<&]/.test(html)  // rich text creates a document per cell
                        text: rich ? "<style>" + Theme.richCss + "</style>" + html : html
                        textFormat: rich ? Text.RichText : Text.PlainText
                        wrapMode: Text.Wrap
                        verticalAlignment: Text.AlignVCenter
                        horizontalAlignment: block.alignments[cell.index % block.columns]
                        color: Theme.colors.text
                        font.family: Theme.sans
                        font.pixelSize: Theme.noteSize
                        font.weight: cell.header ? Font.DemiBold : Font.Normal
                    }
                }
            }
        }
    }
}
