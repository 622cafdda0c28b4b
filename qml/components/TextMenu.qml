import QtQuick

// The menu of the right button in a text or field: Qt 6.4's have none. Without a `target`, it is for the text under the pointer
// among its siblings, and is the first of them.
Item {
    id: spot

    property var target: null        // a TextEdit or TextInput
    property var paste: () => false  // true: pasted otherwise
    property var text: target        // that the menu is for

    // Not typed as an Item: qmllint 6.4 crashes.
    function textAt(from: Item, x: real, y: real): var {
        let item = from, child = item.childAt(x, y)
        for (let at = Qt.point(x, y); child && !(child instanceof TextEdit); child = item.childAt(at.x, at.y)) {
            at = item.mapToItem(child, at.x, at.y)
            item = child
        }
        return child
    }
    function openAt(x: real, y: real): void {
        if (!target) {
            const at = mapToItem(parent, x, y)
            text = textAt(parent, at.x, at.y)
        }
        if (!text) return
        menu.active = true
        menu.item.popup()
    }

    anchors.fill: parent
    TapHandler {
        acceptedButtons: Qt.RightButton
        gesturePolicy: TapHandler.ReleaseWithinBounds  // keeps the press from the field, which would move its caret
        onTapped: point => spot.openAt(point.position.x, point.position.y)
    }
    Loader {
        id: menu
        active: false
        sourceComponent: Menu {
            id: list
            objectName: "textMenu"
            readonly property bool marked: spot.text && spot.text.selectedText !== ""
            readonly property bool writes: spot.text && !spot.text.readOnly
            // The selection stays while the menu has the focus.
            onAboutToShow: spot.text.persistentSelection = true
            onClosed: if (spot.text) spot.text.persistentSelection = false
            MenuItem { visible: list.writes; enabled: list.marked; text: qsTr("Cut"); onTriggered: spot.text.cut() }
            MenuItem {
                enabled: list.marked
                text: qsTr("Copy")
                onTriggered: spot.text.copyMarked ? spot.text.copyMarked() : spot.text.copy()
            }
            MenuItem { visible: list.writes; text: qsTr("Paste"); onTriggered: if (!spot.paste()) spot.text.paste() }
            MenuItem { enabled: spot.text && spot.text.length > 0; text: qsTr("Select all"); onTriggered: spot.text.selectAll() }
        }
    }
}
