import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// Details of a model: properties, tensor types, memory requirements, and the reasons if it cannot run.
Item {
    id: view

    required property ModelDetails details
    property string title: details.name
    property DraftChoice draft: null
    property LoadForecast draftForecast: null
    property string repository: ""  // on the hub, from which it was downloaded; "": none
    property bool embeds: false     // an embedding model, which cannot chat
    readonly property bool wide: width > Theme.space(170)
    signal closed()
    signal chatRequested(string path)
    signal hubRequested()

    Shortcut { sequence: "Esc"; enabled: view.visible; onActivated: view.closed() }

    ColumnLayout {
        anchors.fill: parent
        spacing: Theme.space(4)
        RowLayout {
            spacing: Theme.space(2)
            IconButton { iconName: "chevron-left"; tip: qsTr("All models  Esc"); onClicked: view.closed() }
            ElidedLabel { text: view.title; whole: view.details.path; kind: "title"; horizontalAlignment: Text.AlignLeft; Layout.fillWidth: true }
            FormatTag { format: view.details.format }
            Button {
                visible: view.repository !== ""
                text: qsTr("Look for a newer version")
                tip: qsTr("Asks the hub for %1 and compares its files with those on this computer").arg(view.repository)
                onClicked: view.hubRequested()
            }
            Button {
                kind: "main"
                text: qsTr("Chat")
                visible: !view.embeds && !view.details.loading && !view.details.error.isSet && view.details.problems.length === 0
                onClicked: view.chatRequested(view.details.path)
            }
        }
        Flickable {
            id: scroll
            Layout.fillWidth: true
            Layout.fillHeight: true
            contentHeight: column.implicitHeight
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ScrollBar {}

            ColumnLayout {
                id: column
                width: scroll.width
                spacing: Theme.space(4)
                Label { visible: view.details.loading; text: qsTr("Reading the model's header"); kind: "note" }
                ErrorCard {
                    error: view.details.error
                    Layout.fillWidth: true
                }
                LayoutRepeater {
                    model: view.details.problems
                    ErrorCard {
                        required property string modelData
                        headline: qsTr("This model cannot run here")
                        reason: modelData
                        Layout.fillWidth: true
                    }
                }
                Card {
                    visible: view.details.facts.length > 0
                    Layout.fillWidth: true
                    ColumnLayout {
                        width: parent.width
                        spacing: Theme.space(2)
                        LayoutRepeater {
                            model: view.details.facts
                            RowLayout {
                                required property var modelData
                                spacing: Theme.space(4)
                                Label { text: parent.modelData.title; color: Theme.colors.muted; Layout.preferredWidth: Theme.space(34) }
                                Label { text: parent.modelData.value; wrapMode: Text.WrapAtWordBoundaryOrAnywhere; Layout.fillWidth: true }
                            }
                        }
                    }
                }
                DraftCard { draft: view.draft; forecast: view.draftForecast; Layout.fillWidth: true }
                GridLayout {
                    columns: view.wide ? 2 : 1
                    columnSpacing: Theme.space(4)
                    rowSpacing: Theme.space(4)
                    ShareList {
                        title: qsTr("Element types")
                        parts: view.details.types
                        Layout.fillWidth: true
                        Layout.preferredWidth: 1
                        Layout.alignment: Qt.AlignTop
                    }
                    ShareList {
                        title: qsTr("Weights by part")
                        parts: view.details.parts
                        Layout.fillWidth: true
                        Layout.preferredWidth: 1
                        Layout.alignment: Qt.AlignTop
                    }
                    ShareList {
                        title: qsTr("Memory")
                        parts: view.details.memory
                        note: qsTr("At a context of %1 tokens, with keys and values as %2; scratch memory is not included.")
                            .arg(Figures.integer(view.details.context)).arg(view.details.cacheType)
                        Layout.fillWidth: true
                        Layout.preferredWidth: 1  // equal columns, whatever their contents
                        Layout.alignment: Qt.AlignTop
                    }
                }
                LayoutRepeater {
                    model: view.details.warnings
                    Label { required property string modelData; text: modelData; kind: "note"; wrapMode: Text.Wrap; Layout.fillWidth: true }
                }
            }
        }
    }
}
