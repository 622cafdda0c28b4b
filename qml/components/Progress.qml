import QtQuick
import QtQuick.Templates as T
import Minerva.Theme

// A progress bar. If indeterminate, it shows a moving segment, or a static one with reduced motion.
T.ProgressBar {
    id: bar

    implicitWidth: Theme.space(50)
    implicitHeight: Theme.space(1.5)

    property real phase  // position of the moving segment, 0..1
    SequentialAnimation on phase {
        running: bar.indeterminate && bar.visible && Theme.motion > 0
        loops: Animation.Infinite
        NumberAnimation { from: 0; to: 1; duration: 900; easing.type: Easing.InOutQuad }
        NumberAnimation { from: 1; to: 0; duration: 900; easing.type: Easing.InOutQuad }
    }

    contentItem: Item {
        clip: true
        Rectangle {
            height: parent.height
            radius: height / 2
            color: Theme.colors.accent
            width: bar.indeterminate ? parent.width * 0.3 : bar.position * parent.width
            x: bar.indeterminate ? bar.phase * parent.width * 0.7 : bar.mirrored ? parent.width - width : 0
        }
    }
    background: Rectangle {
        radius: height / 2
        color: Theme.colors.line
    }
}
