import QtQuick
import Minerva.App

// Does one action of the table: by its keys while its page is shown, and for whoever triggers it by name.
Shortcut {
    id: shortcut

    required property string name
    property bool possible: true  // now, in this page
    readonly property string page: Actions.pageOf(name)

    sequences: Actions.sequences(name)
    enabled: possible && (page === "" || Actions.page === "" || page === Actions.page)
    Component.onCompleted: Actions.attach(name, shortcut)
}
