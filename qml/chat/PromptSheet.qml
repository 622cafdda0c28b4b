import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Minerva.App
import Minerva.Components
import Minerva.Theme

// A drawer with the exact prompt the model reads, with token counts. Special tokens are coloured, cached ones grey.
Sheet {
    id: sheet

    required property PromptView prompt

    onOpened: content.forceActiveFocus()  // the list may still be empty

    Binding { target: sheet.prompt; property: "specialColor"; value: Theme.colors.mlx }
    Binding { target: sheet.prompt; property: "specialGround"; value: Theme.colors.mlxSoft }
    Binding { target: sheet.prompt; property: "cachedColor"; value: Theme.colors.muted }

    function nameOf(author: int): string {
        switch (author) {
        case PromptView.User: return qsTr("You")
        case PromptView.Assistant: return qsTr("Reply")
        case PromptView.System: return qsTr("System prompt")
        }
        return qsTr("Template")
    }

    contentItem: ColumnLayout {
        id: content
        focus: true
        Keys.forwardTo: [list]
        spacing: Theme.space(2)
        RowLayout {
            Layout.fillWidth: true
            Layout.topMargin: Theme.space(3)
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(3)
            spacing: Theme.space(2)
            Label {
                text: sheet.prompt.ofReply ? qsTr("The prompt of this reply") : qsTr("The prompt as it would be sent now")
                kind: "header"
                elide: Text.ElideRight
                Layout.fillWidth: true
            }
            IconButton {
                iconName: copied.running ? "check" : "copy"
                enabled: sheet.prompt.count > 0
                tip: qsTr("Copy")
                onClicked: { sheet.prompt.copy(); copied.restart() }
                Timer { id: copied; interval: 1500 }
            }
            IconButton { iconName: "close"; tip: qsTr("Close  Esc"); onClicked: sheet.close() }
        }
        Label {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(5)
            visible: sheet.prompt.total > 0
            wrapMode: Text.Wrap
            text: qsTr("%1 tokens of a context of %2")
                .arg(Figures.integer(sheet.prompt.total)).arg(Figures.integer(sheet.prompt.contextLength))
            color: sheet.prompt.total >= sheet.prompt.contextLength ? Theme.colors.bad : Theme.colors.text
        }
        Label {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(5)
            visible: sheet.prompt.total > 0
            kind: "note"
            wrapMode: Text.Wrap
            text: {
                const now = qsTr("If sent now, %1 would come from the cache and %2 would be read.")
                    .arg(Figures.integer(sheet.prompt.reusable))
                    .arg(Figures.integer(sheet.prompt.total - sheet.prompt.reusable))
                if (sheet.prompt.lastReused < 0) return now
                const last = sheet.prompt.ofReply ?
                    qsTr("When it ran, %1 of %2 came from the cache.") :
                    qsTr("In the last run, %1 of %2 came from the cache.")
                return now + " " + last.arg(Figures.integer(sheet.prompt.lastReused)).arg(Figures.integer(sheet.prompt.lastTotal))
            }
        }
        Flow {
            Layout.fillWidth: true
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(5)
            spacing: Theme.space(4)
            visible: sheet.prompt.total > 0
            Rectangle {
                implicitWidth: special.implicitWidth + Theme.space(2)
                implicitHeight: special.implicitHeight
                color: Theme.colors.mlxSoft
                Label { id: special; anchors.centerIn: parent; kind: "label"; color: Theme.colors.mlx; text: qsTr("special token") }
            }
            Label { kind: "label"; color: Theme.colors.muted; text: qsTr("in the cache") }
            Label { kind: "label"; color: Theme.colors.text; text: qsTr("to be read") }
        }
        Rectangle { Layout.fillWidth: true; implicitHeight: 1; color: Theme.colors.line }
        ErrorCard {
            Layout.fillWidth: true
            Layout.margins: Theme.space(5)
            error: sheet.prompt.error
        }
        EmptyState {
            visible: sheet.prompt.count === 0 && !sheet.prompt.loading && !sheet.prompt.error.isSet
            Layout.fillWidth: true
            Layout.fillHeight: true
            sentence: qsTr("When a model is loaded and something is written, the prompt is shown here as the model reads it.")
        }
        ListView {
            id: list
            visible: count > 0
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.leftMargin: Theme.space(5)
            Layout.rightMargin: Theme.space(2)
            model: sheet.prompt
            clip: true
            spacing: Theme.space(3)
            bottomMargin: Theme.space(5)
            boundsBehavior: Flickable.StopAtBounds
            keyNavigationEnabled: false
            T.ScrollBar.vertical: ScrollBar {}
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Messages of the prompt")
            Keys.onDownPressed: contentY = Math.min(contentY + Theme.space(10),
                Math.max(originY, originY + contentHeight + bottomMargin - height))
            Keys.onUpPressed: contentY = Math.max(contentY - Theme.space(10), originY)
            delegate: ColumnLayout {
                id: part
                required property int author
                required property int tokens
                required property int cached
                required property string html
                required property string plain
                required property bool goesOn
                width: ListView.view.width - Theme.space(3)
                spacing: Theme.space(0.5)
                Accessible.role: Accessible.ListItem
                Accessible.name: goesOn ? plain : sheet.nameOf(author) + ": " + figures.text + ". " + plain
                RowLayout {
                    visible: !part.goesOn
                    spacing: Theme.space(2)
                    Label { text: sheet.nameOf(part.author); kind: "label"; font.weight: Font.DemiBold; Layout.fillWidth: true }
                    Label {
                        id: figures
                        kind: "label"
                        text: part.tokens === 1 ? (part.cached === 1 ? qsTr("1 token, in the cache") : qsTr("1 token")) :
                            part.cached === 0 ? qsTr("%1 tokens").arg(Figures.integer(part.tokens)) :
                            qsTr("%1 tokens, %2 in the cache").arg(Figures.integer(part.tokens)).arg(Figures.integer(part.cached))
                    }
                }
                TextEdit {
                    Layout.fillWidth: true
                    text: part.html
                    textFormat: TextEdit.RichText
                    readOnly: true
                    selectByMouse: true
                    wrapMode: TextEdit.Wrap
                    color: Theme.colors.text
                    selectionColor: Theme.colors.accent
                    selectedTextColor: Theme.colors.accentInk
                    font.family: Theme.mono
                    font.pixelSize: Theme.codeSize
                    Accessible.ignored: true
                }
            }
        }
    }
}
