<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
<context>
    <name>Minerva</name>
    <message>
        <source>the window</source>
        <translation>das Fenster</translation>
    </message>
    <message>
        <source>linked</source>
        <translation>eingebunden</translation>
    </message>
    <message>
        <source>the system's keyring</source>
        <translation>den Schlüsselbund des Systems</translation>
    </message>
    <message>
        <source>hashes of downloads and encrypted connections</source>
        <translation>Prüfsummen von Downloads und verschlüsselte Verbindungen</translation>
    </message>
    <message>
        <source>conversations and figures, through Qt</source>
        <translation>Gespräche und Messwerte, über Qt</translation>
    </message>
    <message>
        <source>Markdown in messages</source>
        <translation>Markdown in Nachrichten</translation>
    </message>
    <message>
        <source>formulas in messages, with its fonts</source>
        <translation>Formeln in Nachrichten, mit den Schriften dafür</translation>
    </message>
    <message>
        <source>inside</source>
        <translation>enthalten</translation>
    </message>
    <message>
        <source>regular expressions of tokenizers</source>
        <translation>reguläre Ausdrücke von Tokenizern</translation>
    </message>
    <message>
        <source>Unicode in tokenizers</source>
        <translation>Unicode in Tokenizern</translation>
    </message>
    <message>
        <source>configuration files of models</source>
        <translation>Konfigurationsdateien von Modellen</translation>
    </message>
    <message>
        <source>the HTTP server of minerva-bench</source>
        <translation>der HTTP-Server von minerva-bench</translation>
    </message>
    <message>
        <source>the program's log</source>
        <translation>das Protokoll des Programms</translation>
    </message>
    <message>
        <source>texts of the log, through spdlog</source>
        <translation>Texte des Protokolls, über spdlog</translation>
    </message>
    <message>
        <source>the command line of minerva-bench</source>
        <translation>die Befehlszeile von minerva-bench</translation>
    </message>
    <message>
        <source>computing on a GPU, where there is one</source>
        <translation>das Rechnen auf einer GPU, wo es eine gibt</translation>
    </message>
    <message>
        <source>run</source>
        <translation>vom System benutzt</translation>
    </message>
    <message>
        <source>drawing the window, through Qt</source>
        <translation>das Zeichnen des Fensters, über Qt</translation>
    </message>
    <message>
        <source>the keyboard, through Qt</source>
        <translation>die Tastatur, über Qt</translation>
    </message>
    <message>
        <source>the C++ standard library</source>
        <translation>die C++-Standardbibliothek</translation>
    </message>
    <message>
        <source>the C standard library</source>
        <translation>die C-Standardbibliothek</translation>
    </message>
    <message>
        <source>the window's typeface</source>
        <translation>die Schrift des Fensters</translation>
    </message>
    <message>
        <source>code, and scripts that Inter does not have</source>
        <translation>Code und Schriftsysteme, die Inter nicht hat</translation>
    </message>
    <message>
        <source>which servers an encrypted connection may trust</source>
        <translation>die Frage, welchen Servern eine verschlüsselte Verbindung vertrauen darf</translation>
    </message>
    <message>
        <source>For %1 (%2)</source>
        <translation>Für %1 (%2)</translation>
    </message>
    <message>
        <source>License: %1</source>
        <translation>Lizenz: %1</translation>
    </message>
    <message>
        <source>Copyright: %1</source>
        <translation>Copyright: %1</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Close  Esc</source>
        <translation>Schließen  Esc</translation>
    </message>
    <message>
        <source>Minerva %1</source>
        <translation>Minerva %1</translation>
    </message>
    <message>
        <source>Chat with language models that run on this computer. Minerva opens models in GGUF, SafeTensors and MLX formats and runs them with its own engine, on the CPU or, through Vulkan, on a GPU. Nothing is sent anywhere unless you ask for it.</source>
        <translation>Chat mit Sprachmodellen, die auf diesem Rechner laufen. Minerva öffnet Modelle in den Formaten GGUF, SafeTensors und MLX und führt sie mit eigener Engine aus, auf der CPU oder über Vulkan auf einer GPU. Nichts wird irgendwohin gesendet, wenn Sie es nicht verlangen.</translation>
    </message>
    <message>
        <source>Minerva uses Qt %1 under the GNU Lesser General Public License, version 3. Qt is linked dynamically: you may use another compatible version of it with this program, including one that you have modified. Its source is published at the address below; the source of the installed version is in your system's package repository.</source>
        <translation>Minerva benutzt Qt %1 unter der GNU Lesser General Public License, Version 3. Qt ist dynamisch eingebunden: Sie dürfen eine andere kompatible Version davon mit diesem Programm benutzen, auch eine, die Sie verändert haben. Der Quelltext ist unter der Adresse unten veröffentlicht; den der installierten Version hat die Paketquelle Ihres Systems.</translation>
    </message>
    <message>
        <source>Show the LGPL</source>
        <translation>LGPL zeigen</translation>
    </message>
    <message>
        <source>Show the GPL</source>
        <translation>GPL zeigen</translation>
    </message>
    <message>
        <source>The LGPL supplements the GPL</source>
        <translation>Die LGPL ergänzt die GPL</translation>
    </message>
    <message>
        <source>Made with</source>
        <translation>Gemacht mit</translation>
    </message>
    <message>
        <source>Access token</source>
        <translation>Zugangstoken</translation>
    </message>
    <message>
        <source>The token from %1 is used for gated and private models.</source>
        <translation>Für geschützte und private Modelle gilt das Token aus %1.</translation>
    </message>
    <message>
        <source>A token in your keyring is used for gated and private models.</source>
        <translation>Für geschützte und private Modelle gilt ein Token in Ihrem Schlüsselbund.</translation>
    </message>
    <message>
        <source>Gated and private models need an access token of your account on the hub. It is kept in your keyring, nowhere else, and sent only to the hub.</source>
        <translation>Geschützte und private Modelle brauchen ein Token Ihres Kontos beim Hub. Es liegt in Ihrem Schlüsselbund, sonst nirgends, und wird nur an den Hub gesendet.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Remove it from the keyring</source>
        <translation>Aus dem Schlüsselbund entfernen</translation>
    </message>
    <message>
        <source>To use one anyway, %1.</source>
        <translation>Um trotzdem eines zu verwenden: %1.</translation>
    </message>
    <message>
        <source>Find an action, conversation or model</source>
        <translation>Aktion, Gespräch oder Modell finden</translation>
    </message>
    <message>
        <source>All shortcuts</source>
        <translation>Alle Tastenkürzel</translation>
    </message>
    <message>
        <source>About Minerva</source>
        <translation>Über Minerva</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>Modelldatei öffnen</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Messung</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>Vergrößern</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>Verkleinern</translation>
    </message>
    <message>
        <source>Reset zoom</source>
        <translation>Zoom zurücksetzen</translation>
    </message>
    <message>
        <source>Switch between light and dark theme</source>
        <translation>Zwischen hellem und dunklem Design wechseln</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>New folder</source>
        <translation>Neuer Ordner</translation>
    </message>
    <message>
        <source>Import conversations...</source>
        <translation>Gespräche importieren...</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>Gespräche suchen</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Modell wählen</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>Restore the deleted conversation</source>
        <translation>Das gelöschte Gespräch wiederherstellen</translation>
    </message>
    <message>
        <source>Recently deleted</source>
        <translation>Zuletzt gelöscht</translation>
    </message>
    <message>
        <source>Attach text files</source>
        <translation>Textdateien anhängen</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Noch einmal antworten</translation>
    </message>
    <message>
        <source>Continue the reply</source>
        <translation>Antwort fortsetzen</translation>
    </message>
    <message>
        <source>Copy the last message</source>
        <translation>Letzte Nachricht kopieren</translation>
    </message>
    <message>
        <source>Go to the newest message</source>
        <translation>Zur neuesten Nachricht</translation>
    </message>
    <message>
        <source>Scroll back a page</source>
        <translation>Eine Seite zurück</translation>
    </message>
    <message>
        <source>Scroll on a page</source>
        <translation>Eine Seite weiter</translation>
    </message>
    <message>
        <source>Next conversation</source>
        <translation>Nächstes Gespräch</translation>
    </message>
    <message>
        <source>Previous conversation</source>
        <translation>Voriges Gespräch</translation>
    </message>
    <message>
        <source>Show the exact prompt</source>
        <translation>Den genauen Prompt anzeigen</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Gespräche</translation>
    </message>
    <message>
        <source>Live panel</source>
        <translation>Live-Anzeige</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>Rename the conversation in the list</source>
        <translation>Gespräch in der Liste umbenennen</translation>
    </message>
    <message>
        <source>Pin the conversation in the list</source>
        <translation>Gespräch in der Liste anheften</translation>
    </message>
    <message>
        <source>Delete the conversation in the list</source>
        <translation>Gespräch in der Liste löschen</translation>
    </message>
    <message>
        <source>Search models to download</source>
        <translation>Modelle zum Laden suchen</translation>
    </message>
    <message>
        <source>Back to the list</source>
        <translation>Zurück zur Liste</translation>
    </message>
    <message>
        <source>Run the comparison</source>
        <translation>Vergleich starten</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>Modell hinzufügen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Run benchmark</source>
        <translation>Benchmark starten</translation>
    </message>
    <message>
        <source>Benchmark with charts</source>
        <translation>Benchmark mit Diagrammen</translation>
    </message>
    <message>
        <source>Export the figures</source>
        <translation>Zahlen exportieren</translation>
    </message>
    <message>
        <source>Local server</source>
        <translation>Lokaler Server</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Open a file...</source>
        <translation>Datei öffnen...</translation>
    </message>
    <message>
        <source>Open a folder...</source>
        <translation>Ordner öffnen...</translation>
    </message>
    <message>
        <source>A model of a server...</source>
        <translation>Ein Modell eines Servers...</translation>
    </message>
    <message>
        <source>Add a model to the comparison</source>
        <translation>Modell zum Vergleich hinzufügen</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors)</source>
        <translation>Modelle (*.gguf *.safetensors)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Add a model's folder to the comparison</source>
        <translation>Modellordner zum Vergleich hinzufügen</translation>
    </message>
    <message>
        <source>Minerva</source>
        <translation>Minerva</translation>
    </message>
    <message>
        <source>Minerva is already open and does not answer</source>
        <translation>Minerva ist schon offen und antwortet nicht</translation>
    </message>
    <message>
        <source>Two at a time would overwrite each other's conversations. Close the other one, or end it in the system's list of processes: Minerva then opens here.</source>
        <translation>Zwei zugleich würden einander die Gespräche überschreiben. Wird das andere geschlossen oder in der Prozessliste des Systems beendet, öffnet sich Minerva hier.</translation>
    </message>
    <message>
        <source>Do not wait</source>
        <translation>Nicht warten</translation>
    </message>
    <message>
        <source>Process %1</source>
        <translation>Prozess %1</translation>
    </message>
    <message>
        <source>Attached file %1</source>
        <translation>Angehängte Datei %1</translation>
    </message>
    <message>
        <source>%1. Delete removes it</source>
        <translation>%1. Entf entfernt sie</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
    <message>
        <source>%1: show its text</source>
        <translation>%1: Text zeigen</translation>
    </message>
    <message>
        <source>Attached files</source>
        <translation>Angehängte Dateien</translation>
    </message>
    <message>
        <source>%1 · about %2 tokens</source>
        <translation>%1 · etwa %2 Token</translation>
    </message>
    <message>
        <source>Benchmark</source>
        <translation>Benchmark</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Minerva built-in</source>
        <translation>Minerva eingebaut</translation>
    </message>
    <message>
        <source>No requests yet. In a terminal, this line asks the model; other programs take the address as that of OpenAI or Ollama.</source>
        <translation>Noch keine Anfragen. Diese Zeile fragt das Modell in einem Terminal; andere Programme verwenden die Adresse wie die von OpenAI oder Ollama.</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Reading...</source>
        <translation>Wird gelesen...</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>Trotzdem laden</translation>
    </message>
    <message>
        <source>On the CPU. The computer may become slow, or the system may end Minerva; conversations are kept</source>
        <translation>Auf der CPU. Der Rechner kann langsam werden, oder das System beendet Minerva; Gespräche bleiben erhalten</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>expected: at most %1 tok/s</source>
        <translation>erwartet: höchstens %1 tok/s</translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation>%1 Dateien</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>Auf diesem Rechner</translation>
    </message>
    <message>
        <source>Another version is here</source>
        <translation>Andere Fassung hier</translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>auf diesem Rechner</translation>
    </message>
    <message>
        <source>another version is on this computer</source>
        <translation>eine andere Fassung ist auf diesem Rechner</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>Wird geladen</translation>
    </message>
    <message>
        <source>Update</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>It is on this computer: %1</source>
        <translation>Es liegt auf diesem Rechner: %1</translation>
    </message>
    <message>
        <source>The hub has another version of what is on this computer. The download replaces it when it is complete and verified</source>
        <translation>Der Hub hat eine andere Fassung als dieser Rechner. Sie ersetzt die hiesige, sobald sie vollständig geladen und geprüft ist</translation>
    </message>
    <message>
        <source>Measured memory bandwidth, divided by the bytes read for each token</source>
        <translation>Gemessene Speicherbandbreite, geteilt durch die Bytes, die für jedes Token gelesen werden</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Tool call</source>
        <translation>Werkzeugaufruf</translation>
    </message>
    <message>
        <source>Copies this code</source>
        <translation>Kopiert diesen Code</translation>
    </message>
    <message>
        <source>%1 pieces/s</source>
        <translation>%1 Stücke/s</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 tok/s</translation>
    </message>
    <message>
        <source>Remove %1 from the comparison</source>
        <translation>%1 aus dem Vergleich entfernen</translation>
    </message>
    <message>
        <source>TTFT %1</source>
        <translation>TTFT %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation><numerusform>%n Token</numerusform><numerusform>%n Tokens</numerusform></translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>most precise</source>
        <translation>am genauesten</translation>
    </message>
    <message>
        <source>Decode speed over the reply</source>
        <translation>Tempo der Ausgabe im Verlauf der Antwort</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>Keine Treffer.</translation>
    </message>
    <message>
        <source>Earlier comparisons</source>
        <translation>Frühere Vergleiche</translation>
    </message>
    <message>
        <source>New comparison</source>
        <translation>Neuer Vergleich</translation>
    </message>
    <message>
        <source>Change models or prompt</source>
        <translation>Modelle oder Frage ändern</translation>
    </message>
    <message>
        <source>Show the result again</source>
        <translation>Das Ergebnis wieder zeigen</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Run one after another</source>
        <translation>Nacheinander ausführen</translation>
    </message>
    <message>
        <source>Deleted %1</source>
        <translation>%1 gelöscht</translation>
    </message>
    <message>
        <source>Making a GGUF and an MLX copy of the built-in model</source>
        <translation>Kopien des eingebauten Modells als GGUF und MLX entstehen</translation>
    </message>
    <message>
        <source>Making copies</source>
        <translation>Kopien entstehen</translation>
    </message>
    <message>
        <source>Add at least one more: two to four models can be compared. Files can be dropped here.</source>
        <translation>Mindestens noch eines: zwei bis vier Modelle lassen sich vergleichen. Dateien können hier abgelegt werden.</translation>
    </message>
    <message>
        <source>Two to four models can be compared. Files can be dropped here.</source>
        <translation>Zwei bis vier Modelle lassen sich vergleichen. Dateien können hier abgelegt werden.</translation>
    </message>
    <message>
        <source>The prompts are sent to %1 when the comparison is started, not before.</source>
        <translation>Die Prompts werden an %1 gesendet, wenn der Vergleich beginnt, nicht vorher.</translation>
    </message>
    <message>
        <source>A reply is being written in the chat: measured speeds will be lower.</source>
        <translation>Im Chat wird gerade eine Antwort geschrieben: die gemessenen Tempi werden niedriger sein.</translation>
    </message>
    <message>
        <source>Open a model to start</source>
        <translation>Zum Anfangen ein Modell öffnen</translation>
    </message>
    <message>
        <source>Ask %1...</source>
        <translation>%1 fragen...</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Preset: system prompt and sampling</source>
        <translation>Voreinstellung: Systemprompt und Sampling</translation>
    </message>
    <message>
        <source>Preset: %1</source>
        <translation>Voreinstellung: %1</translation>
    </message>
    <message>
        <source>Stopping...</source>
        <translation>Wird gestoppt ...</translation>
    </message>
    <message>
        <source>Enter queues, Esc stops</source>
        <translation>Enter reiht ein, Esc hält an</translation>
    </message>
    <message>
        <source>Esc stops</source>
        <translation>Esc hält an</translation>
    </message>
    <message>
        <source>Reading the file</source>
        <translation>Datei wird gelesen</translation>
    </message>
    <message>
        <source>Enter sends</source>
        <translation>Enter sendet</translation>
    </message>
    <message>
        <source>Enter queues</source>
        <translation>Enter reiht ein</translation>
    </message>
    <message>
        <source>This does not fit into the context</source>
        <translation>Das passt nicht in den Kontext</translation>
    </message>
    <message>
        <source>The prompt takes %1 tokens and the reply needs %2; the context holds %3. That is %4 too many. Nothing has been sent.</source>
        <translation>Der Prompt braucht %1 Tokens und die Antwort %2; der Kontext fasst %3. Das sind %4 zu viel. Es wurde nichts gesendet.</translation>
    </message>
    <message>
        <source>Dropping the oldest leaves these out of the prompt; they stay in the transcript:</source>
        <translation>Wenn Sie das Älteste weglassen, wird dies nicht mehr mitgesendet; im Verlauf bleibt es stehen:</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>A context of %1 would take %2 more memory; %3 is free.</source>
        <translation>Ein Kontext von %1 bräuchte %2 mehr Speicher; %3 sind frei.</translation>
    </message>
    <message>
        <source>The message itself is too long for this model: shorten it.</source>
        <translation>Die Nachricht selbst ist zu lang für dieses Modell: bitte kürzen.</translation>
    </message>
    <message>
        <source>Keep editing</source>
        <translation>Weiter bearbeiten</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Drop the oldest %1 (%2 tokens)</source>
        <translation>Die ältesten %1 weglassen (%2 Tokens)</translation>
    </message>
    <message>
        <source>The prompt then has %1 tokens</source>
        <translation>Der Prompt hat dann %1 Tokens</translation>
    </message>
    <message>
        <source>Shorter reply (at most %1 tokens)</source>
        <translation>Kürzere Antwort (höchstens %1 Tokens)</translation>
    </message>
    <message>
        <source>Load with a context of %1 (+ %2)</source>
        <translation>Mit einem Kontext von %1 laden (+ %2)</translation>
    </message>
    <message>
        <source>The model is loaded again, then the message is sent</source>
        <translation>Das Modell wird neu geladen, dann wird die Nachricht gesendet</translation>
    </message>
    <message>
        <source>%1 of %2 tokens</source>
        <translation>%1 von %2 Tokens</translation>
    </message>
    <message>
        <source>Next prompt: %1</source>
        <translation>Nächster Prompt: %1</translation>
    </message>
    <message>
        <source>Tokens are counted by %1</source>
        <translation>Tokens zählt %1</translation>
    </message>
    <message>
        <source>Only the server knows how many tokens the messages are, and whether they fit: it is not asked before they are sent.</source>
        <translation>Nur der Server weiß, wie viele Tokens die Nachrichten sind und ob sie hineinpassen: Er wird vor dem Senden nicht gefragt.</translation>
    </message>
    <message>
        <source>The prompt as it would be sent now takes %1 of the context, without what the model's template leaves out of earlier replies, such as thoughts. %2 of them are in the cache and need not be read again.</source>
        <translation>Der Prompt, wie er jetzt gesendet würde, nimmt %1 des Kontexts ein, ohne das, was die Vorlage des Modells aus früheren Antworten weglässt, etwa Gedanken. %2 davon liegen im Cache und müssen nicht noch einmal gelesen werden.</translation>
    </message>
    <message>
        <source>%1, pinned</source>
        <translation>%1, angeheftet</translation>
    </message>
    <message>
        <source>a reply is being written</source>
        <translation>eine Antwort wird geschrieben</translation>
    </message>
    <message>
        <source>Stop the reply</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Rename, pin, move, export or delete  Menu key</source>
        <translation>Umbenennen, anheften, verschieben, exportieren oder löschen  Menütaste</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>Assistent</translation>
    </message>
    <message>
        <source>New folder, import, recently deleted</source>
        <translation>Neuer Ordner, importieren, zuletzt gelöscht</translation>
    </message>
    <message>
        <source>Recently deleted...</source>
        <translation>Zuletzt gelöscht...</translation>
    </message>
    <message>
        <source>No conversation matches.</source>
        <translation>Kein Gespräch passt dazu.</translation>
    </message>
    <message>
        <source>Conversations you start appear here.</source>
        <translation>Hier erscheinen die Gespräche, die Sie beginnen.</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Pin to the top</source>
        <translation>Oben anheften</translation>
    </message>
    <message>
        <source>Move to folder...</source>
        <translation>In einen Ordner legen...</translation>
    </message>
    <message>
        <source>Export...</source>
        <translation>Exportieren...</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>No folder</source>
        <translation>Kein Ordner</translation>
    </message>
    <message>
        <source>New folder...</source>
        <translation>Neuer Ordner...</translation>
    </message>
    <message>
        <source>Markdown...</source>
        <translation>Markdown...</translation>
    </message>
    <message>
        <source>Everything, as JSON...</source>
        <translation>Alles, als JSON...</translation>
    </message>
    <message>
        <source>Remove folder, keep conversations</source>
        <translation>Ordner entfernen, Gespräche behalten</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>Gespräch exportieren</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Everything, as JSON (*.json)</source>
        <translation>Alles, als JSON (*.json)</translation>
    </message>
    <message>
        <source>Import conversations: Minerva (.json, .md), ChatGPT (conversations.json), OpenAI messages (.json, .jsonl)</source>
        <translation>Gespräche importieren: Minerva (.json, .md), ChatGPT (conversations.json), OpenAI-Nachrichten (.json, .jsonl)</translation>
    </message>
    <message>
        <source>Conversations (*.json *.jsonl *.md)</source>
        <translation>Gespräche (*.json *.jsonl *.md)</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Make a smaller copy of %1</source>
        <translation>Eine kleinere Kopie von %1</translation>
    </message>
    <message>
        <source>Copying %1</source>
        <translation>%1 wird kopiert</translation>
    </message>
    <message>
        <source>The copy of %1 is ready</source>
        <translation>Die Kopie von %1 ist fertig</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>No available type would make a smaller copy of this model.</source>
        <translation>Kein verfügbarer Typ ergäbe eine kleinere Kopie dieses Modells.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Type of the copy</source>
        <translation>Typ der Kopie</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Change...</source>
        <translation>Ändern...</translation>
    </message>
    <message>
        <source>Make the copy</source>
        <translation>Kopie erstellen</translation>
    </message>
    <message>
        <source>Copy progress</source>
        <translation>Fortschritt der Kopie</translation>
    </message>
    <message>
        <source>%1 of %2 · %3</source>
        <translation>%1 von %2 · %3</translation>
    </message>
    <message>
        <source>Reading the model</source>
        <translation>Das Modell wird gelesen</translation>
    </message>
    <message>
        <source>Save the copy as</source>
        <translation>Kopie speichern als</translation>
    </message>
    <message>
        <source>GGUF (*.gguf)</source>
        <translation>GGUF (*.gguf)</translation>
    </message>
    <message numerus="yes">
        <source>Left out of the prompt from here up: %n message(s), %1 tokens</source>
        <translation><numerusform>Ab hier nach oben nicht im Prompt: %n Nachricht, %1 Tokens</numerusform><numerusform>Ab hier nach oben nicht im Prompt: %n Nachrichten, %1 Tokens</numerusform></translation>
    </message>
    <message>
        <source>Put back</source>
        <translation>Wieder mitsenden</translation>
    </message>
    <message>
        <source>Prompts start with the first message again if they fit</source>
        <translation>Prompts beginnen wieder mit der ersten Nachricht, wenn sie passen</translation>
    </message>
    <message>
        <source>Enter restores it, Delete removes it for good</source>
        <translation>Enter stellt es wieder her, Entf löscht es endgültig</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Delete for good</source>
        <translation>Endgültig löschen</translation>
    </message>
    <message>
        <source>Delete now</source>
        <translation>Jetzt löschen</translation>
    </message>
    <message>
        <source>Delete all now...</source>
        <translation>Alle jetzt löschen...</translation>
    </message>
    <message>
        <source>They are kept for %1 days, then removed for good when Minerva starts.</source>
        <translation>Sie werden %1 Tage aufbewahrt und dann beim Start von Minerva endgültig gelöscht.</translation>
    </message>
    <message>
        <source>Nothing was deleted in the last %1 days.</source>
        <translation>In den letzten %1 Tagen wurde nichts gelöscht.</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n conversation(s) for good? This cannot be undone.</source>
        <translation><numerusform>%n Gespräch endgültig löschen? Das lässt sich nicht rückgängig machen.</numerusform><numerusform>%n Gespräche endgültig löschen? Das lässt sich nicht rückgängig machen.</numerusform></translation>
    </message>
    <message>
        <source>Keep them</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Delete all now</source>
        <translation>Alle jetzt löschen</translation>
    </message>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation><numerusform>%n Thread</numerusform><numerusform>%n Threads</numerusform></translation>
    </message>
    <message>
        <source>This Vulkan driver runs on the CPU</source>
        <translation>Dieser Vulkan-Treiber läuft auf der CPU</translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation><numerusform>%n Schicht</numerusform><numerusform>%n Schichten</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>experts of %n layer(s)</source>
        <translation><numerusform>Experten von %n Schicht</numerusform><numerusform>Experten von %n Schichten</numerusform></translation>
    </message>
    <message>
        <source>token embedding</source>
        <translation>Einbettung der Token</translation>
    </message>
    <message numerus="yes">
        <source>Shared by %n device(s)</source>
        <translation><numerusform>Auf %n Gerät verteilt</numerusform><numerusform>Auf %n Geräte verteilt</numerusform></translation>
    </message>
    <message>
        <source>%1 per token from device to device</source>
        <translation>%1 pro Token von Gerät zu Gerät</translation>
    </message>
    <message>
        <source>runs on the CPU</source>
        <translation>läuft auf der CPU</translation>
    </message>
    <message>
        <source>%1: %2 GB/s</source>
        <translation>%1: %2 GB/s</translation>
    </message>
    <message>
        <source>Measured here with Minerva's own read kernel, from memory; what fits into a cache is read faster.</source>
        <translation>Hier mit Minervas eigenem Lese-Kernel gemessen, aus dem Arbeitsspeicher; was in einen Cache passt, wird schneller gelesen.</translation>
    </message>
    <message>
        <source>in software</source>
        <translation>in Software</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>in Gebrauch</translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>Verwenden</translation>
    </message>
    <message>
        <source>Run models on this device from the next load on. It is remembered by its UUID, not by its position in a list</source>
        <translation>Modelle ab dem nächsten Laden auf diesem Gerät ausführen. Gemerkt wird seine UUID, nicht sein Platz in einer Liste</translation>
    </message>
    <message>
        <source>Testing...</source>
        <translation>Wird geprüft...</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Compares this device's predictions with the reference's and measures how fast it reads its memory; takes a few seconds</source>
        <translation>Vergleicht die Vorhersagen dieses Geräts mit denen der Referenz und misst, wie schnell es seinen Speicher liest; dauert einige Sekunden</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>Belegter Speicher</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>As reported by the driver; updated every few seconds while this is shown</source>
        <translation>Laut Treiber; wird alle paar Sekunden aktualisiert, solange dies zu sehen ist</translation>
    </message>
    <message>
        <source>Read bandwidth</source>
        <translation>Lesebandbreite</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>Chosen automatically: the fastest device that works.</source>
        <translation>Automatisch gewählt: das schnellste Gerät, das funktioniert.</translation>
    </message>
    <message>
        <source>All GPUs: as few of them as a model needs; from the next load on.</source>
        <translation>Alle GPUs: so wenige, wie das Modell braucht; ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Chosen by you; used from the next load on.</source>
        <translation>Von Ihnen gewählt; gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Use all GPUs</source>
        <translation>Alle GPUs verwenden</translation>
    </message>
    <message>
        <source>Share models that are too large for one GPU between all of them, from the next load on</source>
        <translation>Modelle, die für eine GPU zu groß sind, ab dem nächsten Laden auf alle verteilen</translation>
    </message>
    <message>
        <source>Choose automatically</source>
        <translation>Automatisch wählen</translation>
    </message>
    <message>
        <source>The chosen device (%1) is not available. Models run on the CPU until it is back or another one is chosen.</source>
        <translation>Das gewählte Gerät (%1) ist nicht verfügbar. Bis es zurück ist oder ein anderes gewählt wird, laufen Modelle auf der CPU.</translation>
    </message>
    <message>
        <source>%1 downloads</source>
        <translation>%1-mal geladen</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>geschützt</translation>
    </message>
    <message>
        <source>Search Hugging Face, or paste a link</source>
        <translation>Hugging Face durchsuchen oder einen Link einfügen</translation>
    </message>
    <message>
        <source>Minerva is set to stay offline: no requests are sent to the hub.</source>
        <translation>Minerva soll offline bleiben: es werden keine Anfragen an den Hub gesendet.</translation>
    </message>
    <message>
        <source>Go online</source>
        <translation>Online gehen</translation>
    </message>
    <message>
        <source>Asking the hub</source>
        <translation>Der Hub wird gefragt</translation>
    </message>
    <message>
        <source>Searching for "%1"</source>
        <translation>Suche nach „%1“</translation>
    </message>
    <message>
        <source>Results for "%1"</source>
        <translation>Ergebnisse für „%1“</translation>
    </message>
    <message>
        <source>No model with GGUF, SafeTensors or MLX files has this in its name.</source>
        <translation>Kein Modell mit GGUF-, SafeTensors- oder MLX-Dateien hat das im Namen.</translation>
    </message>
    <message>
        <source>No requests are sent to the hub before you search or open a model. Files are checked as they arrive and used only if they are correct.</source>
        <translation>Der Hub wird erst gefragt, wenn Sie suchen oder ein Modell öffnen. Dateien werden beim Eintreffen geprüft und nur benutzt, wenn sie stimmen.</translation>
    </message>
    <message>
        <source>the end</source>
        <translation>das Ende</translation>
    </message>
    <message>
        <source>First token that differs</source>
        <translation>Erstes abweichendes Token</translation>
    </message>
    <message>
        <source>not comparable</source>
        <translation>nicht vergleichbar</translation>
    </message>
    <message>
        <source>no token differs</source>
        <translation>kein Token weicht ab</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>here</source>
        <translation>hier</translation>
    </message>
    <message>
        <source>Download progress</source>
        <translation>Fortschritt des Downloads</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Remove from this list; the model stays</source>
        <translation>Aus der Liste entfernen; das Modell bleibt</translation>
    </message>
    <message>
        <source>Cancel and delete what was downloaded</source>
        <translation>Abbrechen und löschen, was schon geladen ist</translation>
    </message>
    <message>
        <source>Delete it</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Deletes what was downloaded</source>
        <translation>Löscht, was heruntergeladen wurde</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>A smaller model with the same vocabulary suggests what comes next, and this one checks several tokens at a time. On a processor this makes replies faster without changing them; it takes memory. It applies when the model is loaded next.</source>
        <translation>Ein kleineres Modell mit demselben Vokabular schlägt vor, was folgt, und dieses prüft mehrere Token auf einmal. Auf dem Prozessor werden Antworten dadurch schneller, ohne sich zu ändern; es braucht Speicher. Es gilt ab dem nächsten Laden des Modells.</translation>
    </message>
    <message>
        <source>With the present settings both take %1 of %2 free. %3 of it is the draft model: weights %4, state of conversations %5, working memory %6.</source>
        <translation>Mit den jetzigen Einstellungen brauchen beide %1 von %2 freiem Speicher. %3 davon ist das Entwurfsmodell: Gewichte %4, Zustand der Gespräche %5, Zwischenergebnisse %6.</translation>
    </message>
    <message>
        <source>Forget this comparison</source>
        <translation>Diesen Vergleich vergessen</translation>
    </message>
    <message>
        <source>Ask several models or formats the same question and see which is faster, smaller and closer to the original on this machine.</source>
        <translation>Stellen Sie mehreren Modellen oder Formaten dieselbe Frage und sehen Sie, welches auf diesem Rechner schneller, kleiner und näher am Original ist.</translation>
    </message>
    <message>
        <source>Try the built-in model in three formats</source>
        <translation>Das eingebaute Modell in drei Formaten ausprobieren</translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation>Details ausblenden</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Where: %1</source>
        <translation>Wo: %1</translation>
    </message>
    <message>
        <source>Kind: %1</source>
        <translation>Art: %1</translation>
    </message>
    <message>
        <source>: expected %1, found %2</source>
        <translation>: erwartet %1, gefunden %2</translation>
    </message>
    <message>
        <source>: expected %1</source>
        <translation>: erwartet %1</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>Gespeichert als %1</translation>
    </message>
    <message>
        <source>The picture could not be written to %1</source>
        <translation>Das Bild konnte nicht nach %1 geschrieben werden</translation>
    </message>
    <message>
        <source>Table...</source>
        <translation>Tabelle...</translation>
    </message>
    <message>
        <source>Everything...</source>
        <translation>Alles...</translation>
    </message>
    <message>
        <source>Picture...</source>
        <translation>Bild...</translation>
    </message>
    <message>
        <source>Export the comparison</source>
        <translation>Vergleich exportieren</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>From opening the file until the first step is possible</source>
        <translation>Vom Öffnen der Datei, bis der erste Schritt möglich ist</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>Time to first token: from the request's arrival in the engine</source>
        <translation>Zeit bis zum ersten Token: ab dem Eintreffen der Anfrage in der Engine</translation>
    </message>
    <message>
        <source>Prefill tok/s</source>
        <translation>Prefill tok/s</translation>
    </message>
    <message>
        <source>Prompt tokens computed per second</source>
        <translation>Gelesene Prompt-Tokens je Sekunde</translation>
    </message>
    <message>
        <source>Decode tok/s</source>
        <translation>Decode tok/s</translation>
    </message>
    <message>
        <source>Tokens after the first, divided by the time since the first</source>
        <translation>Tokens nach dem ersten, geteilt durch die Zeit seitdem</translation>
    </message>
    <message>
        <source>ms/token</source>
        <translation>ms/Token</translation>
    </message>
    <message>
        <source>Half of the tokens took at most this long (p50)</source>
        <translation>Die Hälfte der Tokens brauchte höchstens so lange (p50)</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>95 of 100 tokens took at most this many ms</source>
        <translation>95 von 100 Tokens brauchten höchstens so viele ms</translation>
    </message>
    <message>
        <source>Weights, state of the conversation, and scratch memory on the device</source>
        <translation>Gewichte, Zustand des Gesprächs und Zwischenspeicher auf dem Gerät</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Platte</translation>
    </message>
    <message>
        <source>Size of the weight files</source>
        <translation>Größe der Gewichtsdateien</translation>
    </message>
    <message>
        <source>Bits/weight</source>
        <translation>Bits/Gewicht</translation>
    </message>
    <message>
        <source>File size in bits per parameter</source>
        <translation>Dateigröße in Bits je Parameter</translation>
    </message>
    <message>
        <source>KL</source>
        <translation>KL</translation>
    </message>
    <message>
        <source>Mean divergence of the predictions from the most precise model's, in nats; 0 means identical</source>
        <translation>Mittlere Abweichung der Vorhersagen vom genauesten Modell, in Nat; 0 heißt gleich</translation>
    </message>
    <message>
        <source>Same top</source>
        <translation>Gleich vorn</translation>
    </message>
    <message>
        <source>How often the most likely token is the same as the most precise model's</source>
        <translation>Wie oft das wahrscheinlichste Token das des genauesten Modells ist</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>Of the text all models are measured on; lower means less surprised</source>
        <translation>Des Textes, an dem alle Modelle gemessen werden; kleiner heißt weniger überrascht</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Zahlen</translation>
    </message>
    <message>
        <source>%1, best</source>
        <translation>%1, am besten</translation>
    </message>
    <message>
        <source>A stall is a token that took more than four times the median and more than 50 ms</source>
        <translation>Ein Stocken ist ein Token, das mehr als das Vierfache des Medians und mehr als 50 ms brauchte</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Tokens of the whole conversation as it was sent</source>
        <translation>Tokens des ganzen Gesprächs, wie es gesendet wurde</translation>
    </message>
    <message>
        <source>Reused</source>
        <translation>Im Cache</translation>
    </message>
    <message>
        <source>Tokens of the prompt that were still in the cache and were not computed again</source>
        <translation>Tokens des Prompts, die noch im Cache waren und nicht neu berechnet wurden</translation>
    </message>
    <message>
        <source>Generated</source>
        <translation>Erzeugt</translation>
    </message>
    <message>
        <source>Tokens of the reply, including its end token</source>
        <translation>Tokens der Antwort einschließlich des End-Tokens</translation>
    </message>
    <message>
        <source>Time to first token: from the request's arrival in the engine to the first sampled token</source>
        <translation>Zeit bis zum ersten Token: vom Eintreffen der Anfrage in der Engine bis zum ersten gewählten Token</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>Half of the tokens took at most this long</source>
        <translation>Die Hälfte der Tokens brauchte höchstens so lange</translation>
    </message>
    <message>
        <source>95 of 100 tokens took at most this long</source>
        <translation>95 von 100 Tokens brauchten höchstens so lange</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>99 of 100 tokens took at most this long</source>
        <translation>99 von 100 Tokens brauchten höchstens so lange</translation>
    </message>
    <message>
        <source>Stalls</source>
        <translation>Stocken</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>Bandbreite</translation>
    </message>
    <message>
        <source>Share of the read bandwidth measured on this device: bytes that each token needs (all weights, and the cache of the positions so far), times decode speed</source>
        <translation>Anteil der auf diesem Gerät gemessenen Lesebandbreite: Bytes, die jedes Token braucht (alle Gewichte und der Cache der bisherigen Stellen), mal Tempo der Ausgabe</translation>
    </message>
    <message>
        <source>Welcome to Minerva</source>
        <translation>Willkommen bei Minerva</translation>
    </message>
    <message>
        <source>Chat with language models that run on this machine. What you write stays on it unless you choose a model of a server.</source>
        <translation>Chatten Sie mit Sprachmodellen, die auf diesem Rechner laufen. Was Sie schreiben, bleibt darauf, solange Sie kein Modell eines Servers wählen.</translation>
    </message>
    <message>
        <source>Try it now</source>
        <translation>Gleich ausprobieren</translation>
    </message>
    <message>
        <source>A tiny model comes with Minerva: %1 parameters, works offline, knows little. It is loaded.</source>
        <translation>Minerva bringt ein winziges Modell mit: %1 Parameter, läuft offline, weiß wenig. Es ist geladen.</translation>
    </message>
    <message>
        <source>A tiny model comes with Minerva. It works offline and knows little.</source>
        <translation>Minerva bringt ein winziges Modell mit. Es läuft offline und weiß wenig.</translation>
    </message>
    <message>
        <source>Load the built-in model</source>
        <translation>Eingebautes Modell laden</translation>
    </message>
    <message>
        <source>Who are you?</source>
        <translation>Wer bist du?</translation>
    </message>
    <message>
        <source>Tell me a story about a fox</source>
        <translation>Erzähl mir eine Geschichte über einen Fuchs</translation>
    </message>
    <message>
        <source>What is 7 + 8?</source>
        <translation>Was ist 7 + 8?</translation>
    </message>
    <message>
        <source>Bring your own model</source>
        <translation>Ein eigenes Modell verwenden</translation>
    </message>
    <message>
        <source>Open a GGUF or SafeTensors file where it is, or look for one to download. No requests are sent to any server before you do.</source>
        <translation>Öffnen Sie eine GGUF- oder SafeTensors-Datei dort, wo sie liegt, oder suchen Sie eine zum Laden. Vorher wird keine Anfrage an einen Server gesendet.</translation>
    </message>
    <message>
        <source>Discover models</source>
        <translation>Modelle entdecken</translation>
    </message>
    <message>
        <source>Already on this computer</source>
        <translation>Schon auf diesem Rechner</translation>
    </message>
    <message>
        <source>It needs about %1, and %2 is free</source>
        <translation>Es braucht etwa %1, und %2 sind da</translation>
    </message>
    <message>
        <source>Replies would be written without the layer that predicts further tokens: %1</source>
        <translation>Antworten würden ohne die Schicht geschrieben, die weitere Token vorhersagt: %1</translation>
    </message>
    <message>
        <source>Replies would be written without the draft model: %1</source>
        <translation>Antworten würden ohne das Entwurfsmodell geschrieben: %1</translation>
    </message>
    <message>
        <source>in the file itself</source>
        <translation>in der Datei selbst</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Fits, slowly</source>
        <translation>Passt, langsam</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>Passt nicht</translation>
    </message>
    <message>
        <source>Cannot run</source>
        <translation>Läuft nicht</translation>
    </message>
    <message numerus="yes">
        <source>Folder %1, %n conversation(s)</source>
        <translation><numerusform>Ordner %1, %n Gespräch</numerusform><numerusform>Ordner %1, %n Gespräche</numerusform></translation>
    </message>
    <message>
        <source>closed</source>
        <translation>zu</translation>
    </message>
    <message>
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>Rename or remove the folder  Menu key</source>
        <translation>Ordner umbenennen oder entfernen  Menütaste</translation>
    </message>
    <message>
        <source>%1 with these settings: %2 of %3 free</source>
        <translation>%1 mit diesen Einstellungen: %2 von %3, die frei sind</translation>
    </message>
    <message>
        <source>The model was made for %1 tokens: %2 would be reduced to that.</source>
        <translation>Das Modell ist für %1 Tokens gemacht: %2 würden auf diesen Wert verringert.</translation>
    </message>
    <message>
        <source>weights %1 · state of conversations of %2 tokens %3 · working memory %4</source>
        <translation>Gewichte %1 · Zustand von Gesprächen mit %2 Tokens %3 · Zwischenergebnisse %4</translation>
    </message>
    <message>
        <source>draft model %1: weights %2 · state of conversations %3 · working memory %4</source>
        <translation>Entwurfsmodell %1: Gewichte %2 · Zustand der Gespräche %3 · Zwischenergebnisse %4</translation>
    </message>
    <message>
        <source>median %1 %2</source>
        <translation>Median %1 %2</translation>
    </message>
    <message>
        <source>%1 %2, %3, %4</source>
        <translation>%1 %2, %3, %4</translation>
    </message>
    <message>
        <source>benchmark, %1 to %2</source>
        <translation>Benchmark, %1 bis %2</translation>
    </message>
    <message>
        <source>No figures yet.</source>
        <translation>Noch keine Zahlen.</translation>
    </message>
    <message>
        <source>Measured replies</source>
        <translation>Gemessene Antworten</translation>
    </message>
    <message>
        <source>benchmark</source>
        <translation>Benchmark</translation>
    </message>
    <message>
        <source>bench</source>
        <translation>Bench</translation>
    </message>
    <message numerus="yes">
        <source>Medians of %n repetition(s) with random text</source>
        <translation><numerusform>Mediane aus %n Wiederholung mit zufälligem Text</numerusform><numerusform>Mediane aus %n Wiederholungen mit zufälligem Text</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%1 to %2 in %n repetition(s)</source>
        <translation><numerusform>%1 bis %2 in %n Wiederholung</numerusform><numerusform>%1 bis %2 in %n Wiederholungen</numerusform></translation>
    </message>
    <message>
        <source>Try now</source>
        <translation>Jetzt versuchen</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>Überall</translation>
    </message>
    <message>
        <source>%1 is in the trash</source>
        <translation>%1 liegt im Papierkorb</translation>
    </message>
    <message>
        <source>Empty it to free %1: %2</source>
        <translation>%1 werden frei, wenn Sie ihn leeren: %2</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>File comparison progress</source>
        <translation>Fortschritt des Dateivergleichs</translation>
    </message>
    <message>
        <source>Comparing files: %1 of %2 · %3</source>
        <translation>Dateien werden verglichen: %1 von %2 · %3</translation>
    </message>
    <message>
        <source>Comparing files</source>
        <translation>Dateien werden verglichen</translation>
    </message>
    <message>
        <source>There are no duplicate files.</source>
        <translation>Es gibt keine doppelten Dateien.</translation>
    </message>
    <message>
        <source>Duplicate files take %1</source>
        <translation>Doppelte Dateien belegen %1</translation>
    </message>
    <message>
        <source>SHA-256 %1</source>
        <translation>SHA-256 %1</translation>
    </message>
    <message>
        <source>%1 can be freed</source>
        <translation>%1 können frei werden</translation>
    </message>
    <message>
        <source>Minerva uses each file where it is, so one copy is enough. Delete the others with the program they belong to.</source>
        <translation>Minerva verwendet jede Datei dort, wo sie liegt; eine Kopie genügt also. Löschen Sie die anderen mit dem Programm, zu dem sie gehören.</translation>
    </message>
    <message>
        <source>This link leads to a different address than its text says</source>
        <translation>Dieser Link führt zu einer anderen Adresse, als sein Text sagt</translation>
    </message>
    <message>
        <source>Its text</source>
        <translation>Sein Text</translation>
    </message>
    <message>
        <source>Leads to</source>
        <translation>Führt zu</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Do not open it</source>
        <translation>Nicht öffnen</translation>
    </message>
    <message>
        <source>pieces/s</source>
        <translation>Stücke/s</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>tok/s</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Prompt wird gelesen</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Last reply</source>
        <translation>Letzte Antwort</translation>
    </message>
    <message>
        <source>Speed appears here while a reply is written.</source>
        <translation>Das Tempo erscheint hier, während eine Antwort geschrieben wird.</translation>
    </message>
    <message>
        <source>%1 of this machine's %2 tok/s ceiling</source>
        <translation>%1 der Obergrenze dieses Rechners von %2 tok/s</translation>
    </message>
    <message>
        <source>Bytes that must be read for each token, times decode speed, divided by the bandwidth measured on this device for that many bytes (%1 GB/s; %2)</source>
        <translation>Bytes, die für jedes Token gelesen werden müssen, mal Tempo der Ausgabe, geteilt durch die auf diesem Gerät für so viele Bytes gemessene Bandbreite (%1 GB/s; %2)</translation>
    </message>
    <message>
        <source>Measured by this program; %1 tells no number of tokens, so pieces of text are counted.</source>
        <translation>Von diesem Programm gemessen; %1 nennt keine Zahl der Tokens, deshalb sind Textstücke gezählt.</translation>
    </message>
    <message>
        <source>Measured by this program. %1 does not tell its memory, cache and bandwidth.</source>
        <translation>Von diesem Programm gemessen. %1 nennt weder Speicher noch Cache noch Bandbreite.</translation>
    </message>
    <message numerus="yes">
        <source>%n other answer(s) at the same time</source>
        <translation><numerusform>%n weitere Antwort gleichzeitig</numerusform><numerusform>%n weitere Antworten gleichzeitig</numerusform></translation>
    </message>
    <message>
        <source>Prefill progress</source>
        <translation>Fortschritt des Prefill</translation>
    </message>
    <message>
        <source>ceiling %1</source>
        <translation>Obergrenze %1</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>From sending the request to the first text that arrived, the network included</source>
        <translation>Vom Senden der Anfrage bis zum ersten Text, der ankam, mit dem Weg durch das Netz</translation>
    </message>
    <message>
        <source>From the request's arrival in the engine to the first sampled token</source>
        <translation>Vom Eintreffen der Anfrage in der Engine bis zum ersten Token</translation>
    </message>
    <message>
        <source>As the server tells it</source>
        <translation>Wie der Server es angibt</translation>
    </message>
    <message>
        <source>Prompt tokens computed per second; %1 of %2</source>
        <translation>Gelesene Prompt-Tokens je Sekunde; %1 von %2</translation>
    </message>
    <message>
        <source>Decode, average</source>
        <translation>Decode, im Mittel</translation>
    </message>
    <message>
        <source>ms per piece p50</source>
        <translation>ms je Stück p50</translation>
    </message>
    <message>
        <source>ms per token p50</source>
        <translation>ms je Token p50</translation>
    </message>
    <message>
        <source>Between pieces of text as they arrived; a piece may be several tokens</source>
        <translation>Zwischen den Textstücken, wie sie ankamen; ein Stück kann mehrere Tokens sein</translation>
    </message>
    <message>
        <source>p95 · p99</source>
        <translation>p95 · p99</translation>
    </message>
    <message>
        <source>Pieces</source>
        <translation>Stücke</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Accepted of drafted tokens</source>
        <translation>Entwurf angenommen</translation>
    </message>
    <message>
        <source>This reply</source>
        <translation>Diese Antwort</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>template</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>tokenize</source>
        <translation>Zerlegen</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>Prefill</translation>
    </message>
    <message>
        <source>until the first text</source>
        <translation>bis zum ersten Text</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>Decode</translation>
    </message>
    <message>
        <source>Context of this reply</source>
        <translation>Kontext dieser Antwort</translation>
    </message>
    <message>
        <source>reused from the cache</source>
        <translation>aus dem Cache</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>cache %1</source>
        <translation>Cache %1</translation>
    </message>
    <message>
        <source>scratch</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>Loaded in %1</source>
        <translation>In %1 geladen</translation>
    </message>
    <message>
        <source>%1 hides this panel</source>
        <translation>%1 blendet dies aus</translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation>%1 wird geladen</translation>
    </message>
    <message>
        <source>Load progress</source>
        <translation>Fortschritt des Ladens</translation>
    </message>
    <message>
        <source>%1 · %2 of %3</source>
        <translation>%1 · %2 von %3</translation>
    </message>
    <message>
        <source>%1 - Minerva</source>
        <translation>%1 - Minerva</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>Modell öffnen</translation>
    </message>
    <message>
        <source>Drop text files to attach them, or a model to open it</source>
        <translation>Textdateien hier ablegen, um sie anzuhängen, ein Modell, um es zu öffnen</translation>
    </message>
    <message>
        <source>Drop model files or folders to compare them</source>
        <translation>Modelldateien oder -ordner zum Vergleichen hier ablegen</translation>
    </message>
    <message>
        <source>Drop a model file or folder to open it</source>
        <translation>Eine Modelldatei oder einen Ordner zum Öffnen hier ablegen</translation>
    </message>
    <message>
        <source>Formula: %1</source>
        <translation>Formel: %1</translation>
    </message>
    <message>
        <source>Copy the formula's source</source>
        <translation>Quelltext der Formel kopieren</translation>
    </message>
    <message>
        <source>Copy the source. %1</source>
        <translation>Quelltext kopieren. %1</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>No embedding model is in the list of models. Add one there: a BERT, ModernBERT, EmbeddingGemma or Qwen3-Embedding.</source>
        <translation>In der Modellliste ist kein Embedding-Modell. Fügen Sie dort eines hinzu: ein BERT, ModernBERT, EmbeddingGemma oder Qwen3-Embedding.</translation>
    </message>
    <message>
        <source>%1 of %2 messages</source>
        <translation>%1 von %2 Nachrichten</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>Edit reply</source>
        <translation>Antwort bearbeiten</translation>
    </message>
    <message>
        <source>Edit message</source>
        <translation>Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Can be sent when no reply is being written and a model is ready</source>
        <translation>Kann gesendet werden, wenn keine Antwort geschrieben wird und ein Modell bereit ist</translation>
    </message>
    <message>
        <source>Save as a new version</source>
        <translation>Als neue Fassung speichern</translation>
    </message>
    <message>
        <source>Save and continue</source>
        <translation>Speichern und fortsetzen</translation>
    </message>
    <message>
        <source>The model continues from the end of this text</source>
        <translation>Das Modell schreibt am Ende dieses Textes weiter</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>Timing: where the time of this reply went</source>
        <translation>Zeiten: wo die Zeit dieser Antwort blieb</translation>
    </message>
    <message>
        <source>Replies</source>
        <translation>Antworten</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>A benchmark measures a model of this computer; the present one runs on %1</source>
        <translation>Ein Benchmark misst ein Modell dieses Computers; das jetzige läuft auf %1</translation>
    </message>
    <message>
        <source>Measures the loaded model: random prompts of 512 tokens and replies of 128, five times after one warm-up run. What a conversation had in the cache is computed again afterwards</source>
        <translation>Misst das geladene Modell: zufällige Prompts von 512 Tokens und Antworten von 128, fünfmal nach einem Durchgang zum Aufwärmen. Was ein Gespräch im Cache hatte, wird danach neu berechnet</translation>
    </message>
    <message>
        <source>Export the benchmark</source>
        <translation>Den Benchmark exportieren</translation>
    </message>
    <message>
        <source>Export the rows of the table</source>
        <translation>Zeilen der Tabelle exportieren</translation>
    </message>
    <message>
        <source>Chart...</source>
        <translation>Diagramm...</translation>
    </message>
    <message>
        <source>Speed, time to first token and where the time went are kept here for every reply. Nothing has been measured yet: send a message.</source>
        <translation>Tempo, Zeit bis zum ersten Token und wo die Zeit blieb: das wird hier für jede Antwort aufbewahrt. Noch wurde nichts gemessen: senden Sie eine Nachricht.</translation>
    </message>
    <message>
        <source>This reply has no measurements: it is older than the metrics page, or a copy in a branch.</source>
        <translation>Zu dieser Antwort gibt es keine Messwerte: sie ist älter als diese Seite oder eine Kopie in einem Zweig.</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Benchmarks only</source>
        <translation>Nur Benchmarks</translation>
    </message>
    <message>
        <source>Decode, tok/s</source>
        <translation>Decode, tok/s</translation>
    </message>
    <message>
        <source>Time to first token, ms</source>
        <translation>Zeit bis zum ersten Token, ms</translation>
    </message>
    <message>
        <source>There are no measurements for this selection.</source>
        <translation>Zu dieser Auswahl gibt es keine Messwerte.</translation>
    </message>
    <message>
        <source>All models  Esc</source>
        <translation>Alle Modelle  Esc</translation>
    </message>
    <message>
        <source>Look for a newer version</source>
        <translation>Nach neuerer Fassung sehen</translation>
    </message>
    <message>
        <source>Asks the hub for %1 and compares its files with those on this computer</source>
        <translation>Fragt den Hub nach %1 und vergleicht dessen Dateien mit denen auf diesem Rechner</translation>
    </message>
    <message>
        <source>Reading the model's header</source>
        <translation>Der Kopf des Modells wird gelesen</translation>
    </message>
    <message>
        <source>This model cannot run here</source>
        <translation>Dieses Modell läuft hier nicht</translation>
    </message>
    <message>
        <source>Element types</source>
        <translation>Elementtypen</translation>
    </message>
    <message>
        <source>Weights by part</source>
        <translation>Gewichte nach Teilen</translation>
    </message>
    <message>
        <source>At a context of %1 tokens, with keys and values as %2; scratch memory is not included.</source>
        <translation>Bei einem Kontext von %1 Tokens, Keys und Values als %2; ohne Zwischenspeicher.</translation>
    </message>
    <message>
        <source>%1 keeps models in %2, which your account cannot read. To use them here, join the group that owns the folder, or run %1 under your own account.</source>
        <translation>%1 hält Modelle in %2, was Ihr Konto nicht lesen darf. Um sie hier zu verwenden, treten Sie der Gruppe bei, der der Ordner gehört, oder starten Sie %1 unter Ihrem eigenen Konto.</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>resting</source>
        <translation>ruht</translation>
    </message>
    <message>
        <source>Unloaded after a while without messages, which freed %1. The next message loads it again.</source>
        <translation>Nach einer Weile ohne Nachricht entladen; %1 wurden frei. Die nächste Nachricht lädt es wieder.</translation>
    </message>
    <message>
        <source>What you write is sent to %1</source>
        <translation>Was Sie schreiben, wird an %1 gesendet</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>Entladen</translation>
    </message>
    <message>
        <source>Open a model's folder</source>
        <translation>Modellordner öffnen</translation>
    </message>
    <message>
        <source>%1, in memory</source>
        <translation>%1, im Speicher</translation>
    </message>
    <message>
        <source>no longer found: %1</source>
        <translation>nicht mehr gefunden: %1</translation>
    </message>
    <message>
        <source>In memory · %1</source>
        <translation>Im Speicher · %1</translation>
    </message>
    <message>
        <source>Unload; it stays in memory beside the model in use</source>
        <translation>Entladen; es bleibt neben dem benutzten Modell im Speicher</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>geladen</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>Embedding</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Make a smaller copy...</source>
        <translation>Kleinere Kopie erstellen...</translation>
    </message>
    <message>
        <source>Remove from this list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
        <source>it is in Minerva's folder</source>
        <translation>liegt in Minervas Ordner</translation>
    </message>
    <message>
        <source>the file stays</source>
        <translation>die Datei bleibt</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Use for search by meaning</source>
        <translation>Für die Suche nach Bedeutung verwenden</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>On this computer %1</source>
        <translation>Auf diesem Rechner %1</translation>
    </message>
    <message>
        <source>Discover</source>
        <translation>Entdecken</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>Server hinzufügen</translation>
    </message>
    <message>
        <source>GGUF files and SafeTensors folders are used where they are; nothing is copied. Drop a file on the window to open it.</source>
        <translation>GGUF-Dateien und SafeTensors-Ordner werden dort verwendet, wo sie liegen; nichts wird kopiert. Zum Öffnen eine Datei auf das Fenster ziehen.</translation>
    </message>
    <message>
        <source>Find duplicates</source>
        <translation>Doppelte finden</translation>
    </message>
    <message>
        <source>Reads files of the same size once to find out whether they are identical</source>
        <translation>Liest Dateien gleicher Größe einmal, um festzustellen, ob sie gleich sind</translation>
    </message>
    <message>
        <source>Not accepted: enter a number from %1 to %2</source>
        <translation>Nicht übernommen: eine Zahl von %1 bis %2 eingeben</translation>
    </message>
    <message>
        <source>Not sent yet</source>
        <translation>Noch nicht gesendet</translation>
    </message>
    <message>
        <source>Not sent: it does not fit</source>
        <translation>Nicht gesendet: passt nicht in den Kontext</translation>
    </message>
    <message>
        <source>Sent when this reply has ended</source>
        <translation>Wird gesendet, wenn diese Antwort fertig ist</translation>
    </message>
    <message>
        <source>Sent when a model is ready</source>
        <translation>Wird gesendet, wenn ein Modell bereit ist</translation>
    </message>
    <message>
        <source>Messages waiting to be sent</source>
        <translation>Nachrichten, die auf das Senden warten</translation>
    </message>
    <message>
        <source>Send now</source>
        <translation>Jetzt senden</translation>
    </message>
    <message>
        <source>Move back to the composer</source>
        <translation>Zurück ins Eingabefeld</translation>
    </message>
    <message>
        <source>Do not send it</source>
        <translation>Nicht senden</translation>
    </message>
    <message>
        <source>Edit and send again; this version stays</source>
        <translation>Bearbeiten und neu senden; diese Fassung bleibt</translation>
    </message>
    <message>
        <source>Show all %1 characters</source>
        <translation>Alle %1 Zeichen zeigen</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>Erstes Token</translation>
    </message>
    <message>
        <source>Reply's context</source>
        <translation>Kontext der Antwort</translation>
    </message>
    <message>
        <source>From sending the message to the engine's first step for it, without the other phases listed here</source>
        <translation>Vom Senden der Nachricht bis zum ersten Schritt der Engine dafür, ohne die anderen Phasen, die hier stehen</translation>
    </message>
    <message>
        <source>load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Waiting for the model to load; zero if it was already loaded</source>
        <translation>Warten, bis das Modell geladen ist; null, wenn es schon geladen war</translation>
    </message>
    <message>
        <source>Formatting the conversation with the model's chat template</source>
        <translation>Das Formatieren des Gesprächs mit der Chatvorlage des Modells</translation>
    </message>
    <message>
        <source>Splitting that text into tokens</source>
        <translation>Das Zerlegen dieses Textes in Tokens</translation>
    </message>
    <message>
        <source>Steps that computed the prompt; what was already in the cache is not computed again</source>
        <translation>Schritte, die den Prompt berechnet haben; was schon im Cache war, wird nicht neu berechnet</translation>
    </message>
    <message>
        <source>first token</source>
        <translation>erstes Token</translation>
    </message>
    <message>
        <source>From the end of the prompt to the first token: reading the predictions back and sampling from them</source>
        <translation>Vom Ende des Prompts bis zum ersten Token: die Vorhersagen zurücklesen und daraus wählen</translation>
    </message>
    <message>
        <source>Steps of one token each, and sampling from their predictions</source>
        <translation>Schritte von je einem Token und die Wahl aus ihren Vorhersagen</translation>
    </message>
    <message>
        <source>detokenize</source>
        <translation>Zusammensetzen</translation>
    </message>
    <message>
        <source>Converting tokens to text and passing it to the window</source>
        <translation>Das Umwandeln der Tokens in Text und dessen Übergabe an das Fenster</translation>
    </message>
    <message>
        <source>render</source>
        <translation>Zeichnen</translation>
    </message>
    <message>
        <source>From the engine's last output to the frame that shows it. What is drawn before that, while the engine is still working, is not counted</source>
        <translation>Von der letzten Ausgabe der Engine bis zum Bild, das sie zeigt. Was vorher gezeichnet wird, während die Engine noch arbeitet, zählt nicht mit</translation>
    </message>
    <message>
        <source>unaccounted</source>
        <translation>ungeklärt</translation>
    </message>
    <message>
        <source>The rest of the total time: between the phases, and measured by none of them</source>
        <translation>Der Rest der Gesamtzeit: zwischen den Phasen, von keiner gemessen</translation>
    </message>
    <message>
        <source>Save as a preset</source>
        <translation>Als Voreinstellung speichern</translation>
    </message>
    <message>
        <source>Edit the preset</source>
        <translation>Voreinstellung bearbeiten</translation>
    </message>
    <message>
        <source>Typed before and not saved yet. Cancel discards it.</source>
        <translation>Früher eingegeben und noch nicht gespeichert. Abbrechen verwirft es.</translation>
    </message>
    <message>
        <source>Save as a preset...</source>
        <translation>Als Voreinstellung speichern...</translation>
    </message>
    <message>
        <source>Edit %1...</source>
        <translation>%1 bearbeiten...</translation>
    </message>
    <message>
        <source>Delete %1</source>
        <translation>%1 löschen</translation>
    </message>
    <message>
        <source>Use for %1 by default</source>
        <translation>Für %1 immer verwenden</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>Genau</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>Einfallsreich</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>The prompt of this reply</source>
        <translation>Der Prompt dieser Antwort</translation>
    </message>
    <message>
        <source>The prompt as it would be sent now</source>
        <translation>Der Prompt, wie er jetzt gesendet würde</translation>
    </message>
    <message>
        <source>%1 tokens of a context of %2</source>
        <translation>%1 Tokens eines Kontexts von %2</translation>
    </message>
    <message>
        <source>If sent now, %1 would come from the cache and %2 would be read.</source>
        <translation>Jetzt gesendet, kämen %1 aus dem Cache und %2 würden gelesen.</translation>
    </message>
    <message>
        <source>When it ran, %1 of %2 came from the cache.</source>
        <translation>Als er lief, kamen %1 von %2 aus dem Cache.</translation>
    </message>
    <message>
        <source>In the last run, %1 of %2 came from the cache.</source>
        <translation>Beim letzten Mal kamen %1 von %2 aus dem Cache.</translation>
    </message>
    <message>
        <source>special token</source>
        <translation>Sondertoken</translation>
    </message>
    <message>
        <source>in the cache</source>
        <translation>im Cache</translation>
    </message>
    <message>
        <source>to be read</source>
        <translation>zu lesen</translation>
    </message>
    <message>
        <source>When a model is loaded and something is written, the prompt is shown here as the model reads it.</source>
        <translation>Sobald ein Modell geladen und etwas geschrieben ist, steht hier der Prompt, wie das Modell ihn liest.</translation>
    </message>
    <message>
        <source>Messages of the prompt</source>
        <translation>Nachrichten des Prompts</translation>
    </message>
    <message>
        <source>1 token, in the cache</source>
        <translation>1 Token, im Cache</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>%1 tokens, %2 in the cache</source>
        <translation>%1 Tokens, %2 im Cache</translation>
    </message>
    <message>
        <source>What should all of them answer? One prompt per line.</source>
        <translation>Was sollen alle beantworten? Eine Frage je Zeile.</translation>
    </message>
    <message>
        <source>One after another</source>
        <translation>Nacheinander</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation>Greedy</translation>
    </message>
    <message>
        <source>Sampled as in the chat</source>
        <translation>Wie im Chat gewählt</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Sampling</translation>
    </message>
    <message>
        <source>At most %1 tokens</source>
        <translation>Höchstens %1 Tokens</translation>
    </message>
    <message>
        <source>Length of a reply</source>
        <translation>Länge einer Antwort</translation>
    </message>
    <message>
        <source>All loaded at once: for comparing replies</source>
        <translation>Alle zugleich geladen: zum Textvergleich</translation>
    </message>
    <message>
        <source>One loaded at a time: for comparing speeds</source>
        <translation>Immer nur eines geladen: zum Tempovergleich</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Model default</source>
        <translation>Vorgabe des Modells</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Ohne</translation>
    </message>
    <message>
        <source>Minimal</source>
        <translation>Minimal</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Gering</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Hoch</translation>
    </message>
    <message>
        <source>Very high</source>
        <translation>Sehr hoch</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximal</translation>
    </message>
    <message>
        <source>Think</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>Think before answering. Takes longer, and helps with hard questions.</source>
        <translation>Vor der Antwort nachdenken. Dauert länger und hilft bei schwierigen Fragen.</translation>
    </message>
    <message>
        <source>Think before answering</source>
        <translation>Vor der Antwort nachdenken</translation>
    </message>
    <message>
        <source>Thinking: %1</source>
        <translation>Denken: %1</translation>
    </message>
    <message>
        <source>How much the model thinks before it answers</source>
        <translation>Wie viel das Modell vor der Antwort nachdenkt</translation>
    </message>
    <message>
        <source>Effort of thinking: %1</source>
        <translation>Denkaufwand: %1</translation>
    </message>
    <message>
        <source>default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>Search the models of servers</source>
        <translation>Modelle der Server suchen</translation>
    </message>
    <message>
        <source>%1 context</source>
        <translation>%1 Kontext</translation>
    </message>
    <message>
        <source>No model of a server has this name.</source>
        <translation>Kein Modell eines Servers hat diesen Namen.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Writes another version; this one stays</source>
        <translation>Schreibt eine weitere Fassung; diese bleibt</translation>
    </message>
    <message>
        <source>Edit, then let the model continue if you like; this version stays</source>
        <translation>Bearbeiten und, wenn Sie wollen, das Modell weiterschreiben lassen; diese Fassung bleibt</translation>
    </message>
    <message>
        <source>Branch</source>
        <translation>Abzweigen</translation>
    </message>
    <message>
        <source>Continues from here in a new conversation</source>
        <translation>Geht von hier in einem neuen Gespräch weiter</translation>
    </message>
    <message>
        <source>The exact prompt that produced this reply</source>
        <translation>Der genaue Prompt, aus dem diese Antwort entstand</translation>
    </message>
    <message>
        <source>Back  Esc</source>
        <translation>Zurück  Esc</translation>
    </message>
    <message>
        <source>Requesting the list of files</source>
        <translation>Die Liste der Dateien wird geholt</translation>
    </message>
    <message>
        <source>Gated</source>
        <translation>Geschützt</translation>
    </message>
    <message>
        <source>Open its page</source>
        <translation>Seite öffnen</translation>
    </message>
    <message>
        <source>You already have this model as %1.</source>
        <translation>Dieses Modell haben Sie schon als %1.</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Hide</source>
        <translation>Ausblenden</translation>
    </message>
    <message>
        <source>Show the latest</source>
        <translation>Die letzten zeigen</translation>
    </message>
    <message>
        <source>Minerva's requests are logged in %1; only the latest are kept.</source>
        <translation>Minervas Anfragen stehen in %1; nur die letzten werden aufbewahrt.</translation>
    </message>
    <message>
        <source>No requests were made.</source>
        <translation>Es gab keine Anfragen.</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>Anfrage</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Previous prompt</source>
        <translation>Vorige Frage</translation>
    </message>
    <message>
        <source>Next prompt</source>
        <translation>Nächste Frage</translation>
    </message>
    <message>
        <source>KL, same top token and perplexity against %1, the most precise (most bits per weight), over %2 tokens of one text. Speeds on %3.</source>
        <translation>KL, gleiches Spitzentoken und Perplexität gegen %1, das genaueste (die meisten Bits je Gewicht), über %2 Tokens eines Textes. Tempo auf %3.</translation>
    </message>
    <message>
        <source>Decode, tok/s: higher is faster</source>
        <translation>Decode, tok/s: mehr ist schneller</translation>
    </message>
    <message>
        <source>Time to first token: shorter is faster</source>
        <translation>Zeit bis zum ersten Token: kürzer ist schneller</translation>
    </message>
    <message>
        <source>Memory: less is better</source>
        <translation>Speicher: weniger ist besser</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>closing connections</source>
        <translation>schließt Verbindungen</translation>
    </message>
    <message>
        <source>not running</source>
        <translation>läuft nicht</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Other programs use the loaded model over HTTP, beside the chat. Computers in your network reach it, too, with the key. The connection is not encrypted.</source>
        <translation>Andere Programme verwenden das geladene Modell über HTTP, neben dem Chat. Auch Computer in Ihrem Netz erreichen es, mit dem Schlüssel. Die Verbindung ist nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>Other programs on this computer use the loaded model over HTTP, beside the chat. The server listens on this computer only and contacts nobody, so Offline does not concern it.</source>
        <translation>Andere Programme auf diesem Computer verwenden das geladene Modell über HTTP, neben dem Chat. Der Server ist nur auf diesem Computer erreichbar und nimmt selbst keine Verbindung auf; Offline betrifft ihn deshalb nicht.</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>verborgen</translation>
    </message>
    <message>
        <source>Copy key</source>
        <translation>Schlüssel kopieren</translation>
    </message>
    <message>
        <source>New key</source>
        <translation>Neuer Schlüssel</translation>
    </message>
    <message>
        <source>The present key is refused from then on, and requests underway end</source>
        <translation>Der jetzige Schlüssel gilt dann nicht mehr, und laufende Anfragen enden</translation>
    </message>
    <message>
        <source>The model in use runs on %1, and only models of this computer are served: requests are answered with status 503 until one is chosen.</source>
        <translation>Das gewählte Modell läuft auf %1, und nur Modelle dieses Computers werden bereitgestellt: Anfragen werden mit Status 503 beantwortet, bis eines gewählt ist.</translation>
    </message>
    <message>
        <source>The model is being loaded: requests wait for it.</source>
        <translation>Das Modell wird geladen: Anfragen warten darauf.</translation>
    </message>
    <message>
        <source>The model was unloaded because it was not used: the next request loads it again.</source>
        <translation>Das Modell wurde entladen, weil es nicht verwendet wurde: Die nächste Anfrage lädt es wieder.</translation>
    </message>
    <message>
        <source>No model is in memory: requests are answered with status 503 until one is.</source>
        <translation>Kein Modell ist im Speicher: Bis eines geladen ist, werden Anfragen mit Status 503 beantwortet.</translation>
    </message>
    <message numerus="yes">
        <source>Serves %1, up to %n answer(s) at once; further requests wait.</source>
        <translation><numerusform>Stellt %1 bereit, bis zu %n Antwort gleichzeitig; weitere Anfragen warten.</numerusform><numerusform>Stellt %1 bereit, bis zu %n Antworten gleichzeitig; weitere Anfragen warten.</numerusform></translation>
    </message>
    <message>
        <source>Also from other computers</source>
        <translation>Auch von anderen Computern</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>0: a free one at each start.</source>
        <translation>0: bei jedem Start ein freier.</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>Liste leeren</translation>
    </message>
    <message>
        <source>While the local server is on, the latest requests of other programs are listed here.</source>
        <translation>Solange der lokale Server eingeschaltet ist, stehen hier die letzten Anfragen anderer Programme.</translation>
    </message>
    <message>
        <source>with a key</source>
        <translation>mit Schlüssel</translation>
    </message>
    <message>
        <source>not encrypted</source>
        <translation>unverschlüsselt</translation>
    </message>
    <message>
        <source>Look for its models again</source>
        <translation>Erneut nach seinen Modellen fragen</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove this server and its key? Its conversations stay.</source>
        <translation>Diesen Server und seinen Schlüssel entfernen? Seine Unterhaltungen bleiben.</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Looking for models</source>
        <translation>Fragt nach Modellen</translation>
    </message>
    <message>
        <source>Chat with it; %1 context</source>
        <translation>Damit chatten; %1 Kontext</translation>
    </message>
    <message>
        <source>Chat with it</source>
        <translation>Damit chatten</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>Weniger zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Show all %n model(s)</source>
        <translation><numerusform>Das eine Modell zeigen</numerusform><numerusform>Alle %n Modelle zeigen</numerusform></translation>
    </message>
    <message>
        <source>Its models are not known yet.</source>
        <translation>Seine Modelle sind noch nicht bekannt.</translation>
    </message>
    <message>
        <source>Left out of requests, because refused: %1</source>
        <translation>Nicht mitgeschickt, weil abgelehnt: %1</translation>
    </message>
    <message>
        <source>Edit the server</source>
        <translation>Server bearbeiten</translation>
    </message>
    <message>
        <source>As the server prints it when it starts. Ollama: localhost:11434, LM Studio: localhost:1234, vLLM: localhost:8000.</source>
        <translation>Wie der Server sie beim Start ausgibt. Ollama: localhost:11434, LM Studio: localhost:1234, vLLM: localhost:8000.</translation>
    </message>
    <message>
        <source>The address, if empty</source>
        <translation>Die Adresse, wenn leer</translation>
    </message>
    <message>
        <source>In your keyring; enter another one to replace it</source>
        <translation>In Ihrem Schlüsselbund; ein anderer ersetzt ihn</translation>
    </message>
    <message>
        <source>Only if the server asks for one</source>
        <translation>Nur, wenn der Server einen verlangt</translation>
    </message>
    <message>
        <source>Remove the key</source>
        <translation>Schlüssel entfernen</translation>
    </message>
    <message>
        <source>The address is another host's: the key kept for the earlier one is not sent there. Enter it again if it is the same.</source>
        <translation>Die Adresse gehört zu einem anderen Rechner: Der Schlüssel des früheren wird nicht dorthin gesendet. Geben Sie ihn erneut ein, wenn er derselbe ist.</translation>
    </message>
    <message>
        <source>Kept in your keyring, nowhere else, and sent only to this server.</source>
        <translation>Liegt nur in Ihrem Schlüsselbund und wird nur an diesen Server gesendet.</translation>
    </message>
    <message>
        <source>Further models</source>
        <translation>Weitere Modelle</translation>
    </message>
    <message>
        <source>Only if the server does not list them</source>
        <translation>Nur, wenn der Server sie nicht auflistet</translation>
    </message>
    <message>
        <source>Names with commas between them: some servers list no models, or not all that they answer for.</source>
        <translation>Namen, durch Kommas getrennt: Manche Server listen keine Modelle auf oder nicht alle, für die sie antworten.</translation>
    </message>
    <message>
        <source>Asks the server for its models, and nothing else</source>
        <translation>Fragt den Server nach seinen Modellen, sonst nichts</translation>
    </message>
    <message numerus="yes">
        <source>%1 answers, with %n model(s)</source>
        <translation><numerusform>%1 antwortet, mit %n Modell</numerusform><numerusform>%1 antwortet, mit %n Modellen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>The server answers, with %n model(s)</source>
        <translation><numerusform>Der Server antwortet, mit %n Modell</numerusform><numerusform>Der Server antwortet, mit %n Modellen</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation><numerusform>und %n weitere</numerusform><numerusform>und %n weitere</numerusform></translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Offline is on: only servers on this computer are reached.</source>
        <translation>Offline ist an: Nur Server auf diesem Computer werden erreicht.</translation>
    </message>
    <message>
        <source>Messages to these models leave Minerva, and only when you have chosen one of them.</source>
        <translation>Nachrichten an diese Modelle verlassen Minerva, und nur dann, wenn Sie eines davon gewählt haben.</translation>
    </message>
    <message>
        <source>Models that another program runs, on this computer or elsewhere, can be used here as well: vLLM, llama-server, Ollama, LM Studio, another Minerva, or any server with OpenAI's interface.</source>
        <translation>Auch Modelle, die ein anderes Programm ausführt, auf diesem Computer oder anderswo, lassen sich hier verwenden: vLLM, llama-server, Ollama, LM Studio, ein anderes Minerva oder jeder Server mit der Schnittstelle von OpenAI.</translation>
    </message>
    <message>
        <source>Reset to the default</source>
        <translation>Auf die Vorgabe zurücksetzen</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Higher is more varied. 0 always takes the likeliest token.</source>
        <translation>Höher ist abwechslungsreicher. 0 nimmt immer das wahrscheinlichste Token.</translation>
    </message>
    <message>
        <source>Top K</source>
        <translation>Top K</translation>
    </message>
    <message>
        <source>Only the K likeliest tokens are considered. 0: all.</source>
        <translation>Nur die K wahrscheinlichsten Tokens kommen in Frage. 0: alle.</translation>
    </message>
    <message>
        <source>Top P</source>
        <translation>Top P</translation>
    </message>
    <message>
        <source>Only the likeliest tokens that together reach this probability. 1: all.</source>
        <translation>Nur die wahrscheinlichsten Tokens, die zusammen auf diese Wahrscheinlichkeit kommen. 1: alle.</translation>
    </message>
    <message>
        <source>Min P</source>
        <translation>Min P</translation>
    </message>
    <message>
        <source>Drops tokens less likely than this share of the likeliest one. 0: none.</source>
        <translation>Lässt Tokens weg, die unwahrscheinlicher sind als dieser Anteil des wahrscheinlichsten. 0: keine.</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>Strafe für Wiederholung</translation>
    </message>
    <message>
        <source>Makes recent tokens less likely. 1: off.</source>
        <translation>Macht die letzten Tokens unwahrscheinlicher. 1: aus.</translation>
    </message>
    <message>
        <source>Penalty window</source>
        <translation>Fenster der Strafe</translation>
    </message>
    <message>
        <source>How many recent tokens are penalised.</source>
        <translation>Für wie viele der letzten Tokens die Strafe gilt.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startzahl</translation>
    </message>
    <message>
        <source>The same seed gives the same reply. 0: a new one each time.</source>
        <translation>Dieselbe Startzahl gibt dieselbe Antwort. 0: jedes Mal eine neue.</translation>
    </message>
    <message>
        <source>Longest reply</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>In tokens. 0: until the context is full.</source>
        <translation>In Tokens. 0: bis der Kontext voll ist.</translation>
    </message>
    <message>
        <source>Instructions at the start of every conversation.</source>
        <translation>Anweisungen am Anfang jedes Gesprächs.</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Engine</translation>
    </message>
    <message>
        <source>Context length</source>
        <translation>Länge des Kontexts</translation>
    </message>
    <message>
        <source>In tokens; takes memory. 0: the model's own, at most 8192. Takes effect at the next load.</source>
        <translation>In Tokens; kostet Speicher. 0: die des Modells, höchstens 8192. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Keys and values</source>
        <translation>Keys und Values</translation>
    </message>
    <message>
        <source>What a model remembers of the context; 8 bits take half the memory. Takes effect at the next load.</source>
        <translation>Was ein Modell sich vom Kontext merkt; 8 Bit brauchen halb so viel Speicher. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Draft tokens</source>
        <translation>Tokens entwerfen</translation>
    </message>
    <message>
        <source>Text that repeats the conversation is checked several tokens at a time, where that is faster; replies stay the same. Takes effect at the next load.</source>
        <translation>Text, der das Gespräch wiederholt, wird mehrere Tokens auf einmal geprüft, wo das schneller ist; Antworten bleiben gleich. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Batch-invariant replies</source>
        <translation>Unabhängige Antworten</translation>
    </message>
    <message>
        <source>A reply never depends on what else is answered. On a GPU many at once then take longer; a conversation's last reply is read again with the next message. Takes effect at the next load.</source>
        <translation>Eine Antwort hängt nie davon ab, was sonst beantwortet wird. Auf einer GPU dauern viele auf einmal dann länger; die letzte Antwort eines Gesprächs wird mit der nächsten Nachricht noch einmal gelesen. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Where models run. Takes effect at the next load.</source>
        <translation>Wo Modelle laufen. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU-Threads</translation>
    </message>
    <message>
        <source>Fewer leave time for other programs. 0: one per core. Takes effect at the next load.</source>
        <translation>Weniger lassen anderen Programmen Zeit. 0: einer je Kern. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>GPU memory for a model</source>
        <translation>GPU-Speicher für ein Modell</translation>
    </message>
    <message>
        <source>Maximum in GB; what does not fit runs on the CPU. 0: all that is free. Takes effect at the next load.</source>
        <translation>Höchstens, in GB; was nicht hineinpasst, läuft auf der CPU. 0: alles, was frei ist. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Unload when idle</source>
        <translation>Bei Untätigkeit entladen</translation>
    </message>
    <message>
        <source>Minutes without a message until the model is unloaded; the next message loads it again. 0: never.</source>
        <translation>Minuten ohne Nachricht, bis das Modell entladen wird; die nächste Nachricht lädt es wieder. 0: nie.</translation>
    </message>
    <message>
        <source>Models in memory</source>
        <translation>Modelle im Speicher</translation>
    </message>
    <message>
        <source>How many stay loaded where memory allows, so that changing between them takes no time. 1: only the one in use. Takes effect at the next load.</source>
        <translation>Wie viele geladen bleiben, wenn der Speicher reicht, sodass der Wechsel keine Zeit kostet. 1: nur das benutzte. Gilt ab dem nächsten Laden.</translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation>Suche nach Bedeutung</translation>
    </message>
    <message>
        <source>Also finds conversations that say it in other words. An embedding model computes vectors of messages while Minerva is idle; everything stays on this computer.</source>
        <translation>Findet auch Gespräche, die es mit anderen Worten sagen. Ein Embedding-Modell berechnet Vektoren der Nachrichten, während Minerva untätig ist; alles bleibt auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Show models of other programs</source>
        <translation>Modelle anderer Programme zeigen</translation>
    </message>
    <message>
        <source>What Hugging Face, LM Studio, Ollama, llama.cpp, Jan and GPT4All have downloaded, used in place.</source>
        <translation>Was Hugging Face, LM Studio, Ollama, llama.cpp, Jan und GPT4All heruntergeladen haben, direkt von dort verwendet.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Offline</translation>
    </message>
    <message>
        <source>No server on another computer is contacted. Models of this computer never need one.</source>
        <translation>Kein Server auf einem anderen Computer wird angesprochen. Modelle dieses Computers brauchen nie einen.</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>Proxy</translation>
    </message>
    <message>
        <source>HOST:PORT, http://[NAME:PASSWORD@]HOST:PORT or socks5://...; the password is kept in your keyring. Empty: the system's; none: no proxy.</source>
        <translation>HOST:PORT, http://[NAME:PASSWORT@]HOST:PORT oder socks5://...; das Passwort kommt in den Schlüsselbund. Leer: der des Systems; none: kein Proxy.</translation>
    </message>
    <message>
        <source>Download speed limit</source>
        <translation>Grenze für das Laden</translation>
    </message>
    <message>
        <source>In MB/s. 0: no limit.</source>
        <translation>In MB/s. 0: unbegrenzt.</translation>
    </message>
    <message>
        <source>Other programs on this computer use the loaded model over HTTP, as they use OpenAI or Ollama. The server listens on this computer only and contacts nobody. Metrics, Server shows its address and the requests.</source>
        <translation>Andere Programme auf diesem Computer verwenden das geladene Modell über HTTP, wie sie OpenAI oder Ollama verwenden. Der Server ist nur auf diesem Computer erreichbar und nimmt selbst keine Verbindung auf. Adresse und Anfragen stehen unter Messung, Server.</translation>
    </message>
    <message>
        <source>Other computers reach the server too, with a key that Metrics, Server shows. The connection is not encrypted.</source>
        <translation>Auch andere Computer erreichen den Server, mit einem Schlüssel, der unter Messung, Server steht. Die Verbindung ist nicht verschlüsselt.</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Takes effect after a restart.</source>
        <translation>Gilt ab dem nächsten Start.</translation>
    </message>
    <message>
        <source>Interface scale</source>
        <translation>Größe der Oberfläche</translation>
    </message>
    <message>
        <source>No animations</source>
        <translation>Keine Animationen</translation>
    </message>
    <message>
        <source>Show what reasoning models think</source>
        <translation>Zeigen, was Modelle vor der Antwort denken</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reset this section to the defaults</source>
        <translation>Diesen Abschnitt auf die Vorgaben zurücksetzen</translation>
    </message>
    <message>
        <source>No setting matches.</source>
        <translation>Keine Einstellung passt dazu.</translation>
    </message>
    <message>
        <source>Reset: %1</source>
        <translation>Zurückgesetzt: %1</translation>
    </message>
    <message>
        <source>&lt; 1 %</source>
        <translation>&lt; 1 %</translation>
    </message>
    <message>
        <source>conversations at the same time; rates of all together</source>
        <translation>Gespräche zugleich; Tempo aller zusammen</translation>
    </message>
    <message>
        <source>tokens already in the context</source>
        <translation>Tokens, die schon im Kontext sind</translation>
    </message>
    <message>
        <source>Decode by conversations at the same time</source>
        <translation>Decode nach Gesprächen zugleich</translation>
    </message>
    <message>
        <source>Prefill by conversations at the same time</source>
        <translation>Prefill nach Gesprächen zugleich</translation>
    </message>
    <message>
        <source>Decode by tokens already in the context</source>
        <translation>Decode nach Tokens im Kontext</translation>
    </message>
    <message>
        <source>Prefill by tokens already in the context</source>
        <translation>Prefill nach Tokens im Kontext</translation>
    </message>
    <message>
        <source>%1 tokens in the context</source>
        <translation>%1 Tokens im Kontext</translation>
    </message>
    <message>
        <source>%1: %2 tok/s (%3 to %4)</source>
        <translation>%1: %2 tok/s (%3 bis %4)</translation>
    </message>
    <message>
        <source>Kept benchmarks</source>
        <translation>Aufbewahrte Benchmarks</translation>
    </message>
    <message>
        <source>Forget this benchmark</source>
        <translation>Diesen Benchmark vergessen</translation>
    </message>
    <message>
        <source>How fast %1 reads and writes here: prompts of 128 tokens and replies of 64, three times after one warm-up, as minerva-bench speed measures them. It takes the processor for a while.</source>
        <translation>Wie schnell %1 hier liest und schreibt: Prompts von 128 Tokens und Antworten von 64, dreimal nach einem Durchlauf zum Aufwärmen, gemessen wie von minerva-bench speed. Der Prozessor ist dabei eine Weile ausgelastet.</translation>
    </message>
    <message>
        <source>Measures how fast a model reads and writes here, with many conversations and with long ones.</source>
        <translation>Misst, wie schnell ein Modell hier liest und schreibt, mit vielen Gesprächen und mit langen.</translation>
    </message>
    <message>
        <source>Conversations at the same time</source>
        <translation>Gespräche zugleich</translation>
    </message>
    <message>
        <source>Tokens already in the context</source>
        <translation>Tokens, die schon im Kontext sind</translation>
    </message>
    <message>
        <source>This model was made for %1 tokens</source>
        <translation>Dieses Modell ist für %1 Tokens gemacht</translation>
    </message>
    <message numerus="yes">
        <source>%n measurement(s); another instance of the model takes %1, and %2 are free.</source>
        <translation><numerusform>%n Messung; das Modell wird dafür noch einmal geladen, braucht %1, und %2 sind frei.</numerusform><numerusform>%n Messungen; das Modell wird dafür noch einmal geladen, braucht %1, und %2 sind frei.</numerusform></translation>
    </message>
    <message>
        <source>Minerva did other work during this benchmark, such as a reply: the model is faster than its figures.</source>
        <translation>Minerva hat während dieses Benchmarks anderes berechnet, etwa eine Antwort: Das Modell ist schneller als seine Zahlen.</translation>
    </message>
    <message numerus="yes">
        <source>Medians of %n repetition(s) with random text: prompts of %1 tokens, replies of %2.</source>
        <translation><numerusform>Median von %n Durchlauf mit zufälligem Text: Prompts von %1 Tokens, Antworten von %2.</numerusform><numerusform>Mediane von %n Durchläufen mit zufälligem Text: Prompts von %1 Tokens, Antworten von %2.</numerusform></translation>
    </message>
    <message>
        <source>At once</source>
        <translation>Zugleich</translation>
    </message>
    <message>
        <source>Conversations at the same time; rates are of all of them together</source>
        <translation>Gespräche zugleich; das Tempo ist das aller zusammen</translation>
    </message>
    <message>
        <source>In context</source>
        <translation>Im Kontext</translation>
    </message>
    <message>
        <source>Tokens that were in the context of each conversation before</source>
        <translation>Tokens, die vorher schon im Kontext jedes Gesprächs waren</translation>
    </message>
    <message>
        <source>Speed against closeness to %1</source>
        <translation>Tempo gegen Nähe zu %1</translation>
    </message>
    <message>
        <source>Speed against closeness to the original</source>
        <translation>Tempo gegen Nähe zum Original</translation>
    </message>
    <message>
        <source>KL from %1</source>
        <translation>KL zu %1</translation>
    </message>
    <message>
        <source>Steadiness</source>
        <translation>Gleichmaß</translation>
    </message>
    <message numerus="yes">
        <source>%n stall(s)</source>
        <translation><numerusform>%n Stocken</numerusform><numerusform>%n-mal Stocken</numerusform></translation>
    </message>
    <message>
        <source>no stalls</source>
        <translation>kein Stocken</translation>
    </message>
    <message>
        <source>Too few tokens to tell.</source>
        <translation>Zu wenige Tokens, um das zu sagen.</translation>
    </message>
    <message>
        <source>Milliseconds between tokens</source>
        <translation>Millisekunden zwischen Tokens</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>Stall at token %1: %2</source>
        <translation>Stocken bei Token %1: %2</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message>
        <source>Text of %1</source>
        <translation>Text von %1</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>Gedanken</translation>
    </message>
    <message>
        <source>Thinking...</source>
        <translation>Denkt nach...</translation>
    </message>
    <message>
        <source>Time of the reply by phases</source>
        <translation>Zeit der Antwort nach Phasen</translation>
    </message>
    <message>
        <source>Where the time went</source>
        <translation>Wo die Zeit blieb</translation>
    </message>
    <message>
        <source>%1 in total</source>
        <translation>%1 insgesamt</translation>
    </message>
    <message>
        <source>From sending the message to the frame that shows the end of the reply</source>
        <translation>Vom Senden der Nachricht bis zum Bild, das das Ende der Antwort zeigt</translation>
    </message>
    <message>
        <source>A benchmark measures its steps only; it has no phases.</source>
        <translation>Ein Benchmark misst nur seine Schritte; er hat keine Phasen.</translation>
    </message>
    <message>
        <source>The phases of this reply were not measured.</source>
        <translation>Die Phasen dieser Antwort wurden nicht gemessen.</translation>
    </message>
    <message>
        <source>New title</source>
        <translation>Neuer Titel</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>Deleted the preset %1</source>
        <translation>Voreinstellung %1 gelöscht</translation>
    </message>
    <message>
        <source>Edit discarded</source>
        <translation>Bearbeitung verworfen</translation>
    </message>
    <message>
        <source>Message removed, it is not sent</source>
        <translation>Nachricht entfernt, sie wird nicht gesendet</translation>
    </message>
    <message>
        <source>Not everything is saved</source>
        <translation>Nicht alles ist gespeichert</translation>
    </message>
    <message>
        <source>Closing Minerva now loses what was written since it could last be saved.</source>
        <translation>Wird Minerva jetzt geschlossen, geht verloren, was seit dem letzten Speichern geschrieben wurde.</translation>
    </message>
    <message>
        <source>Close and lose it</source>
        <translation>Schließen und verlieren</translation>
    </message>
    <message>
        <source>Export the conversations of this session</source>
        <translation>Die Gespräche dieser Sitzung exportieren</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Expected now</source>
        <translation>Jetzt erwartet</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Stichproben</translation>
    </message>
    <message>
        <source>not judged</source>
        <translation>nicht beurteilt</translation>
    </message>
    <message>
        <source>agrees</source>
        <translation>stimmt überein</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>weicht ab</translation>
    </message>
    <message>
        <source>Reading the prompt: %1 of %2 tokens</source>
        <translation>Prompt wird gelesen: %1 von %2 Tokens</translation>
    </message>
    <message>
        <source>Chat with a model on this machine</source>
        <translation>Chatten Sie mit einem Modell auf diesem Rechner</translation>
    </message>
    <message>
        <source>A tiny model that comes with Minerva: %1 parameters. It works offline, knows little, and says so. Open a bigger model from the picker above.</source>
        <translation>Ein winziges Modell, das zu Minerva gehört: %1 Parameter. Es läuft offline, weiß wenig und sagt das auch. Ein größeres lässt sich oben in der Auswahl öffnen.</translation>
    </message>
    <message>
        <source>Runs on %1. What you write is sent to %2.</source>
        <translation>Läuft auf %1. Was Sie schreiben, wird an %2 gesendet.</translation>
    </message>
    <message>
        <source>%1 parameters · %2 context. Everything stays on this machine.</source>
        <translation>%1 Parameter · Kontext %2. Alles bleibt auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Open a GGUF file, a SafeTensors file or a model's folder, or start with the small model that comes with Minerva.</source>
        <translation>Öffnen Sie eine GGUF-Datei, eine SafeTensors-Datei oder einen Modellordner, oder beginnen Sie mit dem kleinen Modell, das zu Minerva gehört.</translation>
    </message>
    <message>
        <source>How do I open a bigger model?</source>
        <translation>Wie öffne ich ein größeres Modell?</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>%1: token %2 of reply %3 differs</source>
        <translation>%1: ein anderes Token an Stelle %2 der Antwort %3</translation>
    </message>
    <message>
        <source>%1: %2 %3 → %4 (must be equal)</source>
        <translation>%1: %2 %3 → %4 (muss gleich sein)</translation>
    </message>
    <message>
        <source>The figures do not agree with the earlier run</source>
        <translation>Die Zahlen stimmen nicht mit dem früheren Lauf überein</translation>
    </message>
    <message>
        <source>Speeds are judged by their measured spread, with an overall confidence of %1 (%2 for each of %3)</source>
        <translation>Tempi werden nach ihrer gemessenen Streuung beurteilt, mit insgesamt %1 Sicherheit (je %2 bei %3)</translation>
    </message>
    <message>
        <source>Speeds with fewer than %1 samples are not judged: use %1 prompts, or run it again</source>
        <translation>Tempi mit weniger als %1 Stichproben werden nicht beurteilt: %1 Prompts verwenden oder noch einmal ausführen</translation>
    </message>
    <message>
        <source>Different models were compared</source>
        <translation>Es wurden andere Modelle verglichen</translation>
    </message>
    <message>
        <source>%1: was not measured in both runs</source>
        <translation>%1: wurde nicht in beiden Läufen gemessen</translation>
    </message>
    <message>
        <source>%1: another text; a server need not answer the same again</source>
        <translation>%1: ein anderer Text; ein Server muss nicht noch einmal dasselbe antworten</translation>
    </message>
    <message>
        <source>Same tokens, distances and perplexity</source>
        <translation>Gleiche Tokens, Abstände und Perplexität</translation>
    </message>
    <message>
        <source>The figures agree with the earlier run</source>
        <translation>Die Zahlen stimmen mit dem früheren Lauf überein</translation>
    </message>
    <message>
        <source>Tokens and distances agree; more samples are needed to judge the speeds</source>
        <translation>Tokens und Abstände stimmen überein; um die Tempi zu beurteilen, fehlen Stichproben</translation>
    </message>
    <message>
        <source>More samples are needed to judge the speeds</source>
        <translation>Um die Geschwindigkeiten zu beurteilen, sind mehr Stichproben nötig</translation>
    </message>
    <message>
        <source>%1 of %2 GB</source>
        <translation>%1 von %2 GB</translation>
    </message>
    <message>
        <source>%1 of %2 MB</source>
        <translation>%1 von %2 MB</translation>
    </message>
    <message>
        <source>%1 MB/s</source>
        <translation>%1 MB/s</translation>
    </message>
    <message>
        <source>%1 kB/s</source>
        <translation>%1 kB/s</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>noch %1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s left</source>
        <translation>noch %1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min left</source>
        <translation>noch %1 h %2 min</translation>
    </message>
    <message>
        <source>%1; next attempt in %2 s</source>
        <translation>%1; nächster Versuch in %2 s</translation>
    </message>
    <message>
        <source>%1; trying again</source>
        <translation>%1; neuer Versuch</translation>
    </message>
    <message>
        <source>waiting for its turn</source>
        <translation>wartet, bis es dran ist</translation>
    </message>
    <message>
        <source>checking existing files</source>
        <translation>prüft vorhandene Dateien</translation>
    </message>
    <message>
        <source>verified while downloading</source>
        <translation>beim Herunterladen geprüft</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>%1, verified</source>
        <translation>%1, geprüft</translation>
    </message>
    <message>
        <source>the earlier version is in the trash</source>
        <translation>die frühere Fassung liegt im Papierkorb</translation>
    </message>
    <message>
        <source>the earlier version is kept in %1</source>
        <translation>die frühere Fassung liegt in %1</translation>
    </message>
    <message>
        <source>The earlier version of %1</source>
        <translation>Die frühere Fassung von %1</translation>
    </message>
    <message>
        <source>Some data could not be read at startup</source>
        <translation>Beim Start konnten manche Daten nicht gelesen werden</translation>
    </message>
    <message>
        <source>Your settings could not be saved</source>
        <translation>Die Einstellungen konnten nicht gespeichert werden</translation>
    </message>
    <message>
        <source>The model is working: measure when it is idle.</source>
        <translation>Das Modell arbeitet: messen, wenn es frei ist.</translation>
    </message>
    <message>
        <source>A comparison is running: measure after it.</source>
        <translation>Ein Vergleich läuft: danach messen.</translation>
    </message>
    <message>
        <source>A smaller copy is being made: measure after it.</source>
        <translation>Eine kleinere Kopie entsteht: danach messen.</translation>
    </message>
    <message>
        <source>A device is being tested: measure after it.</source>
        <translation>Ein Gerät wird geprüft: danach messen.</translation>
    </message>
    <message>
        <source>The model you used last is not there</source>
        <translation>Das zuletzt benutzte Modell ist nicht da</translation>
    </message>
    <message>
        <source>If its disk is not connected, connect it and choose the model again. The built-in model is open meanwhile</source>
        <translation>Falls sein Datenträger nicht angeschlossen ist: anschließen und das Modell erneut wählen. Solange ist das eingebaute Modell geöffnet</translation>
    </message>
    <message>
        <source>Warming up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>Repetition %1 of %2</source>
        <translation>Wiederholung %1 von %2</translation>
    </message>
    <message>
        <source>The benchmark cannot run</source>
        <translation>Der Benchmark kann nicht laufen</translation>
    </message>
    <message>
        <source>The benchmark failed</source>
        <translation>Der Benchmark ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ihre Nachricht</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>Exportiert nach %1</translation>
    </message>
    <message numerus="yes">
        <source>Exported %n conversation(s) to %1</source>
        <translation><numerusform>%n Gespräch exportiert nach %1</numerusform><numerusform>%n Gespräche exportiert nach %1</numerusform></translation>
    </message>
    <message>
        <source>Reading %1...</source>
        <translation>%1 wird gelesen...</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n conversation(s)</source>
        <translation><numerusform>%1: %n Gespräch</numerusform><numerusform>%1: %n Gespräche</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation><numerusform>%n Nachricht</numerusform><numerusform>%n Nachrichten</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s) of it were here already</source>
        <translation><numerusform>%n Unterhaltung daraus war schon hier</numerusform><numerusform>%n Unterhaltungen daraus waren schon hier</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>Left out: %n picture(s), tool call(s) and the like</source>
        <translation><numerusform>Weggelassen: %n Bild, Werkzeugaufruf oder Ähnliches</numerusform><numerusform>Weggelassen: %n Bilder, Werkzeugaufrufe und Ähnliches</numerusform></translation>
    </message>
    <message>
        <source>The reply failed</source>
        <translation>Die Antwort ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Lädt</translation>
    </message>
    <message>
        <source>Waiting for %1</source>
        <translation>Warten auf %1</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreibt</translation>
    </message>
    <message>
        <source>Measuring distances</source>
        <translation>Misst Abstände</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Comparisons cannot be saved; they are kept only until Minerva is closed</source>
        <translation>Vergleiche können nicht gespeichert werden; sie bleiben nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>The comparison could not be saved or read</source>
        <translation>Der Vergleich konnte nicht gespeichert oder gelesen werden</translation>
    </message>
    <message numerus="yes">
        <source>%n models</source>
        <translation><numerusform>%n Modell</numerusform><numerusform>%n Modelle</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>same %n prompt tokens</source>
        <translation><numerusform>dasselbe %n Prompt-Token</numerusform><numerusform>dieselben %n Prompt-Tokens</numerusform></translation>
    </message>
    <message>
        <source>greedy</source>
        <translation>greedy</translation>
    </message>
    <message>
        <source>temperature %1</source>
        <translation>Temperatur %1</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>Startzahl %1</translation>
    </message>
    <message>
        <source>side by side</source>
        <translation>nebeneinander</translation>
    </message>
    <message>
        <source>one after another</source>
        <translation>nacheinander</translation>
    </message>
    <message>
        <source>The copies of the built-in model could not be made</source>
        <translation>Die Kopien des eingebauten Modells konnten nicht erstellt werden</translation>
    </message>
    <message>
        <source>Tell me a story about a bear.</source>
        <translation>Erzähl mir eine Geschichte über einen Bären.</translation>
    </message>
    <message>
        <source>The models do not fit side by side</source>
        <translation>Die Modelle passen nicht nebeneinander</translation>
    </message>
    <message>
        <source>The comparison could not be run</source>
        <translation>Der Vergleich konnte nicht ausgeführt werden</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation><numerusform>%n Lauf</numerusform><numerusform>%n Läufe</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n prompt(s)</source>
        <translation><numerusform>%n Prompt</numerusform><numerusform>%n Prompts</numerusform></translation>
    </message>
    <message>
        <source>The comparison could not be exported</source>
        <translation>Der Vergleich konnte nicht exportiert werden</translation>
    </message>
    <message>
        <source>Tokenizes text differently from the reference: it read the same text, but distances would be meaningless</source>
        <translation>Zerlegt Text in andere Tokens als das genaueste: es hat denselben Text gelesen, aber Abstände wären ohne Aussage</translation>
    </message>
    <message>
        <source>Given the reference's token ids: its own chat template gives different tokens</source>
        <translation>Bekam die Token-Nummern des genauesten: seine eigene Chatvorlage ergibt andere Tokens</translation>
    </message>
    <message>
        <source>%1 could not be compared</source>
        <translation>%1 konnte nicht verglichen werden</translation>
    </message>
    <message>
        <source>Side by side: speeds count this model's own steps</source>
        <translation>Nebeneinander: das Tempo zählt nur die eigenen Schritte dieses Modells</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Last week</source>
        <translation>Letzte Woche</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation>Angeheftet</translation>
    </message>
    <message>
        <source>Similar in meaning</source>
        <translation>Ähnliche Bedeutung</translation>
    </message>
    <message>
        <source>hardly any loss</source>
        <translation>kaum Verlust</translation>
    </message>
    <message>
        <source>very close</source>
        <translation>sehr nah</translation>
    </message>
    <message>
        <source>close</source>
        <translation>nah</translation>
    </message>
    <message>
        <source>good balance</source>
        <translation>gute Mitte</translation>
    </message>
    <message>
        <source>smallest, fastest</source>
        <translation>am kleinsten, am schnellsten</translation>
    </message>
    <message>
        <source>The copy could not be made</source>
        <translation>Die Kopie konnte nicht erstellt werden</translation>
    </message>
    <message numerus="yes">
        <source>%n day(s) left</source>
        <translation><numerusform>noch %n Tag</numerusform><numerusform>noch %n Tage</numerusform></translation>
    </message>
    <message>
        <source>Matches the reference: %1 predictions of the built-in model differ by at most %2</source>
        <translation>Stimmt mit der Referenz überein: %1 Vorhersagen des eingebauten Modells weichen um höchstens %2 ab</translation>
    </message>
    <message>
        <source>Wrong results: predictions of the built-in model differ from the reference's by up to %1 (allowed: %2). Choose another device, or update its driver</source>
        <translation>Falsche Ergebnisse: Vorhersagen des eingebauten Modells weichen um bis zu %1 von denen der Referenz ab (erlaubt: %2). Wählen Sie ein anderes Gerät oder erneuern Sie seinen Treiber</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>The fastest device that works</source>
        <translation>Das schnellste Gerät, das funktioniert</translation>
    </message>
    <message>
        <source>All GPUs</source>
        <translation>Alle GPUs</translation>
    </message>
    <message>
        <source>A model that is too large for one GPU is shared between them; one that fits runs on a single GPU, which is faster</source>
        <translation>Ein Modell, das für eine GPU zu groß ist, wird auf mehrere verteilt; eines, das passt, läuft auf einer einzigen, was schneller ist</translation>
    </message>
    <message>
        <source>%1 arrived damaged and is downloaded again</source>
        <translation>%1 kam beschädigt an und wird noch einmal geladen</translation>
    </message>
    <message>
        <source>The download stopped</source>
        <translation>Der Download hat aufgehört</translation>
    </message>
    <message>
        <source>The picture was not pasted</source>
        <translation>Das Bild wurde nicht eingefügt</translation>
    </message>
    <message>
        <source>Minerva's engine reads only text; it does not support pictures yet</source>
        <translation>Minervas Engine liest nur Text; Bilder unterstützt sie noch nicht</translation>
    </message>
    <message>
        <source>Paste the text in it, or describe what it shows</source>
        <translation>Fügen Sie den Text darin ein, oder beschreiben Sie, was es zeigt</translation>
    </message>
    <message>
        <source>pasted.txt</source>
        <translation>eingefügt.txt</translation>
    </message>
    <message>
        <source>pasted %1.txt</source>
        <translation>eingefügt %1.txt</translation>
    </message>
    <message>
        <source>The file was not attached</source>
        <translation>Die Datei wurde nicht angehängt</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) were not attached</source>
        <translation><numerusform>%n Datei wurde nicht angehängt</numerusform><numerusform>%n Dateien wurden nicht angehängt</numerusform></translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>Today %1</source>
        <translation>Heute %1</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>Alle Modelle</translation>
    </message>
    <message>
        <source>All devices</source>
        <translation>Alle Geräte</translation>
    </message>
    <message>
        <source>the keyring</source>
        <translation>der Schlüsselbund</translation>
    </message>
    <message>
        <source>The token could not be removed</source>
        <translation>Das Token konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>The token was not saved</source>
        <translation>Das Token wurde nicht gespeichert</translation>
    </message>
    <message>
        <source>The search failed</source>
        <translation>Die Suche ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>The model's files could not be listed</source>
        <translation>Die Dateien des Modells konnten nicht aufgelistet werden</translation>
    </message>
    <message>
        <source>The model's header could not be read</source>
        <translation>Der Kopf des Modells konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>The link was not opened</source>
        <translation>Der Link wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>%1 is not among the choices here.</source>
        <translation>%1 gehört hier nicht zur Auswahl.</translation>
    </message>
    <message numerus="yes">
        <source>Not listed: %n choice(s) whose files are cut into pieces, which Minerva does not join.</source>
        <translation><numerusform>Nicht aufgeführt: %n Variante, deren Dateien in Stücke geteilt sind, die Minerva nicht zusammenfügt.</numerusform><numerusform>Nicht aufgeführt: %n Varianten, deren Dateien in Stücke geteilt sind, die Minerva nicht zusammenfügt.</numerusform></translation>
    </message>
    <message>
        <source>Nothing here that Minerva can run</source>
        <translation>Hier ist nichts, was Minerva ausführen kann</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>no answer from %1</source>
        <translation>keine Antwort von %1</translation>
    </message>
    <message>
        <source>Preparing the tokenizer</source>
        <translation>Tokenizer wird vorbereitet</translation>
    </message>
    <message>
        <source>Measuring the device</source>
        <translation>Gerät wird vermessen</translation>
    </message>
    <message>
        <source>Placing the weights</source>
        <translation>Gewichte werden platziert</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>%1 could not be loaded</source>
        <translation>%1 konnte nicht geladen werden</translation>
    </message>
    <message>
        <source>The local server could not be started</source>
        <translation>Der lokale Server konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>this formula is too large to draw, or empty</source>
        <translation>diese Formel ist zu groß zum Zeichnen, oder leer</translation>
    </message>
    <message>
        <source>Ended because the context is full</source>
        <translation>Zu Ende, weil der Kontext voll ist</translation>
    </message>
    <message>
        <source>Ended because the context is full: a prompt of %1 tokens, a reply of %2</source>
        <translation>Zu Ende, weil der Kontext voll ist: ein Prompt von %1 Tokens, eine Antwort von %2</translation>
    </message>
    <message>
        <source>Cut off when Minerva closed</source>
        <translation>Abgeschnitten, als Minerva geschlossen wurde</translation>
    </message>
    <message>
        <source>Ended at the longest reply allowed in the settings</source>
        <translation>Zu Ende bei der längsten Antwort, die die Einstellungen erlauben</translation>
    </message>
    <message>
        <source>Broke off</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>No reply</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>Bearbeitet</translation>
    </message>
    <message>
        <source>Nothing was added</source>
        <translation>Nichts hinzugefügt</translation>
    </message>
    <message>
        <source>Continued</source>
        <translation>Fortgesetzt</translation>
    </message>
    <message>
        <source>Figures of replies cannot be saved; they are kept only until Minerva is closed</source>
        <translation>Die Zahlen der Antworten können nicht gespeichert werden; sie bleiben nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>The figures of a reply could not be saved or read</source>
        <translation>Die Zahlen einer Antwort konnten nicht gespeichert oder gelesen werden</translation>
    </message>
    <message>
        <source>The figures could not be exported</source>
        <translation>Die Zahlen konnten nicht exportiert werden</translation>
    </message>
    <message>
        <source>the model's own</source>
        <translation>die des Modells</translation>
    </message>
    <message>
        <source>built in: %1</source>
        <translation>eingebaut: %1</translation>
    </message>
    <message>
        <source>byte-level BPE</source>
        <translation>BPE auf Byte-Ebene</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n layer(s) of %2</source>
        <translation><numerusform>%1, %n Schicht mit %2</numerusform><numerusform>%1, %n Schichten mit %2</numerusform></translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Bits per weight</source>
        <translation>Bits je Gewicht</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Auf der Platte</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>%1, %2 tokens</source>
        <translation>%1, %2 Tokens</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>Chatvorlage</translation>
    </message>
    <message>
        <source>Location</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>This model cannot be opened</source>
        <translation>Dieses Modell lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Feed-forward</source>
        <translation>Feed-forward</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Norms and other</source>
        <translation>Normen und anderes</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>State of conversations</source>
        <translation>Zustand der Gespräche</translation>
    </message>
    <message>
        <source>This file is no longer there</source>
        <translation>Diese Datei ist nicht mehr da</translation>
    </message>
    <message>
        <source>%1 bits per weight</source>
        <translation>%1 Bit je Gewicht</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>Kontext %1</translation>
    </message>
    <message>
        <source>works offline, knows little</source>
        <translation>läuft offline, weiß wenig</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>%1 could not be deleted</source>
        <translation>%1 konnte nicht gelöscht werden</translation>
    </message>
    <message>
        <source>%1 could not be restored</source>
        <translation>%1 konnte nicht wiederhergestellt werden</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Gespräch</translation>
    </message>
    <message>
        <source>Model on %1</source>
        <translation>Modell auf %1</translation>
    </message>
    <message>
        <source>Model, %1</source>
        <translation>Modell, %1</translation>
    </message>
    <message>
        <source>As in Settings</source>
        <translation>Wie in den Einstellungen</translation>
    </message>
    <message>
        <source>system prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>A preset needs a name</source>
        <translation>Eine Voreinstellung braucht einen Namen</translation>
    </message>
    <message>
        <source>A name can have at most %1 characters</source>
        <translation>Ein Name darf höchstens %1 Zeichen haben</translation>
    </message>
    <message>
        <source>Another preset has this name</source>
        <translation>Eine andere Voreinstellung heißt schon so</translation>
    </message>
    <message>
        <source>%1 puts the prompt together</source>
        <translation>%1 stellt den Prompt zusammen</translation>
    </message>
    <message>
        <source>A server is sent the messages only. Its template and its tokens are not known here.</source>
        <translation>Einem Server werden nur die Nachrichten gesendet. Seine Vorlage und seine Tokens sind hier nicht bekannt.</translation>
    </message>
    <message>
        <source>The prompt could not be built</source>
        <translation>Der Prompt konnte nicht erstellt werden</translation>
    </message>
    <message>
        <source>The proxy's password is kept only until Minerva is closed</source>
        <translation>Das Passwort des Proxys gilt nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>Without a keyring, set it in the environment variable https_proxy and leave the setting empty</source>
        <translation>Ohne Schlüsselbund: in der Umgebungsvariable https_proxy angeben und die Einstellung leer lassen</translation>
    </message>
    <message>
        <source>A block of code.</source>
        <translation>Ein Stück Code.</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed, %1</source>
        <translation>fehlgeschlagen, %1</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>On %1: time to first token and speed are measured by this program, the network included. Load, memory, disk and distances are not known</source>
        <translation>Auf %1: Zeit bis zum ersten Token und Geschwindigkeit misst dieses Programm, mit dem Netz dazwischen. Ladezeit, Speicher, Dateigröße und Abstände sind nicht bekannt</translation>
    </message>
    <message>
        <source>Side by side: the other models ran meanwhile</source>
        <translation>Nebeneinander: die anderen Modelle liefen währenddessen</translation>
    </message>
    <message>
        <source>%1 tells no number of tokens: its speed is not known</source>
        <translation>%1 nennt keine Anzahl von Tokens: die Geschwindigkeit ist nicht bekannt</translation>
    </message>
    <message>
        <source>%1 does not take: %2</source>
        <translation>%1 nimmt nicht an: %2</translation>
    </message>
    <message>
        <source>The key is kept only until Minerva is closed</source>
        <translation>Der Schlüssel bleibt nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>The models could not be listed</source>
        <translation>Die Modelle konnten nicht aufgelistet werden</translation>
    </message>
    <message>
        <source>This address cannot be used</source>
        <translation>Diese Adresse lässt sich nicht verwenden</translation>
    </message>
    <message>
        <source>Without https, others on the network can read what you send there.</source>
        <translation>Ohne https können andere im Netz lesen, was Sie dorthin senden.</translation>
    </message>
    <message>
        <source>Follow the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>16 bits</source>
        <translation>16 Bit</translation>
    </message>
    <message>
        <source>8 bits (Q8_0)</source>
        <translation>8 Bit (Q8_0)</translation>
    </message>
    <message>
        <source>Choose a model first.</source>
        <translation>Zuerst ein Modell wählen.</translation>
    </message>
    <message>
        <source>A benchmark measures a model of this computer; the present one runs on %1.</source>
        <translation>Ein Benchmark misst ein Modell dieses Computers; das jetzige läuft auf %1.</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>Modell wird geladen</translation>
    </message>
    <message>
        <source>Measuring the bandwidth</source>
        <translation>Bandbreite wird gemessen</translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s), %1 tokens in the context</source>
        <translation><numerusform>%n Gespräch, %1 Tokens im Kontext</numerusform><numerusform>%n Gespräche, %1 Tokens im Kontext</numerusform></translation>
    </message>
    <message numerus="yes">
        <source>%n conversation(s)</source>
        <translation><numerusform>%n Gespräch</numerusform><numerusform>%n Gespräche</numerusform></translation>
    </message>
    <message>
        <source>%1: warming up</source>
        <translation>%1: Aufwärmen</translation>
    </message>
    <message>
        <source>%1: repetition %2 of %3</source>
        <translation>%1: Durchlauf %2 von %3</translation>
    </message>
    <message>
        <source>The benchmark could not be exported</source>
        <translation>Der Benchmark konnte nicht exportiert werden</translation>
    </message>
    <message>
        <source>The benchmark could not be kept</source>
        <translation>Der Benchmark konnte nicht aufbewahrt werden</translation>
    </message>
    <message>
        <source>The benchmark could not be removed</source>
        <translation>Der Benchmark konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>Conversations of an older version could not be taken over</source>
        <translation>Gespräche einer älteren Version konnten nicht übernommen werden</translation>
    </message>
    <message>
        <source>Your conversations are from a newer version</source>
        <translation>Ihre Gespräche stammen aus einer neueren Version</translation>
    </message>
    <message>
        <source>Update Minerva to see them again; that file was not changed. New conversations go to %1</source>
        <translation>Aktualisieren Sie Minerva, um sie wiederzusehen; die Datei wurde nicht verändert. Neue Gespräche kommen nach %1</translation>
    </message>
    <message>
        <source>The file with your conversations is damaged</source>
        <translation>Die Datei mit Ihren Gesprächen ist beschädigt</translation>
    </message>
    <message>
        <source>It was kept as %1, and what could be read was copied into a new one</source>
        <translation>Sie wurde als %1 aufgehoben; was lesbar war, steht in einer neuen</translation>
    </message>
    <message>
        <source>It was kept as %1, and a new one was created</source>
        <translation>Sie wurde als %1 aufgehoben, und eine neue wurde angelegt</translation>
    </message>
    <message>
        <source>Your conversations cannot be opened</source>
        <translation>Ihre Gespräche können nicht geöffnet werden</translation>
    </message>
    <message>
        <source>Check that the folder can be written to</source>
        <translation>Prüfen Sie, ob in den Ordner geschrieben werden kann</translation>
    </message>
    <message>
        <source>What you write now is kept only until Minerva is closed</source>
        <translation>Was Sie jetzt schreiben, bleibt nur, bis Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>Conversations cannot be saved</source>
        <translation>Gespräche können nicht gespeichert werden</translation>
    </message>
    <message>
        <source>The conversation could not be saved</source>
        <translation>Das Gespräch konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation>Nicht gespeichert: %1</translation>
    </message>
    <message>
        <source>The conversation could not be read</source>
        <translation>Das Gespräch konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>The conversations could not be searched</source>
        <translation>Die Gespräche konnten nicht durchsucht werden</translation>
    </message>
    <message>
        <source>The conversation could not be exported</source>
        <translation>Das Gespräch konnte nicht exportiert werden</translation>
    </message>
    <message>
        <source>Nothing was imported</source>
        <translation>Es wurde nichts importiert</translation>
    </message>
</context>
<context>
    <name>Errors</name>
    <message>
        <source>not found</source>
        <translation>nicht gefunden</translation>
    </message>
    <message>
        <source>corrupt</source>
        <translation>beschädigt</translation>
    </message>
    <message>
        <source>unsupported</source>
        <translation>nicht unterstützt</translation>
    </message>
    <message>
        <source>invalid argument</source>
        <translation>ungültige Angabe</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>Speicher reicht nicht</translation>
    </message>
    <message>
        <source>input/output</source>
        <translation>Ein-/Ausgabe</translation>
    </message>
    <message>
        <source>device lost</source>
        <translation>Gerät verloren</translation>
    </message>
    <message>
        <source>memory lost</source>
        <translation>Speicher verloren</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>internal</source>
        <translation>intern</translation>
    </message>
    <message>
        <source>This device cannot run a part of a model</source>
        <translation>Dieses Gerät kann keinen Teil eines Modells ausführen</translation>
    </message>
    <message>
        <source>Place the whole model on one device</source>
        <translation>Legen Sie das ganze Modell auf ein Gerät</translation>
    </message>
    <message>
        <source>This device has no kernels to compile</source>
        <translation>Dieses Gerät hat keine Kernel zu übersetzen</translation>
    </message>
    <message>
        <source>This device cannot time the ops of a step</source>
        <translation>Dieses Gerät kann die Zeit der Operationen eines Schrittes nicht messen</translation>
    </message>
    <message>
        <source>The measurement was cancelled</source>
        <translation>Die Messung wurde abgebrochen</translation>
    </message>
    <message>
        <source>%1 of %2 layers here and the others on the CPU (%3)</source>
        <translation>%1 von %2 Schichten hier und die übrigen auf der CPU (%3)</translation>
    </message>
    <message>
        <source>a context of %1 (%2)</source>
        <translation>ein Kontext von %1 (%2)</translation>
    </message>
    <message>
        <source>a context of %1 with keys and values as Q8_0 (%2)</source>
        <translation>ein Kontext von %1 mit Schlüsseln und Werten als Q8_0 (%2)</translation>
    </message>
    <message>
        <source>keys and values as Q8_0 (%1)</source>
        <translation>Schlüssel und Werte als Q8_0 (%1)</translation>
    </message>
    <message>
        <source>the experts of %1 of %2 layers on the CPU (%3)</source>
        <translation>die Experten von %1 von %2 Schichten auf der CPU (%3)</translation>
    </message>
    <message>
        <source>The model needs %1, and %2 are free: weights will be read from the file repeatedly</source>
        <translation>Das Modell braucht %1, und %2 sind frei: Gewichte werden immer wieder aus der Datei gelesen</translation>
    </message>
    <message>
        <source>The model does not fit into memory</source>
        <translation>Das Modell passt nicht in den Speicher</translation>
    </message>
    <message>
        <source>A matrix of the model, or its state of the conversations, is larger than the device holds in one piece</source>
        <translation>Eine Matrix des Modells oder sein Zustand der Gespräche ist größer, als das Gerät an einem Stück fasst</translation>
    </message>
    <message>
        <source>What would fit: %1</source>
        <translation>Das würde passen: %1</translation>
    </message>
    <message>
        <source>Choose a smaller model, quantization or context</source>
        <translation>Wählen Sie ein kleineres Modell, eine kleinere Quantisierung oder einen kürzeren Kontext</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller model or quantization</source>
        <translation>Schließen Sie andere Programme oder wählen Sie ein kleineres Modell oder eine kleinere Quantisierung</translation>
    </message>
    <message>
        <source>Give other devices more layers, let the CPU take part (+cpu), or choose a smaller model or quantization</source>
        <translation>Geben Sie anderen Geräten mehr Schichten, lassen Sie die CPU teilnehmen (+cpu) oder wählen Sie ein kleineres Modell oder eine kleinere Quantisierung</translation>
    </message>
    <message>
        <source>This processor does not support that instruction set, or it does not exist</source>
        <translation>Dieser Prozessor beherrscht diesen Befehlssatz nicht, oder es gibt ihn nicht</translation>
    </message>
    <message>
        <source>The number of threads is out of range</source>
        <translation>Die Zahl der Threads liegt außerhalb des Bereichs</translation>
    </message>
    <message>
        <source>This processor is too old to run models</source>
        <translation>Dieser Prozessor ist zu alt, um Modelle auszuführen</translation>
    </message>
    <message>
        <source>A graphics card with Vulkan can run them.</source>
        <translation>Eine Grafikkarte mit Vulkan kann sie ausführen.</translation>
    </message>
    <message>
        <source>The virtual machine hides instructions of its processor without which models cannot run</source>
        <translation>Die virtuelle Maschine verbirgt Befehle ihres Prozessors, ohne die Modelle nicht laufen</translation>
    </message>
    <message>
        <source>Set the processor type of the virtual machine to "host".</source>
        <translation>Stellen Sie den Prozessortyp der virtuellen Maschine auf „host“.</translation>
    </message>
    <message>
        <source>The system could not allocate memory</source>
        <translation>Das System konnte keinen Speicher bereitstellen</translation>
    </message>
    <message>
        <source>The system refused memory that is free: it has a limit for this process</source>
        <translation>Das System verweigert Speicher, der frei ist: Für diesen Prozess gilt eine Grenze</translation>
    </message>
    <message>
        <source>The last step did not compute these logits</source>
        <translation>Der letzte Schritt hat diese Logits nicht berechnet</translation>
    </message>
    <message>
        <source>The CPU backend has no kernel for this element type</source>
        <translation>Das CPU-Backend hat keinen Kernel für diesen Elementtyp</translation>
    </message>
    <message>
        <source>There is not enough memory to rearrange the model's weights</source>
        <translation>Der Speicher reicht nicht, um die Gewichte des Modells umzuordnen</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller model or context.</source>
        <translation>Schließen Sie andere Programme oder wählen Sie ein kleineres Modell oder einen kürzeren Kontext.</translation>
    </message>
    <message>
        <source>Loading was cancelled</source>
        <translation>Das Laden wurde abgebrochen</translation>
    </message>
    <message>
        <source>Layers are given for more devices than there are</source>
        <translation>Es sind Schichten für mehr Geräte angegeben, als es gibt</translation>
    </message>
    <message>
        <source>Not even one layer of the model fits into memory</source>
        <translation>Nicht einmal eine Schicht des Modells passt in den Speicher</translation>
    </message>
    <message>
        <source>The file cannot be mapped into memory</source>
        <translation>Die Datei kann nicht in den Speicher eingeblendet werden</translation>
    </message>
    <message>
        <source>The file cannot be opened</source>
        <translation>Die Datei kann nicht geöffnet werden</translation>
    </message>
    <message>
        <source>This is not a regular file</source>
        <translation>Das ist keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>This is a folder, not a file</source>
        <translation>Das ist ein Ordner, keine Datei</translation>
    </message>
    <message>
        <source>The system has no thread to give</source>
        <translation>Das System kann keinen weiteren Thread starten</translation>
    </message>
    <message>
        <source>Close other programs and try again</source>
        <translation>Schließen Sie andere Programme und versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>This model cannot run</source>
        <translation>Dieses Modell kann nicht laufen</translation>
    </message>
    <message>
        <source>The models do not fit into memory together</source>
        <translation>Die Modelle passen nicht zusammen in den Speicher</translation>
    </message>
    <message>
        <source>One after another, they need at most %1</source>
        <translation>Nacheinander brauchen sie höchstens %1</translation>
    </message>
    <message>
        <source>The weights were already quantized; a copy made from the original would be more accurate</source>
        <translation>Die Gewichte waren schon quantisiert; eine Kopie aus dem Original wäre genauer</translation>
    </message>
    <message>
        <source>The conversion was cancelled</source>
        <translation>Die Umwandlung wurde abgebrochen</translation>
    </message>
    <message>
        <source>The copy would overwrite a file of the model it is made from</source>
        <translation>Die Kopie würde eine Datei des Modells überschreiben, aus dem sie entsteht</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>There is not enough memory to convert the model</source>
        <translation>Der Speicher reicht nicht, um das Modell umzuwandeln</translation>
    </message>
    <message>
        <source>Close other programs.</source>
        <translation>Schließen Sie andere Programme.</translation>
    </message>
    <message>
        <source>This type cannot be written</source>
        <translation>Dieser Typ kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>A GGUF file cannot express a Gemma 2 without soft caps</source>
        <translation>Eine GGUF-Datei kann kein Gemma 2 ohne Soft Caps ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file cannot express the epsilon of this model's norms behind its blocks</source>
        <translation>Eine GGUF-Datei kann das Epsilon der Normen hinter den Blöcken dieses Modells nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file cannot express this Gemma 3n's number of layers with keys and values of their own</source>
        <translation>Eine GGUF-Datei kann nicht ausdrücken, wie viele Schichten dieses Gemma 3n mit eigenen Schlüsseln und Werten hat</translation>
    </message>
    <message>
        <source>A GGUF file cannot express this Gemma 3n's number of residual streams</source>
        <translation>Eine GGUF-Datei kann die Zahl der Residualströme dieses Gemma 3n nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file cannot express this Gemma 3n's rank of the learned residual</source>
        <translation>Eine GGUF-Datei kann den Rang des gelernten Residuums dieses Gemma 3n nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file cannot express this Gemma 3n's size of the layers' inputs</source>
        <translation>Eine GGUF-Datei kann die Größe der Schichteingaben dieses Gemma 3n nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file cannot express this Gemma 3n's soft cap of the logits</source>
        <translation>Eine GGUF-Datei kann den Soft Cap der Logits dieses Gemma 3n nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file cannot express this Gemma 3n's sparsity of the gates</source>
        <translation>Eine GGUF-Datei kann nicht ausdrücken, wie dünn die Gates dieses Gemma 3n besetzt sind</translation>
    </message>
    <message>
        <source>A GGUF file cannot express this Gemma's attention scale</source>
        <translation>Eine GGUF-Datei kann die Skala der Attention dieses Gemma nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file cannot express this model's dense layers behind its pooling</source>
        <translation>Eine GGUF-Datei kann die dichten Schichten hinter dem Pooling dieses Modells nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file cannot express which layers of this model see the whole text</source>
        <translation>Eine GGUF-Datei kann nicht ausdrücken, welche Schichten dieses Modells den ganzen Text sehen</translation>
    </message>
    <message>
        <source>A GGUF file of this architecture cannot be made from fused matrices of a delta net</source>
        <translation>Aus den verschmolzenen Matrizen eines DeltaNet lässt sich keine GGUF-Datei dieser Architektur machen</translation>
    </message>
    <message>
        <source>A GGUF file of this architecture cannot express how its heads are rotated</source>
        <translation>Eine GGUF-Datei dieser Architektur kann nicht ausdrücken, wie die Köpfe gedreht werden</translation>
    </message>
    <message>
        <source>A GGUF file of this architecture cannot express that experts are chosen by group</source>
        <translation>Eine GGUF-Datei dieser Architektur kann nicht ausdrücken, dass Experten in Gruppen gewählt werden</translation>
    </message>
    <message>
        <source>A GGUF file of this architecture cannot express this model</source>
        <translation>Eine GGUF-Datei dieser Architektur kann dieses Modell nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file of this architecture cannot express this model's factors</source>
        <translation>Eine GGUF-Datei dieser Architektur kann die Faktoren dieses Modells nicht ausdrücken</translation>
    </message>
    <message>
        <source>A GGUF file of this architecture has one key head</source>
        <translation>Eine GGUF-Datei dieser Architektur hat einen einzigen Schlüsselkopf</translation>
    </message>
    <message>
        <source>A GGUF file of this architecture has parallel blocks</source>
        <translation>Eine GGUF-Datei dieser Architektur hat parallele Blöcke</translation>
    </message>
    <message>
        <source>Use the model as it is; Minerva runs its folder.</source>
        <translation>Benutzen Sie das Modell, wie es ist; Minerva führt seinen Ordner aus.</translation>
    </message>
    <message>
        <source>What the model has beside its text model is left out: %1 tensors</source>
        <translation>Was das Modell neben seinem Textmodell hat, fehlt: %1 Tensoren</translation>
    </message>
    <message>
        <source>The file cannot be created</source>
        <translation>Die Datei kann nicht angelegt werden</translation>
    </message>
    <message>
        <source>Check the folder and its permissions.</source>
        <translation>Prüfen Sie den Ordner und seine Rechte.</translation>
    </message>
    <message>
        <source>The file cannot be made as large as its tensors</source>
        <translation>Die Datei kann nicht so groß gemacht werden wie ihre Tensoren</translation>
    </message>
    <message>
        <source>The file cannot be written</source>
        <translation>Die Datei kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>Check the free space.</source>
        <translation>Prüfen Sie den freien Platz.</translation>
    </message>
    <message>
        <source>The bias of the experts' sum is left out: llama.cpp does not add it, and GGUF has no name for it</source>
        <translation>Der Bias der Expertensumme wird weggelassen: llama.cpp addiert ihn nicht, und GGUF hat keinen Namen dafür</translation>
    </message>
    <message>
        <source>llama.cpp does not apply this architecture's sliding window of %1 tokens to models of this size; Minerva does</source>
        <translation>llama.cpp wendet das gleitende Fenster dieser Architektur von %1 Tokens bei Modellen dieser Größe nicht an; Minerva schon</translation>
    </message>
    <message>
        <source>llama.cpp does not apply this architecture's sliding window of %1 tokens; Minerva does</source>
        <translation>llama.cpp wendet das gleitende Fenster dieser Architektur von %1 Tokens nicht an; Minerva schon</translation>
    </message>
    <message>
        <source>The prompts that the model's makers put before texts are left out: GGUF has no keys for them</source>
        <translation>Die Prompts, die die Hersteller des Modells vor Texte setzen, sind weggelassen: GGUF hat keine Schlüssel dafür</translation>
    </message>
    <message>
        <source>This rope scaling cannot be stored in a GGUF file</source>
        <translation>Diese RoPE-Skalierung kann in einer GGUF-Datei nicht gespeichert werden</translation>
    </message>
    <message>
        <source>A folder of this architecture cannot be converted yet</source>
        <translation>Ein Ordner dieser Architektur kann noch nicht umgewandelt werden</translation>
    </message>
    <message>
        <source>Tensor %1 cannot be stored in a GGUF file of this architecture</source>
        <translation>Tensor %1 kann in einer GGUF-Datei dieser Architektur nicht gespeichert werden</translation>
    </message>
    <message>
        <source>The part that predicts further tokens is left out: %1 tensors</source>
        <translation>Der Teil, der weitere Tokens voraussagt, wird ausgelassen: %1 Tensoren</translation>
    </message>
    <message>
        <source>What adapts the model to its tasks is left out: %1 tensors</source>
        <translation>Was das Modell an seine Aufgaben anpasst, wird weggelassen: %1 Tensoren</translation>
    </message>
    <message>
        <source>A tensor does not have the size given by config.json</source>
        <translation>Ein Tensor hat nicht die Größe, die config.json angibt</translation>
    </message>
    <message>
        <source>The model's files contradict each other; download them again.</source>
        <translation>Die Dateien des Modells widersprechen sich; laden Sie sie noch einmal herunter.</translation>
    </message>
    <message>
        <source>Check the folder and the free space.</source>
        <translation>Prüfen Sie den Ordner und den freien Platz.</translation>
    </message>
    <message>
        <source>The weights are already quantized</source>
        <translation>Die Gewichte sind schon quantisiert</translation>
    </message>
    <message>
        <source>Make the copy from the unquantized model.</source>
        <translation>Machen Sie die Kopie aus dem unquantisierten Modell.</translation>
    </message>
    <message>
        <source>An MLX folder can only be made from a SafeTensors folder</source>
        <translation>Ein MLX-Ordner lässt sich nur aus einem SafeTensors-Ordner machen</translation>
    </message>
    <message>
        <source>mlx_lm has no models of this kind</source>
        <translation>mlx_lm hat keine Modelle dieser Art</translation>
    </message>
    <message>
        <source>Make a GGUF file instead.</source>
        <translation>Machen Sie stattdessen eine GGUF-Datei.</translation>
    </message>
    <message>
        <source>A model whose matrices are stored transposed cannot be written as MLX</source>
        <translation>Ein Modell, dessen Matrizen transponiert gespeichert sind, kann nicht als MLX geschrieben werden</translation>
    </message>
    <message>
        <source>MLX has no such quantization</source>
        <translation>MLX hat keine solche Quantisierung</translation>
    </message>
    <message>
        <source>The weights hold values that are not numbers</source>
        <translation>Die Gewichte enthalten Werte, die keine Zahlen sind</translation>
    </message>
    <message>
        <source>The model was made wrongly, perhaps by merging; choose another copy.</source>
        <translation>Das Modell wurde falsch erstellt, vielleicht beim Zusammenführen; wählen Sie eine andere Kopie.</translation>
    </message>
    <message>
        <source>The weights hold values that are too large for %1</source>
        <translation>Die Gewichte enthalten Werte, die für %1 zu groß sind</translation>
    </message>
    <message>
        <source>Choose bf16 or f32.</source>
        <translation>Wählen Sie bf16 oder f32.</translation>
    </message>
    <message>
        <source>There is not enough free space for the copy</source>
        <translation>Für die Kopie ist nicht genug Platz frei</translation>
    </message>
    <message>
        <source>Free some space, or choose another folder or a smaller type.</source>
        <translation>Schaffen Sie Platz oder wählen Sie einen anderen Ordner oder einen kleineren Typ.</translation>
    </message>
    <message>
        <source>The folder cannot be made</source>
        <translation>Der Ordner kann nicht angelegt werden</translation>
    </message>
    <message>
        <source>What was written cannot be given its final name</source>
        <translation>Das Geschriebene kann seinen endgültigen Namen nicht bekommen</translation>
    </message>
    <message>
        <source>GGUF has no name for this pre-tokenizer</source>
        <translation>GGUF hat keinen Namen für diesen Pre-Tokenizer</translation>
    </message>
    <message>
        <source>This kind of WordPiece tokenizer cannot be stored in GGUF</source>
        <translation>Diese Art von WordPiece-Tokenizer kann in GGUF nicht gespeichert werden</translation>
    </message>
    <message>
        <source>This kind of tokenizer cannot be converted yet</source>
        <translation>Diese Art von Tokenizer kann noch nicht umgewandelt werden</translation>
    </message>
    <message>
        <source>This kind of tokenizer cannot be stored in GGUF</source>
        <translation>Diese Art von Tokenizer kann in GGUF nicht gespeichert werden</translation>
    </message>
    <message>
        <source>A tokenizer.model cannot be converted yet</source>
        <translation>Ein tokenizer.model kann noch nicht umgewandelt werden</translation>
    </message>
    <message>
        <source>The new file's tokenizer splits some texts differently: GGUF cannot express this tokenizer exactly</source>
        <translation>Der Tokenizer der neuen Datei zerlegt manche Texte anders: GGUF kann diesen Tokenizer nicht genau ausdrücken</translation>
    </message>
    <message>
        <source>The new file does not name all tokens that end the model's replies: some may not end</source>
        <translation>Die neue Datei nennt nicht alle Tokens, die Antworten des Modells beenden: manche enden vielleicht nicht</translation>
    </message>
    <message>
        <source>A GGUF file of this architecture cannot express the model's %1</source>
        <translation>Eine GGUF-Datei dieser Architektur kann dies am Modell nicht ausdrücken: %1</translation>
    </message>
    <message>
        <source>The vocabularies of the model and its draft model cannot be compared</source>
        <translation>Die Vokabulare des Modells und seines Entwurfsmodells lassen sich nicht vergleichen</translation>
    </message>
    <message>
        <source>Choose a smaller model of the same family, or none</source>
        <translation>Wählen Sie ein kleineres Modell derselben Familie oder keines</translation>
    </message>
    <message>
        <source>The draft model has another vocabulary</source>
        <translation>Das Entwurfsmodell hat ein anderes Vokabular</translation>
    </message>
    <message>
        <source>A text is longer than the model takes</source>
        <translation>Ein Text ist länger, als das Modell erlaubt</translation>
    </message>
    <message>
        <source>An empty text has no vector</source>
        <translation>Ein leerer Text hat keinen Vektor</translation>
    </message>
    <message>
        <source>Computing the vectors was cancelled</source>
        <translation>Das Berechnen der Vektoren wurde abgebrochen</translation>
    </message>
    <message>
        <source>The options for an embedding model are not valid</source>
        <translation>Die Optionen für ein Embedding-Modell sind ungültig</translation>
    </message>
    <message>
        <source>This model ranks documents for a query; it makes no vectors of texts</source>
        <translation>Dieses Modell ordnet Dokumente zu einer Anfrage; es macht keine Vektoren aus Texten</translation>
    </message>
    <message>
        <source>Choose an embedding model. Ranks: minerva-bench rerank.</source>
        <translation>Wählen Sie ein Embedding-Modell. Rangfolgen: minerva-bench rerank.</translation>
    </message>
    <message>
        <source>This model predicts tokens; it makes no vectors of texts</source>
        <translation>Dieses Modell sagt Tokens voraus; es macht keine Vektoren aus Texten</translation>
    </message>
    <message>
        <source>Choose an embedding model.</source>
        <translation>Wählen Sie ein Embedding-Modell.</translation>
    </message>
    <message>
        <source>The model was made for texts of %1 tokens; the requested length of %2 was reduced to that</source>
        <translation>Das Modell ist für Texte von %1 Tokens gemacht; die verlangte Länge von %2 wurde darauf verringert</translation>
    </message>
    <message>
        <source>The model has no such prompt</source>
        <translation>Das Modell hat keinen solchen Prompt</translation>
    </message>
    <message>
        <source>Too many requests are waiting</source>
        <translation>Zu viele Anfragen warten</translation>
    </message>
    <message>
        <source>Send it again when some of them are done</source>
        <translation>Senden Sie es noch einmal, wenn einige davon fertig sind</translation>
    </message>
    <message>
        <source>The request was cancelled before it began</source>
        <translation>Die Anfrage wurde abgebrochen, bevor sie begann</translation>
    </message>
    <message>
        <source>The system has no thread to make the prompt on</source>
        <translation>Das System kann keinen Thread starten, der den Prompt erstellt</translation>
    </message>
    <message>
        <source>Close other programs and send it again</source>
        <translation>Schließen Sie andere Programme und senden Sie es noch einmal</translation>
    </message>
    <message>
        <source>There is not enough memory to make the prompt</source>
        <translation>Der Speicher reicht nicht, um den Prompt zu erstellen</translation>
    </message>
    <message>
        <source>The prompt could not be made</source>
        <translation>Der Prompt konnte nicht erstellt werden</translation>
    </message>
    <message>
        <source>The load options are not valid</source>
        <translation>Die Optionen zum Laden sind ungültig</translation>
    </message>
    <message>
        <source>This is a reranker: it ranks documents and cannot write text</source>
        <translation>Das ist ein Reranker: Er ordnet Dokumente und kann keinen Text schreiben</translation>
    </message>
    <message>
        <source>This is an embedding model: it makes vectors of texts and cannot write text</source>
        <translation>Das ist ein Embedding-Modell: Es macht Vektoren aus Texten und kann keinen Text schreiben</translation>
    </message>
    <message>
        <source>Choose a language model. Vectors of texts: minerva-bench embed.</source>
        <translation>Wählen Sie ein Sprachmodell. Vektoren von Texten: minerva-bench embed.</translation>
    </message>
    <message>
        <source>The model was made for %1 positions; the requested context of %2 was reduced to that</source>
        <translation>Das Modell ist für %1 Positionen gemacht; der verlangte Kontext von %2 wurde darauf verringert</translation>
    </message>
    <message>
        <source>loaded anyway: the system may become slow or kill this program</source>
        <translation>trotzdem geladen: Das System kann langsam werden oder dieses Programm beenden</translation>
    </message>
    <message>
        <source>Replies are written without the layer that predicts further tokens: %1</source>
        <translation>Antworten werden ohne die Schicht geschrieben, die weitere Token vorhersagt: %1</translation>
    </message>
    <message>
        <source>Replies are written without the draft model: %1</source>
        <translation>Antworten werden ohne das Entwurfsmodell geschrieben: %1</translation>
    </message>
    <message>
        <source>The tokenizer has %1 tokens, the model only %2</source>
        <translation>Der Tokenizer hat %1 Tokens, das Modell nur %2</translation>
    </message>
    <message>
        <source>On this device results depend on what else is computed in a step</source>
        <translation>Auf diesem Gerät hängen Ergebnisse davon ab, was im selben Schritt noch berechnet wird</translation>
    </message>
    <message>
        <source>load the model on the CPU, or without that option</source>
        <translation>laden Sie das Modell auf der CPU oder ohne diese Option</translation>
    </message>
    <message>
        <source>Drafts are only checked on devices on which a reply is the same with and without them</source>
        <translation>Entwürfe werden nur auf Geräten geprüft, auf denen eine Antwort mit und ohne sie gleich ist</translation>
    </message>
    <message>
        <source>The model has no usable chat template</source>
        <translation>Das Modell hat keine brauchbare Chatvorlage</translation>
    </message>
    <message>
        <source>The model has no usable tokenizer</source>
        <translation>Das Modell hat keinen brauchbaren Tokenizer</translation>
    </message>
    <message>
        <source>The model has no usable tokenizer, so that replies cannot be constrained</source>
        <translation>Das Modell hat keinen brauchbaren Tokenizer, daher lassen sich Antworten nicht einschränken</translation>
    </message>
    <message>
        <source>Give the prompt as plain text</source>
        <translation>Geben Sie den Prompt als reinen Text</translation>
    </message>
    <message>
        <source>Give the prompt as token ids</source>
        <translation>Geben Sie den Prompt als Token-Nummern</translation>
    </message>
    <message>
        <source>Leave the format of the reply open</source>
        <translation>Lassen Sie das Format der Antwort offen</translation>
    </message>
    <message>
        <source>The prompt is empty</source>
        <translation>Der Prompt ist leer</translation>
    </message>
    <message>
        <source>A token is not in the model's vocabulary</source>
        <translation>Ein Token gehört nicht zum Vokabular des Modells</translation>
    </message>
    <message>
        <source>The maximum length of the reply cannot be negative</source>
        <translation>Die Höchstlänge der Antwort kann nicht negativ sein</translation>
    </message>
    <message>
        <source>The engine stopped before the reply was finished</source>
        <translation>Die Engine hielt an, bevor die Antwort fertig war</translation>
    </message>
    <message>
        <source>The reranker's head is too large</source>
        <translation>Der Kopf des Rerankers ist zu groß</translation>
    </message>
    <message>
        <source>The query leaves no room for a document</source>
        <translation>Die Anfrage lässt keinen Platz für ein Dokument</translation>
    </message>
    <message>
        <source>There is not enough memory to go on with the reply</source>
        <translation>Der Speicher reicht nicht, um die Antwort fortzusetzen</translation>
    </message>
    <message>
        <source>Close other programs, or run fewer conversations at once</source>
        <translation>Schließen Sie andere Programme oder führen Sie weniger Gespräche gleichzeitig</translation>
    </message>
    <message>
        <source>The reply broke off</source>
        <translation>Die Antwort brach ab</translation>
    </message>
    <message>
        <source>The prompt is longer than the context</source>
        <translation>Der Prompt ist länger als der Kontext</translation>
    </message>
    <message>
        <source>Load the model with a longer context (it was made for %1), or shorten the conversation</source>
        <translation>Laden Sie das Modell mit einem längeren Kontext (es ist für %1 gemacht) oder kürzen Sie das Gespräch</translation>
    </message>
    <message>
        <source>Shorten the conversation: this is the model's maximum</source>
        <translation>Kürzen Sie das Gespräch: Mehr kann das Modell nicht</translation>
    </message>
    <message>
        <source>Every conversation slot is busy</source>
        <translation>Alle Plätze für Gespräche sind belegt</translation>
    </message>
    <message>
        <source>There is nothing to evaluate</source>
        <translation>Es gibt nichts auszuwerten</translation>
    </message>
    <message>
        <source>The evaluation was cancelled</source>
        <translation>Die Auswertung wurde abgebrochen</translation>
    </message>
    <message>
        <source>The grammar can be read in too many ways at once</source>
        <translation>Die Grammatik lässt sich auf zu viele Arten zugleich lesen</translation>
    </message>
    <message>
        <source>Write its alternatives so that they differ early</source>
        <translation>Schreiben Sie ihre Alternativen so, dass sie sich früh unterscheiden</translation>
    </message>
    <message>
        <source>The model's vocabulary has no token that could go on with the demanded format</source>
        <translation>Das Vokabular des Modells hat kein Token, mit dem das verlangte Format weitergehen könnte</translation>
    </message>
    <message>
        <source>Relax the grammar or schema where the reply ended</source>
        <translation>Lockern Sie die Grammatik oder das Schema dort, wo die Antwort endete</translation>
    </message>
    <message>
        <source>The model computes values that are not numbers</source>
        <translation>Das Modell berechnet Werte, die keine Zahlen sind</translation>
    </message>
    <message>
        <source>The model's weights produce values that are not numbers</source>
        <translation>Die Gewichte des Modells ergeben Werte, die keine Zahlen sind</translation>
    </message>
    <message>
        <source>The file is damaged or was converted wrongly: download or convert it again</source>
        <translation>Die Datei ist beschädigt oder wurde falsch umgewandelt: Laden Sie sie noch einmal herunter oder wandeln Sie sie neu um</translation>
    </message>
    <message>
        <source>The first %1 of %2 of weights are finite; the rest was not checked in time: try exact precision or another device, and download the file again if that does not help</source>
        <translation>Die ersten %1 von %2 der Gewichte sind endlich; der Rest konnte in der Zeit nicht geprüft werden: Versuchen Sie es mit exakter Genauigkeit oder auf einem anderen Gerät, und laden Sie die Datei neu herunter, wenn das nicht hilft</translation>
    </message>
    <message>
        <source>The model computes values that are not numbers, although every weight is finite</source>
        <translation>Das Modell berechnet Werte, die keine Zahlen sind, obwohl jedes Gewicht endlich ist</translation>
    </message>
    <message>
        <source>Its activations overflow in this precision: try exact precision or another device</source>
        <translation>Seine Zwischenwerte laufen in dieser Genauigkeit über: Versuchen Sie es mit exakter Genauigkeit oder auf einem anderen Gerät</translation>
    </message>
    <message>
        <source>A sampling option is out of range</source>
        <translation>Eine Sampling-Option liegt außerhalb des Bereichs</translation>
    </message>
    <message>
        <source>%1 is stored in a type this version cannot read</source>
        <translation>%1 hat einen Typ, den diese Version nicht lesen kann</translation>
    </message>
    <message>
        <source>Choose the GGUF or the unquantized version of this model.</source>
        <translation>Wählen Sie die GGUF- oder die unquantisierte Fassung dieses Modells.</translation>
    </message>
    <message>
        <source>%1 is left out: %2 %3</source>
        <translation>%1 wird ausgelassen: %2 %3</translation>
    </message>
    <message>
        <source>%1 belongs to no packed weight</source>
        <translation>%1 gehört zu keinem gepackten Gewicht</translation>
    </message>
    <message>
        <source>%1 does not fit its blocks</source>
        <translation>%1 passt nicht zu seinen Blöcken</translation>
    </message>
    <message>
        <source>%1 does not fit its scales</source>
        <translation>%1 passt nicht zu seinen Skalen</translation>
    </message>
    <message>
        <source>%1 does not fit its weight</source>
        <translation>%1 passt nicht zu seinem Gewicht</translation>
    </message>
    <message>
        <source>%1 does not fit the packed weight</source>
        <translation>%1 passt nicht zum gepackten Gewicht</translation>
    </message>
    <message>
        <source>%1 does not have the shape that its layer's codes and config.json require</source>
        <translation>%1 hat nicht die Form, die die Codes seiner Schicht und config.json verlangen</translation>
    </message>
    <message>
        <source>%1 does not have the size that its type and shape require</source>
        <translation>%1 hat nicht die Größe, die Typ und Form verlangen</translation>
    </message>
    <message>
        <source>%1 has a shape that packed weights cannot have</source>
        <translation>%1 hat eine Form, die gepackte Gewichte nicht haben können</translation>
    </message>
    <message>
        <source>%1 has a type that contradicts config.json or its layer</source>
        <translation>%1 hat einen Typ, der config.json oder seiner Schicht widerspricht</translation>
    </message>
    <message>
        <source>%1 has no scales</source>
        <translation>%1 hat keine Skalen</translation>
    </message>
    <message>
        <source>%1 has no valid group for column %2</source>
        <translation>%1 hat keine gültige Gruppe für Spalte %2</translation>
    </message>
    <message>
        <source>%1 has rows that are not whole groups</source>
        <translation>%1 hat Zeilen, die nicht in ganze Gruppen aufgehen</translation>
    </message>
    <message>
        <source>%1 has scales, but is not packed</source>
        <translation>%1 hat Skalen, ist aber nicht gepackt</translation>
    </message>
    <message>
        <source>%1 is no matrix</source>
        <translation>%1 ist keine Matrix</translation>
    </message>
    <message>
        <source>%1 is no matrix of words</source>
        <translation>%1 ist keine Matrix aus Wörtern</translation>
    </message>
    <message>
        <source>%1 is not a scale</source>
        <translation>%1 ist keine Skala</translation>
    </message>
    <message>
        <source>%1 is not made of MXFP4 blocks</source>
        <translation>%1 besteht nicht aus MXFP4-Blöcken</translation>
    </message>
    <message>
        <source>%1 is not packed, but config.json says that it is</source>
        <translation>%1 ist nicht gepackt, laut config.json aber schon</translation>
    </message>
    <message>
        <source>%1 is packed in a way this version cannot read</source>
        <translation>%1 ist auf eine Art gepackt, die diese Version nicht lesen kann</translation>
    </message>
    <message>
        <source>%1 is packed, but there is no %2</source>
        <translation>%1 ist gepackt, aber es gibt kein %2</translation>
    </message>
    <message>
        <source>%1 lacks its scales or its shape</source>
        <translation>%1 fehlen die Skalen oder die Form</translation>
    </message>
    <message>
        <source>%1 lacks its scales or zeros</source>
        <translation>%1 fehlen die Skalen oder die Nullpunkte</translation>
    </message>
    <message>
        <source>%1 occurs twice</source>
        <translation>%1 kommt zweimal vor</translation>
    </message>
    <message>
        <source>%1 matrices have groups of columns that do not follow each other (desc_act) or are no multiples of 32; they are loaded as plain floats, which take more memory</source>
        <translation>%1 Matrizen haben Gruppen von Spalten, die nicht aufeinander folgen (desc_act) oder keine Vielfachen von 32 sind; sie werden als einfache Gleitkommazahlen geladen, die mehr Speicher brauchen</translation>
    </message>
    <message>
        <source>The file is empty</source>
        <translation>Die Datei ist leer</translation>
    </message>
    <message>
        <source>Download it again.</source>
        <translation>Laden Sie sie noch einmal herunter.</translation>
    </message>
    <message>
        <source>This is a GGUF file in big-endian byte order</source>
        <translation>Das ist eine GGUF-Datei in Big-Endian-Reihenfolge</translation>
    </message>
    <message>
        <source>This is a Git LFS pointer, not the model: its content was never downloaded</source>
        <translation>Das ist ein Verweis von Git LFS, nicht das Modell: Sein Inhalt wurde nie heruntergeladen</translation>
    </message>
    <message>
        <source>This is a JSON file, not the weights: open the folder it is in</source>
        <translation>Das ist eine JSON-Datei, nicht die Gewichte: Öffnen Sie den Ordner, in dem sie liegt</translation>
    </message>
    <message>
        <source>This is a PyTorch checkpoint or a ZIP archive</source>
        <translation>Das ist ein PyTorch-Checkpoint oder ein ZIP-Archiv</translation>
    </message>
    <message>
        <source>This is a file of the old GGJT format, which came before GGUF</source>
        <translation>Das ist eine Datei des alten Formats GGJT, das es vor GGUF gab</translation>
    </message>
    <message>
        <source>This is a file of the old GGMF format, which came before GGUF</source>
        <translation>Das ist eine Datei des alten Formats GGMF, das es vor GGUF gab</translation>
    </message>
    <message>
        <source>This is a file of the old GGML format, which came before GGUF</source>
        <translation>Das ist eine Datei des alten Formats GGML, das es vor GGUF gab</translation>
    </message>
    <message>
        <source>This is a pickled PyTorch checkpoint</source>
        <translation>Das ist ein PyTorch-Checkpoint in pickle</translation>
    </message>
    <message>
        <source>This is a web page, not a model: the download failed</source>
        <translation>Das ist eine Webseite, kein Modell: Der Download ist misslungen</translation>
    </message>
    <message>
        <source>This is an HDF5 file</source>
        <translation>Das ist eine HDF5-Datei</translation>
    </message>
    <message>
        <source>Choose the GGUF or SafeTensors version of this model.</source>
        <translation>Wählen Sie die GGUF- oder SafeTensors-Fassung dieses Modells.</translation>
    </message>
    <message>
        <source>This is not a supported model file</source>
        <translation>Das ist keine unterstützte Modelldatei</translation>
    </message>
    <message>
        <source>The folder cannot be read: %1</source>
        <translation>Der Ordner kann nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>Check who may read it.</source>
        <translation>Prüfen Sie, wer ihn lesen darf.</translation>
    </message>
    <message>
        <source>This GGUF file has version 1, whose layout was abandoned in 2023</source>
        <translation>Diese GGUF-Datei hat Version 1, deren Anordnung 2023 aufgegeben wurde</translation>
    </message>
    <message>
        <source>This version of GGUF is not supported</source>
        <translation>Diese Version von GGUF wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Convert the model again with a current converter, or download another copy.</source>
        <translation>Wandeln Sie das Modell mit einem aktuellen Konverter neu um oder laden Sie eine andere Kopie herunter.</translation>
    </message>
    <message>
        <source>This GGUF file is in big-endian byte order</source>
        <translation>Diese GGUF-Datei ist in Big-Endian-Reihenfolge</translation>
    </message>
    <message>
        <source>Download the little-endian copy of this model, or convert it with gguf_convert_endian.py of gguf-py.</source>
        <translation>Laden Sie die Little-Endian-Kopie dieses Modells herunter oder wandeln Sie es mit gguf_convert_endian.py aus gguf-py um.</translation>
    </message>
    <message>
        <source>The tensor name "%1" is longer than the 64 bytes GGUF allows</source>
        <translation>Der Tensorname "%1" ist länger als die 64 Bytes, die GGUF erlaubt</translation>
    </message>
    <message>
        <source>Tensor %1 is stored in a type this version cannot read</source>
        <translation>Tensor %1 hat einen Typ, den diese Version nicht lesen kann</translation>
    </message>
    <message>
        <source>Choose another copy of this model, or convert it again with a current converter.</source>
        <translation>Wählen Sie eine andere Kopie dieses Modells oder wandeln Sie es mit einem aktuellen Konverter neu um.</translation>
    </message>
    <message>
        <source>Tensor %1 reaches past the end of the file</source>
        <translation>Tensor %1 reicht über das Ende der Datei hinaus</translation>
    </message>
    <message>
        <source>The file is damaged or its download incomplete; download it again.</source>
        <translation>Die Datei ist beschädigt oder nicht vollständig heruntergeladen; laden Sie sie noch einmal herunter.</translation>
    </message>
    <message>
        <source>This GGUF file is one part of a split model</source>
        <translation>Diese GGUF-Datei ist ein Teil eines geteilten Modells</translation>
    </message>
    <message>
        <source>The metadata key %1 is not valid UTF-8: "%2"</source>
        <translation>Der Metadatenschlüssel %1 ist kein gültiges UTF-8: "%2"</translation>
    </message>
    <message>
        <source>Metadata key %1 nests arrays too deeply</source>
        <translation>Der Metadatenschlüssel %1 verschachtelt Felder zu tief</translation>
    </message>
    <message>
        <source>String %1 of metadata key %2 is not valid UTF-8: "%3"</source>
        <translation>Zeichenkette %1 des Metadatenschlüssels %2 ist kein gültiges UTF-8: "%3"</translation>
    </message>
    <message>
        <source>Tensor %1 has an impossible size</source>
        <translation>Tensor %1 hat eine unmögliche Größe</translation>
    </message>
    <message>
        <source>Tensor %1 has the wrong number of dimensions</source>
        <translation>Tensor %1 hat die falsche Zahl von Dimensionen</translation>
    </message>
    <message>
        <source>Tensor %1 occurs twice</source>
        <translation>Tensor %1 kommt zweimal vor</translation>
    </message>
    <message>
        <source>Tensors %1 and %2 overlap</source>
        <translation>Die Tensoren %1 und %2 überlappen sich</translation>
    </message>
    <message>
        <source>The array of metadata key %1 has an unknown type</source>
        <translation>Das Feld des Metadatenschlüssels %1 hat einen unbekannten Typ</translation>
    </message>
    <message>
        <source>The file ends inside metadata key %1</source>
        <translation>Die Datei endet mitten im Metadatenschlüssel %1</translation>
    </message>
    <message>
        <source>The file ends inside string %1 of metadata key %2</source>
        <translation>Die Datei endet mitten in Zeichenkette %1 des Metadatenschlüssels %2</translation>
    </message>
    <message>
        <source>The file ends inside the array of metadata key %1</source>
        <translation>Die Datei endet mitten im Feld des Metadatenschlüssels %1</translation>
    </message>
    <message>
        <source>The file ends inside the header</source>
        <translation>Die Datei endet mitten im Kopf</translation>
    </message>
    <message>
        <source>The file ends inside the metadata</source>
        <translation>Die Datei endet mitten in den Metadaten</translation>
    </message>
    <message>
        <source>The file ends inside the name of metadata key %1 of %2</source>
        <translation>Die Datei endet mitten im Namen von Metadatenschlüssel %1 von %2</translation>
    </message>
    <message>
        <source>The file ends inside the name of tensor %1 of %2</source>
        <translation>Die Datei endet mitten im Namen von Tensor %1 von %2</translation>
    </message>
    <message>
        <source>The file ends inside the padding before the tensor data</source>
        <translation>Die Datei endet mitten in der Lücke vor den Tensordaten</translation>
    </message>
    <message>
        <source>The file ends inside the string of metadata key %1</source>
        <translation>Die Datei endet mitten in der Zeichenkette des Metadatenschlüssels %1</translation>
    </message>
    <message>
        <source>The file ends inside the table entry of tensor %1</source>
        <translation>Die Datei endet mitten im Tabelleneintrag des Tensors %1</translation>
    </message>
    <message>
        <source>The file ends inside the tensor table</source>
        <translation>Die Datei endet mitten in der Tensortabelle</translation>
    </message>
    <message>
        <source>The metadata key %1 has an unknown type</source>
        <translation>Der Metadatenschlüssel %1 hat einen unbekannten Typ</translation>
    </message>
    <message>
        <source>The metadata key %1 is not a valid bool</source>
        <translation>Der Metadatenschlüssel %1 ist kein gültiger Wahrheitswert</translation>
    </message>
    <message>
        <source>The metadata key %1 occurs twice</source>
        <translation>Der Metadatenschlüssel %1 kommt zweimal vor</translation>
    </message>
    <message>
        <source>The name of metadata key %1 of %2 is not valid</source>
        <translation>Der Name von Metadatenschlüssel %1 von %2 ist ungültig</translation>
    </message>
    <message>
        <source>The name of tensor %1 of %2 is not valid</source>
        <translation>Der Name von Tensor %1 von %2 ist ungültig</translation>
    </message>
    <message>
        <source>The offset of tensor %1 is not aligned</source>
        <translation>Die Position des Tensors %1 ist nicht ausgerichtet</translation>
    </message>
    <message>
        <source>The rows of tensor %1 do not fit its type</source>
        <translation>Die Zeilen des Tensors %1 passen nicht zu seinem Typ</translation>
    </message>
    <message>
        <source>This is not a GGUF file</source>
        <translation>Das ist keine GGUF-Datei</translation>
    </message>
    <message>
        <source>general.alignment is not valid</source>
        <translation>general.alignment ist ungültig</translation>
    </message>
    <message>
        <source>split.no and split.count contradict each other</source>
        <translation>split.no und split.count widersprechen sich</translation>
    </message>
    <message>
        <source>Part %1 of this split model is missing</source>
        <translation>Teil %1 dieses geteilten Modells fehlt</translation>
    </message>
    <message>
        <source>Download %1 into the same folder.</source>
        <translation>Laden Sie %1 in denselben Ordner herunter.</translation>
    </message>
    <message>
        <source>A part of this split model states another number than its file name</source>
        <translation>Ein Teil dieses geteilten Modells nennt eine andere Nummer als sein Dateiname</translation>
    </message>
    <message>
        <source>The parts belong to different models or versions; download them again.</source>
        <translation>Die Teile gehören zu verschiedenen Modellen oder Fassungen; laden Sie sie noch einmal herunter.</translation>
    </message>
    <message>
        <source>The parts of this split model do not hold the number of tensors they claim</source>
        <translation>Die Teile dieses geteilten Modells enthalten nicht so viele Tensoren, wie sie angeben</translation>
    </message>
    <message>
        <source>This is one part of a split model, but its name does not say which, so the others cannot be found</source>
        <translation>Das ist ein Teil eines geteilten Modells, aber sein Name sagt nicht welcher; die anderen lassen sich so nicht finden</translation>
    </message>
    <message>
        <source>Give all parts the names they were published under, in one folder.</source>
        <translation>Geben Sie allen Teilen die Namen, unter denen sie veröffentlicht wurden, in einem Ordner.</translation>
    </message>
    <message>
        <source>%1 scales activations, which is not supported</source>
        <translation>%1 skaliert Aktivierungen, was nicht unterstützt wird</translation>
    </message>
    <message>
        <source>%1 is not a JSON object</source>
        <translation>%1 ist kein JSON-Objekt</translation>
    </message>
    <message>
        <source>%1 is ignored: %2</source>
        <translation>%1 wird ignoriert: %2</translation>
    </message>
    <message>
        <source>The weights are in PyTorch's own format, which is not read because such files may hold programs</source>
        <translation>Die Gewichte sind im Format von PyTorch, das nicht gelesen wird, weil solche Dateien Programme enthalten können</translation>
    </message>
    <message>
        <source>The folder holds no model weights</source>
        <translation>Der Ordner enthält keine Gewichte eines Modells</translation>
    </message>
    <message>
        <source>The folder holds several weight files but no index that says which belong together</source>
        <translation>Der Ordner enthält mehrere Dateien mit Gewichten, aber keinen Index, der sagt, welche zusammengehören</translation>
    </message>
    <message>
        <source>Download the missing files of the model.</source>
        <translation>Laden Sie die fehlenden Dateien des Modells herunter.</translation>
    </message>
    <message>
        <source>%1 names none of the files that are there; %2 is used</source>
        <translation>%1 nennt keine der vorhandenen Dateien; %2 wird verwendet</translation>
    </message>
    <message>
        <source>Part %1 of the model is missing</source>
        <translation>Teil %1 des Modells fehlt</translation>
    </message>
    <message>
        <source>Download the missing file into the same folder.</source>
        <translation>Laden Sie die fehlende Datei in denselben Ordner herunter.</translation>
    </message>
    <message>
        <source>The index names no tensors</source>
        <translation>Der Index nennt keine Tensoren</translation>
    </message>
    <message>
        <source>The index gives tensor %1 no file, or one outside the model's folder</source>
        <translation>Der Index nennt für Tensor %1 keine Datei oder eine außerhalb des Modellordners</translation>
    </message>
    <message>
        <source>A part of the model is missing</source>
        <translation>Ein Teil des Modells fehlt</translation>
    </message>
    <message>
        <source>%1 names a tensor that is in no file: %2</source>
        <translation>%1 nennt einen Tensor, der in keiner Datei ist: %2</translation>
    </message>
    <message>
        <source>Tensor %1 is not in the part the index names</source>
        <translation>Tensor %1 steht nicht in dem Teil, den der Index nennt</translation>
    </message>
    <message>
        <source>The parts belong to different versions of the model; download them again.</source>
        <translation>Die Teile gehören zu verschiedenen Fassungen des Modells; laden Sie sie noch einmal herunter.</translation>
    </message>
    <message>
        <source>%1: tensor %2 is not in the index</source>
        <translation>%1: Tensor %2 steht nicht im Index</translation>
    </message>
    <message>
        <source>Two files of the folder hold it; keep the files of one model only.</source>
        <translation>Zwei Dateien des Ordners enthalten ihn; behalten Sie nur die Dateien eines Modells.</translation>
    </message>
    <message>
        <source>A part of the model has no type or no path</source>
        <translation>Ein Teil des Modells hat keinen Typ oder keinen Pfad</translation>
    </message>
    <message>
        <source>A part of the model is outside its folder</source>
        <translation>Ein Teil des Modells liegt außerhalb seines Ordners</translation>
    </message>
    <message>
        <source>The model's parts are not a list</source>
        <translation>Die Teile des Modells sind keine Liste</translation>
    </message>
    <message>
        <source>Download the model again.</source>
        <translation>Laden Sie das Modell noch einmal herunter.</translation>
    </message>
    <message>
        <source>The name "%1" occurs twice in one JSON object</source>
        <translation>Der Name „%1“ kommt in einem JSON-Objekt zweimal vor</translation>
    </message>
    <message>
        <source>This is not valid JSON</source>
        <translation>Das ist kein gültiges JSON</translation>
    </message>
    <message>
        <source>The file is damaged or incomplete; download it again.</source>
        <translation>Die Datei ist beschädigt oder unvollständig; laden Sie sie noch einmal herunter.</translation>
    </message>
    <message>
        <source>The JSON is nested too deeply</source>
        <translation>Das JSON ist zu tief verschachtelt</translation>
    </message>
    <message>
        <source>The JSON is too large</source>
        <translation>Das JSON ist zu groß</translation>
    </message>
    <message>
        <source>The JSON cannot be read</source>
        <translation>Das JSON kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>A metadata key has the wrong type</source>
        <translation>Ein Metadatenschlüssel hat den falschen Typ</translation>
    </message>
    <message>
        <source>A metadata number is too large</source>
        <translation>Eine Zahl in den Metadaten ist zu groß</translation>
    </message>
    <message>
        <source>%1 is packed as MLX packs weights, but config.json does not say how</source>
        <translation>%1 ist wie von MLX gepackt, aber config.json sagt nicht, wie genau</translation>
    </message>
    <message>
        <source>%1 is packed, but config.json says that its layer is not</source>
        <translation>%1 ist gepackt, laut config.json aber seine Schicht nicht</translation>
    </message>
    <message>
        <source>%1: the quantization names a layer that does not exist: %2</source>
        <translation>%1: die Quantisierung nennt eine Schicht, die es nicht gibt: %2</translation>
    </message>
    <message>
        <source>This is a piece of a file that was cut up</source>
        <translation>Das ist ein Stück einer zerteilten Datei</translation>
    </message>
    <message>
        <source>Join the pieces in their order (cat PIECES &gt; MODEL.gguf) and open the result.</source>
        <translation>Fügen Sie die Stücke in ihrer Reihenfolge zusammen (cat STÜCKE &gt; MODELL.gguf) und öffnen Sie das Ergebnis.</translation>
    </message>
    <message>
        <source>The folder holds several GGUF files</source>
        <translation>Der Ordner enthält mehrere GGUF-Dateien</translation>
    </message>
    <message>
        <source>Open one of the files.</source>
        <translation>Öffnen Sie eine der Dateien.</translation>
    </message>
    <message>
        <source>The model cannot be read: %1</source>
        <translation>Das Modell kann nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>Check who may read its folder.</source>
        <translation>Prüfen Sie, wer seinen Ordner lesen darf.</translation>
    </message>
    <message>
        <source>The model does not exist</source>
        <translation>Das Modell gibt es nicht</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>Prüfen Sie den Pfad.</translation>
    </message>
    <message>
        <source>Not enough memory to read the model's tables</source>
        <translation>Der Speicher reicht nicht, um die Tabellen des Modells zu lesen</translation>
    </message>
    <message>
        <source>The model cannot be read</source>
        <translation>Das Modell kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>Further warnings are left out</source>
        <translation>Weitere Warnungen sind weggelassen</translation>
    </message>
    <message>
        <source>A number in the MLX quantization is not valid</source>
        <translation>Eine Zahl in der MLX-Quantisierung ist ungültig</translation>
    </message>
    <message>
        <source>The MLX quantization is not an object</source>
        <translation>Die MLX-Quantisierung ist kein Objekt</translation>
    </message>
    <message>
        <source>The MLX quantization lacks %1</source>
        <translation>Der MLX-Quantisierung fehlt %1</translation>
    </message>
    <message>
        <source>The block size of the FP8 weights is not valid</source>
        <translation>Die Blockgröße der FP8-Gewichte ist ungültig</translation>
    </message>
    <message>
        <source>%1: "%2": %3 is not known and is ignored</source>
        <translation>%1: "%2": %3 ist nicht bekannt und wird ignoriert</translation>
    </message>
    <message>
        <source>This mode of MLX quantization is not known</source>
        <translation>Diese Art der MLX-Quantisierung ist nicht bekannt</translation>
    </message>
    <message>
        <source>Choose the GGUF, the MLX or the unquantized version of this model.</source>
        <translation>Wählen Sie die GGUF-, die MLX- oder die unquantisierte Fassung dieses Modells.</translation>
    </message>
    <message>
        <source>This quantization of SafeTensors is not supported</source>
        <translation>Diese Quantisierung von SafeTensors wird nicht unterstützt</translation>
    </message>
    <message>
        <source>%1 has a NUL in its name</source>
        <translation>%1 hat ein NUL im Namen</translation>
    </message>
    <message>
        <source>%1 has an impossible shape</source>
        <translation>%1 hat eine unmögliche Form</translation>
    </message>
    <message>
        <source>%1 has no dtype</source>
        <translation>%1 hat keinen dtype</translation>
    </message>
    <message>
        <source>%1 has no valid data_offsets</source>
        <translation>%1 hat keine gültigen data_offsets</translation>
    </message>
    <message>
        <source>%1 has no valid header entry</source>
        <translation>%1 hat keinen gültigen Eintrag im Kopf</translation>
    </message>
    <message>
        <source>%1 has no valid shape</source>
        <translation>%1 hat keine gültige Form</translation>
    </message>
    <message>
        <source>%1 reaches past the end of the file</source>
        <translation>%1 reicht über das Ende der Datei hinaus</translation>
    </message>
    <message>
        <source>%1: shape and data_offsets contradict each other</source>
        <translation>%1: shape und data_offsets widersprechen sich</translation>
    </message>
    <message>
        <source>The header is not a JSON object</source>
        <translation>Der Kopf ist kein JSON-Objekt</translation>
    </message>
    <message>
        <source>__metadata__ of the header is not an object</source>
        <translation>__metadata__ im Kopf ist kein Objekt</translation>
    </message>
    <message>
        <source>__metadata__ "%1" of the header is not a string</source>
        <translation>__metadata__ "%1" im Kopf ist keine Zeichenkette</translation>
    </message>
    <message>
        <source>%1 has a dtype that SafeTensors does not define</source>
        <translation>%1 hat einen dtype, den SafeTensors nicht kennt</translation>
    </message>
    <message>
        <source>%1: %2 bytes of data belong to no tensor</source>
        <translation>%1: %2 Bytes der Daten gehören zu keinem Tensor</translation>
    </message>
    <message>
        <source>The SafeTensors header does not fit the file</source>
        <translation>Der SafeTensors-Kopf passt nicht zur Datei</translation>
    </message>
    <message>
        <source>The SafeTensors header is too long</source>
        <translation>Der SafeTensors-Kopf ist zu lang</translation>
    </message>
    <message>
        <source>The file is too short for SafeTensors</source>
        <translation>Die Datei ist zu kurz für SafeTensors</translation>
    </message>
    <message>
        <source>%1 has 8-bit floats in a layout this version cannot read</source>
        <translation>%1 hat 8-Bit-Gleitkommazahlen in einer Anordnung, die diese Version nicht lesen kann</translation>
    </message>
    <message>
        <source>The model has no layers</source>
        <translation>Das Modell hat keine Schichten</translation>
    </message>
    <message>
        <source>A layer names a rotation that does not exist</source>
        <translation>Eine Schicht nennt eine Rotation, die es nicht gibt</translation>
    </message>
    <message>
        <source>The rotary dimension is larger than a head</source>
        <translation>Die Dimension der Rotation ist größer als ein Kopf</translation>
    </message>
    <message>
        <source>An embedding model whose layers share keys and values is not supported</source>
        <translation>Ein Embedding-Modell, dessen Schichten sich Schlüssel und Werte teilen, wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A mixture of experts beside a dense feed-forward in this kind of layer is not supported</source>
        <translation>Eine Expertenmischung neben einem dichten Feed-Forward wird in dieser Art von Schicht nicht unterstützt</translation>
    </message>
    <message>
        <source>Limits of the gates of experts are supported only where gate and up are stored separately</source>
        <translation>Grenzen für die Gates von Experten werden nur unterstützt, wo Gate und Up getrennt gespeichert sind</translation>
    </message>
    <message>
        <source>Experts in a latent space in this kind of layer are not supported</source>
        <translation>Experten in einem latenten Raum werden in dieser Art von Schicht nicht unterstützt</translation>
    </message>
    <message>
        <source>Experts beside a dense feed-forward are supported only with a norm of their sum</source>
        <translation>Experten neben einem dichten Feed-Forward werden nur mit einer Norm ihrer Summe unterstützt</translation>
    </message>
    <message>
        <source>Norms of the residual sums in this kind of layer are not supported</source>
        <translation>Normen der Residualsummen werden in dieser Art von Schicht nicht unterstützt</translation>
    </message>
    <message>
        <source>A norm of the attention's result with the residual stream is not supported in this kind of layer</source>
        <translation>Eine Norm über das Ergebnis der Attention mit dem Residualstrom wird in dieser Art von Schicht nicht unterstützt</translation>
    </message>
    <message>
        <source>A layer uses keys and values of another kind</source>
        <translation>Eine Schicht benutzt Schlüssel und Werte anderer Art</translation>
    </message>
    <message>
        <source>A layer uses keys and values that no earlier layer stores</source>
        <translation>Eine Schicht benutzt Schlüssel und Werte, die keine frühere Schicht speichert</translation>
    </message>
    <message>
        <source>A layer of this kind is not supported in a model with several residual streams</source>
        <translation>Eine Schicht dieser Art wird in einem Modell mit mehreren Residualströmen nicht unterstützt</translation>
    </message>
    <message>
        <source>A layer that predicts further tokens cannot be used where devices share a model</source>
        <translation>Eine Schicht, die weitere Token vorhersagt, kann nicht genutzt werden, wo Geräte sich ein Modell teilen</translation>
    </message>
    <message>
        <source>The model has fewer layers than requested</source>
        <translation>Das Modell hat weniger Schichten als verlangt</translation>
    </message>
    <message>
        <source>The model has no experts to keep on the host</source>
        <translation>Das Modell hat keine Experten, die auf der CPU bleiben könnten</translation>
    </message>
    <message>
        <source>Experts can stay on the host only in layers that run on an accelerator</source>
        <translation>Experten können nur in Schichten auf der CPU bleiben, die auf einem Beschleuniger laufen</translation>
    </message>
    <message>
        <source>The activation's parameters are not valid</source>
        <translation>Die Parameter der Aktivierung sind ungültig</translation>
    </message>
    <message>
        <source>Attention that falls with the distance (ALiBi) is not supported</source>
        <translation>Attention, die mit der Entfernung abnimmt (ALiBi), wird nicht unterstützt</translation>
    </message>
    <message>
        <source>The head of Baichuan 2 is supported only if its rows are stored with the length 1</source>
        <translation>Der Kopf von Baichuan 2 wird nur unterstützt, wenn seine Zeilen mit der Länge 1 gespeichert sind</translation>
    </message>
    <message>
        <source>Choose another model, or a version of this one without it.</source>
        <translation>Wählen Sie ein anderes Modell oder eine Fassung von diesem ohne das.</translation>
    </message>
    <message>
        <source>The norms of the two inputs of a prediction are stored differently</source>
        <translation>Die Normen der beiden Eingaben einer Vorhersage sind verschieden gespeichert</translation>
    </message>
    <message>
        <source>The layer that predicts further tokens is not used: %1</source>
        <translation>Die Schicht, die weitere Token vorhersagt, wird nicht genutzt: %1</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>Wählen Sie ein anderes Modell.</translation>
    </message>
    <message>
        <source>Falcon H1 in MLX's format is not supported: its weights may or may not hold the model's multipliers</source>
        <translation>Falcon H1 im Format von MLX wird nicht unterstützt: Seine Gewichte können die Multiplikatoren des Modells enthalten oder auch nicht</translation>
    </message>
    <message>
        <source>Choose another copy of this model.</source>
        <translation>Wählen Sie eine andere Kopie dieses Modells.</translation>
    </message>
    <message>
        <source>The model's adapters for its tasks are not used: texts get its vectors without a task</source>
        <translation>Die Adapter des Modells für seine Aufgaben werden nicht genutzt: Texte bekommen seine Vektoren ohne Aufgabe</translation>
    </message>
    <message>
        <source>Choose another embedding model.</source>
        <translation>Wählen Sie ein anderes Embedding-Modell.</translation>
    </message>
    <message>
        <source>Queries, keys and values of a MiMo-V2 in one tensor are not supported: its rows are in no stated order</source>
        <translation>Queries, Keys und Values eines MiMo-V2 in einem Tensor werden nicht unterstützt: Die Reihenfolge seiner Zeilen ist nicht angegeben</translation>
    </message>
    <message>
        <source>Use a GGUF file of this model.</source>
        <translation>Nehmen Sie eine GGUF-Datei dieses Modells.</translation>
    </message>
    <message>
        <source>Attention that leaves out blocks of long texts is not used: every token sees all before it</source>
        <translation>Attention, die Blöcke langer Texte auslässt, wird nicht genutzt: Jedes Token sieht alle davor</translation>
    </message>
    <message>
        <source>A reranker of this kind is not supported</source>
        <translation>Ein Reranker dieser Art wird nicht unterstützt</translation>
    </message>
    <message>
        <source>The activation of the reranker's head is not supported</source>
        <translation>Die Aktivierung im Kopf des Rerankers wird nicht unterstützt</translation>
    </message>
    <message>
        <source>The head gives another number of values than a reranker's</source>
        <translation>Der Kopf gibt eine andere Zahl von Werten als der eines Rerankers</translation>
    </message>
    <message>
        <source>The pooling of the reranker's head is not supported</source>
        <translation>Das Pooling im Kopf des Rerankers wird nicht unterstützt</translation>
    </message>
    <message>
        <source>The pooling of the reranker's rows is not supported</source>
        <translation>Das Pooling der Zeilen dieses Rerankers wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Choose another reranker.</source>
        <translation>Wählen Sie einen anderen Reranker.</translation>
    </message>
    <message>
        <source>This model cannot rank by the tokens of its answer</source>
        <translation>Dieses Modell kann nicht nach den Tokens seiner Antwort ordnen</translation>
    </message>
    <message>
        <source>Choose a reranker.</source>
        <translation>Wählen Sie einen Reranker.</translation>
    </message>
    <message>
        <source>%1 is not supported</source>
        <translation>%1: nicht unterstützt</translation>
    </message>
    <message>
        <source>A Nomic BERT with norms before each block is not supported</source>
        <translation>Ein Nomic BERT mit Normen vor jedem Block wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A bias in Falcon H1 is not supported</source>
        <translation>Ein Bias in Falcon H1 wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A bias of gated queries is not supported</source>
        <translation>Ein Bias von Queries mit Gate wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A boolean in the model's config is not valid</source>
        <translation>Ein Wahrheitswert in der Konfiguration des Modells ist ungültig</translation>
    </message>
    <message>
        <source>A choice of tokens by experts in a Nomic BERT is not supported</source>
        <translation>Eine Auswahl der Token durch die Experten in einem Nomic BERT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A factor of an MPT's logits is not supported</source>
        <translation>Ein Faktor der Logits eines MPT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A layer does not exist</source>
        <translation>Eine Schicht gibt es nicht</translation>
    </message>
    <message>
        <source>A layer type is not supported</source>
        <translation>Eine Art von Schicht wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A list in the model's config is not valid</source>
        <translation>Eine Liste in der Konfiguration des Modells ist ungültig</translation>
    </message>
    <message>
        <source>A mixture of experts in MiniCPM is not supported</source>
        <translation>Eine Expertenmischung in MiniCPM wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A mixture of experts in some of Kimi's layers only is not supported</source>
        <translation>Experten in nur einigen Schichten von Kimi werden nicht unterstützt</translation>
    </message>
    <message>
        <source>A norm of each block's result in Apertus is not supported</source>
        <translation>Eine Norm am Ergebnis jedes Blocks wird in Apertus nicht unterstützt</translation>
    </message>
    <message>
        <source>A normalised head is not supported</source>
        <translation>Ein normierter Ausgabekopf wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A number in the model's config is not valid</source>
        <translation>Eine Zahl in der Konfiguration des Modells ist ungültig</translation>
    </message>
    <message>
        <source>A number in the model's config is out of range</source>
        <translation>Eine Zahl in der Konfiguration des Modells liegt außerhalb des Bereichs</translation>
    </message>
    <message>
        <source>A residual stream that is normalised before it is added is not supported</source>
        <translation>Ein Residualstrom, der vor dem Addieren normiert wird, wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A scale of the attention by the text's length is not supported</source>
        <translation>Eine Skalierung der Attention nach der Länge des Textes wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A scaled rope with a base for each layer is not supported</source>
        <translation>Eine skalierte Rotation mit einer Basis für jede Schicht wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A second choice of experts is not supported</source>
        <translation>Eine zweite Auswahl von Experten wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A shared expert in MiniMax M2 is not supported</source>
        <translation>Ein geteilter Experte in MiniMax M2 wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A shared expert in a Nomic BERT is not supported</source>
        <translation>Ein gemeinsamer Experte in einem Nomic BERT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A sliding window in SmolLM 3 is not supported</source>
        <translation>Ein gleitendes Fenster in SmolLM 3 wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A soft cap of the router's logits is not supported</source>
        <translation>Ein Soft Cap der Logits des Routers wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A soft cap on Gemma 3's scores is not supported</source>
        <translation>Ein Soft Cap der Attention-Werte von Gemma 3 wird nicht unterstützt</translation>
    </message>
    <message>
        <source>A string in the model's config is not valid</source>
        <translation>Eine Zeichenkette in der Konfiguration des Modells ist ungültig</translation>
    </message>
    <message>
        <source>A weighting of the experts' input in Laguna is not supported</source>
        <translation>Eine Gewichtung der Eingabe der Experten in Laguna wird nicht unterstützt</translation>
    </message>
    <message>
        <source>An MPT with learned positions is not supported</source>
        <translation>Ein MPT mit gelernten Positionen wird nicht unterstützt</translation>
    </message>
    <message>
        <source>An RMS norm in a Nomic BERT is not supported</source>
        <translation>RMS-Normen in einem Nomic BERT werden nicht unterstützt</translation>
    </message>
    <message>
        <source>An encoding of relative positions is not supported</source>
        <translation>Relative Positionen werden nicht unterstützt</translation>
    </message>
    <message>
        <source>Attention that is scaled by its layer is not supported</source>
        <translation>Attention, die von ihrer Schicht skaliert wird, wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Attention that is shared between layers is not supported</source>
        <translation>Attention, die sich Schichten teilen, wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Attention whose scores are not scaled is not supported in this family</source>
        <translation>Attention, deren Werte nicht skaliert sind, wird in dieser Familie nicht unterstützt</translation>
    </message>
    <message>
        <source>BERT as a decoder is not supported</source>
        <translation>BERT als Decoder wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Bidirectional attention is not supported</source>
        <translation>Bidirektionale Attention wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Clipping of queries, keys and values is not supported</source>
        <translation>Das Begrenzen von Queries, Schlüsseln und Werten wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Dynamic scaling of a Nomic BERT's rotation is not supported</source>
        <translation>Dynamische Skalierung der Rotation eines Nomic BERT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Falcon Mamba, with norms of dt, B and C, is not supported</source>
        <translation>Falcon Mamba, mit Normen von dt, B und C, wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Feed-forwards of different sizes are not supported in this family</source>
        <translation>Feed-Forwards verschiedener Größe werden in dieser Familie nicht unterstützt</translation>
    </message>
    <message>
        <source>Interleaved rotation in a Nomic BERT is not supported</source>
        <translation>Verschränkte Rotation in einem Nomic BERT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Layer %1 uses keys and values that no layer of its kind stores</source>
        <translation>Schicht %1 benutzt Schlüssel und Werte, die keine Schicht ihrer Art speichert</translation>
    </message>
    <message>
        <source>Layers of one kind with heads of different sizes are not supported</source>
        <translation>Schichten einer Art mit Köpfen verschiedener Größe werden nicht unterstützt</translation>
    </message>
    <message>
        <source>Layers that are rotated by different bases are not supported</source>
        <translation>Schichten, die mit verschiedenen Basen rotiert werden, werden nicht unterstützt</translation>
    </message>
    <message>
        <source>Layers with different numbers of key/value heads are not supported in this family</source>
        <translation>Schichten mit verschieden vielen Key/Value-Köpfen werden in dieser Familie nicht unterstützt</translation>
    </message>
    <message>
        <source>Mamba with its norm before its gate is not supported</source>
        <translation>Mamba mit seiner Norm vor dem Gate wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Normalization of the experts' shares in a Nomic BERT is not supported</source>
        <translation>Das Normieren der Anteile der Experten in einem Nomic BERT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Some tokens have no row in %1</source>
        <translation>Manche Tokens haben keine Zeile in %1</translation>
    </message>
    <message>
        <source>Some tokens have no row in %1.parametrizations%2.original</source>
        <translation>Einige Token haben keine Zeile in %1.parametrizations%2.original</translation>
    </message>
    <message>
        <source>The bases of the layers' rotation are not valid</source>
        <translation>Die Basen der Rotation der Schichten sind nicht gültig</translation>
    </message>
    <message>
        <source>The convolution is too narrow</source>
        <translation>Die Faltung ist zu schmal</translation>
    </message>
    <message>
        <source>The convolutions of a delta net differ in type</source>
        <translation>Die Faltungen eines DeltaNet haben verschiedene Typen</translation>
    </message>
    <message>
        <source>The delta net's %1 is not valid</source>
        <translation>Im DeltaNet ist ungültig: %1</translation>
    </message>
    <message>
        <source>The feed-forward size of a layer is not valid</source>
        <translation>Die Feed-Forward-Größe einer Schicht ist ungültig</translation>
    </message>
    <message>
        <source>The first of the periodic layers is not valid</source>
        <translation>Die erste der periodischen Schichten ist ungültig</translation>
    </message>
    <message>
        <source>The groups do not divide the heads of Mamba</source>
        <translation>Die Gruppen gehen nicht in den Köpfen von Mamba auf</translation>
    </message>
    <message>
        <source>The groups of experts do not match their number</source>
        <translation>Die Gruppen der Experten passen nicht zu deren Zahl</translation>
    </message>
    <message>
        <source>The heads do not divide the hidden size</source>
        <translation>Die Köpfe gehen nicht in der verborgenen Größe auf</translation>
    </message>
    <message>
        <source>The heads do not divide the inner size</source>
        <translation>Die Köpfe gehen nicht in der inneren Größe auf</translation>
    </message>
    <message>
        <source>The heads of a layer are not valid</source>
        <translation>Die Köpfe einer Schicht sind ungültig</translation>
    </message>
    <message>
        <source>The heads of layers with a window are not valid</source>
        <translation>Die Köpfe der Schichten mit einem Fenster sind ungültig</translation>
    </message>
    <message>
        <source>The key heads do not divide the value heads</source>
        <translation>Die Key-Köpfe gehen nicht in den Value-Köpfen auf</translation>
    </message>
    <message>
        <source>The key/value heads do not divide the query heads</source>
        <translation>Die Key/Value-Köpfe gehen nicht in den Query-Köpfen auf</translation>
    </message>
    <message>
        <source>The kind of positions is not valid</source>
        <translation>Die Art der Positionen ist ungültig</translation>
    </message>
    <message>
        <source>The kinds of feed-forward are not valid</source>
        <translation>Die Arten des Feed-Forward sind ungültig</translation>
    </message>
    <message>
        <source>The layer types are not valid</source>
        <translation>Die Arten der Schichten sind ungültig</translation>
    </message>
    <message>
        <source>The layer types contradict the layers without rope</source>
        <translation>Die Arten der Schichten widersprechen den Schichten ohne RoPE</translation>
    </message>
    <message>
        <source>The layer types do not match the number of layers</source>
        <translation>Die Arten der Schichten passen nicht zu deren Zahl</translation>
    </message>
    <message>
        <source>The layers with attention are not valid</source>
        <translation>Die Schichten mit Attention sind ungültig</translation>
    </message>
    <message>
        <source>The layers without experts are not valid</source>
        <translation>Die Schichten ohne Experten sind ungültig</translation>
    </message>
    <message>
        <source>The limit of a layer's gates is not valid</source>
        <translation>Die Grenze für die Gates einer Schicht ist ungültig</translation>
    </message>
    <message>
        <source>The limit of queries, keys and values is not valid</source>
        <translation>Die Grenze der Queries, Keys und Values ist nicht gültig</translation>
    </message>
    <message>
        <source>The limits of a step are not valid</source>
        <translation>Die Grenzen eines Schrittes sind ungültig</translation>
    </message>
    <message>
        <source>The list of layers is not valid</source>
        <translation>Die Liste der Schichten ist ungültig</translation>
    </message>
    <message>
        <source>The list of layers without rope is not valid</source>
        <translation>Die Liste der Schichten ohne RoPE ist ungültig</translation>
    </message>
    <message>
        <source>The list of mixtures is not valid</source>
        <translation>Die Liste der Expertenmischungen ist ungültig</translation>
    </message>
    <message>
        <source>The list of the layers' rope bases is not valid</source>
        <translation>Die Liste der Rotationsbasen der Schichten ist ungültig</translation>
    </message>
    <message>
        <source>The model's config lacks %1</source>
        <translation>Der Konfiguration des Modells fehlt %1</translation>
    </message>
    <message>
        <source>The model's config lacks %1.parametrizations%2.original</source>
        <translation>Der Konfiguration des Modells fehlt %1.parametrizations%2.original</translation>
    </message>
    <message>
        <source>The model's config lacks rope_parameters</source>
        <translation>Der Konfiguration des Modells fehlt rope_parameters</translation>
    </message>
    <message>
        <source>The model's config lacks the layer types</source>
        <translation>Der Konfiguration des Modells fehlen die Arten der Schichten</translation>
    </message>
    <message>
        <source>The multipliers are not valid</source>
        <translation>Die Multiplikatoren sind ungültig</translation>
    </message>
    <message>
        <source>The norms of Mamba's B and C differ in type</source>
        <translation>Die Normen von B und C in Mamba haben verschiedene Typen</translation>
    </message>
    <message>
        <source>The norms of the heads differ in type</source>
        <translation>Die Normen der Köpfe haben verschiedene Typen</translation>
    </message>
    <message>
        <source>The number of experts used is not supported</source>
        <translation>Diese Zahl benutzter Experten wird nicht unterstützt</translation>
    </message>
    <message>
        <source>The number of key heads is not valid</source>
        <translation>Die Zahl der Key-Köpfe ist nicht gültig</translation>
    </message>
    <message>
        <source>The number of layers without keys and values is not valid</source>
        <translation>Die Zahl der Schichten ohne Schlüssel und Werte ist ungültig</translation>
    </message>
    <message>
        <source>The order of the layers is not supported</source>
        <translation>Die Reihenfolge der Schichten wird nicht unterstützt</translation>
    </message>
    <message>
        <source>The padding token leaves no positions</source>
        <translation>Das Auffülltoken lässt keine Positionen übrig</translation>
    </message>
    <message>
        <source>The rope scaling has the wrong number of factors</source>
        <translation>Die RoPE-Skalierung hat die falsche Zahl von Faktoren</translation>
    </message>
    <message>
        <source>The rope scaling has two magnitudes</source>
        <translation>Die RoPE-Skalierung hat zwei Stärken</translation>
    </message>
    <message>
        <source>The rope scaling is not valid</source>
        <translation>Die RoPE-Skalierung ist ungültig</translation>
    </message>
    <message>
        <source>The rope scaling lacks %1</source>
        <translation>Der RoPE-Skalierung fehlt %1</translation>
    </message>
    <message>
        <source>The rope scaling's %1 is not valid</source>
        <translation>In der RoPE-Skalierung ist %1 ungültig</translation>
    </message>
    <message>
        <source>The rope scaling's frequency factors are out of order</source>
        <translation>Die Frequenzfaktoren der RoPE-Skalierung stehen in der falschen Reihenfolge</translation>
    </message>
    <message>
        <source>The rotated part of a head is not valid</source>
        <translation>Der gedrehte Teil eines Kopfes ist ungültig</translation>
    </message>
    <message>
        <source>The rotated part of a head must have an even size</source>
        <translation>Der gedrehte Teil eines Kopfes muss eine gerade Größe haben</translation>
    </message>
    <message>
        <source>The scaling of the rotation is not valid</source>
        <translation>Die Skalierung der Rotation ist ungültig</translation>
    </message>
    <message>
        <source>The size of the feed-forward is out of range</source>
        <translation>Die Größe des Feed-Forward liegt außerhalb des Bereichs</translation>
    </message>
    <message>
        <source>The sliding window is not valid</source>
        <translation>Das gleitende Fenster ist ungültig</translation>
    </message>
    <message>
        <source>The slopes of the attention are not valid</source>
        <translation>Die Steigungen der Attention sind ungültig</translation>
    </message>
    <message>
        <source>The sparsity of the gates is not valid</source>
        <translation>Die Angabe, wie dünn die Gates besetzt sind, ist ungültig</translation>
    </message>
    <message>
        <source>The temperature of the reranker's scores is not valid</source>
        <translation>Die Temperatur der Bewertungen des Rerankers ist nicht gültig</translation>
    </message>
    <message>
        <source>The vocabulary is too large</source>
        <translation>Das Vokabular ist zu groß</translation>
    </message>
    <message>
        <source>These positions are not supported</source>
        <translation>Diese Positionen werden nicht unterstützt</translation>
    </message>
    <message>
        <source>These residual streams are not supported</source>
        <translation>Diese Residualströme werden nicht unterstützt</translation>
    </message>
    <message>
        <source>This SwiGLU limit is not supported</source>
        <translation>Diese Begrenzung von SwiGLU wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This activation is not supported</source>
        <translation>Diese Aktivierung wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This activation is not supported in Apertus</source>
        <translation>Diese Aktivierung wird in Apertus nicht unterstützt</translation>
    </message>
    <message>
        <source>This attention of a layer is not supported</source>
        <translation>Diese Attention einer Schicht wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This combination with the shared expert is not supported</source>
        <translation>Diese Verbindung mit dem gemeinsamen Experten wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This feed-forward is not supported</source>
        <translation>Dieses Feed-Forward wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This feed-forward of a Jina BERT is not supported</source>
        <translation>Dieses Feed-Forward eines Jina BERT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This feed-forward of a layer is not supported</source>
        <translation>Dieses Feed-Forward einer Schicht wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This function of scoring experts is not supported</source>
        <translation>Diese Bewertung der Experten wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This head size is not supported</source>
        <translation>Diese Kopfgröße wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This kind of an MPT's attention is not supported</source>
        <translation>Diese Art der Attention eines MPT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This list is not supported</source>
        <translation>Diese Liste wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This method of choosing experts is not supported</source>
        <translation>Diese Art, Experten zu wählen, wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This part of Nanbeige is not supported</source>
        <translation>Dieser Teil von Nanbeige wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This part of a GTE model is not supported</source>
        <translation>Dieser Teil eines GTE-Modells wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This part of an MPT's attention is not supported</source>
        <translation>Dieser Teil der Attention eines MPT wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This rope scaling is not supported</source>
        <translation>Diese RoPE-Skalierung wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This scaling of a GTE model's rotation is not supported</source>
        <translation>Diese Skalierung der Rotation eines GTE-Modells wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This structure of ChatGLM is not supported</source>
        <translation>Dieser Aufbau von ChatGLM wird nicht unterstützt</translation>
    </message>
    <message>
        <source>What differs in single layers is not supported</source>
        <translation>Was sich in einzelnen Schichten unterscheidet, wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Which layers are mixtures of experts is not valid</source>
        <translation>Die Angabe, welche Schichten Experten haben, ist nicht gültig</translation>
    </message>
    <message>
        <source>The model lacks the tensor %1</source>
        <translation>Dem Modell fehlt der Tensor %1</translation>
    </message>
    <message>
        <source>The model lacks the tensor %1.parametrizations%2.original</source>
        <translation>Dem Modell fehlt der Tensor %1.parametrizations%2.original</translation>
    </message>
    <message>
        <source>The model's files contradict each other, or MLX's tools wrote it in a layout that is not known yet; download them again, or choose the SafeTensors or the GGUF version.</source>
        <translation>Die Dateien des Modells widersprechen sich, oder MLX hat es in einer Anordnung geschrieben, die noch nicht bekannt ist; laden Sie sie noch einmal herunter oder wählen Sie die SafeTensors- oder die GGUF-Fassung.</translation>
    </message>
    <message>
        <source>Tensor %1 does not have the shape given by the model's config</source>
        <translation>Tensor %1 hat nicht die Form, die die Konfiguration des Modells angibt</translation>
    </message>
    <message>
        <source>Tensor %1.parametrizations%2.original does not have the shape given by the model's config</source>
        <translation>Der Tensor %1.parametrizations%2.original hat nicht die Form, die die Konfiguration des Modells angibt</translation>
    </message>
    <message>
        <source>Tensor %1 is a vector, which cannot be quantized</source>
        <translation>Tensor %1 ist ein Vektor und kann nicht quantisiert sein</translation>
    </message>
    <message>
        <source>Tensor %1.parametrizations%2.original is a vector, which cannot be quantized</source>
        <translation>Der Tensor %1.parametrizations%2.original ist ein Vektor und lässt sich nicht quantisieren</translation>
    </message>
    <message>
        <source>Tensor %1 has an element type that weights cannot have</source>
        <translation>Tensor %1 hat einen Elementtyp, den Gewichte nicht haben können</translation>
    </message>
    <message>
        <source>Tensor %1.parametrizations%2.original has an element type that weights cannot have</source>
        <translation>Der Tensor %1.parametrizations%2.original hat einen Elementtyp, den Gewichte nicht haben können</translation>
    </message>
    <message>
        <source>Tensor %1 is quantized along the wrong dimension</source>
        <translation>Tensor %1 ist entlang der falschen Dimension quantisiert</translation>
    </message>
    <message>
        <source>Choose another copy of this model, such as a GGUF file.</source>
        <translation>Wählen Sie eine andere Kopie dieses Modells, etwa eine GGUF-Datei.</translation>
    </message>
    <message>
        <source>The parts of a fused matrix share their scales</source>
        <translation>Die Teile einer verschmolzenen Matrix teilen sich ihre Skalen</translation>
    </message>
    <message>
        <source>Tensor %1 has a scale for the whole tensor, which is not supported</source>
        <translation>Tensor %1 hat eine Skala für den ganzen Tensor; das wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Choose a copy of this model in another type.</source>
        <translation>Wählen Sie eine Kopie dieses Modells in einem anderen Typ.</translation>
    </message>
    <message>
        <source>%1 tensors are not used: %2</source>
        <translation>%1 Tensoren werden nicht benutzt: %2</translation>
    </message>
    <message>
        <source>%1 tensors are not used: %2, ...</source>
        <translation>%1 Tensoren werden nicht benutzt: %2, ...</translation>
    </message>
    <message>
        <source>The model's parts for images and sound are not used (%1 tensors); it reads text only</source>
        <translation>Die Teile des Modells für Bilder und Ton werden nicht benutzt (%1 Tensoren); es liest nur Text</translation>
    </message>
    <message>
        <source>The model's parts that predict the tokens after the next one are not used (%1 tensors)</source>
        <translation>Die Teile des Modells, die Tokens nach dem nächsten voraussagen, werden nicht benutzt (%1 Tensoren)</translation>
    </message>
    <message>
        <source>The rope scaling's attn_factor of %1 is not used, as in Transformers; other programs may use it</source>
        <translation>Der attn_factor von %1 der RoPE-Skalierung wird nicht benutzt, wie in Transformers; andere Programme benutzen ihn vielleicht</translation>
    </message>
    <message>
        <source>The rope scaling "dynamic" starts beyond %1 tokens; it is not applied</source>
        <translation>Die RoPE-Skalierung "dynamic" beginnt jenseits von %1 Tokens; sie wird nicht angewendet</translation>
    </message>
    <message>
        <source>Tensor %1.weight holds a factor that is not valid</source>
        <translation>Tensor %1.weight enthält einen ungültigen Faktor</translation>
    </message>
    <message>
        <source>The file does not state its architecture</source>
        <translation>Die Datei nennt ihre Architektur nicht</translation>
    </message>
    <message>
        <source>There is no config.json beside the weights</source>
        <translation>Neben den Gewichten liegt keine config.json</translation>
    </message>
    <message>
        <source>config.json does not state an architecture</source>
        <translation>config.json nennt keine Architektur</translation>
    </message>
    <message>
        <source>Without it the weights cannot be interpreted; download the whole model.</source>
        <translation>Ohne sie lassen sich die Gewichte nicht deuten; laden Sie das ganze Modell herunter.</translation>
    </message>
    <message>
        <source>The weights are in Mistral's own format, which is not read</source>
        <translation>Die Gewichte sind in Mistrals eigenem Format, das nicht gelesen wird</translation>
    </message>
    <message>
        <source>Choose the version of this model for Transformers, or a GGUF file.</source>
        <translation>Wählen Sie die Fassung dieses Modells für Transformers oder eine GGUF-Datei.</translation>
    </message>
    <message>
        <source>This is an adapter, which only changes another model</source>
        <translation>Das ist ein Adapter, der nur ein anderes Modell verändert</translation>
    </message>
    <message>
        <source>Adapters are not supported. Choose a version of the model with the adapter merged into it.</source>
        <translation>Adapter werden nicht unterstützt. Wählen Sie eine Fassung des Modells, in die der Adapter eingearbeitet ist.</translation>
    </message>
    <message>
        <source>This is an importance matrix, which only quantizing a model needs</source>
        <translation>Das ist eine Wichtigkeitsmatrix, die nur zum Quantisieren eines Modells gebraucht wird</translation>
    </message>
    <message>
        <source>Open the model it belongs to.</source>
        <translation>Öffnen Sie das Modell, zu dem sie gehört.</translation>
    </message>
    <message>
        <source>This is only the part of a model that sees or hears</source>
        <translation>Das ist nur der Teil eines Modells, der sieht oder hört</translation>
    </message>
    <message>
        <source>The architecture "%1" is not supported yet</source>
        <translation>Die Architektur „%1“ wird noch nicht unterstützt</translation>
    </message>
    <message>
        <source>Choose a model of one of these families.</source>
        <translation>Wählen Sie ein Modell aus einer dieser Familien.</translation>
    </message>
    <message>
        <source>Choose a model of that family, or look for a newer Minerva.</source>
        <translation>Wählen Sie ein Modell dieser Familie oder sehen Sie nach einem neueren Minerva.</translation>
    </message>
    <message>
        <source>%1 %2 is outside the vocabulary of %3</source>
        <translation>%1 %2 liegt außerhalb des Vokabulars von %3</translation>
    </message>
    <message>
        <source>The tokenizer has more tokens than the embedding has rows</source>
        <translation>Der Tokenizer hat mehr Tokens, als die Einbettung Zeilen hat</translation>
    </message>
    <message>
        <source>The model was converted wrongly; choose another copy.</source>
        <translation>Das Modell wurde falsch umgewandelt; wählen Sie eine andere Kopie.</translation>
    </message>
    <message>
        <source>The tokenizer has %1 tokens, the embedding %2 rows</source>
        <translation>Der Tokenizer hat %1 Tokens, die Einbettung %2 Zeilen</translation>
    </message>
    <message>
        <source>A dense layer is too large</source>
        <translation>Eine dichte Schicht ist zu groß</translation>
    </message>
    <message>
        <source>A dense layer's activation is not supported</source>
        <translation>Die Aktivierung einer dichten Schicht wird nicht unterstützt</translation>
    </message>
    <message>
        <source>Attention in both directions is not supported in this model</source>
        <translation>Attention in beide Richtungen wird in diesem Modell nicht unterstützt</translation>
    </message>
    <message>
        <source>Pooling without the prompt's tokens is not supported</source>
        <translation>Pooling ohne die Tokens des Prompts wird nicht unterstützt</translation>
    </message>
    <message>
        <source>This part of an embedding model is not supported at its place</source>
        <translation>Dieser Teil eines Embedding-Modells wird an seiner Stelle nicht unterstützt</translation>
    </message>
    <message>
        <source>This pooling is not known</source>
        <translation>Dieses Pooling ist nicht bekannt</translation>
    </message>
    <message>
        <source>This pooling is not supported</source>
        <translation>Dieses Pooling wird nicht unterstützt</translation>
    </message>
    <message>
        <source>The file does not say how the rows of a text become one vector: their mean is used</source>
        <translation>Die Datei sagt nicht, wie aus den Zeilen eines Textes ein Vektor wird: ihr Mittel wird benutzt</translation>
    </message>
    <message>
        <source>A server that other machines reach needs a key</source>
        <translation>Ein Server, den andere Rechner erreichen, braucht einen Schlüssel</translation>
    </message>
    <message>
        <source>The body is too long</source>
        <translation>Der Inhalt der Anfrage ist zu lang</translation>
    </message>
    <message>
        <source>The body did not arrive whole</source>
        <translation>Der Inhalt der Anfrage kam nicht vollständig an</translation>
    </message>
    <message>
        <source>The model cannot be loaded: %1</source>
        <translation>Das Modell kann nicht geladen werden: %1</translation>
    </message>
    <message>
        <source>The model is loaded again for the next request.</source>
        <translation>Das Modell wird für die nächste Anfrage neu geladen.</translation>
    </message>
    <message>
        <source>The server could not answer</source>
        <translation>Der Server konnte nicht antworten</translation>
    </message>
    <message>
        <source>Out of memory is the likely cause</source>
        <translation>Wahrscheinlich reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>The server cannot listen</source>
        <translation>Der Server kann keinen Port öffnen</translation>
    </message>
    <message>
        <source>Choose another port; 0 takes a free one</source>
        <translation>Wählen Sie einen anderen Port; 0 nimmt einen freien</translation>
    </message>
    <message>
        <source>The server cannot take connections</source>
        <translation>Der Server kann keine Verbindungen annehmen</translation>
    </message>
    <message>
        <source>A server needs one model</source>
        <translation>Ein Server braucht ein Modell</translation>
    </message>
    <message>
        <source>The report could not be written</source>
        <translation>Der Bericht konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>Choose a folder that exists and may be written to.</source>
        <translation>Wählen Sie einen Ordner, den es gibt und in den Sie schreiben dürfen.</translation>
    </message>
    <message>
        <source>This is no report of speeds: %1</source>
        <translation>Das ist kein Bericht über Geschwindigkeiten: %1</translation>
    </message>
    <message>
        <source>This is no report of speeds: the file</source>
        <translation>Das ist kein Bericht über Geschwindigkeiten: die Datei</translation>
    </message>
    <message>
        <source>This is no report of speeds: it is too long</source>
        <translation>Das ist kein Bericht über Geschwindigkeiten: Er ist zu lang</translation>
    </message>
    <message>
        <source>The first reply ended before the last began, so that they cannot be measured together</source>
        <translation>Die erste Antwort endete, bevor die letzte begann; so lassen sie sich nicht zusammen messen</translation>
    </message>
    <message>
        <source>Measure longer replies, or fewer at once</source>
        <translation>Messen Sie längere Antworten oder weniger auf einmal</translation>
    </message>
    <message>
        <source>The model's chat template cannot turn reasoning on or off</source>
        <translation>Die Chatvorlage des Modells kann das Denken nicht ein- oder ausschalten</translation>
    </message>
    <message>
        <source>The model's chat template does not know this effort of reasoning</source>
        <translation>Die Chatvorlage des Modells kennt diesen Denkaufwand nicht</translation>
    </message>
    <message>
        <source>The model's chat template has no efforts of reasoning</source>
        <translation>Die Chatvorlage des Modells kennt keinen Denkaufwand</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>%1 kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the tokenizer's %1 has an invalid '%2'</source>
        <translation>im Tokenizer hat %1 ein ungültiges '%2'</translation>
    </message>
    <message>
        <source>the tokenizer's added token has an invalid '%1'</source>
        <translation>im Tokenizer hat ein hinzugefügtes Token ein ungültiges '%1'</translation>
    </message>
    <message>
        <source>the tokenizer's added tokens has an invalid '%1'</source>
        <translation>im Tokenizer haben die hinzugefügten Tokens ein ungültiges '%1'</translation>
    </message>
    <message>
        <source>the tokenizer's normalization table is damaged</source>
        <translation>die Normalisierungstabelle des Tokenizers ist beschädigt</translation>
    </message>
    <message>
        <source>the tokenizer's normalizers are nested too deeply</source>
        <translation>die Normalizer des Tokenizers sind zu tief verschachtelt</translation>
    </message>
    <message>
        <source>normalizer '%1' is not known</source>
        <translation>Normalizer '%1' ist nicht bekannt</translation>
    </message>
    <message>
        <source>the regular expression '%1' cannot be used</source>
        <translation>der reguläre Ausdruck '%1' lässt sich nicht benutzen</translation>
    </message>
    <message>
        <source>a regular expression is too long</source>
        <translation>ein regulärer Ausdruck ist zu lang</translation>
    </message>
    <message>
        <source>the tokenizer's decoders are nested too deeply</source>
        <translation>die Decoder des Tokenizers sind zu tief verschachtelt</translation>
    </message>
    <message>
        <source>decoder '%1' is not known</source>
        <translation>Decoder '%1' ist nicht bekannt</translation>
    </message>
    <message>
        <source>the tokenizer's post-processors are nested too deeply</source>
        <translation>die Post-Processors des Tokenizers sind zu tief verschachtelt</translation>
    </message>
    <message>
        <source>post-processor '%1' is not known</source>
        <translation>Post-Processor '%1' ist nicht bekannt</translation>
    </message>
    <message>
        <source>the tokenizer's pre-tokenizers are nested too deeply</source>
        <translation>die Pre-Tokenizer des Tokenizers sind zu tief verschachtelt</translation>
    </message>
    <message>
        <source>pre-tokenizer '%1' is not known</source>
        <translation>Pre-Tokenizer '%1' ist nicht bekannt</translation>
    </message>
    <message>
        <source>pre-tokenizer '%1' is not known; known: %2</source>
        <translation>Pre-Tokenizer '%1' ist nicht bekannt; bekannt: %2</translation>
    </message>
    <message>
        <source>Without it, text would be split incorrectly; a newer version of Minerva may support it.</source>
        <translation>Ohne ihn würde Text falsch zerlegt; eine neuere Version von Minerva kennt ihn vielleicht.</translation>
    </message>
    <message>
        <source>a token of ChatGLM's is among the pieces already</source>
        <translation>ein Token von ChatGLM ist schon unter den Stücken</translation>
    </message>
    <message>
        <source>The files belong to different models; download them again.</source>
        <translation>Die Dateien gehören zu verschiedenen Modellen; laden Sie sie erneut herunter.</translation>
    </message>
    <message>
        <source>no file says whether this is ChatGLM2 or ChatGLM3: the tokens of ChatGLM3's roles are taken to be there</source>
        <translation>keine Datei sagt, ob dies ChatGLM2 oder ChatGLM3 ist: angenommen wird, dass es die Tokens der Rollen von ChatGLM3 gibt</translation>
    </message>
    <message>
        <source>tokenizer_config.json's %1 is not in the vocabulary: ignored</source>
        <translation>%1 in tokenizer_config.json gehört nicht zum Vokabular: wird ignoriert</translation>
    </message>
    <message>
        <source>%1's %2 is outside the vocabulary: ignored</source>
        <translation>%2 in %1 liegt außerhalb des Vokabulars: wird ignoriert</translation>
    </message>
    <message>
        <source>an added token has an impossible id</source>
        <translation>ein hinzugefügtes Token hat eine unmögliche Nummer</translation>
    </message>
    <message>
        <source>added token %1 contradicts the vocabulary</source>
        <translation>das hinzugefügte Token %1 widerspricht dem Vokabular</translation>
    </message>
    <message>
        <source>there is not enough memory for the tokenizer</source>
        <translation>der Speicher reicht nicht für den Tokenizer</translation>
    </message>
    <message>
        <source>the tokenizer cannot be read</source>
        <translation>der Tokenizer kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the model has no tokenizer</source>
        <translation>das Modell hat keinen Tokenizer</translation>
    </message>
    <message>
        <source>Download the folder as a whole, or choose a GGUF of this model.</source>
        <translation>Laden Sie den ganzen Ordner herunter oder wählen Sie ein GGUF dieses Modells.</translation>
    </message>
    <message>
        <source>merge %1 is not two tokens separated by a space</source>
        <translation>Merge %1 besteht nicht aus zwei durch ein Leerzeichen getrennten Tokens</translation>
    </message>
    <message>
        <source>merge %1 names a token that is not in the vocabulary</source>
        <translation>Merge %1 nennt ein Token, das nicht zum Vokabular gehört</translation>
    </message>
    <message>
        <source>the file has no complete tokenizer</source>
        <translation>die Datei hat keinen vollständigen Tokenizer</translation>
    </message>
    <message>
        <source>Convert the model again, with its tokenizer.</source>
        <translation>Wandeln Sie das Modell neu um, mit seinem Tokenizer.</translation>
    </message>
    <message>
        <source>%1 merges (tokenizer.ggml.merges) name tokens that are not in the vocabulary, such as '%2': text does not become these</source>
        <translation>%1 Verschmelzungen (tokenizer.ggml.merges) nennen Tokens, die nicht im Vokabular sind, etwa '%2': Text wird nicht zu diesen</translation>
    </message>
    <message>
        <source>control token %1 is too long</source>
        <translation>das Steuertoken %1 ist zu lang</translation>
    </message>
    <message>
        <source>the number of scores differs from the number of tokens</source>
        <translation>die Zahl der Bewertungen ist nicht die der Tokens</translation>
    </message>
    <message>
        <source>the number of token types differs from the number of tokens</source>
        <translation>die Zahl der Token-Arten ist nicht die der Tokens</translation>
    </message>
    <message>
        <source>the vocabulary is empty</source>
        <translation>das Vokabular ist leer</translation>
    </message>
    <message>
        <source>the vocabulary is too large</source>
        <translation>das Vokabular ist zu groß</translation>
    </message>
    <message>
        <source>token %1 has a type that does not exist</source>
        <translation>Token %1 hat eine Art, die es nicht gibt</translation>
    </message>
    <message>
        <source>tokens %1 and %2 are the same</source>
        <translation>die Tokens %1 und %2 sind gleich</translation>
    </message>
    <message>
        <source>%1 tokens have no type (tokenizer.ggml.token_type): they are taken to be unused</source>
        <translation>%1 Tokens haben keine Art (tokenizer.ggml.token_type): sie gelten als unbenutzt</translation>
    </message>
    <message>
        <source>%1 is %2, outside the vocabulary of %3: ignored</source>
        <translation>%1 ist %2, außerhalb des Vokabulars von %3: wird ignoriert</translation>
    </message>
    <message>
        <source>the file does not name %1: '%2' is taken</source>
        <translation>die Datei nennt %1 nicht: '%2' wird genommen</translation>
    </message>
    <message>
        <source>the file names no pre-tokenizer (tokenizer.ggml.pre): the oldest one is used, and text may be split incorrectly</source>
        <translation>die Datei nennt keinen Pre-Tokenizer (tokenizer.ggml.pre): der älteste wird benutzt, und Text wird vielleicht falsch zerlegt</translation>
    </message>
    <message>
        <source>token %1 is not valid UTF-8</source>
        <translation>Token %1 ist kein gültiges UTF-8</translation>
    </message>
    <message>
        <source>tokenizer kind '%1' is not known</source>
        <translation>Tokenizer der Art '%1' ist nicht bekannt</translation>
    </message>
    <message>
        <source>added token %1 is far outside the vocabulary</source>
        <translation>das hinzugefügte Token %1 liegt weit außerhalb des Vokabulars</translation>
    </message>
    <message>
        <source>added token %1 is too long</source>
        <translation>das hinzugefügte Token %1 ist zu lang</translation>
    </message>
    <message>
        <source>the tokenizer has no %1</source>
        <translation>dem Tokenizer fehlt %1</translation>
    </message>
    <message>
        <source>the unknown token is not in the vocabulary</source>
        <translation>das unbekannte Token gehört nicht zum Vokabular</translation>
    </message>
    <message>
        <source>token %1 has an impossible id</source>
        <translation>Token %1 hat eine unmögliche Nummer</translation>
    </message>
    <message>
        <source>token %1 has two ids</source>
        <translation>Token %1 hat zwei Nummern</translation>
    </message>
    <message>
        <source>tokenizer.json has no model</source>
        <translation>tokenizer.json enthält kein Modell</translation>
    </message>
    <message>
        <source>two tokens have the id %1</source>
        <translation>zwei Tokens haben die Nummer %1</translation>
    </message>
    <message>
        <source>token %1 is too long</source>
        <translation>Token %1 ist zu lang</translation>
    </message>
    <message>
        <source>tokenizer model '%1' is not known</source>
        <translation>Tokenizer-Modell '%1' ist nicht bekannt</translation>
    </message>
    <message>
        <source>tokenizer model without a type is not known</source>
        <translation>ein Tokenizer-Modell ohne Typ ist nicht bekannt</translation>
    </message>
    <message>
        <source>Added tokens of tokenizer.json contradict its vocabulary, which counts: %1 has the id %2, not %3</source>
        <translation>Hinzugefügte Tokens von tokenizer.json widersprechen dessen Vokabular, das gilt: %1 hat die Nummer %2, nicht %3</translation>
    </message>
    <message>
        <source>a byte has no token</source>
        <translation>ein Byte hat kein Token</translation>
    </message>
    <message>
        <source>a rank has no token</source>
        <translation>ein Rang hat kein Token</translation>
    </message>
    <message>
        <source>a token has an impossible rank</source>
        <translation>ein Token hat einen unmöglichen Rang</translation>
    </message>
    <message>
        <source>line %1 is not a token and its rank</source>
        <translation>Zeile %1 ist kein Token mit seinem Rang</translation>
    </message>
    <message>
        <source>special token %1 has an impossible name</source>
        <translation>das Sondertoken %1 hat einen unmöglichen Namen</translation>
    </message>
    <message>
        <source>special token %1 has the id of a rank</source>
        <translation>das Sondertoken %1 hat die Nummer eines Rangs</translation>
    </message>
    <message>
        <source>the token of rank %1 is not in base64</source>
        <translation>das Token mit Rang %1 ist nicht in Base64</translation>
    </message>
    <message>
        <source>the vocabulary is too small</source>
        <translation>das Vokabular ist zu klein</translation>
    </message>
    <message>
        <source>two special tokens have the same id</source>
        <translation>zwei Sondertokens haben dieselbe Nummer</translation>
    </message>
    <message>
        <source>two tokens are the same</source>
        <translation>zwei Tokens sind gleich</translation>
    </message>
    <message>
        <source>two tokens have the same rank</source>
        <translation>zwei Tokens haben denselben Rang</translation>
    </message>
    <message>
        <source>%1 has a type that does not exist</source>
        <translation>%1 hat einen Typ, den es nicht gibt</translation>
    </message>
    <message>
        <source>%1 has an invalid score</source>
        <translation>%1 hat eine ungültige Bewertung</translation>
    </message>
    <message>
        <source>%1 is empty</source>
        <translation>%1 ist leer</translation>
    </message>
    <message>
        <source>pieces %1 and %2 are the same</source>
        <translation>die Stücke %1 und %2 sind gleich</translation>
    </message>
    <message>
        <source>there are two unknown pieces</source>
        <translation>es gibt zwei unbekannte Stücke</translation>
    </message>
    <message>
        <source>there is no unknown piece</source>
        <translation>es gibt kein unbekanntes Stück</translation>
    </message>
    <message>
        <source>this is not a sentencepiece model</source>
        <translation>das ist kein SentencePiece-Modell</translation>
    </message>
    <message>
        <source>a sentencepiece model of kind '%1' is not known</source>
        <translation>ein SentencePiece-Modell der Art '%1' ist nicht bekannt</translation>
    </message>
    <message>
        <source>tekken.json has no usable '%1'</source>
        <translation>tekken.json hat kein brauchbares '%1'</translation>
    </message>
    <message>
        <source>it is not known how this %1 splits text</source>
        <translation>es ist nicht bekannt, wie dieses %1 Text zerlegt</translation>
    </message>
    <message>
        <source>Choose a GGUF of this model, or a folder with tokenizer.json.</source>
        <translation>Wählen Sie ein GGUF dieses Modells oder einen Ordner mit tokenizer.json.</translation>
    </message>
    <message>
        <source>the chat template cannot be read: %1</source>
        <translation>die Chatvorlage kann nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>the chat template failed: %1</source>
        <translation>die Chatvorlage ist gescheitert: %1</translation>
    </message>
    <message>
        <source>not enough memory to render the chat template</source>
        <translation>der Speicher reicht nicht, um die Chatvorlage auszuführen</translation>
    </message>
    <message>
        <source>continue_final_message: the final message does not appear in the prompt that the template generates</source>
        <translation>continue_final_message: die letzte Nachricht kommt in dem Prompt nicht vor, den die Vorlage erzeugt</translation>
    </message>
    <message>
        <source>continue_final_message: the final message has no "content" to continue</source>
        <translation>continue_final_message: die letzte Nachricht hat kein "content" zum Fortsetzen</translation>
    </message>
    <message>
        <source>continue_final_message: the final message has no text to continue</source>
        <translation>continue_final_message: die letzte Nachricht hat keinen Text zum Fortsetzen</translation>
    </message>
    <message>
        <source>continue_final_message: the template does not use "content"</source>
        <translation>continue_final_message: die Vorlage benutzt "content" nicht</translation>
    </message>
    <message>
        <source>continue_final_message: there is no final message</source>
        <translation>continue_final_message: es gibt keine letzte Nachricht</translation>
    </message>
    <message>
        <source>The chat template takes too long</source>
        <translation>Die Chatvorlage braucht zu lange</translation>
    </message>
    <message>
        <source>This program was built without Vulkan</source>
        <translation>Dieses Programm wurde ohne Vulkan gebaut</translation>
    </message>
    <message>
        <source>There is no such device</source>
        <translation>Ein solches Gerät gibt es nicht</translation>
    </message>
    <message>
        <source>minerva-bench devices lists them.</source>
        <translation>minerva-bench devices listet sie auf.</translation>
    </message>
    <message>
        <source>A model can be shared only between GPUs, and between GPUs and the CPU as the last device</source>
        <translation>Ein Modell lässt sich nur auf GPUs verteilen, oder auf GPUs und die CPU als letztes Gerät</translation>
    </message>
    <message>
        <source>A GPU can take part only once, because its memory would be counted twice</source>
        <translation>Eine GPU kann nur einmal teilnehmen, weil ihr Speicher sonst doppelt gezählt würde</translation>
    </message>
    <message>
        <source>No device here can run models</source>
        <translation>Kein Gerät hier kann Modelle ausführen</translation>
    </message>
    <message>
        <source>There is no such Vulkan device</source>
        <translation>Ein solches Vulkan-Gerät gibt es nicht</translation>
    </message>
    <message>
        <source>There is not enough memory to compile the GPU's kernels</source>
        <translation>Der Speicher reicht nicht, um die Kernel der GPU zu übersetzen</translation>
    </message>
    <message>
        <source>The GPU's driver ended work before it was done</source>
        <translation>Der GPU-Treiber hat die Arbeit vorzeitig beendet</translation>
    </message>
    <message>
        <source>Load the model again, or use the CPU.</source>
        <translation>Laden Sie das Modell noch einmal oder benutzen Sie die CPU.</translation>
    </message>
    <message>
        <source>A step has more tokens than a GPU takes at once</source>
        <translation>Ein Schritt hat mehr Tokens, als eine GPU auf einmal nimmt</translation>
    </message>
    <message>
        <source>Read prompts and texts in smaller steps, or use the CPU.</source>
        <translation>Lesen Sie Prompts und Texte in kleineren Schritten oder benutzen Sie die CPU.</translation>
    </message>
    <message>
        <source>The Vulkan backend has no kernel for an operation of this model</source>
        <translation>Das Vulkan-Backend hat keinen Kernel für eine Operation dieses Modells</translation>
    </message>
    <message>
        <source>Use the CPU for this model.</source>
        <translation>Benutzen Sie für dieses Modell die CPU.</translation>
    </message>
    <message>
        <source>The Vulkan backend has no kernel for this element type</source>
        <translation>Das Vulkan-Backend hat keinen Kernel für diesen Elementtyp</translation>
    </message>
    <message>
        <source>The matrix units of this device cannot be turned on</source>
        <translation>Die Matrixeinheiten dieses Geräts lassen sich nicht einschalten</translation>
    </message>
    <message>
        <source>Leave it to Minerva whether they are used.</source>
        <translation>Überlassen Sie es Minerva, ob sie benutzt werden.</translation>
    </message>
    <message>
        <source>The model does not fit into the GPU's memory</source>
        <translation>Das Modell passt nicht in den Speicher der GPU</translation>
    </message>
    <message>
        <source>Use a shorter context, a smaller or more compressed model, or the CPU.</source>
        <translation>Benutzen Sie einen kürzeren Kontext, ein kleineres oder stärker komprimiertes Modell oder die CPU.</translation>
    </message>
    <message>
        <source>A buffer is larger than the GPU allows</source>
        <translation>Ein Puffer ist größer, als die GPU erlaubt</translation>
    </message>
    <message>
        <source>The GPU has no memory of the required type</source>
        <translation>Die GPU hat keinen Speicher der nötigen Art</translation>
    </message>
    <message>
        <source>The GPU cannot be used: %1</source>
        <translation>Die GPU kann nicht benutzt werden: %1</translation>
    </message>
    <message>
        <source>Update its driver, or use the CPU.</source>
        <translation>Erneuern Sie seinen Treiber oder benutzen Sie die CPU.</translation>
    </message>
    <message>
        <source>it lacks buffer device addresses</source>
        <translation>ihr fehlen Pufferadressen auf dem Gerät</translation>
    </message>
    <message>
        <source>it lacks timeline semaphores</source>
        <translation>ihr fehlen Timeline-Semaphoren</translation>
    </message>
    <message>
        <source>it lacks subgroup arithmetic in compute shaders</source>
        <translation>ihr fehlt Subgroup-Arithmetik in Compute-Shadern</translation>
    </message>
    <message>
        <source>it lacks subgroup size control</source>
        <translation>ihr fehlt die Steuerung der Subgroup-Größe</translation>
    </message>
    <message>
        <source>it lacks subgroup broadcasts from any lane</source>
        <translation>ihr fehlen Subgroup-Broadcasts von beliebigen Lanes</translation>
    </message>
    <message>
        <source>it lacks synchronization2</source>
        <translation>ihr fehlt synchronization2</translation>
    </message>
    <message>
        <source>it has no compute queue</source>
        <translation>sie hat keine Warteschlange für Berechnungen</translation>
    </message>
    <message>
        <source>its driver does not support Vulkan 1.3</source>
        <translation>ihr Treiber beherrscht Vulkan 1.3 nicht</translation>
    </message>
    <message>
        <source>No Vulkan loader was found</source>
        <translation>Es wurde kein Vulkan-Loader gefunden</translation>
    </message>
    <message>
        <source>Install the Vulkan loader (libvulkan1) and a driver for the GPU; until then the CPU is used.</source>
        <translation>Installieren Sie den Vulkan-Loader (libvulkan1) und einen Treiber für die GPU; bis dahin wird die CPU benutzt.</translation>
    </message>
    <message>
        <source>The Vulkan loader lacks vkGetInstanceProcAddr</source>
        <translation>Dem Vulkan-Loader fehlt vkGetInstanceProcAddr</translation>
    </message>
    <message>
        <source>The Vulkan loader is too old</source>
        <translation>Der Vulkan-Loader ist zu alt</translation>
    </message>
    <message>
        <source>Update the Vulkan loader; until then the CPU is used.</source>
        <translation>Erneuern Sie den Vulkan-Loader; bis dahin wird die CPU benutzt.</translation>
    </message>
    <message>
        <source>The Vulkan validation layer is not installed</source>
        <translation>Die Vulkan-Validierungsschicht ist nicht installiert</translation>
    </message>
    <message>
        <source>Install vulkan-validationlayers.</source>
        <translation>Installieren Sie vulkan-validationlayers.</translation>
    </message>
    <message>
        <source>No Vulkan driver was found</source>
        <translation>Es wurde kein Vulkan-Treiber gefunden</translation>
    </message>
    <message>
        <source>Install the GPU's driver (mesa-vulkan-drivers has AMD's and Intel's); until then the CPU is used.</source>
        <translation>Installieren Sie den Treiber der GPU (mesa-vulkan-drivers enthält die von AMD und Intel); bis dahin wird die CPU benutzt.</translation>
    </message>
    <message>
        <source>The GPU could not allocate %1 bytes of memory</source>
        <translation>Die GPU konnte %1 Bytes Speicher nicht bereitstellen</translation>
    </message>
    <message>
        <source>The GPU could not be opened</source>
        <translation>Die GPU konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>The GPU could not bind memory to a buffer</source>
        <translation>Die GPU konnte einem Puffer keinen Speicher zuordnen</translation>
    </message>
    <message>
        <source>The GPU could not create a buffer of %1 bytes</source>
        <translation>Die GPU konnte keinen Puffer von %1 Bytes anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a buffer view</source>
        <translation>Die GPU konnte keine Sicht auf einen Puffer anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a command buffer</source>
        <translation>Die GPU konnte keinen Befehlspuffer anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a command pool</source>
        <translation>Die GPU konnte keinen Befehlspool anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a descriptor pool</source>
        <translation>Die GPU konnte keinen Deskriptorpool anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a descriptor set</source>
        <translation>Die GPU konnte keinen Deskriptorsatz anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a descriptor set layout</source>
        <translation>Die GPU konnte kein Layout eines Deskriptorsatzes anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a pipeline cache</source>
        <translation>Die GPU konnte keinen Pipeline-Cache anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a pipeline layout</source>
        <translation>Die GPU konnte kein Pipeline-Layout anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create a semaphore</source>
        <translation>Die GPU konnte keine Semaphore anlegen</translation>
    </message>
    <message>
        <source>The GPU could not create timestamps</source>
        <translation>Die GPU konnte keine Zeitstempel anlegen</translation>
    </message>
    <message>
        <source>The GPU could not record commands</source>
        <translation>Die GPU konnte keine Befehle aufzeichnen</translation>
    </message>
    <message>
        <source>The GPU did not tell its timestamps</source>
        <translation>Die GPU hat ihre Zeitstempel nicht genannt</translation>
    </message>
    <message>
        <source>The GPU driver could not compile a shader</source>
        <translation>Der GPU-Treiber konnte einen Shader nicht übersetzen</translation>
    </message>
    <message>
        <source>The GPU driver rejected a shader</source>
        <translation>Der GPU-Treiber hat einen Shader abgelehnt</translation>
    </message>
    <message>
        <source>The GPU rejected the submitted work</source>
        <translation>Die GPU hat die gesendete Arbeit abgelehnt</translation>
    </message>
    <message>
        <source>The GPU stopped responding</source>
        <translation>Die GPU antwortet nicht mehr</translation>
    </message>
    <message>
        <source>The GPU's memory could not be mapped</source>
        <translation>Der Speicher der GPU konnte nicht eingeblendet werden</translation>
    </message>
    <message>
        <source>The Vulkan devices could not be listed</source>
        <translation>Die Vulkan-Geräte konnten nicht aufgelistet werden</translation>
    </message>
    <message>
        <source>Vulkan could not be initialized</source>
        <translation>Vulkan konnte nicht gestartet werden</translation>
    </message>
    <message>
        <source>The GPU was reset or removed: load the model again, or use the CPU.</source>
        <translation>Die GPU wurde zurückgesetzt oder entfernt: Laden Sie das Modell noch einmal oder benutzen Sie die CPU.</translation>
    </message>
    <message>
        <source>Use a smaller model, a shorter context, or the CPU.</source>
        <translation>Benutzen Sie ein kleineres Modell, einen kürzeren Kontext oder die CPU.</translation>
    </message>
    <message>
        <source>Update the GPU driver, or use the CPU.</source>
        <translation>Erneuern Sie den GPU-Treiber oder benutzen Sie die CPU.</translation>
    </message>
    <message>
        <source>A shader is not a SPIR-V module</source>
        <translation>Ein Shader ist kein SPIR-V-Modul</translation>
    </message>
    <message>
        <source>A SPIR-V module ends inside an instruction</source>
        <translation>Ein SPIR-V-Modul endet mitten in einer Anweisung</translation>
    </message>
    <message>
        <source>The system has slept, and the GPU's driver keeps nothing of the GPU's memory meanwhile</source>
        <translation>Das System hat geschlafen, und der GPU-Treiber behält dabei nichts vom Speicher der GPU</translation>
    </message>
    <message>
        <source>Load the model again. The driver keeps it with its setting NVreg_PreserveVideoMemoryAllocations=1.</source>
        <translation>Laden Sie das Modell noch einmal. Mit der Einstellung NVreg_PreserveVideoMemoryAllocations=1 behält der Treiber es.</translation>
    </message>
    <message>
        <source>A buffer has more texels than the GPU allows</source>
        <translation>Ein Puffer hat mehr Texel, als die GPU erlaubt</translation>
    </message>
    <message>
        <source>The GPU hangs</source>
        <translation>Die GPU hängt</translation>
    </message>
    <message>
        <source>the conversations are damaged</source>
        <translation>die Gespräche sind beschädigt</translation>
    </message>
    <message>
        <source>this file is not valid JSON</source>
        <translation>diese Datei ist kein gültiges JSON</translation>
    </message>
    <message>
        <source>export it again; nothing was imported</source>
        <translation>exportieren Sie es noch einmal; es wurde nichts importiert</translation>
    </message>
    <message>
        <source>this file contains no messages</source>
        <translation>diese Datei enthält keine Nachrichten</translation>
    </message>
    <message>
        <source>nothing was imported</source>
        <translation>es wurde nichts importiert</translation>
    </message>
    <message>
        <source>the file cannot be read</source>
        <translation>die Datei kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the file is too large to import</source>
        <translation>die Datei ist zu groß zum Importieren</translation>
    </message>
    <message>
        <source>split it into several files; nothing was imported</source>
        <translation>teilen Sie sie in mehrere Dateien auf; es wurde nichts importiert</translation>
    </message>
    <message>
        <source>this is not a conversation that Minerva can read</source>
        <translation>das ist kein Gespräch, das Minerva lesen kann</translation>
    </message>
    <message>
        <source>the conversations file is not open</source>
        <translation>die Datei mit den Gesprächen ist nicht offen</translation>
    </message>
    <message>
        <source>the file %1 is not text</source>
        <translation>die Datei %1 ist kein Text</translation>
    </message>
    <message>
        <source>open it as a model: drop it into the window, or press Ctrl+O</source>
        <translation>öffnen Sie sie als Modell: ziehen Sie sie ins Fenster oder drücken Sie Strg+O</translation>
    </message>
    <message>
        <source>save it as plain text first</source>
        <translation>speichern Sie sie zuerst als reinen Text</translation>
    </message>
    <message>
        <source>the file %1 is damaged</source>
        <translation>die Datei %1 ist beschädigt</translation>
    </message>
    <message>
        <source>save it again as UTF-8</source>
        <translation>speichern Sie sie noch einmal als UTF-8</translation>
    </message>
    <message>
        <source>the file %1 is too large to attach</source>
        <translation>die Datei %1 ist zu groß zum Anhängen</translation>
    </message>
    <message>
        <source>attach the part that matters</source>
        <translation>hängen Sie den Teil an, auf den es ankommt</translation>
    </message>
    <message>
        <source>the file %1 is too large to attach with the others</source>
        <translation>die Datei %1 ist zu groß, um sie mit den anderen anzuhängen</translation>
    </message>
    <message>
        <source>remove another one, or send them one after another</source>
        <translation>entfernen Sie eine andere oder senden Sie sie nacheinander</translation>
    </message>
    <message>
        <source>the file %1 is empty</source>
        <translation>die Datei %1 ist leer</translation>
    </message>
    <message>
        <source>the file %1 cannot be read</source>
        <translation>die Datei %1 kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the file %1 does not exist</source>
        <translation>die Datei %1 gibt es nicht</translation>
    </message>
    <message>
        <source>the file %1 is not a file</source>
        <translation>%1 ist keine Datei</translation>
    </message>
    <message>
        <source>check that you have permission to read it</source>
        <translation>prüfen Sie, ob Sie sie lesen dürfen</translation>
    </message>
    <message>
        <source>check the disk</source>
        <translation>prüfen Sie den Datenträger</translation>
    </message>
    <message>
        <source>choose a file</source>
        <translation>wählen Sie eine Datei</translation>
    </message>
    <message>
        <source>choose the files in it</source>
        <translation>wählen Sie die Dateien darin</translation>
    </message>
    <message>
        <source>it may have been moved; choose it again</source>
        <translation>sie wurde vielleicht verschoben; wählen Sie sie noch einmal</translation>
    </message>
    <message>
        <source>the folder for copies cannot be created</source>
        <translation>der Ordner für Kopien kann nicht angelegt werden</translation>
    </message>
    <message>
        <source>check that it can be written to</source>
        <translation>prüfen Sie, ob dorthin geschrieben werden kann</translation>
    </message>
    <message>
        <source>there is not enough memory to measure the model</source>
        <translation>der Speicher reicht nicht, um das Modell zu messen</translation>
    </message>
    <message>
        <source>there is not enough memory to load the model</source>
        <translation>der Speicher reicht nicht, um das Modell zu laden</translation>
    </message>
    <message>
        <source>there is no such comparison</source>
        <translation>einen solchen Vergleich gibt es nicht</translation>
    </message>
    <message>
        <source>the connection to the server was closed by this program</source>
        <translation>die Verbindung zum Server wurde von diesem Programm geschlossen</translation>
    </message>
    <message>
        <source>Offline was turned on, or the server was removed (Settings, Network; Models, Servers)</source>
        <translation>Offline wurde eingeschaltet oder der Server entfernt (Einstellungen, Netz; Modelle, Server)</translation>
    </message>
    <message>
        <source>there is no such choice in this repository</source>
        <translation>eine solche Auswahl gibt es in diesem Repository nicht</translation>
    </message>
    <message>
        <source>the hub sends a file of a different size than it lists</source>
        <translation>der Hub sendet eine Datei anderer Größe, als er nennt</translation>
    </message>
    <message>
        <source>the repository may have changed: check its list of files again</source>
        <translation>das Repository hat sich vielleicht geändert: lassen Sie seine Dateiliste noch einmal prüfen</translation>
    </message>
    <message>
        <source>the hub sends a different file than it lists</source>
        <translation>der Hub sendet eine andere Datei, als er nennt</translation>
    </message>
    <message>
        <source>the end of this file's header was not found</source>
        <translation>das Ende des Kopfes dieser Datei wurde nicht gefunden</translation>
    </message>
    <message>
        <source>the header length of this file is invalid</source>
        <translation>die Länge des Kopfes dieser Datei ist ungültig</translation>
    </message>
    <message>
        <source>this is not a supported model file</source>
        <translation>das ist keine unterstützte Modelldatei</translation>
    </message>
    <message>
        <source>choose another copy of this model</source>
        <translation>wählen Sie eine andere Kopie dieses Modells</translation>
    </message>
    <message>
        <source>the temporary folder could not be created</source>
        <translation>der temporäre Ordner konnte nicht angelegt werden</translation>
    </message>
    <message>
        <source>the model's header could not be stored temporarily</source>
        <translation>der Kopf des Modells konnte nicht zwischengespeichert werden</translation>
    </message>
    <message>
        <source>an access token is not sent over plain http, where anyone on the network path can read it</source>
        <translation>ein Zugangstoken wird nicht über unverschlüsseltes http gesendet, wo es jeder auf dem Weg durchs Netz lesen kann</translation>
    </message>
    <message>
        <source>set HF_ENDPOINT to an https address, or remove the token</source>
        <translation>setzen Sie HF_ENDPOINT auf eine https-Adresse oder entfernen Sie das Token</translation>
    </message>
    <message>
        <source>Minerva is in offline mode</source>
        <translation>Minerva ist offline</translation>
    </message>
    <message>
        <source>start Minerva without HF_HUB_OFFLINE and TRANSFORMERS_OFFLINE to use the hub</source>
        <translation>starten Sie Minerva ohne HF_HUB_OFFLINE und TRANSFORMERS_OFFLINE, um den Hub zu benutzen</translation>
    </message>
    <message>
        <source>turn off Offline in the settings to use servers on other computers</source>
        <translation>schalten Sie Offline in den Einstellungen aus, um Server auf anderen Rechnern zu benutzen</translation>
    </message>
    <message>
        <source>turn off Offline in the settings to use the hub</source>
        <translation>schalten Sie Offline in den Einstellungen aus, um den Hub zu benutzen</translation>
    </message>
    <message>
        <source>access to this gated model has not been granted to the account of your token</source>
        <translation>das Konto Ihres Tokens hat keinen Zugang zu diesem geschützten Modell</translation>
    </message>
    <message>
        <source>the hub accepts no more requests from this address for now</source>
        <translation>der Hub nimmt von dieser Adresse vorerst keine Anfragen mehr an</translation>
    </message>
    <message>
        <source>the hub does not accept the token</source>
        <translation>der Hub nimmt das Token nicht an</translation>
    </message>
    <message>
        <source>the hub has a server error</source>
        <translation>beim Hub ist ein Serverfehler aufgetreten</translation>
    </message>
    <message>
        <source>the hub refused the request</source>
        <translation>der Hub hat die Anfrage abgelehnt</translation>
    </message>
    <message>
        <source>the hub's file server refuses the request, even with new links</source>
        <translation>der Dateiserver des Hubs lehnt die Anfrage ab, auch mit neuen Links</translation>
    </message>
    <message>
        <source>the repository has no such file</source>
        <translation>das Repository hat keine solche Datei</translation>
    </message>
    <message>
        <source>the repository has no such revision</source>
        <translation>das Repository hat keine solche Revision</translation>
    </message>
    <message>
        <source>there is no such model on the hub</source>
        <translation>ein solches Modell gibt es auf dem Hub nicht</translation>
    </message>
    <message>
        <source>there is no such model, or it is private</source>
        <translation>ein solches Modell gibt es nicht, oder es ist privat</translation>
    </message>
    <message>
        <source>this model is gated: its publisher wants to know who downloads it</source>
        <translation>dieses Modell ist geschützt: Sein Herausgeber will wissen, wer es herunterlädt</translation>
    </message>
    <message>
        <source>a firewall may block %1; try again later</source>
        <translation>vielleicht blockiert eine Firewall %1; versuchen Sie es später noch einmal</translation>
    </message>
    <message>
        <source>accept its terms at %1 , create a token in the hub's settings, and enter it in Minerva's settings (or in HF_TOKEN)</source>
        <translation>nehmen Sie seine Bedingungen auf %1 an, erstellen Sie in den Einstellungen des Hubs ein Token und geben Sie es in Minervas Einstellungen (oder in HF_TOKEN) ein</translation>
    </message>
    <message>
        <source>check the name at %1 ; a private or gated model needs a token (Minerva's settings, or HF_TOKEN)</source>
        <translation>prüfen Sie den Namen auf %1 ; ein privates oder geschütztes Modell braucht ein Token (Minervas Einstellungen oder HF_TOKEN)</translation>
    </message>
    <message>
        <source>check the name at %1 ; the token from %2 may not give access to it</source>
        <translation>prüfen Sie den Namen auf %1 ; das Token aus %2 gibt vielleicht keinen Zugang</translation>
    </message>
    <message>
        <source>check the spelling: ORG/REPO, as in the address of its page</source>
        <translation>prüfen Sie die Schreibweise: ORG/REPO, wie in der Adresse seiner Seite</translation>
    </message>
    <message>
        <source>it asks to wait %1 s; a token (HF_TOKEN) raises the limit</source>
        <translation>er bittet, %1 s zu warten; ein Token (HF_TOKEN) hebt die Grenze an</translation>
    </message>
    <message>
        <source>open %1 , accept its terms with the same account (some are approved by hand), and try again</source>
        <translation>öffnen Sie %1 , nehmen Sie mit demselben Konto die Bedingungen an (manche werden von Hand freigegeben) und versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>open %1 in a browser; a proxy or firewall may be answering instead of the hub</source>
        <translation>öffnen Sie %1 in einem Browser; vielleicht antwortet ein Proxy oder eine Firewall statt des Hubs</translation>
    </message>
    <message>
        <source>the model may be private or its name misspelt; a token (HF_TOKEN) may be needed</source>
        <translation>das Modell ist vielleicht privat oder sein Name falsch geschrieben; vielleicht ist ein Token (HF_TOKEN) nötig</translation>
    </message>
    <message>
        <source>the model was taken down</source>
        <translation>das Modell wurde zurückgezogen</translation>
    </message>
    <message>
        <source>the token is from %1: renew it in the hub's settings, or remove it</source>
        <translation>das Token stammt aus %1: erneuern Sie es in den Einstellungen des Hubs oder entfernen Sie es</translation>
    </message>
    <message>
        <source>try again later: the data received so far is kept</source>
        <translation>versuchen Sie es später noch einmal: was schon da ist, bleibt erhalten</translation>
    </message>
    <message>
        <source>no connection</source>
        <translation>keine Verbindung</translation>
    </message>
    <message>
        <source>the host name was not found</source>
        <translation>der Rechnername wurde nicht gefunden</translation>
    </message>
    <message>
        <source>check the internet connection, and HF_ENDPOINT if it is set</source>
        <translation>prüfen Sie die Internetverbindung, und HF_ENDPOINT, wenn es gesetzt ist</translation>
    </message>
    <message>
        <source>the server's certificate is not trusted</source>
        <translation>dem Zertifikat des Servers wird nicht vertraut</translation>
    </message>
    <message>
        <source>if a proxy inspects the traffic, the system must trust its certificate; also check the system clock</source>
        <translation>wenn ein Proxy den Datenverkehr liest, muss das System seinem Zertifikat vertrauen; prüfen Sie auch die Uhr des Systems</translation>
    </message>
    <message>
        <source>the proxy requires a user name and password</source>
        <translation>der Proxy verlangt Benutzernamen und Passwort</translation>
    </message>
    <message>
        <source>enter them in the proxy's address, in the settings or in https_proxy: http://NAME:PASSWORD@HOST:PORT</source>
        <translation>geben Sie beides in der Adresse des Proxys an, in den Einstellungen oder in https_proxy: http://NAME:PASSWORT@HOST:PORT</translation>
    </message>
    <message>
        <source>the proxy does not answer</source>
        <translation>der Proxy antwortet nicht</translation>
    </message>
    <message>
        <source>check Proxy in the settings and the system's proxy (http_proxy, https_proxy, no_proxy)</source>
        <translation>prüfen Sie Proxy in den Einstellungen und den Proxy des Systems (http_proxy, https_proxy, no_proxy)</translation>
    </message>
    <message>
        <source>the server stopped sending data</source>
        <translation>der Server sendet keine Daten mehr</translation>
    </message>
    <message>
        <source>try again; a download keeps the data received so far</source>
        <translation>versuchen Sie es noch einmal; ein Download behält, was schon da ist</translation>
    </message>
    <message>
        <source>check the internet connection; a download keeps the data received so far</source>
        <translation>prüfen Sie die Internetverbindung; ein Download behält, was schon da ist</translation>
    </message>
    <message>
        <source>the repository has no GGUF file and no folder of SafeTensors files with a config.json</source>
        <translation>das Repository hat keine GGUF-Datei und keinen Ordner mit SafeTensors-Dateien und einer config.json</translation>
    </message>
    <message>
        <source>many models also exist as GGUF: search for the name with GGUF</source>
        <translation>viele Modelle gibt es auch als GGUF: suchen Sie nach dem Namen mit GGUF</translation>
    </message>
    <message>
        <source>the answer is too long for a list</source>
        <translation>die Antwort ist zu lang für eine Liste</translation>
    </message>
    <message>
        <source>the data is encoded, although no encoding was requested</source>
        <translation>die Daten sind kodiert, obwohl keine Kodierung verlangt war</translation>
    </message>
    <message>
        <source>the hub redirects to an insecure address</source>
        <translation>der Hub leitet an eine unsichere Adresse weiter</translation>
    </message>
    <message>
        <source>the hub redirects too many times</source>
        <translation>der Hub leitet zu oft weiter</translation>
    </message>
    <message>
        <source>the server sends a file of a different size</source>
        <translation>der Server sendet eine Datei anderer Größe</translation>
    </message>
    <message>
        <source>the server sent a different byte range than requested</source>
        <translation>der Server hat einen anderen Bereich von Bytes gesendet als verlangt</translation>
    </message>
    <message>
        <source>a proxy or firewall may be answering instead of the hub; try again</source>
        <translation>vielleicht antwortet ein Proxy oder eine Firewall statt des Hubs; versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>this build cannot run this model</source>
        <translation>dieser Build kann dieses Modell nicht ausführen</translation>
    </message>
    <message>
        <source>start it again to download it regardless</source>
        <translation>starten Sie ihn noch einmal, um es trotzdem herunterzuladen</translation>
    </message>
    <message>
        <source>the journal of a download cannot be read</source>
        <translation>das Protokoll eines Downloads kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the partial download is kept next to it; make it readable, or delete its folder</source>
        <translation>der unvollständige Download liegt noch daneben; machen Sie es lesbar oder löschen Sie seinen Ordner</translation>
    </message>
    <message>
        <source>the file could not be created</source>
        <translation>die Datei konnte nicht angelegt werden</translation>
    </message>
    <message>
        <source>the file could not be moved into place</source>
        <translation>die Datei konnte nicht an ihren Platz verschoben werden</translation>
    </message>
    <message>
        <source>the file could not be removed</source>
        <translation>die Datei konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>the file could not be written</source>
        <translation>die Datei konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>the finished file could not be renamed</source>
        <translation>die fertige Datei konnte nicht umbenannt werden</translation>
    </message>
    <message>
        <source>the journal of a download could not be locked</source>
        <translation>das Protokoll eines Downloads konnte nicht gesperrt werden</translation>
    </message>
    <message>
        <source>the journal of a download could not be opened</source>
        <translation>das Protokoll eines Downloads konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>the journal of a download could not be repaired</source>
        <translation>das Protokoll eines Downloads konnte nicht repariert werden</translation>
    </message>
    <message>
        <source>the journal of a download could not be written</source>
        <translation>das Protokoll eines Downloads konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>the model's folder could not be created</source>
        <translation>der Ordner des Modells konnte nicht angelegt werden</translation>
    </message>
    <message>
        <source>the models folder could not be created</source>
        <translation>der Ordner für Modelle konnte nicht angelegt werden</translation>
    </message>
    <message>
        <source>the partial download could not be read</source>
        <translation>der unvollständige Download konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>the partial download could not be removed</source>
        <translation>der unvollständige Download konnte nicht entfernt werden</translation>
    </message>
    <message>
        <source>choose a folder that you can write to</source>
        <translation>wählen Sie einen Ordner, in den Sie schreiben können</translation>
    </message>
    <message>
        <source>free some space, then continue; the partial download is kept</source>
        <translation>schaffen Sie Platz und setzen Sie dann fort; der unvollständige Download bleibt erhalten</translation>
    </message>
    <message>
        <source>another Minerva process is downloading this</source>
        <translation>ein anderes Minerva lädt dies gerade herunter</translation>
    </message>
    <message>
        <source>wait until it is done, or stop it</source>
        <translation>warten Sie, bis es fertig ist, oder halten Sie es an</translation>
    </message>
    <message>
        <source>there is not enough space on the disk</source>
        <translation>auf dem Datenträger ist nicht genug Platz</translation>
    </message>
    <message>
        <source>free some space, or choose another folder for models; the partial download is kept</source>
        <translation>schaffen Sie Platz oder wählen Sie einen anderen Ordner für Modelle; der unvollständige Download bleibt erhalten</translation>
    </message>
    <message>
        <source>the downloaded file is not the one the hub lists, in two attempts</source>
        <translation>die heruntergeladene Datei ist in zwei Versuchen nicht die, die der Hub nennt</translation>
    </message>
    <message>
        <source>it was discarded; something on the network path changes files, or the hub's copy is damaged</source>
        <translation>sie wurde verworfen; etwas auf dem Weg durchs Netz verändert Dateien, oder die Kopie des Hubs ist beschädigt</translation>
    </message>
    <message>
        <source>the proxy in the settings is not an address</source>
        <translation>der Proxy in den Einstellungen ist keine Adresse</translation>
    </message>
    <message>
        <source>change Proxy in the settings</source>
        <translation>ändern Sie Proxy in den Einstellungen</translation>
    </message>
    <message>
        <source>the hub's description of the model cannot be read</source>
        <translation>die Beschreibung des Modells vom Hub kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the hub's list of files cannot be read</source>
        <translation>die Dateiliste des Hubs kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the hub's list of models cannot be read</source>
        <translation>die Modellliste des Hubs kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>a proxy may be answering instead of the hub; check HF_ENDPOINT if it is set</source>
        <translation>vielleicht antwortet ein Proxy statt des Hubs; prüfen Sie HF_ENDPOINT, wenn es gesetzt ist</translation>
    </message>
    <message>
        <source>this link does not point to a model</source>
        <translation>dieser Link führt nicht zu einem Modell</translation>
    </message>
    <message>
        <source>this link points to a different host than the hub</source>
        <translation>dieser Link führt zu einem anderen Rechner als dem Hub</translation>
    </message>
    <message>
        <source>no request was made; HF_ENDPOINT names a mirror of the hub</source>
        <translation>es wurde nichts angefragt; HF_ENDPOINT nennt einen Spiegel des Hubs</translation>
    </message>
    <message>
        <source>the request log cannot be read</source>
        <translation>das Anfragenprotokoll kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>no keyring service is running</source>
        <translation>es läuft kein Schlüsselbund-Dienst</translation>
    </message>
    <message>
        <source>set HF_TOKEN, or store the token in a file and set HF_TOKEN_PATH to its path</source>
        <translation>setzen Sie HF_TOKEN, oder legen Sie das Token in einer Datei ab und setzen Sie HF_TOKEN_PATH auf deren Pfad</translation>
    </message>
    <message>
        <source>the keyring refused access</source>
        <translation>der Schlüsselbund hat den Zugriff verweigert</translation>
    </message>
    <message>
        <source>unlock it and try again</source>
        <translation>entsperren Sie ihn und versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>the journal of a download does not name its model</source>
        <translation>das Protokoll eines Downloads nennt sein Modell nicht</translation>
    </message>
    <message>
        <source>delete its folder, and download the model again</source>
        <translation>löschen Sie seinen Ordner und laden Sie das Modell noch einmal herunter</translation>
    </message>
    <message>
        <source>the model was closed</source>
        <translation>das Modell wurde geschlossen</translation>
    </message>
    <message>
        <source>no model is loaded</source>
        <translation>es ist kein Modell geladen</translation>
    </message>
    <message>
        <source>open a model and try again</source>
        <translation>öffnen Sie ein Modell und versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>load a model and try again</source>
        <translation>laden Sie ein Modell und versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>too many prompt queries are waiting</source>
        <translation>es warten zu viele Prompt-Anfragen</translation>
    </message>
    <message>
        <source>try again in a moment</source>
        <translation>versuchen Sie es gleich noch einmal</translation>
    </message>
    <message>
        <source>Choose the model again: it will be loaded on a new device.</source>
        <translation>Wählen Sie das Modell noch einmal: Es wird auf einem neuen Gerät geladen.</translation>
    </message>
    <message>
        <source>The model is being loaded again; then let it continue the reply, or try again.</source>
        <translation>Das Modell wird neu geladen; lassen Sie es danach die Antwort fortsetzen oder versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>This happened for the second time, so the model is being loaded on the CPU; then let it continue the reply, or try again.</source>
        <translation>Das ist zum zweiten Mal geschehen, deshalb wird das Modell auf der CPU geladen; lassen Sie es danach die Antwort fortsetzen oder versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>close other programs, or choose a smaller model or context</source>
        <translation>schließen Sie andere Programme oder wählen Sie ein kleineres Modell oder einen kürzeren Kontext</translation>
    </message>
    <message>
        <source>there is not enough memory for the embedding model</source>
        <translation>der Speicher reicht nicht für das Embedding-Modell</translation>
    </message>
    <message>
        <source>close other programs, or choose a smaller model</source>
        <translation>schließen Sie andere Programme oder wählen Sie ein kleineres Modell</translation>
    </message>
    <message>
        <source>the file was changed while it was read</source>
        <translation>die Datei wurde geändert, während sie gelesen wurde</translation>
    </message>
    <message>
        <source>this model is not in Minerva's own folder</source>
        <translation>dieses Modell liegt nicht in Minervas eigenem Ordner</translation>
    </message>
    <message>
        <source>delete it with the program it belongs to, or in a file manager</source>
        <translation>löschen Sie es mit dem Programm, zu dem es gehört, oder in einem Dateimanager</translation>
    </message>
    <message>
        <source>the model is being downloaded</source>
        <translation>das Modell wird gerade heruntergeladen</translation>
    </message>
    <message>
        <source>cancel the download instead</source>
        <translation>brechen Sie stattdessen den Download ab</translation>
    </message>
    <message>
        <source>formulas are shown as source text: Minerva was built without KaTeX</source>
        <translation>Formeln werden als Quelltext gezeigt: Minerva wurde ohne KaTeX gebaut</translation>
    </message>
    <message>
        <source>install libjs-katex and fonts-katex and build Minerva again</source>
        <translation>installieren Sie libjs-katex und fonts-katex und bauen Sie Minerva neu</translation>
    </message>
    <message>
        <source>KaTeX cannot parse this formula</source>
        <translation>KaTeX kann diese Formel nicht lesen</translation>
    </message>
    <message>
        <source>this formula is too long to draw</source>
        <translation>diese Formel ist zu lang zum Zeichnen</translation>
    </message>
    <message>
        <source>no font contains a character of this formula</source>
        <translation>keine Schrift enthält ein Zeichen dieser Formel</translation>
    </message>
    <message>
        <source>this formula has a part that cannot be drawn</source>
        <translation>diese Formel hat einen Teil, der nicht gezeichnet werden kann</translation>
    </message>
    <message>
        <source>KaTeX's markup has no formula</source>
        <translation>Die Ausgabe von KaTeX enthält keine Formel</translation>
    </message>
    <message>
        <source>KaTeX's markup cannot be read</source>
        <translation>Die Ausgabe von KaTeX kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>The context is too short for a benchmark</source>
        <translation>Der Kontext ist zu kurz für einen Benchmark</translation>
    </message>
    <message>
        <source>choose a longer context in the settings and load the model again</source>
        <translation>wählen Sie in den Einstellungen einen längeren Kontext und laden Sie das Modell neu</translation>
    </message>
    <message>
        <source>A server cannot continue a reply within its reasoning</source>
        <translation>Ein Server kann eine Antwort nicht innerhalb ihrer Gedanken fortsetzen</translation>
    </message>
    <message>
        <source>Generate the reply anew</source>
        <translation>Erzeugen Sie die Antwort neu</translation>
    </message>
    <message>
        <source>The server sent something that is not a piece of a reply</source>
        <translation>Der Server hat etwas gesendet, was kein Stück einer Antwort ist</translation>
    </message>
    <message>
        <source>Check the address: it must be that of an OpenAI-compatible interface, usually ending with /v1</source>
        <translation>Prüfen Sie die Adresse: Sie muss zu einer OpenAI-kompatiblen Schnittstelle gehören und endet meist mit /v1</translation>
    </message>
    <message>
        <source>This server was removed</source>
        <translation>Dieser Server wurde entfernt</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>Wählen Sie ein anderes Modell</translation>
    </message>
    <message>
        <source>No connection to the server</source>
        <translation>Keine Verbindung zum Server</translation>
    </message>
    <message>
        <source>No server answers at this address</source>
        <translation>Unter dieser Adresse antwortet kein Server</translation>
    </message>
    <message>
        <source>The conversation is too long for the server</source>
        <translation>Das Gespräch ist zu lang für den Server</translation>
    </message>
    <message>
        <source>The host name was not found</source>
        <translation>Der Rechnername wurde nicht gefunden</translation>
    </message>
    <message>
        <source>The proxy does not let the request through</source>
        <translation>Der Proxy lässt die Anfrage nicht durch</translation>
    </message>
    <message>
        <source>The server accepts no more requests for now</source>
        <translation>Der Server nimmt vorerst keine Anfragen mehr an</translation>
    </message>
    <message>
        <source>The server asks for a key</source>
        <translation>Der Server verlangt einen Schlüssel</translation>
    </message>
    <message>
        <source>The server closed the connection without an answer</source>
        <translation>Der Server hat die Verbindung ohne Antwort geschlossen</translation>
    </message>
    <message>
        <source>The server does not accept the key</source>
        <translation>Der Server nimmt den Schlüssel nicht an</translation>
    </message>
    <message>
        <source>The server does not allow this</source>
        <translation>Der Server erlaubt das nicht</translation>
    </message>
    <message>
        <source>The server does not have this model any more, or not at this address</source>
        <translation>Der Server hat dieses Modell nicht mehr, oder nicht unter dieser Adresse</translation>
    </message>
    <message>
        <source>The server does not take this effort of thinking</source>
        <translation>Der Server kennt diesen Denkaufwand nicht</translation>
    </message>
    <message>
        <source>The server failed</source>
        <translation>Beim Server ist ein Fehler aufgetreten</translation>
    </message>
    <message>
        <source>The server refused the request</source>
        <translation>Der Server hat die Anfrage abgelehnt</translation>
    </message>
    <message>
        <source>The server sends to another address, which is not followed</source>
        <translation>Der Server verweist an eine andere Adresse; dem wird nicht gefolgt</translation>
    </message>
    <message>
        <source>The server's certificate is not trusted</source>
        <translation>Dem Zertifikat des Servers wird nicht vertraut</translation>
    </message>
    <message>
        <source>There is no OpenAI-compatible interface at this address</source>
        <translation>Unter dieser Adresse gibt es keine OpenAI-kompatible Schnittstelle</translation>
    </message>
    <message>
        <source>Begin a new chat</source>
        <translation>Beginnen Sie einen neuen Chat</translation>
    </message>
    <message>
        <source>Check Proxy in the settings and the system's proxy (http_proxy, https_proxy, no_proxy)</source>
        <translation>Prüfen Sie Proxy in den Einstellungen und den Proxy des Systems (http_proxy, https_proxy, no_proxy)</translation>
    </message>
    <message>
        <source>Check the address, and whether a firewall is between the computers</source>
        <translation>Prüfen Sie die Adresse, und ob eine Firewall zwischen den Rechnern steht</translation>
    </message>
    <message>
        <source>Check the path; it usually ends with /v1</source>
        <translation>Prüfen Sie den Pfad; er endet meist mit /v1</translation>
    </message>
    <message>
        <source>Check the spelling, and the connection to its network</source>
        <translation>Prüfen Sie die Schreibweise und die Verbindung zu seinem Netz</translation>
    </message>
    <message>
        <source>Choose another effort below the message, or Model default, which sends none; then try again</source>
        <translation>Wählen Sie unter der Nachricht einen anderen Denkaufwand oder Vorgabe des Modells, die keinen sendet; versuchen Sie es dann noch einmal</translation>
    </message>
    <message>
        <source>Enter another key for this server (Models, Servers)</source>
        <translation>Geben Sie einen anderen Schlüssel für diesen Server ein (Modelle, Server)</translation>
    </message>
    <message>
        <source>Enter the key for this server (Models, Servers)</source>
        <translation>Geben Sie den Schlüssel für diesen Server ein (Modelle, Server)</translation>
    </message>
    <message>
        <source>If it is right, enter it instead: %1</source>
        <translation>Wenn sie stimmt, geben Sie stattdessen diese ein: %1</translation>
    </message>
    <message>
        <source>It asks to wait %1 s; then try again</source>
        <translation>Er bittet, %1 s zu warten; versuchen Sie es dann noch einmal</translation>
    </message>
    <message>
        <source>It may expect https instead of http, or have ended: see its log</source>
        <translation>Er erwartet vielleicht https statt http, oder er wurde beendet: Sehen Sie in seinem Log nach</translation>
    </message>
    <message>
        <source>It may still be loading the model: try again in a moment</source>
        <translation>Er lädt vielleicht noch das Modell: Versuchen Sie es gleich noch einmal</translation>
    </message>
    <message>
        <source>Its words above say why; or enter another key for this server (Models, Servers)</source>
        <translation>Seine Worte oben sagen, warum; oder geben Sie einen anderen Schlüssel für diesen Server ein (Modelle, Server)</translation>
    </message>
    <message>
        <source>Its words above say why; the parameters of replies are in Settings, Sampling</source>
        <translation>Seine Worte oben sagen, warum; die Parameter der Antworten stehen unter Einstellungen, Sampling</translation>
    </message>
    <message>
        <source>Look for its models again (Models, Servers); %1 was asked for</source>
        <translation>Sehen Sie noch einmal nach seinen Modellen (Modelle, Server); gefragt war %1</translation>
    </message>
    <message>
        <source>Nothing was sent; if the server is yours, let the system trust its certificate's issuer, or use http on this computer</source>
        <translation>Es wurde nichts gesendet; ist es Ihr Server, lassen Sie das System dem Aussteller seines Zertifikats vertrauen, oder benutzen Sie http auf diesem Rechner</translation>
    </message>
    <message>
        <source>See the server's own log, and try again</source>
        <translation>Sehen Sie im Log des Servers nach und versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>Start the server on %1, and compare the port with the one it prints</source>
        <translation>Starten Sie den Server auf %1 und vergleichen Sie den Port mit dem, den er ausgibt</translation>
    </message>
    <message>
        <source>Try again in a moment, or see the limits of your account there</source>
        <translation>Versuchen Sie es gleich noch einmal oder sehen Sie dort nach den Grenzen Ihres Kontos</translation>
    </message>
    <message>
        <source>The reply is too long</source>
        <translation>Die Antwort ist zu lang</translation>
    </message>
    <message>
        <source>The server cut the reply short</source>
        <translation>Der Server hat die Antwort gekürzt</translation>
    </message>
    <message>
        <source>The server ended the reply before its text</source>
        <translation>Der Server hat die Antwort vor ihrem Text beendet</translation>
    </message>
    <message>
        <source>The server has fallen silent</source>
        <translation>Der Server ist verstummt</translation>
    </message>
    <message>
        <source>The server held the reply back</source>
        <translation>Der Server hat die Antwort zurückgehalten</translation>
    </message>
    <message>
        <source>The server reports an error</source>
        <translation>Der Server meldet einen Fehler</translation>
    </message>
    <message>
        <source>The server sent no reply</source>
        <translation>Der Server hat keine Antwort gesendet</translation>
    </message>
    <message>
        <source>Check that the address is that of an OpenAI-compatible interface, and see the server's log</source>
        <translation>Prüfen Sie, ob die Adresse zu einer OpenAI-kompatiblen Schnittstelle gehört, und sehen Sie im Log des Servers nach</translation>
    </message>
    <message>
        <source>It may be overloaded: see its log, and try again</source>
        <translation>Er ist vielleicht überlastet: Sehen Sie in seinem Log nach und versuchen Sie es noch einmal</translation>
    </message>
    <message>
        <source>Its filter objects to the conversation: put the question differently</source>
        <translation>Sein Filter lehnt das Gespräch ab: Stellen Sie die Frage anders</translation>
    </message>
    <message>
        <source>Its text so far is kept; generate it again, or let the model continue it</source>
        <translation>Ihr bisheriger Text bleibt erhalten; erzeugen Sie sie neu oder lassen Sie das Modell sie fortsetzen</translation>
    </message>
    <message>
        <source>Put the question differently, or see the server's log</source>
        <translation>Stellen Sie die Frage anders, oder sehen Sie im Log des Servers nach</translation>
    </message>
    <message>
        <source>See the server's own log</source>
        <translation>Sehen Sie im Log des Servers nach</translation>
    </message>
    <message>
        <source>Shorten replies in the settings</source>
        <translation>Kürzen Sie Antworten in den Einstellungen</translation>
    </message>
    <message>
        <source>An address must not contain a user name or password</source>
        <translation>Eine Adresse darf keinen Benutzernamen und kein Passwort enthalten</translation>
    </message>
    <message>
        <source>An address must not have a part after ? or #</source>
        <translation>Eine Adresse darf keinen Teil nach ? oder # haben</translation>
    </message>
    <message>
        <source>No address was entered</source>
        <translation>Es wurde keine Adresse eingegeben</translation>
    </message>
    <message>
        <source>Only http and https can be used</source>
        <translation>Nur http und https sind möglich</translation>
    </message>
    <message>
        <source>This is not an address</source>
        <translation>Das ist keine Adresse</translation>
    </message>
    <message>
        <source>Change the beginning of the address to https://</source>
        <translation>Ändern Sie den Anfang der Adresse in https://</translation>
    </message>
    <message>
        <source>Enter HOST:PORT, or the whole address with https://</source>
        <translation>Geben Sie HOST:PORT ein oder die ganze Adresse mit https://</translation>
    </message>
    <message>
        <source>Enter the address that the server prints when it starts</source>
        <translation>Geben Sie die Adresse ein, die der Server beim Start ausgibt</translation>
    </message>
    <message>
        <source>Enter the key in its own field, where it is kept in the system's keyring</source>
        <translation>Geben Sie den Schlüssel in seinem eigenen Feld ein: Er kommt in den Schlüsselbund des Systems</translation>
    </message>
    <message>
        <source>Leave that part out</source>
        <translation>Lassen Sie diesen Teil weg</translation>
    </message>
    <message>
        <source>Remove spaces and anything that follows the address</source>
        <translation>Entfernen Sie Leerzeichen und alles, was auf die Adresse folgt</translation>
    </message>
    <message>
        <source>A key is not sent over plain http, where anyone on the network path can read it</source>
        <translation>Ein Schlüssel wird nicht über unverschlüsseltes http gesendet, wo ihn jeder auf dem Weg durchs Netz lesen kann</translation>
    </message>
    <message>
        <source>Use an https address, or a tunnel (ssh -L 8080:localhost:8080 HOST) and http://localhost:8080</source>
        <translation>Benutzen Sie eine https-Adresse oder einen Tunnel (ssh -L 8080:localhost:8080 HOST) und http://localhost:8080</translation>
    </message>
    <message>
        <source>The key of this server could not be read from the keyring</source>
        <translation>Der Schlüssel dieses Servers konnte nicht aus dem Schlüsselbund gelesen werden</translation>
    </message>
    <message>
        <source>Unlock the keyring, or enter the key again (Models, Servers)</source>
        <translation>Entsperren Sie den Schlüsselbund oder geben Sie den Schlüssel noch einmal ein (Modelle, Server)</translation>
    </message>
    <message>
        <source>This cannot be a key</source>
        <translation>Das kann kein Schlüssel sein</translation>
    </message>
    <message>
        <source>Copy the key again from where it was made</source>
        <translation>Kopieren Sie den Schlüssel noch einmal von dort, wo er erstellt wurde</translation>
    </message>
    <message>
        <source>What answers at this address does not list models</source>
        <translation>Was unter dieser Adresse antwortet, nennt keine Modelle</translation>
    </message>
    <message>
        <source>Check the path; the address of an OpenAI-compatible interface usually ends with /v1</source>
        <translation>Prüfen Sie den Pfad; die Adresse einer OpenAI-kompatiblen Schnittstelle endet meist mit /v1</translation>
    </message>
    <message>
        <source>The server answers, but has no models</source>
        <translation>Der Server antwortet, hat aber keine Modelle</translation>
    </message>
    <message>
        <source>Load or download one there, and look again</source>
        <translation>Laden Sie dort eines oder laden Sie es herunter, und sehen Sie dann noch einmal nach</translation>
    </message>
    <message>
        <source>The server does not answer</source>
        <translation>Der Server antwortet nicht</translation>
    </message>
    <message>
        <source>Check the address, and whether the server is still starting</source>
        <translation>Prüfen Sie die Adresse, und ob der Server noch startet</translation>
    </message>
    <message>
        <source>The server's list of models is too long</source>
        <translation>Die Modellliste des Servers ist zu lang</translation>
    </message>
    <message>
        <source>Check the address</source>
        <translation>Prüfen Sie die Adresse</translation>
    </message>
    <message>
        <source>The server sent an event that is too long</source>
        <translation>Der Server hat ein zu langes Ereignis gesendet</translation>
    </message>
    <message>
        <source>This is not how chat servers stream their replies: check the address</source>
        <translation>So senden Chat-Server ihre Antworten nicht: Prüfen Sie die Adresse</translation>
    </message>
    <message>
        <source>a preset in the settings file was skipped</source>
        <translation>eine Voreinstellung in der Einstellungsdatei wurde übergangen</translation>
    </message>
    <message>
        <source>correct or delete the entry; Minerva does not change it</source>
        <translation>berichtigen oder löschen Sie den Eintrag; Minerva ändert ihn nicht</translation>
    </message>
    <message>
        <source>the file cannot be written</source>
        <translation>die Datei kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>free space on the disk, or check that its folder can be written to; until then changes are lost when Minerva is closed</source>
        <translation>schaffen Sie Platz auf dem Datenträger, oder prüfen Sie, ob in ihren Ordner geschrieben werden kann; bis dahin gehen Änderungen verloren, wenn Minerva geschlossen wird</translation>
    </message>
    <message>
        <source>The report cannot be read</source>
        <translation>Der Bericht kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>The file cannot be removed</source>
        <translation>Die Datei kann nicht entfernt werden</translation>
    </message>
    <message>
        <source>there is not enough memory for the benchmark</source>
        <translation>der Speicher reicht nicht für den Benchmark</translation>
    </message>
    <message>
        <source>choose fewer conversations or a shorter context, or close other programs</source>
        <translation>wählen Sie weniger Gespräche oder einen kürzeren Kontext, oder schließen Sie andere Programme</translation>
    </message>
    <message>
        <source>the models in the list are damaged; the readable part is used</source>
        <translation>die Modelle der Liste sind beschädigt; der lesbare Teil wird verwendet</translation>
    </message>
    <message>
        <source>the models in the list cannot be read</source>
        <translation>die Modelle der Liste können nicht gelesen werden</translation>
    </message>
    <message>
        <source>the servers in the list are damaged; the readable part is used</source>
        <translation>die Server der Liste sind beschädigt; der lesbare Teil wird verwendet</translation>
    </message>
    <message>
        <source>the servers in the list cannot be read</source>
        <translation>die Server der Liste können nicht gelesen werden</translation>
    </message>
    <message>
        <source>the settings are damaged; the readable part is used</source>
        <translation>die Einstellungen sind beschädigt; der lesbare Teil wird verwendet</translation>
    </message>
    <message>
        <source>the settings cannot be read</source>
        <translation>die Einstellungen können nicht gelesen werden</translation>
    </message>
    <message>
        <source>check that the folder can be written to</source>
        <translation>prüfen Sie, ob in den Ordner geschrieben werden kann</translation>
    </message>
    <message>
        <source>the file was kept as %1</source>
        <translation>die Datei wurde als %1 aufgehoben</translation>
    </message>
    <message>
        <source>the comparisons cannot be opened</source>
        <translation>die Vergleiche können nicht geöffnet werden</translation>
    </message>
    <message>
        <source>the comparisons cannot be read</source>
        <translation>die Vergleiche können nicht gelesen werden</translation>
    </message>
    <message>
        <source>the comparisons cannot be read or written</source>
        <translation>die Vergleiche können nicht gelesen oder geschrieben werden</translation>
    </message>
    <message>
        <source>the conversations cannot be opened</source>
        <translation>die Gespräche können nicht geöffnet werden</translation>
    </message>
    <message>
        <source>the conversations cannot be read</source>
        <translation>die Gespräche können nicht gelesen werden</translation>
    </message>
    <message>
        <source>the conversations cannot be read or written</source>
        <translation>die Gespräche können nicht gelesen oder geschrieben werden</translation>
    </message>
    <message>
        <source>the figures of replies cannot be opened</source>
        <translation>die Messwerte der Antworten können nicht geöffnet werden</translation>
    </message>
    <message>
        <source>the figures of replies cannot be read</source>
        <translation>die Messwerte der Antworten können nicht gelesen werden</translation>
    </message>
    <message>
        <source>the figures of replies cannot be read or written</source>
        <translation>die Messwerte der Antworten können nicht gelesen oder geschrieben werden</translation>
    </message>
    <message>
        <source>the disk is full; the comparisons cannot be written until there is free space</source>
        <translation>der Datenträger ist voll; die Vergleiche können erst geschrieben werden, wenn Platz frei ist</translation>
    </message>
    <message>
        <source>the disk is full; the conversations cannot be written until there is free space</source>
        <translation>der Datenträger ist voll; die Gespräche können erst geschrieben werden, wenn Platz frei ist</translation>
    </message>
    <message>
        <source>the disk is full; the figures of replies cannot be written until there is free space</source>
        <translation>der Datenträger ist voll; die Messwerte der Antworten können erst geschrieben werden, wenn Platz frei ist</translation>
    </message>
    <message>
        <source>free some space on this disk</source>
        <translation>schaffen Sie Platz auf diesem Datenträger</translation>
    </message>
    <message>
        <source>close the other program that uses this file</source>
        <translation>schließen Sie das andere Programm, das diese Datei benutzt</translation>
    </message>
    <message>
        <source>the comparisons were written by a newer Minerva</source>
        <translation>die Vergleiche stammen von einem neueren Minerva</translation>
    </message>
    <message>
        <source>the conversations were written by a newer Minerva</source>
        <translation>die Gespräche stammen von einem neueren Minerva</translation>
    </message>
    <message>
        <source>the figures of replies were written by a newer Minerva</source>
        <translation>die Messwerte der Antworten stammen von einem neueren Minerva</translation>
    </message>
    <message>
        <source>update Minerva to see them again; nothing in that file was changed</source>
        <translation>erneuern Sie Minerva, um sie wieder zu sehen; in dieser Datei wurde nichts geändert</translation>
    </message>
    <message>
        <source>the comparisons could not be copied before their update to this version</source>
        <translation>die Vergleiche konnten vor der Umstellung auf diese Version nicht kopiert werden</translation>
    </message>
    <message>
        <source>the conversations could not be copied before their update to this version</source>
        <translation>die Gespräche konnten vor der Umstellung auf diese Version nicht kopiert werden</translation>
    </message>
    <message>
        <source>the figures of replies could not be copied before their update to this version</source>
        <translation>die Messwerte der Antworten konnten vor der Umstellung auf diese Version nicht kopiert werden</translation>
    </message>
    <message>
        <source>free some space and start Minerva again; nothing in %1 was changed</source>
        <translation>schaffen Sie Platz und starten Sie Minerva neu; in %1 wurde nichts geändert</translation>
    </message>
    <message>
        <source>another file has that name now</source>
        <translation>eine andere Datei hat jetzt diesen Namen</translation>
    </message>
    <message>
        <source>it could not be moved to the trash</source>
        <translation>es konnte nicht in den Papierkorb gelegt werden</translation>
    </message>
    <message>
        <source>it could not be restored from the trash</source>
        <translation>es konnte nicht aus dem Papierkorb zurückgeholt werden</translation>
    </message>
    <message>
        <source>it is no longer in the trash</source>
        <translation>es ist nicht mehr im Papierkorb</translation>
    </message>
    <message>
        <source>download it again</source>
        <translation>laden Sie es noch einmal herunter</translation>
    </message>
    <message>
        <source>move it in a file manager</source>
        <translation>verschieben Sie es in einem Dateimanager</translation>
    </message>
    <message>
        <source>nothing was deleted; delete the file in a file manager</source>
        <translation>es wurde nichts gelöscht; löschen Sie die Datei in einem Dateimanager</translation>
    </message>
    <message>
        <source>nothing was deleted; this disk may have no trash: delete the file in a file manager</source>
        <translation>es wurde nichts gelöscht; vielleicht hat dieser Datenträger keinen Papierkorb: löschen Sie die Datei in einem Dateimanager</translation>
    </message>
    <message>
        <source>the model is still in the trash</source>
        <translation>das Modell ist noch im Papierkorb</translation>
    </message>
    <message>
        <source>choose another folder</source>
        <translation>wählen Sie einen anderen Ordner</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>a Vulkan device</source>
        <translation>ein Vulkan-Gerät</translation>
    </message>
    <message>
        <source>one GPU whose driver has timestamps</source>
        <translation>eine GPU, deren Treiber Zeitstempel hat</translation>
    </message>
    <message>
        <source>no clock of its own, or a model that is shared with other devices</source>
        <translation>keine eigene Uhr, oder ein Modell, das auf mehrere Geräte verteilt ist</translation>
    </message>
    <message>
        <source>at most %1 free</source>
        <translation>höchstens %1 frei</translation>
    </message>
    <message>
        <source>%1 needed: weights %2, state of the conversations %3, scratch %4</source>
        <translation>%1 nötig: Gewichte %2, Zustand der Gespräche %3, Zwischenergebnisse %4</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>one of %1</source>
        <translation>eines von: %1</translation>
    </message>
    <message>
        <source>0 (one per core) to 1024</source>
        <translation>0 (einer je Kern) bis 1024</translation>
    </message>
    <message>
        <source>SSE4.2, SSSE3 and POPCNT (Intel since 2009, AMD since 2011)</source>
        <translation>SSE4.2, SSSE3 und POPCNT (Intel seit 2009, AMD seit 2011)</translation>
    </message>
    <message>
        <source>%1 available</source>
        <translation>%1 verfügbar</translation>
    </message>
    <message>
        <source>below %1</source>
        <translation>unter %1</translation>
    </message>
    <message>
        <source>at most %1 numbers of layers</source>
        <translation>höchstens %1 Schichtzahlen</translation>
    </message>
    <message>
        <source>%1 needed (%2)</source>
        <translation>%1 nötig (%2)</translation>
    </message>
    <message>
        <source>two models with tokenizers</source>
        <translation>zwei Modelle mit Tokenizern</translation>
    </message>
    <message>
        <source>no usable tokenizer in the draft model</source>
        <translation>kein brauchbarer Tokenizer im Entwurfsmodell</translation>
    </message>
    <message>
        <source>no usable tokenizer in the model</source>
        <translation>kein brauchbarer Tokenizer im Modell</translation>
    </message>
    <message>
        <source>token %1 = %2</source>
        <translation>Token %1 = %2</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>ein Text</translation>
    </message>
    <message>
        <source>at most %1 tokens</source>
        <translation>höchstens %1 Tokens</translation>
    </message>
    <message>
        <source>nothing that the model has a token for</source>
        <translation>nichts, wofür das Modell ein Token hat</translation>
    </message>
    <message>
        <source>a text length of 0 or more, 1 or more rows and texts</source>
        <translation>eine Textlänge von 0 oder mehr, mindestens 1 Zeile und 1 Text</translation>
    </message>
    <message>
        <source>an embedding model</source>
        <translation>ein Embedding-Modell</translation>
    </message>
    <message>
        <source>a reranker</source>
        <translation>ein Reranker</translation>
    </message>
    <message>
        <source>none: the model states no prompts</source>
        <translation>keiner: das Modell nennt keine Prompts</translation>
    </message>
    <message>
        <source>%1 and this one</source>
        <translation>%1 und diese</translation>
    </message>
    <message>
        <source>1 or more conversations, rows per chunk and waiting requests, contexts and a context of 0 or more</source>
        <translation>mindestens 1 Gespräch, Zeile je Stück und wartende Anfrage, Kontexte und ein Kontext von 0 oder mehr</translation>
    </message>
    <message>
        <source>%1 conversations in %2 contexts, chunks of %3, %4 waiting requests, a context of %5</source>
        <translation>%1 Gespräche in %2 Kontexten, Stücke von %3, %4 wartende Anfragen, ein Kontext von %5</translation>
    </message>
    <message>
        <source>a model that predicts tokens</source>
        <translation>ein Modell, das Tokens vorhersagt</translation>
    </message>
    <message>
        <source>%1, pooled by %2</source>
        <translation>%1, Pooling: %2</translation>
    </message>
    <message>
        <source>a device on which they do not, as batch-invariant results were asked for</source>
        <translation>ein Gerät, auf dem sie das nicht tun, wie es verlangt war</translation>
    </message>
    <message>
        <source>%1, the draft model included</source>
        <translation>%1, mit dem Entwurfsmodell</translation>
    </message>
    <message>
        <source>a device that computes several tokens at once as it does each by itself</source>
        <translation>ein Gerät, das mehrere Tokens auf einmal so berechnet wie jedes für sich</translation>
    </message>
    <message>
        <source>at least 1 token</source>
        <translation>mindestens 1 Token</translation>
    </message>
    <message>
        <source>0 (until the context is full) or more tokens</source>
        <translation>0 (bis der Kontext voll ist) oder mehr Tokens</translation>
    </message>
    <message>
        <source>up to %1 weights</source>
        <translation>bis zu %1 Gewichte</translation>
    </message>
    <message>
        <source>less than %1 tokens</source>
        <translation>weniger als %1 Tokens</translation>
    </message>
    <message>
        <source>finite logits</source>
        <translation>endliche Logits</translation>
    </message>
    <message>
        <source>NaN or infinity</source>
        <translation>NaN oder unendlich</translation>
    </message>
    <message>
        <source>F32, F16, BF16, F8_E4M3 or F8_E5M2</source>
        <translation>F32, F16, BF16, F8_E4M3 oder F8_E5M2</translation>
    </message>
    <message>
        <source>%1, one per row or one in all</source>
        <translation>%1, eine je Zeile oder eine für alle</translation>
    </message>
    <message>
        <source>%1.scales and %2.qzeros</source>
        <translation>%1.scales und %2.qzeros</translation>
    </message>
    <message>
        <source>%1_scale and %2_shape</source>
        <translation>%1_scale und %2_shape</translation>
    </message>
    <message>
        <source>%1_scale_inv or _scale</source>
        <translation>%1_scale_inv oder _scale</translation>
    </message>
    <message>
        <source>F32, F16 or BF16</source>
        <translation>F32, F16 oder BF16</translation>
    </message>
    <message>
        <source>U32 codes and .scales for %1</source>
        <translation>Codes in U32 und .scales für %1</translation>
    </message>
    <message>
        <source>U32 for %1</source>
        <translation>U32 für %1</translation>
    </message>
    <message>
        <source>U8 [experts, rows, columns / 32, 16]</source>
        <translation>U8 [Experten, Zeilen, Spalten / 32, 16]</translation>
    </message>
    <message>
        <source>[%1, %2 numbers of 2, 3, 4 or 8 bits]</source>
        <translation>[%1, %2 Zahlen mit 2, 3, 4 oder 8 Bit]</translation>
    </message>
    <message>
        <source>[%1, %2 numbers of 4 bits]</source>
        <translation>[%1, %2 Zahlen mit 4 Bit]</translation>
    </message>
    <message>
        <source>[%1, columns]</source>
        <translation>[%1, Spalten]</translation>
    </message>
    <message>
        <source>[%1, groups]</source>
        <translation>[%1, Gruppen]</translation>
    </message>
    <message>
        <source>[.., %1] of whole words</source>
        <translation>[.., %1] aus ganzen Wörtern</translation>
    </message>
    <message>
        <source>[groups, rows]</source>
        <translation>[Gruppen, Zeilen]</translation>
    </message>
    <message>
        <source>[rows, words] or [experts, rows, words]</source>
        <translation>[Zeilen, Wörter] oder [Experten, Zeilen, Wörter]</translation>
    </message>
    <message>
        <source>a .weight with U32 codes and .scales beside it</source>
        <translation>ein .weight mit Codes in U32 und .scales daneben</translation>
    </message>
    <message>
        <source>a multiple of %1 bits for %2</source>
        <translation>ein Vielfaches von %1 Bits für %2</translation>
    </message>
    <message>
        <source>groups that divide %1 columns</source>
        <translation>Gruppen, die %1 Spalten teilen</translation>
    </message>
    <message>
        <source>no biases for %1</source>
        <translation>keine Biases für %1</translation>
    </message>
    <message>
        <source>%1 bits</source>
        <translation>%1 Bits</translation>
    </message>
    <message>
        <source>%1 bytes, %2 of scales, %3 of biases</source>
        <translation>%1 Bytes, %2 für Skalen, %3 für Biases</translation>
    </message>
    <message>
        <source>4 or 8 bits a weight, and rows of whole words</source>
        <translation>4 oder 8 Bit je Gewicht und Zeilen aus ganzen Wörtern</translation>
    </message>
    <message>
        <source>%1 words for %2</source>
        <translation>%1 Wörter für %2</translation>
    </message>
    <message>
        <source>GGUF or SafeTensors</source>
        <translation>GGUF oder SafeTensors</translation>
    </message>
    <message>
        <source>GGUF (starts with "GGUF") or SafeTensors (a header length and "{")</source>
        <translation>GGUF (beginnt mit "GGUF") oder SafeTensors (die Länge des Kopfes und "{")</translation>
    </message>
    <message>
        <source>%1 bytes that start with "%2"</source>
        <translation>%1 Bytes, beginnend mit "%2"</translation>
    </message>
    <message>
        <source>version 2 or 3</source>
        <translation>Version 2 oder 3</translation>
    </message>
    <message>
        <source>version %1</source>
        <translation>Version %1</translation>
    </message>
    <message>
        <source>big-endian%1, %2 tensors</source>
        <translation>Big-Endian%1, %2 Tensoren</translation>
    </message>
    <message>
        <source>big-endian%1, %2 tensors (and its metadata is damaged)</source>
        <translation>Big-Endian%1, %2 Tensoren (und die Metadaten sind beschädigt)</translation>
    </message>
    <message>
        <source>a type that ggml defines</source>
        <translation>ein Typ, den ggml kennt</translation>
    </message>
    <message>
        <source>%1, which is not known</source>
        <translation>%1, nicht bekannt</translation>
    </message>
    <message>
        <source>%1, which only ik_llama.cpp reads</source>
        <translation>%1, das nur ik_llama.cpp liest</translation>
    </message>
    <message>
        <source>%1 bytes at offset %2 of the data</source>
        <translation>%1 Bytes ab Position %2 der Daten</translation>
    </message>
    <message>
        <source>%1 bytes of data</source>
        <translation>%1 Bytes Daten</translation>
    </message>
    <message>
        <source>a whole model</source>
        <translation>ein ganzes Modell</translation>
    </message>
    <message>
        <source>part %1 of %2</source>
        <translation>Teil %1 von %2</translation>
    </message>
    <message>
        <source>at most %1 levels</source>
        <translation>höchstens %1 Ebenen</translation>
    </message>
    <message>
        <source>%1 elements</source>
        <translation>%1 Elemente</translation>
    </message>
    <message>
        <source>%1 keys</source>
        <translation>%1 Schlüssel</translation>
    </message>
    <message>
        <source>%1 strings</source>
        <translation>%1 Zeichenketten</translation>
    </message>
    <message>
        <source>%1 tensors</source>
        <translation>%1 Tensoren</translation>
    </message>
    <message>
        <source>1 to 64 bytes of UTF-8 without NUL</source>
        <translation>1 bis 64 Bytes UTF-8 ohne NUL</translation>
    </message>
    <message>
        <source>1 to 65535 bytes of UTF-8 without NUL</source>
        <translation>1 bis 65535 Bytes UTF-8 ohne NUL</translation>
    </message>
    <message>
        <source>a multiple of %1</source>
        <translation>ein Vielfaches von %1</translation>
    </message>
    <message>
        <source>a multiple of %1 for %2</source>
        <translation>ein Vielfaches von %1 für %2</translation>
    </message>
    <message>
        <source>a number below %1</source>
        <translation>eine Zahl unter %1</translation>
    </message>
    <message>
        <source>a power of two from 8 to 65536</source>
        <translation>eine Zweierpotenz von 8 bis 65536</translation>
    </message>
    <message>
        <source>a type from 0 to 12</source>
        <translation>ein Typ von 0 bis 12</translation>
    </message>
    <message>
        <source>dimensions of at least 1 whose product is below 2^62</source>
        <translation>Dimensionen ab 1, deren Produkt unter 2^62 liegt</translation>
    </message>
    <message>
        <source>offset %1 or more</source>
        <translation>Position %1 oder mehr</translation>
    </message>
    <message>
        <source>the letters GGUF at the start</source>
        <translation>die Buchstaben GGUF am Anfang</translation>
    </message>
    <message>
        <source>up to 4</source>
        <translation>bis zu 4</translation>
    </message>
    <message>
        <source>%1 bytes to the end of the file</source>
        <translation>%1 Bytes bis zum Ende der Datei</translation>
    </message>
    <message>
        <source>%1 elements in a row</source>
        <translation>%1 Elemente in einer Zeile</translation>
    </message>
    <message>
        <source>an empty name</source>
        <translation>ein leerer Name</translation>
    </message>
    <message>
        <source>dimension %1 of %2</source>
        <translation>Dimension %1 von %2</translation>
    </message>
    <message>
        <source>%1 files in one folder</source>
        <translation>%1 Dateien in einem Ordner</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>ein Objekt</translation>
    </message>
    <message>
        <source>a .gguf file or .safetensors files</source>
        <translation>eine .gguf-Datei oder .safetensors-Dateien</translation>
    </message>
    <message>
        <source>a .gguf file, model.safetensors or model.safetensors.index.json</source>
        <translation>eine .gguf-Datei, model.safetensors oder model.safetensors.index.json</translation>
    </message>
    <message>
        <source>%1 .safetensors files</source>
        <translation>%1 .safetensors-Dateien</translation>
    </message>
    <message>
        <source>a weight_map with an entry per tensor</source>
        <translation>eine weight_map mit einem Eintrag je Tensor</translation>
    </message>
    <message>
        <source>the plain name of a file in the same folder</source>
        <translation>der bloße Name einer Datei im selben Ordner</translation>
    </message>
    <message>
        <source>%1 parts named by %2</source>
        <translation>%1 Teile, die %2 nennt</translation>
    </message>
    <message>
        <source>a list of up to 16 parts</source>
        <translation>eine Liste mit bis zu 16 Teilen</translation>
    </message>
    <message>
        <source>the plain name of a folder in it</source>
        <translation>der bloße Name eines Ordners darin</translation>
    </message>
    <message>
        <source>two texts</source>
        <translation>zwei Texte</translation>
    </message>
    <message>
        <source>at most %1 bytes</source>
        <translation>höchstens %1 Bytes</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>an integer</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>array of strings</source>
        <translation>Feld von Zeichenketten</translation>
    </message>
    <message>
        <source>less than 2^63</source>
        <translation>weniger als 2^63</translation>
    </message>
    <message>
        <source>no .scales, a float weight</source>
        <translation>kein .scales, ein Gleitkomma-Gewicht</translation>
    </message>
    <message>
        <source>packed codes</source>
        <translation>gepackte Codes</translation>
    </message>
    <message>
        <source>the whole file</source>
        <translation>die ganze Datei</translation>
    </message>
    <message>
        <source>one model</source>
        <translation>ein Modell</translation>
    </message>
    <message>
        <source>%1 files, the first %2</source>
        <translation>%1 Dateien, die erste %2</translation>
    </message>
    <message>
        <source>2, 3, 4, 5, 6 or 8 bits in groups of 32, 64 or 128</source>
        <translation>2, 3, 4, 5, 6 oder 8 Bits in Gruppen von 32, 64 oder 128</translation>
    </message>
    <message>
        <source>4 bits in groups of 16 for nvfp4</source>
        <translation>4 Bits in Gruppen von 16 für nvfp4</translation>
    </message>
    <message>
        <source>4 bits in groups of 32 for mxfp4</source>
        <translation>4 Bits in Gruppen von 32 für mxfp4</translation>
    </message>
    <message>
        <source>8 bits in groups of 32 for mxfp8</source>
        <translation>8 Bits in Gruppen von 32 für mxfp8</translation>
    </message>
    <message>
        <source>a whole number of at least 1</source>
        <translation>eine ganze Zahl ab 1</translation>
    </message>
    <message>
        <source>group_size and bits</source>
        <translation>group_size und bits</translation>
    </message>
    <message>
        <source>two whole numbers</source>
        <translation>zwei ganze Zahlen</translation>
    </message>
    <message>
        <source>%1 bits in groups of %2, %3</source>
        <translation>%1 Bits in Gruppen von %2, %3</translation>
    </message>
    <message>
        <source>affine, mxfp4, mxfp8 or nvfp4</source>
        <translation>affine, mxfp4, mxfp8 oder nvfp4</translation>
    </message>
    <message>
        <source>mxfp4, fp8, gptq, awq, pack-quantized, or MLX</source>
        <translation>mxfp4, fp8, gptq, awq, pack-quantized oder MLX</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 Bytes</translation>
    </message>
    <message>
        <source>a name and an object</source>
        <translation>ein Name und ein Objekt</translation>
    </message>
    <message>
        <source>an array of whole numbers</source>
        <translation>ein Feld ganzer Zahlen</translation>
    </message>
    <message>
        <source>an end of at most %1</source>
        <translation>ein Ende von höchstens %1</translation>
    </message>
    <message>
        <source>two numbers</source>
        <translation>zwei Zahlen</translation>
    </message>
    <message>
        <source>two whole numbers in order</source>
        <translation>zwei ganze Zahlen in aufsteigender Folge</translation>
    </message>
    <message>
        <source>whole numbers whose product is below 2^60</source>
        <translation>ganze Zahlen, deren Produkt unter 2^60 liegt</translation>
    </message>
    <message>
        <source>2 to %1 bytes</source>
        <translation>2 bis %1 Bytes</translation>
    </message>
    <message>
        <source>at least 10 bytes</source>
        <translation>mindestens 10 Bytes</translation>
    </message>
    <message>
        <source>[.., rows, columns]</source>
        <translation>[.., Zeilen, Spalten]</translation>
    </message>
    <message>
        <source>columns, and columns per scale, in multiples of 32</source>
        <translation>Spalten, und Spalten je Skala, in Vielfachen von 32</translation>
    </message>
    <message>
        <source>rows in multiples of %1</source>
        <translation>Zeilen in Vielfachen von %1</translation>
    </message>
    <message>
        <source>--api-key, or a loopback address such as 127.0.0.1</source>
        <translation>--api-key, oder eine Loopback-Adresse wie 127.0.0.1</translation>
    </message>
    <message>
        <source>no key</source>
        <translation>kein Schlüssel</translation>
    </message>
    <message>
        <source>an address of this machine and a port that is free</source>
        <translation>eine Adresse dieses Rechners und ein freier Port</translation>
    </message>
    <message>
        <source>an engine, an embedder, a reranker, a desk or a shelf</source>
        <translation>eine Engine, ein Embedder, ein Reranker, ein Desk oder ein Shelf</translation>
    </message>
    <message>
        <source>%1 of them</source>
        <translation>%1 davon</translation>
    </message>
    <message>
        <source>one of: %1</source>
        <translation>eines von: %1</translation>
    </message>
    <message>
        <source>a GPU</source>
        <translation>eine GPU</translation>
    </message>
    <message>
        <source>different GPUs, or a limit of their memory</source>
        <translation>verschiedene GPUs oder eine Grenze ihres Speichers</translation>
    </message>
    <message>
        <source>%1 again</source>
        <translation>noch einmal %1</translation>
    </message>
    <message>
        <source>a Vulkan driver</source>
        <translation>ein Vulkan-Treiber</translation>
    </message>
    <message>
        <source>vulkan:0 to %1</source>
        <translation>vulkan:0 bis %1</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 Geräte</translation>
    </message>
    <message>
        <source>matrix units that multiply float16 and add float32</source>
        <translation>Matrixeinheiten, die float16 multiplizieren und float32 addieren</translation>
    </message>
    <message>
        <source>too little shared memory for their tiles</source>
        <translation>zu wenig gemeinsamer Speicher für ihre Kacheln</translation>
    </message>
    <message>
        <source>units that multiply wrongly, or kernels that the driver cannot compile</source>
        <translation>Einheiten, die falsch multiplizieren, oder Kernel, die der Treiber nicht übersetzen kann</translation>
    </message>
    <message>
        <source>units with which the program or the device ended before</source>
        <translation>Einheiten, mit denen schon das Programm endete oder das Gerät verloren ging</translation>
    </message>
    <message>
        <source>at most %1 bytes free</source>
        <translation>höchstens %1 Bytes frei</translation>
    </message>
    <message>
        <source>%1 bytes needed</source>
        <translation>%1 Bytes nötig</translation>
    </message>
    <message>
        <source>some of its work done within %1</source>
        <translation>ein Teil der Arbeit erledigt binnen %1</translation>
    </message>
    <message>
        <source>a JSON document, or one per line</source>
        <translation>ein JSON-Dokument oder eines je Zeile</translation>
    </message>
    <message>
        <source>an export of Minerva (.json, .md), ChatGPT's conversations.json, or {"messages": [{"role", "content"}]}</source>
        <translation>ein Export von Minerva (.json, .md), conversations.json von ChatGPT oder {"messages": [{"role", "content"}]}</translation>
    </message>
    <message>
        <source>%1 MiB at most</source>
        <translation>höchstens %1 MiB</translation>
    </message>
    <message>
        <source>a text file (UTF-8, UTF-16 or Windows-1252)</source>
        <translation>eine Textdatei (UTF-8, UTF-16 oder Windows-1252)</translation>
    </message>
    <message>
        <source>a binary file (%1 control characters)</source>
        <translation>eine Binärdatei (%1 Steuerzeichen)</translation>
    </message>
    <message>
        <source>a binary file (%1 is 0)</source>
        <translation>eine Binärdatei (%1 ist 0)</translation>
    </message>
    <message>
        <source>a binary file (it contains a NUL character)</source>
        <translation>eine Binärdatei (mit einem NUL-Zeichen)</translation>
    </message>
    <message>
        <source>an unsupported encoding</source>
        <translation>eine nicht unterstützte Kodierung</translation>
    </message>
    <message>
        <source>valid %1, as its byte order mark says</source>
        <translation>gültiges %1, wie es die Kennung am Anfang angibt</translation>
    </message>
    <message>
        <source>invalid bytes</source>
        <translation>ungültige Bytes</translation>
    </message>
    <message>
        <source>valid UTF-8, like most of the file</source>
        <translation>gültiges UTF-8, wie der größte Teil der Datei</translation>
    </message>
    <message>
        <source>%1 is invalid (%2 in total)</source>
        <translation>%1 ist ungültig (%2 insgesamt)</translation>
    </message>
    <message>
        <source>%1 at most</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>%1 in total at most</source>
        <translation>insgesamt höchstens %1</translation>
    </message>
    <message>
        <source>0 bytes</source>
        <translation>0 Bytes</translation>
    </message>
    <message>
        <source>a text file</source>
        <translation>eine Textdatei</translation>
    </message>
    <message>
        <source>a device</source>
        <translation>ein Gerät</translation>
    </message>
    <message>
        <source>a folder</source>
        <translation>ein Ordner</translation>
    </message>
    <message>
        <source>a GGUF file, or a folder of SafeTensors files with a config.json</source>
        <translation>eine GGUF-Datei oder ein Ordner mit SafeTensors-Dateien und einer config.json</translation>
    </message>
    <message>
        <source>the header of a GGUF or SafeTensors file</source>
        <translation>der Kopf einer GGUF- oder SafeTensors-Datei</translation>
    </message>
    <message>
        <source>https, or an address of this machine</source>
        <translation>https oder eine Adresse dieses Rechners</translation>
    </message>
    <message>
        <source>%1, with the token from %2</source>
        <translation>%1, mit dem Token aus %2</translation>
    </message>
    <message>
        <source>at most %1 redirects</source>
        <translation>höchstens %1 Weiterleitungen</translation>
    </message>
    <message>
        <source>bytes from %1</source>
        <translation>Bytes ab %1</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>git id %1</source>
        <translation>Git-Kennung %1</translation>
    </message>
    <message>
        <source>%1 both times</source>
        <translation>beide Male %1</translation>
    </message>
    <message>
        <source>%1, then %2</source>
        <translation>%1, dann %2</translation>
    </message>
    <message>
        <source>git id %1 both times</source>
        <translation>beide Male Git-Kennung %1</translation>
    </message>
    <message>
        <source>git id %1, then %2</source>
        <translation>Git-Kennung %1, dann %2</translation>
    </message>
    <message>
        <source>HOST:PORT, http://HOST:PORT or socks5://HOST:PORT; none; or nothing, for the system's</source>
        <translation>HOST:PORT, http://HOST:PORT oder socks5://HOST:PORT; none; oder nichts für den des Systems</translation>
    </message>
    <message>
        <source>JSON as the hub documents it</source>
        <translation>JSON, wie der Hub es beschreibt</translation>
    </message>
    <message>
        <source>JSON with a different structure</source>
        <translation>JSON mit einem anderen Aufbau</translation>
    </message>
    <message>
        <source>%1 or huggingface.co</source>
        <translation>%1 oder huggingface.co</translation>
    </message>
    <message>
        <source>GNOME Keyring or KWallet in this session</source>
        <translation>GNOME-Schlüsselbund oder KWallet in dieser Sitzung</translation>
    </message>
    <message>
        <source>Minerva was built without QtKeychain</source>
        <translation>Minerva wurde ohne QtKeychain gebaut</translation>
    </message>
    <message>
        <source>a model in %1</source>
        <translation>ein Modell in %1</translation>
    </message>
    <message>
        <source>%1 characters at most</source>
        <translation>höchstens %1 Zeichen</translation>
    </message>
    <message>
        <source>very deep nesting</source>
        <translation>sehr tiefe Verschachtelung</translation>
    </message>
    <message>
        <source>%1 tokens or more</source>
        <translation>mindestens %1 Tokens</translation>
    </message>
    <message>
        <source>a reply whose answer has begun</source>
        <translation>eine Antwort, deren Text schon begonnen hat</translation>
    </message>
    <message>
        <source>one that ends in its reasoning</source>
        <translation>eine, die in ihren Gedanken endet</translation>
    </message>
    <message>
        <source>a JSON object</source>
        <translation>ein JSON-Objekt</translation>
    </message>
    <message>
        <source>a certificate for %1 from a trusted issuer</source>
        <translation>ein Zertifikat für %1 von einem vertrauten Aussteller</translation>
    </message>
    <message>
        <source>an answer with reasoning_effort %1</source>
        <translation>eine Antwort mit reasoning_effort %1</translation>
    </message>
    <message>
        <source>a reply and its end</source>
        <translation>eine Antwort und ihr Ende</translation>
    </message>
    <message>
        <source>%1 bytes without text</source>
        <translation>%1 Bytes ohne Text</translation>
    </message>
    <message>
        <source>more than %1 bytes</source>
        <translation>mehr als %1 Bytes</translation>
    </message>
    <message>
        <source>nothing for %1 s</source>
        <translation>nichts binnen %1 s</translation>
    </message>
    <message>
        <source>the end of the connection</source>
        <translation>das Ende der Verbindung</translation>
    </message>
    <message>
        <source>an address such as localhost:8080 or https://example.org/v1</source>
        <translation>eine Adresse wie localhost:8080 oder https://example.org/v1</translation>
    </message>
    <message>
        <source>https, or an address of this computer</source>
        <translation>https oder eine Adresse dieses Rechners</translation>
    </message>
    <message>
        <source>no entry</source>
        <translation>kein Eintrag</translation>
    </message>
    <message>
        <source>the keyring does not answer</source>
        <translation>der Schlüsselbund antwortet nicht</translation>
    </message>
    <message>
        <source>letters, digits and signs without spaces</source>
        <translation>Buchstaben, Ziffern und Zeichen ohne Leerzeichen</translation>
    </message>
    <message>
        <source>a text of %1 bytes</source>
        <translation>ein Text von %1 Bytes</translation>
    </message>
    <message>
        <source>other characters</source>
        <translation>andere Zeichen</translation>
    </message>
    <message>
        <source>a JSON object with "data"</source>
        <translation>ein JSON-Objekt mit "data"</translation>
    </message>
    <message>
        <source>a list of models within %1 s</source>
        <translation>eine Liste von Modellen binnen %1 s</translation>
    </message>
    <message>
        <source>a JSON object with a name, and a unique id</source>
        <translation>ein JSON-Objekt mit einem Namen und einer eindeutigen Kennung</translation>
    </message>
    <message>
        <source>the entry %1</source>
        <translation>der Eintrag %1</translation>
    </message>
    <message>
        <source>version %1 or older</source>
        <translation>Version %1 oder älter</translation>
    </message>
    <message>
        <source>space for %1 bytes in a writable folder</source>
        <translation>Platz für %1 Bytes in einem beschreibbaren Ordner</translation>
    </message>
    <message>
        <source>another program uses the file</source>
        <translation>ein anderes Programm benutzt die Datei</translation>
    </message>
    <message>
        <source>this folder, which holds the trash, is not writable</source>
        <translation>in diesen Ordner, der den Papierkorb enthält, kann nicht geschrieben werden</translation>
    </message>
</context>
</TS>
