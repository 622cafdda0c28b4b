import QtQuick
import Minerva.App

// Performs one action of the action table: on its shortcut keys while its page is shown, and when triggered by name.
Shortcut {
    id: shortcut

    required property string name
    property bool possible: true  // at the moment, on this page
    readonly property string page: Actions.pageOf(name)

    sequences: Actions.sequences(name)
    enabled: possible && (page === "" || Actions.page === "" || page === Actions.page)
    Component.onCompleted: Actions.attach(name, shortcut)
}
