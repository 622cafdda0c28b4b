import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.Actions
import Minerva.App
import Minerva.Components
import Minerva.Theme

// The comparison page: choosing two to four models and a prompt, running them, results.
Item {
    id: page

    required property CompareController compare
    required property ModelLibrary library
    required property ServerService servers
    required property InferenceController inference

    readonly property bool narrow: width < Theme.space(170)
    readonly property bool choosing: compare.state === CompareController.Choosing
    readonly property bool busy: compare.state === CompareController.Running || compare.state === CompareController.Preparing
    readonly property bool done: compare.state === CompareController.Done
    readonly property bool empty: choosing && compare.columns.count === 0
    readonly property real edge: Theme.space(narrow ? 4 : 6)
    readonly property alias result: result
    readonly property alias exporter: exportButton

    function change(): void { compare.change(); question.focusText() }

    Keys.onEscapePressed: event => { if (compare.changing) compare.keep(); else event.accepted = false }
    ActionShortcut {
        name: "compare.run"
        possible: page.compare.canRun
        onActivated: page.done ? page.compare.runAgain() : page.compare.start()
    }
    ActionShortcut { name: "compare.export"; possible: page.done; onActivated: exportButton.openMenu() }
    ActionShortcut { name: "compare.add"; possible: page.choosing; onActivated: addButton.openMenu() }

    ColumnLayout {
        anchors { fill: parent; topMargin: Theme.pageTop }
        spacing: Theme.space(3)

        PageHead {
            spacing: Theme.space(page.narrow ? 1 : 2)
            Layout.fillWidth: true
            Layout.leftMargin: page.edge
            Layout.rightMargin: page.edge
            Label { text: qsTr("Compare"); kind: "title"; Layout.minimumWidth: implicitWidth }
            ElidedLabel {
                text: page.choosing || page.narrow ? "" : page.compare.summary
                elide: Text.ElideRight
                color: Theme.colors.muted
                horizontalAlignment: Text.AlignLeft
                Layout.leftMargin: Theme.space(1)
                Layout.fillWidth: true
            }
            IconButton {
                id: earlier
                visible: !page.busy && page.compare.runs.count > 0 && !page.empty
                iconName: "list"
                tip: qsTr("Earlier comparisons")
                tipHidden: runsPopup.visible
                onClicked: runsPopup.open()
            }
            IconButton { visible: page.done; iconName: "plus"; tip: qsTr("New comparison"); onClicked: page.compare.startOver() }
            IconButton { visible: page.done; iconName: "pencil"; tip: qsTr("Change models or prompt"); onClicked: page.change() }
            Button {
                visible: page.compare.changing
                kind: "quiet"
                text: qsTr("Cancel")
                tip: qsTr("Show the result again") + "  " + Actions.nativeKeys("Esc")
                onClicked: page.compare.keep()
            }
            AddModelButton {
                id: addButton
                visible: page.choosing
                enabled: page.compare.columns.count < 4
                narrow: page.narrow
                library: page.library
                servers: page.servers
                onModelChosen: (path, name, format, type) => page.compare.addModel(path, name, format, type)
                onUrlChosen: location => page.compare.addUrl(location)
                onServerModelChosen: path => page.compare.addOfServer(path)
            }
            ExportButton { id: exportButton; visible: page.done; narrow: page.narrow; compare: page.compare; picture: result }
            Button { visible: page.busy; text: qsTr("Stop"); tip: Actions.keys("app.stop"); onClicked: page.compare.stop() }
            Button {
                visible: !page.busy && !page.empty
                kind: "main"
                text: page.done ? qsTr("Run again") : qsTr("Compare")
                tip: Actions.keys("compare.run")
                enabled: page.compare.canRun
                Layout.fillWidth: true
                Layout.minimumWidth: Theme.space(16)
                Layout.maximumWidth: implicitWidth
                onClicked: page.done ? page.compare.runAgain() : page.compare.start()
            }
        }
        ErrorCard {
            error: page.compare.notice
            actionText: page.compare.canRunInTurn ? qsTr("Run one after another") : ""
            dismissible: true
            Layout.fillWidth: true
            Layout.leftMargin: page.edge
            Layout.rightMargin: page.edge
            onAction: page.compare.startInTurn()
            onDismissed: page.compare.dismissNotice()
        }
        UndoLine {
            id: undoLine
            visible: page.compare.removedTitle !== ""
            text: qsTr("Deleted %1").arg(page.compare.removedTitle)
            Layout.fillWidth: true
            Layout.leftMargin: page.edge
            Layout.rightMargin: page.edge
            onUndone: page.compare.undoRemove()
            onPassed: page.compare.dismissUndo()
            Connections {
                target: page.compare
                function onRemovedChanged() { undoLine.again() }
            }
        }
        Flickable {
            id: scroll
            Layout.fillWidth: true
            Layout.fillHeight: true
            contentHeight: Math.max(height, content.implicitHeight + page.edge)
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}

            ColumnLayout {
                id: content
                x: page.edge
                width: scroll.width - 2 * page.edge
                spacing: Theme.space(3)

                EmptyPart {
                    visible: page.empty
                    compare: page.compare
                    Layout.fillWidth: true
                    Layout.alignment: Qt.AlignHCenter
                    Layout.topMargin: Math.max(Theme.space(4), (scroll.height - implicitHeight) / 3)
                }
                ColumnLayout {
                    visible: page.compare.state === CompareController.Preparing
                    spacing: Theme.space(2)
                    Layout.maximumWidth: Theme.space(100)
                    Layout.alignment: Qt.AlignHCenter
                    Layout.topMargin: scroll.height / 3
                    Label {
                        text: qsTr("Making a GGUF and an MLX copy of the built-in model")
                        horizontalAlignment: Text.AlignHCenter
                        wrapMode: Text.Wrap
                        Layout.fillWidth: true
                    }
                    Progress { indeterminate: true; Layout.fillWidth: true; Accessible.name: qsTr("Making copies") }
                }
                QuestionCard {
                    id: question
                    visible: page.choosing && !page.empty
                    compare: page.compare
                    narrow: page.narrow
                    Layout.fillWidth: true
                }
                Label {
                    visible: page.choosing && page.compare.columns.count > 0 && page.compare.columns.count < 4
                    text: page.compare.columns.count === 1 ?
                        qsTr("Add at least one more: two to four models can be compared. Files can be dropped here.") :
                        qsTr("Two to four models can be compared. Files can be dropped here.")
                    wrapMode: Text.Wrap
                    Layout.fillWidth: true
                    kind: "note"
                }
                Label {
                    visible: page.choosing && page.compare.servers.length > 0
                    text: qsTr("The prompts are sent to %1 when the comparison is started, not before.").arg(page.compare.servers.join(", "))
                    kind: "note"
                    wrapMode: Text.Wrap
                    Layout.fillWidth: true
                }
                Label {
                    visible: page.inference.state === InferenceController.Generating && !page.empty
                    text: qsTr("A reply is being written in the chat: measured speeds will be lower.")
                    kind: "note"
                    color: Theme.colors.warn
                    wrapMode: Text.Wrap
                    Layout.fillWidth: true
                }
                ResultPart {
                    id: result
                    visible: !page.empty && page.compare.state !== CompareController.Preparing
                    compare: page.compare
                    narrow: page.narrow
                    Layout.fillWidth: true
                }
                Label {
                    visible: text !== ""
                    text: page.done ? exportButton.said : ""
                    kind: "note"
                    wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                    Layout.fillWidth: true
                }
            }
        }
    }
    T.Popup {
        id: runsPopup
        parent: earlier
        x: earlier.width - width
        y: earlier.height + Theme.space(1)
        width: Math.min(Theme.space(110), page.width - 2 * page.edge)
        margins: Theme.space(2)
        padding: Theme.space(1)
        focus: true
        implicitHeight: Math.min(Theme.space(110), list.implicitHeight + 2 * padding)
        onOpened: list.forceActiveFocus()
        background: Rectangle { radius: Theme.cardRadius; color: Theme.colors.surface; border.width: 1; border.color: Theme.colors.line }
        contentItem: EarlierRuns {
            id: list
            compare: page.compare
            currentIndex: 0
            onChosen: runId => { runsPopup.close(); page.compare.open(runId) }
        }
    }
}
