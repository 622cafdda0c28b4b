import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// How far something is. Indeterminate shows a moving part, or a still half with reduced motion.
T.ProgressBar {
    id: bar

    implicitWidth: Theme.space(50)
    implicitHeight: Theme.space(1.5)

    contentItem: Item {
        clip: true
        Rectangle {
            id: filled
            height: parent.height
            radius: height / 2
            color: Theme.colors.accent
            width: bar.indeterminate ? parent.width * 0.3 : bar.visualPosition * parent.width
            x: 0
            SequentialAnimation on x {
                running: bar.indeterminate && bar.visible && Theme.motion > 0
                loops: Animation.Infinite
                NumberAnimation { from: 0; to: bar.width * 0.7; duration: 900; easing.type: Easing.InOutQuad }
                NumberAnimation { from: bar.width * 0.7; to: 0; duration: 900; easing.type: Easing.InOutQuad }
                onRunningChanged: if (!running) filled.x = 0
            }
        }
    }
    background: Rectangle {
        radius: height / 2
        color: Theme.colors.line
    }
}
