import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// One setting: title, editor and reset button; the context length also shows the memory forecast.
Item {
    id: row

    required property string key
    required property string title
    required property string note
    required property int editor
    required property var value
    required property double from
    required property double to
    required property double step
    required property int decimals
    required property var choices
    required property bool modified
    required property var model
    required property DeviceModel devices
    required property LoadForecast forecast
    required property ModelLibrary library
    required property MeaningSearch meaning
    signal resetRequested(string key)

    readonly property real editorWidth: Theme.space(row.key === "device" || row.key === "meaningModel" ? 88 : 64)
    readonly property bool narrow: width < editorWidth + Theme.space(56)  // the editor is below the text

    implicitHeight: body.height + (forecastPart.active ? forecastPart.height + Theme.space(2) : 0) + Theme.space(5)

    // A value that is only confirmed, as by a click on a slider's handle, stays a default.
    function set(value: var): void { if (value !== row.value) row.model.value = value }

    Rectangle { anchors.bottom: parent.bottom; width: parent.width; height: 1; color: Theme.colors.line }
    // Placed by anchors: nested layouts (Qt 6.4) at times miss that a height has followed its width, where that of the note and that of the
    // editor both do, and the note ran into what is below.
    Item {
        id: body
        anchors { left: parent.left; right: parent.right; top: parent.top; topMargin: Theme.space(2.5) }
        height: row.narrow ? firstHeight + Theme.space(1) + field.height : Math.max(firstHeight, field.height)
        readonly property real firstHeight: Math.max(words.height, reset.height)
        readonly property real firstMiddle: (row.narrow ? firstHeight : height) / 2
        Column {
            id: words
            anchors { left: parent.left; right: reset.left; rightMargin: Theme.space(4) }
            y: body.firstMiddle - height / 2
            spacing: Theme.space(0.5)
            Label { text: row.title; elide: Text.ElideRight; width: words.width }
            Label { visible: row.note !== ""; text: row.note; kind: "note"; wrapMode: Text.Wrap; width: words.width }
        }
        IconButton {
            id: reset
            anchors { right: row.narrow ? parent.right : field.left; rightMargin: row.narrow ? 0 : Theme.space(4) }
            y: body.firstMiddle - height / 2
            opacity: row.modified ? 1 : 0
            enabled: row.modified
            iconName: "retry"
            tip: qsTr("Reset to the default")
            onClicked: row.resetRequested(row.key)
        }
        Loader {
            id: field
            anchors.right: parent.right
            width: row.narrow ? parent.width : row.editorWidth
            y: row.narrow ? parent.height - height : (parent.height - height) / 2
            sourceComponent: {
                if (row.key === "device") return device
                if (row.key === "meaningModel") return meaningModel
                switch (row.editor) {
                case SettingsModel.Slider: return slider
                case SettingsModel.Number: return number
                case SettingsModel.Choice: return choice
                case SettingsModel.Toggle: return toggle
                case SettingsModel.Line: return line
                }
                return paragraph
            }
        }
    }
    Loader {
        id: forecastPart
        anchors { left: parent.left; right: parent.right; top: body.bottom; topMargin: Theme.space(2) }
        active: row.key === "contextLength" && row.forecast.model !== ""
        sourceComponent: ForecastLine { forecast: row.forecast; asked: row.value }
    }
    Component {
        id: slider
        RowLayout {
            Slider {
                id: handle
                Layout.fillWidth: true
                from: row.from; to: row.to; stepSize: row.step
                live: row.key !== "uiScale"  // the slider itself would move away under the pointer
                value: row.value
                Accessible.name: row.title
                onMoved: row.set(value)
                onPressedChanged: if (!pressed) row.set(value)
            }
            Label {
                text: Figures.decimal(handle.pressed ? handle.valueAt(handle.position) : row.value, row.decimals)
                horizontalAlignment: Text.AlignRight
                Layout.preferredWidth: Theme.space(10)
            }
        }
    }
    Component {
        id: number
        NumberField { value: row.value; from: row.from; to: row.to; name: row.title; onEntered: value => row.set(value) }
    }
    Component {
        id: choice
        ComboBox {
            model: row.choices
            textRole: "title"
            currentIndex: row.choices.findIndex(c => c.value === row.value)
            Accessible.name: row.title
            onActivated: index => row.set(row.choices[index].value)
        }
    }
    Component {
        id: device
        DeviceChoice { devices: row.devices; value: row.value; onChosen: id => row.set(id) }
    }
    Component {
        id: meaningModel
        MeaningChoice { library: row.library; meaning: row.meaning; value: row.value; name: row.title; onChosen: path => row.set(path) }
    }
    Component {
        id: toggle
        Item {
            implicitHeight: Theme.hit
            Toggle { anchors.right: parent.right; checked: row.value; Accessible.name: row.title; onToggled: row.set(checked) }
        }
    }
    Component {
        id: line
        TextField {
            text: row.value
            Accessible.name: row.title
            onEditingFinished: { if (text.trim() !== row.value) row.set(text.trim()); text = Qt.binding(() => row.value) }
        }
    }
    Component {
        id: paragraph  // not "text": an id hides properties of the same name in the whole file
        TextArea { text: row.value; Accessible.name: row.title; onEdited: row.set(text) }
    }
}
