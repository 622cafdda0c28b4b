import QtQml

// The rows of a list, for delegates that stay when it changes: with the list itself as the model all would be made anew, and lose the focus
// and a press. The model is `count`, and a delegate reads rows[index].
QtObject {
    required property var list
    property var rows: []
    property int count: 0
    signal taking()  // before they change
    signal taken()

    function take(): void {
        taking()
        const now = Array.from(list)  // a copy: the list itself changes with its property
        count = Math.min(count, now.length)  // first, because delegates that go read their row
        rows = now
        count = now.length
        taken()
    }
    onListChanged: take()
}
