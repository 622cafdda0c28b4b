import QtQuick
import Minerva.App
import Minerva.Theme

// Selectable rich text. The caret marks the end of a reply in progress.
Item {
    id: block

    property alias html: rich.html  // an alias, to avoid copying long texts
    property bool caret: false
    property int level: 0  // 1..6: a heading
    signal copyRequested(string text)

    property real size: level === 0 ? Theme.bodySize : [20, 17, 15, 14, 14, 14][level - 1] * Theme.scale
    property real lineFactor: level === 0 ? Theme.lineFactor : Math.max(1, Theme.lineFactor * 0.85)
    property int weight: level > 0 ? Font.DemiBold : Font.Normal
    property string align: ""  // "right", "center"; "": by the text direction

    implicitWidth: 1  // layouts do not stretch items without a size, and columns skip them
    implicitHeight: edit.height
    onCaretChanged: {
        joining.stop()
        if (!caret && edit.lineCount > 1) joining.start(); else rich.growing = caret
    }
    Component.onCompleted: rich.growing = caret

    ParagraphText {
        id: rich
        document: edit.textDocument
        style: Theme.richCss
        tag: block.level === 0 && block.align === "" && block.lineFactor === Theme.lineFactor ? Theme.bodyTag :
            Theme.paragraphTag(block.lineFactor, block.align)
        mathColor: Theme.colors.text
        mathRatio: Theme.pixelRatio
    }
    // Joins the text blocks in a separate frame if the text is long: the frame with its last words has enough other work.
    Timer { id: joining; interval: 100; onTriggered: rich.growing = false }
    TextEdit {
        id: edit
        width: block.width
        onWidthChanged: rich.refit()
        onFontChanged: rich.refit()
        textFormat: TextEdit.RichText
        wrapMode: TextEdit.Wrap
        readOnly: true
        selectByMouse: true
        activeFocusOnPress: true
        color: Theme.colors.text
        selectionColor: Theme.colors.accent
        selectedTextColor: Theme.colors.accentInk
        font.family: Theme.sans
        font.pixelSize: block.size
        font.weight: block.weight
        onLinkActivated: link => links.item?.openHovered(link)
        // Formulas, which are images, are copied as their source.
        function copyMarked(): void { block.copyRequested(rich.text(selectionStart, selectionEnd)) }
        Keys.onPressed: event => {
            if (!event.matches(StandardKey.Copy) || selectedText === "") return
            event.accepted = true
            copyMarked()
        }
        Accessible.role: block.level > 0 ? Accessible.Heading : Accessible.Paragraph
        Accessible.name: block.caret ? "" : rich.text(0, length)

        HoverHandler { cursorShape: edit.hoveredLink !== "" ? Qt.PointingHandCursor : Qt.IBeamCursor }

        Loader {
            active: block.caret
            sourceComponent: Rectangle {
                x: rich.end.x + 2
                y: rich.end.y + rich.end.height - height - 1
                width: 2
                height: Math.min(rich.end.height, Theme.bodySize * 1.3)
                color: Theme.colors.accent
            }
        }
        Loader {
            id: links
            active: rich.linked
            anchors.fill: parent
            sourceComponent: LinkSpots { source: edit; links: (rich.html, rich.growing, rich.links()) }
        }
    }
}
