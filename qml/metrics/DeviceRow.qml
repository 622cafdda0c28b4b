import QtQuick
import QtQuick.Layouts
import Minerva.App
import Minerva.Components
import Minerva.Theme

// One device: name, properties, and the verdict of its self-test.
Card {
    id: row

    required property var device   // a row of DeviceCheck.devices
    required property bool chosen  // selected in the settings
    required property bool used    // runs the loaded model
    required property bool testing
    required property bool canTest
    property bool narrow: false
    signal use()
    signal test()

    readonly property string bandwidthTip: {
        const speeds = device.bandwidths.map(point =>
            qsTr("%1: %2 GB/s").arg(Figures.bytes(point.bytes)).arg(Figures.gigabytes(point.speed)))
        return qsTr("Measured here with Minerva's own read kernel, from memory; what fits into a cache is read faster.") +
            (speeds.length > 0 ? "\n" + Figures.moment(device.bandwidthTime) + ". " + speeds.join(", ") : "")
    }
    readonly property real taken: Math.max(0, device.memoryTotal - device.memoryFree)

    implicitWidth: Theme.space(80)
    implicitHeight: column.implicitHeight + 2 * padding
    Accessible.role: Accessible.ListItem
    Accessible.name: device.kind + ", " + device.name

    ColumnLayout {
        id: column
        width: parent.width
        spacing: Theme.space(2)
        RowLayout {
            spacing: Theme.space(2)
            Layout.fillWidth: true
            Tag { text: row.device.kind; ink: Theme.colors.accent; ground: Theme.colors.accentSoft }
            ElidedLabel { text: row.device.name; font.weight: Font.DemiBold; Layout.fillWidth: true }
            Tag { visible: row.device.software; text: qsTr("in software"); ink: Theme.colors.warn; ground: Theme.colors.warnSoft }
            Tag { visible: row.used; text: qsTr("in use"); ink: Theme.colors.good; ground: Theme.colors.goodSoft }
            Button {
                text: row.chosen ? qsTr("Chosen") : qsTr("Use")
                iconName: row.chosen ? "check" : ""
                enabled: !row.chosen
                tip: qsTr("Run models on this device from the next load on. It is remembered by its UUID, not by its position in a list")
                onClicked: row.use()
            }
            Button {
                text: row.testing ? qsTr("Testing...") : qsTr("Test")
                enabled: row.canTest
                tip:
                    qsTr("Compares this device's predictions with the reference's and measures how fast it reads its memory; takes a few seconds")
                onClicked: row.test()
            }
        }
        Label {
            text: row.device.driver + (row.device.threads > 0 ? " · " + qsTr("%n thread(s)", "", row.device.threads) : "")
            kind: "note"
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
        Label {
            visible: row.device.uuid !== ""
            text: "UUID " + row.device.uuid
            kind: "mono"
            color: Theme.colors.muted
            wrapMode: Text.WrapAnywhere
            Layout.fillWidth: true
        }
        GridLayout {
            columns: row.narrow ? 1 : 2
            columnSpacing: Theme.space(6)
            Layout.fillWidth: true
            FigureLine {
                name: row.device.memoryFree > 0 ? qsTr("Memory in use") : qsTr("Memory")
                keep: true
                value: row.device.memoryFree > 0 ?
                    qsTr("%1 of %2").arg(Figures.bytes(row.taken)).arg(Figures.bytes(row.device.memoryTotal)) :
                    row.device.memoryTotal > 0 ? Figures.bytes(row.device.memoryTotal) :
                    ""
                tip: qsTr("As reported by the driver; updated every few seconds while this is shown")
                Layout.fillWidth: true
                Layout.preferredWidth: 1
            }
            FigureLine {
                name: qsTr("Read bandwidth")
                keep: true
                value: Figures.gigabytes(row.device.bandwidth) === "" ? qsTr("not measured") : Figures.gigabytes(row.device.bandwidth)
                unit: Figures.gigabytes(row.device.bandwidth) === "" ? "" : "GB/s"
                tip: row.bandwidthTip
                Layout.fillWidth: true
                Layout.preferredWidth: 1
            }
        }
        Bar {
            visible: row.device.memoryFree > 0
            values: [row.taken]
            inks: [Theme.colors.accent]
            total: row.device.memoryTotal
            description: qsTr("Memory in use")
            Layout.fillWidth: true
        }
        Label {
            visible: text !== ""
            text: row.device.verdict
            kind: "note"
            color: row.device.right ? Theme.colors.good : Theme.colors.bad
            wrapMode: Text.Wrap
            Layout.fillWidth: true
        }
    }
}
