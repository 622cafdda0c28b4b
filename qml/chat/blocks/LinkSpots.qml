import QtQuick
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The links of a text: shows the target on hover or focus, makes each reachable by keyboard, and asks for confirmation
// before opening one whose text names another address.
Item {
    id: spots

    required property TextEdit source  // contains the links
    required property var links  // ParagraphText.links()

    readonly property int hovered: {
        if (source.hoveredLink === "") return -1
        const at = source.positionAt(pointer.point.position.x, pointer.point.position.y)
        const here = links.findIndex(row => row.link === source.hoveredLink && row.from <= at && at <= row.to)
        return here >= 0 ? here : links.findIndex(row => row.link === source.hoveredLink)
    }
    property int focused: -1
    readonly property int shown: hovered >= 0 ? hovered : focused

    function open(index: int): void {
        const row = links[index]
        if (Links.surprises(row.text, row.link)) question.active = true
        else return void Links.open(row.link)
        question.item.ask(row.text, row.link)
    }
    function openHovered(link: string): void { open(hovered >= 0 ? hovered : links.findIndex(row => row.link === link)) }

    HoverHandler { id: pointer }
    Repeater {
        id: places
        model: spots.links
        Item {
            id: spot
            required property var modelData
            required property int index
            // Depends on the layout of the text, so that it is evaluated again when that changes.
            readonly property rect first: (spots.source.contentHeight, spots.source.width, spots.source.positionToRectangle(modelData.from))
            readonly property rect last: (spots.source.contentHeight, spots.source.width, spots.source.positionToRectangle(modelData.to))
            readonly property bool wraps: last.y > first.y
            x: wraps ? first.x : Math.min(first.x, last.x)
            y: first.y
            width: Math.max(Theme.space(1), wraps ? spots.source.width - first.x : Math.abs(last.x - first.x))
            height: first.height
            activeFocusOnTab: true
            Accessible.role: Accessible.Link
            Accessible.name: modelData.text
            Accessible.description: Links.address(modelData.link)
            Accessible.focusable: true
            Accessible.onPressAction: spots.open(index)
            Keys.onReturnPressed: spots.open(index)
            Keys.onEnterPressed: spots.open(index)
            Keys.onSpacePressed: spots.open(index)
            onActiveFocusChanged: if (activeFocus) spots.focused = index; else if (spots.focused === index) spots.focused = -1
            FocusRing { shown: spot.activeFocus; around: 1 }
        }
    }
    Tip {
        over: places.itemAt(spots.shown) ?? spots
        visible: spots.shown >= 0
        text: spots.shown >= 0 ? Links.address(spots.links[spots.shown].link) : ""
        delay: 0
        timeout: -1
    }
    Loader {
        id: question
        active: false
        sourceComponent: LinkQuestion {}
    }
}
