import Minerva.Theme

// The tag of a file format: "GGUF" blue, "SafeTensors" ochre, "MLX" violet.
Tag {
    required property string format

    text: format
    ink: Theme.formatColor(format)
    ground: Theme.formatSoft(format)
    visible: format !== ""
}
