import Minerva.Components
import Minerva.Theme

// Names the server that runs the model, so that people know where their text goes.
Tag {
    required property string server

    text: server
    ink: Theme.colors.accent
    ground: Theme.colors.accentSoft
}
