<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>topoview</name>
    <message>
        <source>
all ranks in this iteration: {whole}</source>
        <translation>
alle Ränge in dieser Iteration: {whole}</translation>
    </message>
    <message>
        <source>
in {path}</source>
        <translation>
in {path}</translation>
    </message>
    <message>
        <source>
line {line} of the listing</source>
        <translation>
Zeile {line} der Auflistung</translation>
    </message>
    <message>
        <source>
waited {waited} for late partners</source>
        <translation>
wartete {waited} auf verspätete Partner</translation>
    </message>
    <message>
        <source>
{value:.3g} times the median of its rank</source>
        <translation>
mal Median des Rangs: {value:.3g}</translation>
    </message>
    <message>
        <source> ({observed}; {used} of {edges} edges are used, {further} pairs besides)</source>
        <translation> ({observed}; {used} von {edges} Kanten werden benutzt, dazu {further} Paare)</translation>
    </message>
    <message>
        <source> Commands</source>
        <translation> Befehle</translation>
    </message>
    <message>
        <source> Find a command</source>
        <translation> Befehl suchen</translation>
    </message>
    <message>
        <source> Find a command   Ctrl+Shift+P</source>
        <translation> Befehl suchen   Strg+Umschalt+P</translation>
    </message>
    <message>
        <source> GiB a worker</source>
        <translation> GiB je Worker</translation>
    </message>
    <message>
        <source> a pixel</source>
        <translation> je Pixel</translation>
    </message>
    <message>
        <source> and {ending}</source>
        <translation> und {ending}</translation>
    </message>
    <message>
        <source> and {more} more</source>
        <translation> und {more} weitere</translation>
    </message>
    <message>
        <source> at </source>
        <translation> bei </translation>
    </message>
    <message>
        <source> at {speed}</source>
        <translation> mit {speed}</translation>
    </message>
    <message>
        <source> at {until}</source>
        <translation> bei {until}</translation>
    </message>
    <message>
        <source> billion</source>
        <translation> Milliarden</translation>
    </message>
    <message>
        <source> dpi</source>
        <translation> dpi</translation>
    </message>
    <message>
        <source> for {duration}</source>
        <translation>, {duration} lang</translation>
    </message>
    <message>
        <source> in region “{title}”</source>
        <translation> in der Region „{title}“</translation>
    </message>
    <message>
        <source> in {title}</source>
        <translation> in {title}</translation>
    </message>
    <message>
        <source> million</source>
        <translation> Millionen</translation>
    </message>
    <message>
        <source> of </source>
        <translation> von </translation>
    </message>
    <message>
        <source> of rank {rank}</source>
        <translation> von Rang {rank}</translation>
    </message>
    <message>
        <source> of {ranks}</source>
        <translation>, {ranks}</translation>
    </message>
    <message>
        <source> of {waiting} waiting</source>
        <translation> von {waiting} Wartezeit</translation>
    </message>
    <message>
        <source> on {ranks}</source>
        <translation>, {ranks}</translation>
    </message>
    <message>
        <source> or </source>
        <translation> oder </translation>
    </message>
    <message>
        <source> partners</source>
        <translation> Partnern</translation>
    </message>
    <message>
        <source> per second</source>
        <translation> pro Sekunde</translation>
    </message>
    <message>
        <source> ranks</source>
        <translation> Ränge</translation>
    </message>
    <message>
        <source> times</source>
        <translation>-fach</translation>
    </message>
    <message>
        <source> to {high}</source>
        <translation> bis {high}</translation>
    </message>
    <message numerus="yes">
        <source>%n MPI call</source>
        <translation>
            <numerusform>%n MPI-Aufruf</numerusform>
            <numerusform>%n MPI-Aufrufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cable</source>
        <translation>
            <numerusform>%n Kabel</numerusform>
            <numerusform>%n Kabel</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n call</source>
        <translation>
            <numerusform>%n Aufruf</numerusform>
            <numerusform>%n Aufrufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n camera key frame</source>
        <translation>
            <numerusform>%n Schlüsselbild</numerusform>
            <numerusform>%n Schlüsselbilder</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cell</source>
        <translation>
            <numerusform>%n Zelle</numerusform>
            <numerusform>%n Zellen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n collective operation</source>
        <translation>
            <numerusform>%n kollektive Operation</numerusform>
            <numerusform>%n kollektive Operationen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n communicating pair</source>
        <translation>
            <numerusform>%n kommunizierenden Paar</numerusform>
            <numerusform>%n kommunizierenden Paaren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n communicator</source>
        <translation>
            <numerusform>%n Kommunikator</numerusform>
            <numerusform>%n Kommunikatoren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n delay</source>
        <translation>
            <numerusform>%n Verzögerung</numerusform>
            <numerusform>%n Verzögerungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n edge</source>
        <translation>
            <numerusform>%n Kante</numerusform>
            <numerusform>%n Kanten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n event</source>
        <translation>
            <numerusform>%n Ereignis</numerusform>
            <numerusform>%n Ereignisse</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n extra edge</source>
        <translation>
            <numerusform>%n zusätzliche Kante</numerusform>
            <numerusform>%n zusätzliche Kanten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hop</source>
        <translation>
            <numerusform>%n Hop</numerusform>
            <numerusform>%n Hops</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n idle period</source>
        <translation>
            <numerusform>%n ereignislose Zeit</numerusform>
            <numerusform>%n ereignislose Zeiten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n iteration</source>
        <translation>
            <numerusform>%n Iteration</numerusform>
            <numerusform>%n Iterationen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n line</source>
        <translation>
            <numerusform>%n Zeile</numerusform>
            <numerusform>%n Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n link</source>
        <translation>
            <numerusform>%n Link</numerusform>
            <numerusform>%n Links</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n message</source>
        <translation>
            <numerusform>%n Nachricht</numerusform>
            <numerusform>%n Nachrichten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n neighbour</source>
        <translation>
            <numerusform>%n Nachbar</numerusform>
            <numerusform>%n Nachbarn</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n node</source>
        <translation>
            <numerusform>%n Knoten</numerusform>
            <numerusform>%n Knoten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n number</source>
        <translation>
            <numerusform>%n Zahl</numerusform>
            <numerusform>%n Zahlen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n one-sided transfer</source>
        <translation>
            <numerusform>%n einseitiger Transfer</numerusform>
            <numerusform>%n einseitige Transfers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other location</source>
        <translation>
            <numerusform>%n weitere Location</numerusform>
            <numerusform>%n weitere Locations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n other rank</source>
        <translation>
            <numerusform>%n anderer Rang</numerusform>
            <numerusform>%n andere Ränge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pair</source>
        <translation>
            <numerusform>%n Paar</numerusform>
            <numerusform>%n Paare</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n phase</source>
        <translation>
            <numerusform>%n Phase</numerusform>
            <numerusform>%n Phasen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n place</source>
        <translation>
            <numerusform>%n Platz</numerusform>
            <numerusform>%n Plätze</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n plane</source>
        <translation>
            <numerusform>%n Ebene</numerusform>
            <numerusform>%n Ebenen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n rank</source>
        <translation>
            <numerusform>%n Rang</numerusform>
            <numerusform>%n Ränge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n row</source>
        <translation>
            <numerusform>%n Zeile</numerusform>
            <numerusform>%n Zeilen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n selected rank</source>
        <translation>
            <numerusform>%n ausgewählter Rang</numerusform>
            <numerusform>%n ausgewählte Ränge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n statement</source>
        <translation>
            <numerusform>%n Anweisung</numerusform>
            <numerusform>%n Anweisungen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n visit</source>
        <translation>
            <numerusform>%n Besuch</numerusform>
            <numerusform>%n Besuche</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning</source>
        <translation>
            <numerusform>%n Warnung</numerusform>
            <numerusform>%n Warnungen</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;ensp;{title}</source>
        <translation>&amp;ensp;{title}</translation>
    </message>
    <message>
        <source>(silent)</source>
        <translation>(stumm)</translation>
    </message>
    <message>
        <source>, % of window</source>
        <translation>, % des Fensters</translation>
    </message>
    <message>
        <source>, about {left} left</source>
        <translation>, noch etwa {left}</translation>
    </message>
    <message>
        <source>, about {length:.4g} s</source>
        <translation>, etwa {length:.4g} s</translation>
    </message>
    <message>
        <source>, assumed</source>
        <translation>, angenommen</translation>
    </message>
    <message>
        <source>, beside the other iterations</source>
        <translation>, neben den anderen Iterationen</translation>
    </message>
    <message>
        <source>, caused {caused} of waiting</source>
        <translation>, verursachte {caused} Wartezeit</translation>
    </message>
    <message>
        <source>, correlation {r:.2f}</source>
        <translation>, Korrelation {r:.2f}</translation>
    </message>
    <message>
        <source>, from the first again</source>
        <translation>, wieder ab dem ersten</translation>
    </message>
    <message>
        <source>, from the last again</source>
        <translation>, wieder ab dem letzten</translation>
    </message>
    <message>
        <source>, in several groups that do not communicate</source>
        <translation>, in mehreren Gruppen, die nicht miteinander kommunizieren</translation>
    </message>
    <message>
        <source>, largest of {ranks}</source>
        <translation>, größter Wert ({ranks})</translation>
    </message>
    <message>
        <source>, logarithmic</source>
        <translation>, logarithmisch</translation>
    </message>
    <message>
        <source>, looking on…</source>
        <translation>, suche weiter…</translation>
    </message>
    <message>
        <source>, major circle</source>
        <translation>, großer Kreis</translation>
    </message>
    <message>
        <source>, minor circle</source>
        <translation>, kleiner Kreis</translation>
    </message>
    <message>
        <source>, number {number} of {count} such statements in the logical trace</source>
        <translation>, Nummer {number} von {count} solchen Anweisungen im logischen Trace</translation>
    </message>
    <message>
        <source>, on a machine that is assumed</source>
        <translation>, auf einer angenommenen Maschine</translation>
    </message>
    <message>
        <source>, periodic</source>
        <translation>, periodisch</translation>
    </message>
    <message>
        <source>, repeating</source>
        <translation>, wiederholt</translation>
    </message>
    <message>
        <source>, through </source>
        <translation>, über </translation>
    </message>
    <message>
        <source>, until its </source>
        <translation>, bis zu </translation>
    </message>
    <message>
        <source>, until the end of its </source>
        <translation>, bis zum Ende von </translation>
    </message>
    <message>
        <source>, which are names of the same graph</source>
        <translation>, was Namen desselben Graphen sind</translation>
    </message>
    <message>
        <source>, whose computation ({computed}) is {ratio:.2f} times {whom}</source>
        <translation>, dessen Rechenzeit ({computed}) das {ratio:.2f}-fache ist von: {whom}</translation>
    </message>
    <message>
        <source>, {complete} after rank {first}</source>
        <translation>, {complete} nach Rang {first}</translation>
    </message>
    <message>
        <source>, {edges} of {total} edges</source>
        <translation>, {edges} von {total} Kanten</translation>
    </message>
    <message>
        <source>, {outliers} above {outlier_ratio:g} × median</source>
        <translation>, {outliers} über {outlier_ratio:g} × Median</translation>
    </message>
    <message>
        <source>, {sum} with the same spectrum</source>
        <translation>, {sum} mit demselben Spektrum</translation>
    </message>
    <message>
        <source>-point star stencil</source>
        <translation>-Punkt-Sternstencil</translation>
    </message>
    <message>
        <source>-point stencil</source>
        <translation>-Punkt-Stencil</translation>
    </message>
    <message>
        <source>0 to {most}</source>
        <translation>0 bis {most}</translation>
    </message>
    <message>
        <source>1 hop</source>
        <translation>1 Hop</translation>
    </message>
    <message>
        <source>1 hop per iteration</source>
        <translation>1 Hop pro Iteration</translation>
    </message>
    <message>
        <source>1 is left</source>
        <translation>1 bleibt</translation>
    </message>
    <message>
        <source>1 to 7</source>
        <translation>1 bis 7</translation>
    </message>
    <message>
        <source>1/{max_ratio:g} to {max_ratio:g}; above 1: less was measured</source>
        <translation>1/{max_ratio:g} bis {max_ratio:g}; über 1: weniger wurde gemessen</translation>
    </message>
    <message>
        <source>1280 by 720</source>
        <translation>1280 × 720</translation>
    </message>
    <message>
        <source>1280 by 800</source>
        <translation>1280 × 800</translation>
    </message>
    <message>
        <source>1920 by 1080</source>
        <translation>1920 × 1080</translation>
    </message>
    <message>
        <source>640 by 360</source>
        <translation>640 × 360</translation>
    </message>
    <message>
        <source>800 by 600</source>
        <translation>800 × 600</translation>
    </message>
    <message>
        <source>95 % are not above this</source>
        <translation>95 % liegen nicht darüber</translation>
    </message>
    <message>
        <source>: off, as {why}</source>
        <translation>: aus, denn {why}</translation>
    </message>
    <message>
        <source>: rows of {dim}</source>
        <translation>: Zeilen zu {dim}</translation>
    </message>
    <message>
        <source>; rank {rank} computes most</source>
        <translation>; am meisten rechnet Rang {rank}</translation>
    </message>
    <message>
        <source>; select another in the scene</source>
        <translation>; einen anderen in der Szene auswählen</translation>
    </message>
    <message>
        <source>; the nearest are below</source>
        <translation>; die nächsten stehen darunter</translation>
    </message>
    <message>
        <source>; tubes from {share:g} % on</source>
        <translation>; Röhren ab {share:g} %</translation>
    </message>
    <message>
        <source>; where one rank waits for another it is {direction} in {ratio}</source>
        <translation>; wo ein Rang auf einen anderen wartet, ist es in {ratio} der Fälle {direction}</translation>
    </message>
    <message>
        <source>; {column} of {unknown} not known</source>
        <translation>; {column} von {unknown} nicht bekannt</translation>
    </message>
    <message>
        <source>; {merge} of {each} cells a pixel</source>
        <translation>; {merge} von {each} Zellen je Pixel</translation>
    </message>
    <message>
        <source>; {part} of it is for rank {last}</source>
        <translation>; {part} davon gilt Rang {last}</translation>
    </message>
    <message>
        <source>; {part} of it on rank {rank}</source>
        <translation>; {part} davon auf Rang {rank}</translation>
    </message>
    <message>
        <source>; {ratio} of it is time inside MPI calls</source>
        <translation>; {ratio} davon ist Zeit in MPI-Aufrufen</translation>
    </message>
    <message>
        <source>&lt;b&gt;note on rank {rank}&lt;/b&gt;&lt;br&gt;{text}</source>
        <translation>&lt;b&gt;Notiz zu Rang {rank}&lt;/b&gt;&lt;br&gt;{text}</translation>
    </message>
    <message>
        <source>&lt;b&gt;rank {rank}&lt;/b&gt;</source>
        <translation>&lt;b&gt;Rang {rank}&lt;/b&gt;</translation>
    </message>
    <message>
        <source>&lt;b&gt;rank {sender} → rank {receiver}&lt;/b&gt;</source>
        <translation>&lt;b&gt;Rang {sender} → Rang {receiver}&lt;/b&gt;</translation>
    </message>
    <message>
        <source>&lt;b&gt;{name}&lt;/b&gt; for {lasts}, from {begin}</source>
        <translation>&lt;b&gt;{name}&lt;/b&gt;, {lasts}, ab {begin}</translation>
    </message>
    <message>
        <source>&lt;br&gt;called from {line}</source>
        <translation>&lt;br&gt;aufgerufen von {line}</translation>
    </message>
    <message>
        <source>&lt;br&gt;in {path}</source>
        <translation>&lt;br&gt;in {path}</translation>
    </message>
    <message>
        <source>&lt;br&gt;on {on}</source>
        <translation>&lt;br&gt;auf {on}</translation>
    </message>
    <message>
        <source>&lt;nobr&gt;&lt;b&gt;mark&lt;/b&gt;, {when} from the start&lt;/nobr&gt;&lt;br&gt;zero of all times</source>
        <translation>&lt;nobr&gt;&lt;b&gt;Marke&lt;/b&gt;, {when} vom Anfang&lt;/nobr&gt;&lt;br&gt;Nullpunkt aller Zeiten</translation>
    </message>
    <message>
        <source>&lt;nobr&gt;&lt;b&gt;message&lt;/b&gt;, {ends}&lt;br&gt;{tag}&lt;br&gt;{when}&lt;/nobr&gt;</source>
        <translation>&lt;nobr&gt;&lt;b&gt;Nachricht&lt;/b&gt;, {ends}&lt;br&gt;{tag}&lt;br&gt;{when}&lt;/nobr&gt;</translation>
    </message>
    <message>
        <source>&lt;nobr&gt;&lt;b&gt;rank {rank}&lt;/b&gt; {name}&lt;/nobr&gt;</source>
        <translation>&lt;nobr&gt;&lt;b&gt;Rang {rank}&lt;/b&gt; {name}&lt;/nobr&gt;</translation>
    </message>
    <message>
        <source>&lt;nobr&gt;&lt;b&gt;{name}&lt;/b&gt; on {members}&lt;br&gt;ranks came within {apart}, from {begin}&lt;br&gt;rank {last} came last, at {complete}&lt;/nobr&gt;</source>
        <translation>&lt;nobr&gt;&lt;b&gt;{name}&lt;/b&gt; auf {members}&lt;br&gt;Ränge kamen innerhalb von {apart}, ab {begin}&lt;br&gt;Rang {last} kam zuletzt, bei {complete}&lt;/nobr&gt;</translation>
    </message>
    <message>
        <source>&lt;nobr&gt;&lt;b&gt;{what}&lt;/b&gt;, {long}: {first} to {second}&lt;/nobr&gt;</source>
        <translation>&lt;nobr&gt;&lt;b&gt;{what}&lt;/b&gt;, {long}: {first} bis {second}&lt;/nobr&gt;</translation>
    </message>
    <message>
        <source>&lt;nobr&gt;{head}, folded: a click unfolds it&lt;/nobr&gt;</source>
        <translation>&lt;nobr&gt;{head}, zugeklappt: ein Klick klappt auf&lt;/nobr&gt;</translation>
    </message>
    <message>
        <source>&lt;nobr&gt;{head}&lt;br&gt;{label} for {length}, from {begin}&lt;/nobr&gt;</source>
        <translation>&lt;nobr&gt;{head}&lt;br&gt;{label}, {length}, ab {begin}&lt;/nobr&gt;</translation>
    </message>
    <message>
        <source>A and B take the same time: {a} {where}.</source>
        <translation>A und B brauchen gleich lang: {a} {where}.</translation>
    </message>
    <message>
        <source>A call tree is made of all events. Open the trace itself to see it.</source>
        <translation>Ein Aufrufbaum entsteht aus allen Ereignissen. Öffnen Sie dafür die Spur selbst.</translation>
    </message>
    <message>
        <source>A digest holds the iterations of the main loop only, and none of very many. Fetch a window of its trace to see others (File &gt; Fetch this window).</source>
        <translation>Ein Digest enthält nur die Iterationen der Hauptschleife, und keine, wenn es sehr viele sind. Um andere zu sehen, ein Fenster seines Traces holen (Datei &gt; Dieses Fenster holen).</translation>
    </message>
    <message>
        <source>A digest holds the slowest calls and messages only. Open {trace} to see this, or fetch the events of what the timeline shows.</source>
        <translation>Ein Digest enthält nur die langsamsten Aufrufe und Nachrichten. {trace} öffnen, um das zu sehen, oder die Ereignisse dessen holen, was die Zeitleiste zeigt.</translation>
    </message>
    <message>
        <source>A digest's name ends in {digest_suffix}.</source>
        <translation>Der Name eines Digests endet auf {digest_suffix}.</translation>
    </message>
    <message>
        <source>A has {iterations} and B {b}</source>
        <translation>A hat {iterations} und B {b}</translation>
    </message>
    <message>
        <source>A is this run, B is {name}</source>
        <translation>A ist dieser Lauf, B ist {name}</translation>
    </message>
    <message>
        <source>A long trace</source>
        <translation>Ein langer Trace</translation>
    </message>
    <message>
        <source>A second shows {second} of the run; {left}{frames} frames, rendered in the background.</source>
        <translation>Eine Sekunde zeigt {second} des Laufs; {left}{frames} Bilder, im Hintergrund gezeichnet.</translation>
    </message>
    <message>
        <source>A table of ranks and where each of them ran</source>
        <translation>Eine Tabelle der Ränge und wo jeder von ihnen lief</translation>
    </message>
    <message>
        <source>About topoview</source>
        <translation>Über topoview</translation>
    </message>
    <message>
        <source>Account</source>
        <translation>Bilanz</translation>
    </message>
    <message>
        <source>Add bookmark</source>
        <translation>Lesezeichen setzen</translation>
    </message>
    <message>
        <source>Add bookmark…</source>
        <translation>Lesezeichen setzen…</translation>
    </message>
    <message>
        <source>Add camera key frame</source>
        <translation>Kamera-Schlüsselbild hinzufügen</translation>
    </message>
    <message>
        <source>Add note…</source>
        <translation>Notiz hinzufügen…</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>After the last iteration.</source>
        <translation>Nach der letzten Iteration.</translation>
    </message>
    <message>
        <source>Aligned: {text}.</source>
        <translation>Ausgerichtet: {text}.</translation>
    </message>
    <message>
        <source>All calls</source>
        <translation>Alle Aufrufe</translation>
    </message>
    <message>
        <source>All calls that the trace holds were left.</source>
        <translation>Alle Aufrufe der Aufzeichnung kehrten zurück.</translation>
    </message>
    <message>
        <source>All links</source>
        <translation>Alle Links</translation>
    </message>
    <message>
        <source>All of it</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>All phases</source>
        <translation>Alle Phasen</translation>
    </message>
    <message>
        <source>All such waiting together</source>
        <translation>Alles Warten dieser Art zusammen</translation>
    </message>
    <message>
        <source>All waiting is {bounds}: {as_clocks_are}</source>
        <translation>Die gesamte Wartezeit ist {bounds}: {as_clocks_are}</translation>
    </message>
    <message>
        <source>Along {name}</source>
        <translation>Längs {name}</translation>
    </message>
    <message>
        <source>Analysis</source>
        <translation>Analyse</translation>
    </message>
    <message>
        <source>Animate rank order</source>
        <translation>Rangfolge animieren</translation>
    </message>
    <message>
        <source>Apart along {axes}</source>
        <translation>Getrennt längs {axes}</translation>
    </message>
    <message>
        <source>Arcs</source>
        <translation>Bögen</translation>
    </message>
    <message>
        <source>Arrangement</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>Arrangement of the ranks (L for the next one)</source>
        <translation>Anordnung der Ränge (L für die nächste)</translation>
    </message>
    <message>
        <source>As the sender sees it</source>
        <translation>Wie der Sender sie sieht</translation>
    </message>
    <message>
        <source>At the cursor</source>
        <translation>Am Cursor</translation>
    </message>
    <message>
        <source>At the same time {ranks} stood still in calls that had all they need: that is the machine's doing, or the tracer's. Run it on cores that nothing else uses, and give the tracer more memory.</source>
        <translation>Zur selben Zeit standen {ranks} in Aufrufen still, die alles hatten, was sie brauchten: Das liegt an der Maschine oder am Tracer. Lassen Sie das Programm auf Kernen laufen, die nichts anderes benutzt, und geben Sie dem Tracer mehr Speicher.</translation>
    </message>
    <message>
        <source>Automatic range</source>
        <translation>Automatischer Bereich</translation>
    </message>
    <message>
        <source>Automatic scale</source>
        <translation>Automatische Skala</translation>
    </message>
    <message>
        <source>Automatic unit</source>
        <translation>Automatische Einheit</translation>
    </message>
    <message>
        <source>Axis mapping</source>
        <translation>Achsenzuordnung</translation>
    </message>
    <message>
        <source>Axis of the plan</source>
        <translation>Achse des Plans</translation>
    </message>
    <message>
        <source>B is {b} faster: {times}.</source>
        <translation>B ist {b} schneller: {times}.</translation>
    </message>
    <message>
        <source>B is {b} slower: {times}.</source>
        <translation>B ist {b} langsamer: {times}.</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Back to delay</source>
        <translation>Zurück zur Verzögerung</translation>
    </message>
    <message>
        <source>Bad mapping</source>
        <translation>Schlechtes Mapping</translation>
    </message>
    <message>
        <source>Before the first iteration.</source>
        <translation>Vor der ersten Iteration.</translation>
    </message>
    <message>
        <source>Begin of the part of the time</source>
        <translation>Beginn des Zeitabschnitts</translation>
    </message>
    <message>
        <source>Between iterations {first} and {second} of {count}.</source>
        <translation>Zwischen den Iterationen {first} und {second} von {count}.</translation>
    </message>
    <message>
        <source>Between ranks whose wait for the delay is over and others</source>
        <translation>Zwischen Rängen, deren Warten auf die Verzögerung vorbei ist, und anderen</translation>
    </message>
    <message>
        <source>Between {name}s</source>
        <translation>Zwischen: {name}</translation>
    </message>
    <message>
        <source>Binary: {words}</source>
        <translation>Binär: {words}</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Bookmarks</source>
        <translation>Lesezeichen</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>Beide</translation>
    </message>
    <message>
        <source>Building logical trace…</source>
        <translation>Logischer Trace entsteht…</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Nach</translation>
    </message>
    <message>
        <source>By cause</source>
        <translation>Nach Ursache</translation>
    </message>
    <message>
        <source>By host</source>
        <translation>Nach Host</translation>
    </message>
    <message>
        <source>By how much the exchange would be shorter without it: all calls gone through again, with the computation as it was</source>
        <translation>Um wie viel der Austausch ohne sie kürzer wäre: alle Aufrufe noch einmal durchlaufen, mit der Rechenzeit, wie sie war</translation>
    </message>
    <message>
        <source>By how much waits get shorter with each hop</source>
        <translation>Um wie viel die Wartezeit mit jedem Hop kürzer wird</translation>
    </message>
    <message>
        <source>By machine coordinates</source>
        <translation>Nach Maschinenkoordinaten</translation>
    </message>
    <message>
        <source>By rank</source>
        <translation>Nach Rang</translation>
    </message>
    <message>
        <source>By {order}</source>
        <translation>Nach {order}</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>Bytes of all together</source>
        <translation>Bytes aller zusammen</translation>
    </message>
    <message>
        <source>Bytes of its messages, or of its part in the operation</source>
        <translation>Bytes seiner Nachrichten oder seines Teils der Operation</translation>
    </message>
    <message>
        <source>Bytes received</source>
        <translation>Empfangene Bytes</translation>
    </message>
    <message>
        <source>Bytes sent</source>
        <translation>Gesendete Bytes</translation>
    </message>
    <message>
        <source>Bytes sent point-to-point</source>
        <translation>Punkt-zu-Punkt gesendete Bytes</translation>
    </message>
    <message>
        <source>Bytes under way</source>
        <translation>Bytes unterwegs</translation>
    </message>
    <message>
        <source>Cache limit</source>
        <translation>Cache-Grenze</translation>
    </message>
    <message>
        <source>Call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>Call in which a host waits</source>
        <translation>Aufruf, in dem ein Host wartet</translation>
    </message>
    <message>
        <source>Call path</source>
        <translation>Aufrufpfad</translation>
    </message>
    <message>
        <source>Call sites</source>
        <translation>Aufrufstellen</translation>
    </message>
    <message>
        <source>Call stack of the selected rank</source>
        <translation>Aufrufstapel des ausgewählten Rangs</translation>
    </message>
    <message>
        <source>Call tree</source>
        <translation>Aufrufbaum</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>Calls and times of all ranks are being summed up.</source>
        <translation>Aufrufe und Zeiten aller Ränge werden summiert.</translation>
    </message>
    <message>
        <source>Calls found</source>
        <translation>Gefundene Aufrufe</translation>
    </message>
    <message>
        <source>Calls that began in the time that counts</source>
        <translation>Aufrufe, die in der gezählten Zeit begannen</translation>
    </message>
    <message>
        <source>Came first</source>
        <translation>Zuerst gekommen</translation>
    </message>
    <message>
        <source>Came last</source>
        <translation>Kam zuletzt</translation>
    </message>
    <message>
        <source>Came last first</source>
        <translation>Zuletzt gekommene zuerst</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Kamera</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel opening</source>
        <translation>Öffnen abbrechen</translation>
    </message>
    <message>
        <source>Caption with trace, topology and time</source>
        <translation>Bildunterschrift mit Trace, Topologie und Zeit</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Change of computation in compared run</source>
        <translation>Änderung der Rechenzeit gegen den Vergleichslauf</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen…</translation>
    </message>
    <message>
        <source>Choose trace…</source>
        <translation>Trace wählen…</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Circle</source>
        <translation>Kreis</translation>
    </message>
    <message>
        <source>Cividis / vik (colour-blind safe)</source>
        <translation>Cividis / vik (für Farbenblinde geeignet)</translation>
    </message>
    <message>
        <source>Clear camera key frames</source>
        <translation>Kamera-Schlüsselbilder löschen</translation>
    </message>
    <message>
        <source>Clear selection</source>
        <translation>Auswahl aufheben</translation>
    </message>
    <message>
        <source>Click a call in the timeline, a rank or an edge in the scene, or a statement.</source>
        <translation>Einen Aufruf in der Zeitleiste, einen Rang oder eine Kante in der Szene oder eine Anweisung anklicken.</translation>
    </message>
    <message>
        <source>Click to show its ranks and its time. The numbers are those of
{command}</source>
        <translation>Ein Klick zeigt Ränge und Zeit. Die Zahlen sind die von
{command}</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>Uhr</translation>
    </message>
    <message>
        <source>Clocks</source>
        <translation>Uhren</translation>
    </message>
    <message>
        <source>Clocks are known well enough to say that all waiting is between {least} and {most}: shares below {ratio} of it are uncertain. Least is known of rank {rank}: to within {half_width}.</source>
        <translation>Die Uhren sind so genau bekannt, dass die gesamte Wartezeit zwischen {least} und {most} liegt: Anteile unter {ratio} davon sind unsicher. Am wenigsten ist über Rang {rank} bekannt: auf {half_width} genau.</translation>
    </message>
    <message>
        <source>Clocks corrected</source>
        <translation>Uhren korrigiert</translation>
    </message>
    <message>
        <source>Close this card</source>
        <translation>Diese Karte schließen</translation>
    </message>
    <message>
        <source>Close this line; the Analysis menu shows it again</source>
        <translation>Diese Zeile schließen; das Menü Analyse zeigt sie wieder</translation>
    </message>
    <message>
        <source>Close trace</source>
        <translation>Trace schließen</translation>
    </message>
    <message>
        <source>Close {title}; the rail opens it again</source>
        <translation>{title} schließen; die Leiste öffnet es wieder</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>Cluster</translation>
    </message>
    <message>
        <source>Collective</source>
        <translation>Kollektive Operation</translation>
    </message>
    <message>
        <source>Collective operations</source>
        <translation>Kollektive Operationen</translation>
    </message>
    <message>
        <source>Collective operations of the window</source>
        <translation>Kollektive Operationen des Fensters</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>Kollektive</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>Farbe</translation>
    </message>
    <message>
        <source>Colour by state</source>
        <translation>Nach Zustand färben</translation>
    </message>
    <message>
        <source>Colour messages by</source>
        <translation>Nachrichten färben nach</translation>
    </message>
    <message>
        <source>Colour ranks</source>
        <translation>Ränge färben</translation>
    </message>
    <message>
        <source>Colour ranks by</source>
        <translation>Ränge färben nach</translation>
    </message>
    <message>
        <source>Colour ranks by change of computation</source>
        <translation>Ränge nach Änderung der Rechenzeit färben</translation>
    </message>
    <message>
        <source>Colour ranks by the smallest communicator that they share</source>
        <translation>Ränge nach dem kleinsten gemeinsamen Kommunikator färben</translation>
    </message>
    <message>
        <source>Colour rows</source>
        <translation>Zeilen färben</translation>
    </message>
    <message>
        <source>Colour scale</source>
        <translation>Farbskala</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Colours of numbers</source>
        <translation>Farben von Zahlen</translation>
    </message>
    <message>
        <source>Comms</source>
        <translation>Komm.</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Communication matrix</source>
        <translation>Kommunikationsmatrix</translation>
    </message>
    <message>
        <source>Communicator</source>
        <translation>Kommunikator</translation>
    </message>
    <message>
        <source>Communicators</source>
        <translation>Kommunikatoren</translation>
    </message>
    <message>
        <source>Communicators: extent and time</source>
        <translation>Kommunikatoren: Ausdehnung und Zeit</translation>
    </message>
    <message>
        <source>Compare with another trace</source>
        <translation>Mit anderem Trace vergleichen</translation>
    </message>
    <message>
        <source>Compare with another trace…</source>
        <translation>Mit anderem Trace vergleichen…</translation>
    </message>
    <message>
        <source>Compare with this window</source>
        <translation>Mit diesem Fenster vergleichen</translation>
    </message>
    <message>
        <source>Compared</source>
        <translation>Verglichen</translation>
    </message>
    <message>
        <source>Compared with {when}</source>
        <translation>Verglichen mit {when}</translation>
    </message>
    <message>
        <source>Comparing with {name}</source>
        <translation>Vergleich mit {name}</translation>
    </message>
    <message>
        <source>Comparing with {name}: {stage}</source>
        <translation>Vergleich mit {name}: {stage}</translation>
    </message>
    <message>
        <source>Comparison of logical traces</source>
        <translation>Vergleich logischer Traces</translation>
    </message>
    <message>
        <source>Completed MPI calls</source>
        <translation>Abgeschlossene MPI-Aufrufe</translation>
    </message>
    <message>
        <source>Completed by</source>
        <translation>Abgeschlossen von</translation>
    </message>
    <message>
        <source>Completes</source>
        <translation>Schließt ab</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>Komponenten</translation>
    </message>
    <message>
        <source>Compute before</source>
        <translation>Rechnen davor</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Cone</source>
        <translation>Kegel</translation>
    </message>
    <message>
        <source>Coordinates</source>
        <translation>Koordinaten</translation>
    </message>
    <message>
        <source>Coordinates in names</source>
        <translation>Koordinaten in Namen</translation>
    </message>
    <message>
        <source>Coordinates shown</source>
        <translation>Gezeigte Koordinaten</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy all rows as CSV</source>
        <translation>Alle Zeilen als CSV kopieren</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>Als Text kopieren</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Befehl kopieren</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>Einzelheiten kopieren</translation>
    </message>
    <message>
        <source>Copy explanation</source>
        <translation>Erklärung kopieren</translation>
    </message>
    <message>
        <source>Copy line</source>
        <translation>Zeile kopieren</translation>
    </message>
    <message>
        <source>Copy line and its block</source>
        <translation>Zeile und ihren Block kopieren</translation>
    </message>
    <message>
        <source>Copy lines</source>
        <translation>Zeilen kopieren</translation>
    </message>
    <message>
        <source>Copy logical trace</source>
        <translation>Logischen Trace kopieren</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>Bild kopieren</translation>
    </message>
    <message>
        <source>Copy table as CSV</source>
        <translation>Tabelle als CSV kopieren</translation>
    </message>
    <message>
        <source>Copy table as Markdown</source>
        <translation>Tabelle als Markdown kopieren</translation>
    </message>
    <message>
        <source>Costliest delay</source>
        <translation>Teuerste Verzögerung</translation>
    </message>
    <message>
        <source>Count collective operations, too, each as the messages of one algorithm</source>
        <translation>Auch kollektive Operationen zählen, jede als die Nachrichten eines Algorithmus</translation>
    </message>
    <message>
        <source>Count collective operations, too, each as the messages of one algorithm: Bcast and Reduce as a binomial tree, Allreduce and Allgather by recursive doubling with little data, as a ring with more</source>
        <translation>Auch kollektive Operationen zählen, jede als die Nachrichten eines Algorithmus: Bcast und Reduce als Binomialbaum, Allreduce und Allgather bei wenig Daten durch rekursives Verdoppeln, bei mehr als Ring</translation>
    </message>
    <message>
        <source>Counter:</source>
        <translation>Zähler:</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>Zähler</translation>
    </message>
    <message>
        <source>Counters of the trace</source>
        <translation>Zähler des Traces</translation>
    </message>
    <message>
        <source>Counters of traffic</source>
        <translation>Zähler des Verkehrs</translation>
    </message>
    <message>
        <source>Counter…</source>
        <translation>Zähler…</translation>
    </message>
    <message>
        <source>Counting messages…</source>
        <translation>Nachrichten werden gezählt…</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>Kritischer Pfad</translation>
    </message>
    <message>
        <source>Ctrl click</source>
        <translation>Strg + Klick</translation>
    </message>
    <message>
        <source>Ctrl drag</source>
        <translation>Strg + ziehen</translation>
    </message>
    <message>
        <source>Ctrl+B keeps this time and selection, Ctrl+N pins a note to the selected rank.</source>
        <translation>Strg+B merkt diese Zeit und Auswahl, Strg+N heftet eine Notiz an den ausgewählten Rang.</translation>
    </message>
    <message>
        <source>Ctrl+Shift drag</source>
        <translation>Strg+Umschalt + ziehen</translation>
    </message>
    <message>
        <source>Ctrl+Shift wheel</source>
        <translation>Strg+Umschalt + Rad</translation>
    </message>
    <message>
        <source>Cube</source>
        <translation>Würfel</translation>
    </message>
    <message>
        <source>Current values</source>
        <translation>Aktuelle Werte</translation>
    </message>
    <message>
        <source>Custom range…</source>
        <translation>Eigener Bereich…</translation>
    </message>
    <message>
        <source>Cut through</source>
        <translation>Schnitt durch</translation>
    </message>
    <message>
        <source>D grid</source>
        <translation>D-Gitter</translation>
    </message>
    <message>
        <source>D pyramid of</source>
        <translation>D-Pyramide mit</translation>
    </message>
    <message>
        <source>D torus</source>
        <translation>D-Torus</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Declared</source>
        <translation>Deklariert</translation>
    </message>
    <message>
        <source>Decrease spacing</source>
        <translation>Abstand verkleinern</translation>
    </message>
    <message>
        <source>Default view</source>
        <translation>Standardansicht</translation>
    </message>
    <message>
        <source>Delay of rank {rank}</source>
        <translation>Verzögerung von Rang {rank}</translation>
    </message>
    <message>
        <source>Delay that these iterations were late by or waited for; else their rank</source>
        <translation>Verzögerung, um die diese Iterationen zu spät kamen oder auf die sie warteten; sonst ihr Rang</translation>
    </message>
    <message>
        <source>Delayed ranks</source>
        <translation>Aufgehaltene Ränge</translation>
    </message>
    <message>
        <source>Delays</source>
        <translation>Verzögerungen</translation>
    </message>
    <message>
        <source>Delays of the rank in the iteration</source>
        <translation>Verzögerungen des Rangs in der Iteration</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Description of the machine</source>
        <translation>Beschreibung der Maschine</translation>
    </message>
    <message>
        <source>Deviation</source>
        <translation>Abweichung</translation>
    </message>
    <message>
        <source>Diagonals</source>
        <translation>Diagonalen</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Differences excluding waiting for partners, the largest first:</source>
        <translation>Unterschiede ohne das Warten auf Partner, die größten zuerst:</translation>
    </message>
    <message>
        <source>Digest</source>
        <translation>Digest</translation>
    </message>
    <message>
        <source>Dimmed</source>
        <translation>Blass</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>Richtung</translation>
    </message>
    <message>
        <source>Direction, or rank, whose message or arrival came last</source>
        <translation>Richtung oder Rang, dessen Nachricht oder Ankunft zuletzt kam</translation>
    </message>
    <message>
        <source>Documentation</source>
        <translation>Dokumentation</translation>
    </message>
    <message>
        <source>Drawing the matrix…</source>
        <translation>Matrix wird gezeichnet…</translation>
    </message>
    <message>
        <source>Drawing {name}</source>
        <translation>{name} wird gezeichnet</translation>
    </message>
    <message>
        <source>Drawing {name}: {done} %</source>
        <translation>{name} wird gezeichnet: {done} %</translation>
    </message>
    <message>
        <source>Drawn</source>
        <translation>Gezeichnet</translation>
    </message>
    <message>
        <source>Drop to open; other files open in windows of their own</source>
        <translation>Ablegen zum Öffnen; weitere Dateien öffnen sich in eigenen Fenstern</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Durations by rank</source>
        <translation>Dauern nach Rang</translation>
    </message>
    <message>
        <source>Each alone finds {alone}. All must hold of one {noun}.</source>
        <translation>Einzeln finden: {alone}. Alle müssen für ein und dasselbe gelten ({noun}).</translation>
    </message>
    <message>
        <source>Edges</source>
        <translation>Kanten</translation>
    </message>
    <message>
        <source>Edges by bytes in window</source>
        <translation>Kanten nach Bytes im Fenster</translation>
    </message>
    <message>
        <source>Edges of the topology that no message uses</source>
        <translation>Kanten der Topologie, die keine Nachricht benutzt</translation>
    </message>
    <message>
        <source>Edges of the topology that were not seen</source>
        <translation>Kanten der Topologie, die nicht gesehen wurden</translation>
    </message>
    <message>
        <source>Edges of the topology, as wide as the bytes sent over them</source>
        <translation>Kanten der Topologie, so breit wie die darüber gesendeten Bytes</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>Bearbeiten…</translation>
    </message>
    <message>
        <source>Efficiency</source>
        <translation>Effizienz</translation>
    </message>
    <message>
        <source>End comparison of windows</source>
        <translation>Fenstervergleich beenden</translation>
    </message>
    <message>
        <source>End of the last visit; of a parameter: when it has another value</source>
        <translation>Ende des letzten Besuchs; bei einem Parameter: wann er einen anderen Wert hat</translation>
    </message>
    <message>
        <source>Ends</source>
        <translation>Endet</translation>
    </message>
    <message>
        <source>Enter, double-click</source>
        <translation>Eingabe, Doppelklick</translation>
    </message>
    <message>
        <source>Equivalence class</source>
        <translation>Äquivalenzklasse</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Genau</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>Austausch</translation>
    </message>
    <message>
        <source>Explain match</source>
        <translation>Treffer erklären</translation>
    </message>
    <message>
        <source>Export animation</source>
        <translation>Animation exportieren</translation>
    </message>
    <message>
        <source>Export animation…</source>
        <translation>Animation exportieren…</translation>
    </message>
    <message>
        <source>Export panel…</source>
        <translation>Bereich exportieren…</translation>
    </message>
    <message>
        <source>Extent that is plotted</source>
        <translation>Aufgetragene Ausdehnung</translation>
    </message>
    <message>
        <source>Extents</source>
        <translation>Ausdehnung</translation>
    </message>
    <message>
        <source>Fade computing ranks</source>
        <translation>Rechnende Ränge blass zeichnen</translation>
    </message>
    <message>
        <source>Fastest, slowest</source>
        <translation>Schnellste, langsamste</translation>
    </message>
    <message>
        <source>Fetch</source>
        <translation>Holen</translation>
    </message>
    <message>
        <source>Fetch events</source>
        <translation>Ereignisse holen</translation>
    </message>
    <message>
        <source>Fetch this window</source>
        <translation>Dieses Fenster holen</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Film</source>
        <translation>Film</translation>
    </message>
    <message>
        <source>Films are seen from where the scene is seen</source>
        <translation>Filme werden aus der Sicht der Szene gezeigt</translation>
    </message>
    <message>
        <source>Films follow {camera_key_frames} from now on</source>
        <translation>Filme folgen ab jetzt der Kamera: {camera_key_frames}</translation>
    </message>
    <message>
        <source>Filter delays</source>
        <translation>Verzögerungen filtern</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>Befehl suchen</translation>
    </message>
    <message>
        <source>Find a command…</source>
        <translation>Befehl suchen…</translation>
    </message>
    <message>
        <source>Find calls</source>
        <translation>Aufrufe suchen</translation>
    </message>
    <message>
        <source>Find calls of all ranks</source>
        <translation>Aufrufe aller Ränge suchen</translation>
    </message>
    <message>
        <source>Find calls…</source>
        <translation>Aufrufe suchen…</translation>
    </message>
    <message>
        <source>Find in the logical trace…</source>
        <translation>Im logischen Trace suchen…</translation>
    </message>
    <message>
        <source>Find lines of the logical trace</source>
        <translation>Zeilen des logischen Traces suchen</translation>
    </message>
    <message>
        <source>Find lines of the profile</source>
        <translation>Zeilen des Profils suchen</translation>
    </message>
    <message>
        <source>Find messages</source>
        <translation>Nachrichten finden</translation>
    </message>
    <message>
        <source>Fit the scene</source>
        <translation>Szene einpassen</translation>
    </message>
    <message>
        <source>Fit to 10 s</source>
        <translation>Auf 10 s verteilt</translation>
    </message>
    <message>
        <source>Fit to {:g} s</source>
        <translation>Auf {:g} s verteilt</translation>
    </message>
    <message>
        <source>Flat</source>
        <translation>Flach</translation>
    </message>
    <message>
        <source>Flat, centred on rank {rank}</source>
        <translation>Flach, Rang {rank} in der Mitte</translation>
    </message>
    <message>
        <source>Fold all groups</source>
        <translation>Alle Gruppen zuklappen</translation>
    </message>
    <message>
        <source>Fold all loops</source>
        <translation>Alle Schleifen zuklappen</translation>
    </message>
    <message>
        <source>Fold or unfold the groups of selected ranks</source>
        <translation>Gruppen ausgewählter Ränge auf- oder zuklappen</translation>
    </message>
    <message>
        <source>Fold this card</source>
        <translation>Diese Karte zuklappen</translation>
    </message>
    <message>
        <source>Folded</source>
        <translation>Gefaltet</translation>
    </message>
    <message>
        <source>Follow the wait to its cause</source>
        <translation>Der Wartezeit zur Ursache folgen</translation>
    </message>
    <message>
        <source>Following the calls of all ranks ...</source>
        <translation>Die Aufrufe aller Ränge werden verfolgt ...</translation>
    </message>
    <message>
        <source>For</source>
        <translation>Auf</translation>
    </message>
    <message>
        <source>For paper: width in cm</source>
        <translation>Für Papier: Breite in cm</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>From 25 %</source>
        <translation>Ab 25 %</translation>
    </message>
    <message>
        <source>From 50 %</source>
        <translation>Ab 50 %</translation>
    </message>
    <message>
        <source>From 90 %</source>
        <translation>Ab 90 %</translation>
    </message>
    <message>
        <source>From above</source>
        <translation>Von oben</translation>
    </message>
    <message>
        <source>From and to, such as 0 - 20 ms or 10 - 50 %:</source>
        <translation>Von und bis, etwa 0 - 20 ms oder 10 - 50 %:</translation>
    </message>
    <message>
        <source>From behind</source>
        <translation>Von hinten</translation>
    </message>
    <message>
        <source>From below</source>
        <translation>Von unten</translation>
    </message>
    <message>
        <source>From each waiting rank to the rank whose message it waits for</source>
        <translation>Von jedem wartenden Rang zu dem, auf dessen Nachricht er wartet</translation>
    </message>
    <message>
        <source>From its begin to the trace's end</source>
        <translation>Von seinem Beginn bis zum Ende der Aufzeichnung</translation>
    </message>
    <message>
        <source>From its first visit to its last:</source>
        <translation>Vom ersten Besuch bis zum letzten:</translation>
    </message>
    <message>
        <source>From send to receive</source>
        <translation>Vom Senden bis zum Empfang</translation>
    </message>
    <message>
        <source>From the first arrival to the last: mean over operations</source>
        <translation>Von der ersten Ankunft zur letzten: Mittel über die Operationen</translation>
    </message>
    <message>
        <source>From the first arrival to the last: most</source>
        <translation>Von der ersten Ankunft zur letzten: Maximum</translation>
    </message>
    <message>
        <source>From the first communication to the last</source>
        <translation>Von der ersten Kommunikation bis zur letzten</translation>
    </message>
    <message>
        <source>From the first member's arrival to the last one's, of all together</source>
        <translation>Von der Ankunft des ersten Mitglieds bis zu der des letzten, aller zusammen</translation>
    </message>
    <message>
        <source>From the front</source>
        <translation>Von vorn</translation>
    </message>
    <message>
        <source>From the left</source>
        <translation>Von links</translation>
    </message>
    <message>
        <source>From the right</source>
        <translation>Von rechts</translation>
    </message>
    <message>
        <source>From which to which iteration</source>
        <translation>Von welcher bis zu welcher Iteration</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Voll</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Vollbild</translation>
    </message>
    <message>
        <source>Full trails</source>
        <translation>Volle Spuren</translation>
    </message>
    <message>
        <source>Full: numbers. Binary: which pairs exchange at least so much, both ways together</source>
        <translation>Voll: Zahlen. Binär: welche Paare mindestens so viel austauschen, beide Wege zusammen</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>Functions</source>
        <translation>Funktionen</translation>
    </message>
    <message>
        <source>Functions from the outermost to this one</source>
        <translation>Funktionen von der äußersten bis zu dieser</translation>
    </message>
    <message>
        <source>Functions of the program that the call was made in, the outermost first</source>
        <translation>Funktionen des Programms, in denen der Aufruf geschah, die äußerste zuerst</translation>
    </message>
    <message>
        <source>GIF, an animated picture</source>
        <translation>GIF, ein animiertes Bild</translation>
    </message>
    <message>
        <source>GPU call</source>
        <translation>GPU-Aufruf</translation>
    </message>
    <message>
        <source>GPU streams at work</source>
        <translation>Arbeitende GPU-Streams</translation>
    </message>
    <message>
        <source>GPU streams at work, % of window</source>
        <translation>Arbeitende GPU-Streams, % des Fensters</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>GPUs compute {share};</source>
        <translation>GPUs rechnen {share};</translation>
    </message>
    <message>
        <source>Geometry of the second view: slices, layers, spacing</source>
        <translation>Geometrie der zweiten Ansicht: Schnitte, Schichten, Abstand</translation>
    </message>
    <message>
        <source>Geometry…</source>
        <translation>Geometrie…</translation>
    </message>
    <message>
        <source>Give the digest's full path, as the workers see it.</source>
        <translation>Den vollen Pfad des Digests angeben, wie ihn die Worker sehen.</translation>
    </message>
    <message>
        <source>Give the scheduler's address, such as tcp://node17:8786.</source>
        <translation>Die Adresse des Schedulers angeben, etwa tcp://node17:8786.</translation>
    </message>
    <message>
        <source>Give the trace's full path, as the workers see it.</source>
        <translation>Den vollen Pfad des Traces angeben, wie ihn die Worker sehen.</translation>
    </message>
    <message>
        <source>Globe</source>
        <translation>Globus</translation>
    </message>
    <message>
        <source>Go to</source>
        <translation>Springen</translation>
    </message>
    <message>
        <source>Go to another window: statistics and colours tell how it differs</source>
        <translation>Zu einem anderen Fenster gehen: Statistik und Farben zeigen die Unterschiede</translation>
    </message>
    <message>
        <source>Go to end of view</source>
        <translation>Zum Ende der Ansicht</translation>
    </message>
    <message>
        <source>Go to start of view</source>
        <translation>Zum Anfang der Ansicht</translation>
    </message>
    <message>
        <source>Go to the costlier delay</source>
        <translation>Zur teureren Verzögerung</translation>
    </message>
    <message>
        <source>Go to the next delay, by what it caused</source>
        <translation>Zur nächsten Verzögerung, nach der verursachten Wartezeit</translation>
    </message>
    <message>
        <source>Go to the panels' rail</source>
        <translation>Zur Leiste der Bereiche</translation>
    </message>
    <message>
        <source>Go to time…</source>
        <translation>Zu einer Zeit gehen…</translation>
    </message>
    <message>
        <source>Go to where the message was received</source>
        <translation>Dorthin, wo die Nachricht empfangen wurde</translation>
    </message>
    <message>
        <source>Go to where the message was sent</source>
        <translation>Dorthin, wo die Nachricht gesendet wurde</translation>
    </message>
    <message>
        <source>GraphML, Slurm, hwloc, rank files, a table, ...</source>
        <translation>GraphML, Slurm, hwloc, Rank-Dateien, eine Tabelle, ...</translation>
    </message>
    <message>
        <source>Greatest</source>
        <translation>Größter Wert</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Gitter</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Group by</source>
        <translation>Gruppieren</translation>
    </message>
    <message>
        <source>Group by (gap)</source>
        <translation>Gruppieren nach (Lücke)</translation>
    </message>
    <message>
        <source>Group by communicator</source>
        <translation>Nach Kommunikator gruppieren</translation>
    </message>
    <message>
        <source>Group by host</source>
        <translation>Nach Host gruppieren</translation>
    </message>
    <message>
        <source>Group by socket</source>
        <translation>Nach Sockel gruppieren</translation>
    </message>
    <message>
        <source>Group rows</source>
        <translation>Zeilen gruppieren</translation>
    </message>
    <message>
        <source>Group rows by communicator</source>
        <translation>Gruppen nach Kommunikator</translation>
    </message>
    <message>
        <source>Group rows by equivalence class</source>
        <translation>Gruppen nach Äquivalenzklasse</translation>
    </message>
    <message>
        <source>Group rows by host</source>
        <translation>Gruppen nach Host</translation>
    </message>
    <message>
        <source>Group rows by lines along x</source>
        <translation>Gruppen: Linien längs x</translation>
    </message>
    <message>
        <source>Group rows by lines along y</source>
        <translation>Gruppen: Linien längs y</translation>
    </message>
    <message>
        <source>Group rows by lines along z</source>
        <translation>Gruppen: Linien längs z</translation>
    </message>
    <message>
        <source>Group rows by x</source>
        <translation>Gruppen nach x</translation>
    </message>
    <message>
        <source>Group rows by y</source>
        <translation>Gruppen nach y</translation>
    </message>
    <message>
        <source>Group rows by z</source>
        <translation>Gruppen nach z</translation>
    </message>
    <message>
        <source>Group rows: selected and others</source>
        <translation>Gruppen: ausgewählte, andere</translation>
    </message>
    <message>
        <source>Group: automatic</source>
        <translation>Gruppen: automatisch</translation>
    </message>
    <message>
        <source>Groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>Grow ranks in collectives</source>
        <translation>Ränge in kollektiven Operationen vergrößern</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>HTML-Seite</translation>
    </message>
    <message>
        <source>Half of the partners are at most {near} apart by rank, nine of ten at most {far}; with random numbers it would be {half} and {most}.</source>
        <translation>Die Hälfte der Partner liegt höchstens {near} Ränge auseinander, neun von zehn höchstens {far}; bei zufälligen Nummern wären es {half} und {most}.</translation>
    </message>
    <message>
        <source>Hardware topology</source>
        <translation>Hardware-Topologie</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>Helix</source>
        <translation>Helix</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Help on this panel</source>
        <translation>Hilfe zu diesem Bereich</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>Verborgen</translation>
    </message>
    <message>
        <source>Hidden transpose</source>
        <translation>Verborgene Transposition</translation>
    </message>
    <message>
        <source>Hide all tracks</source>
        <translation>Alle Spuren ausblenden</translation>
    </message>
    <message>
        <source>Hide this track</source>
        <translation>Diese Spur ausblenden</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>Histogramm</translation>
    </message>
    <message>
        <source>Hop distance</source>
        <translation>Hop-Abstand</translation>
    </message>
    <message>
        <source>Hops</source>
        <translation>Hops</translation>
    </message>
    <message>
        <source>Hops to root cause</source>
        <translation>Hops bis zur Ursache</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>Host names</source>
        <translation>Hostnamen</translation>
    </message>
    <message>
        <source>How busy the GPUs are</source>
        <translation>Auslastung der GPUs</translation>
    </message>
    <message>
        <source>How fast it should: by what calls need of each other, and how long ranks compute and communicate</source>
        <translation>Wie schnell es wandern sollte: nach dem, was Aufrufe voneinander brauchen, und wie lange Ränge rechnen und kommunizieren</translation>
    </message>
    <message>
        <source>How fast the waiting travels: hops in the topology per iteration</source>
        <translation>Wie schnell das Warten wandert: Hops in der Topologie pro Iteration</translation>
    </message>
    <message>
        <source>How fast the waiting travels: hops in the topology per second</source>
        <translation>Wie schnell das Warten wandert: Hops in der Topologie pro Sekunde</translation>
    </message>
    <message>
        <source>How it is known whom the call waits for</source>
        <translation>Woher bekannt ist, auf wen der Aufruf wartet</translation>
    </message>
    <message>
        <source>How late the costliest of them was</source>
        <translation>Wie spät die teuerste war</translation>
    </message>
    <message>
        <source>How long the receiver waited for it</source>
        <translation>Wie lange der Empfänger darauf gewartet hat</translation>
    </message>
    <message>
        <source>How many functions are around it</source>
        <translation>Wie viele Funktionen sie umgeben</translation>
    </message>
    <message>
        <source>How much longer it took than the median over ranks and iterations at that place of the program</source>
        <translation>Wie viel länger es dauerte als der Median über Ränge und Iterationen an dieser Stelle des Programms</translation>
    </message>
    <message>
        <source>How often ranks enter it and spend time</source>
        <translation>Wie oft Ränge sie betreten und Zeit verbringen</translation>
    </message>
    <message>
        <source>How often ranks enter it, all together</source>
        <translation>Wie oft Ränge hineingehen, alle zusammen</translation>
    </message>
    <message>
        <source>How often they wait for it</source>
        <translation>Wie oft sie darauf warten</translation>
    </message>
    <message>
        <source>Hung</source>
        <translation>Hänger</translation>
    </message>
    <message>
        <source>I/O</source>
        <translation>E/A</translation>
    </message>
    <message>
        <source>Identifies the communication topology of MPI programs in their OTF2 traces, shows their ranks over time, and writes them down as one logical trace.</source>
        <translation>Erkennt die Kommunikationstopologie von MPI-Programmen in ihren OTF2-Traces, zeigt ihre Ränge über die Zeit und schreibt sie als einen logischen Trace auf.</translation>
    </message>
    <message>
        <source>Identifying…</source>
        <translation>Wird erkannt…</translation>
    </message>
    <message>
        <source>Idle wave on a torus</source>
        <translation>Leerlaufwelle auf einem Torus</translation>
    </message>
    <message>
        <source>In</source>
        <translation>In</translation>
    </message>
    <message>
        <source>In MPI</source>
        <translation>In MPI</translation>
    </message>
    <message>
        <source>In a wider panel: {columns}</source>
        <translation>In einem breiteren Fenster: {columns}</translation>
    </message>
    <message>
        <source>In brackets: within 3 standard errors, by the spread of the iterations (median absolute deviation). How much a program varies from run to run is not known from one run of each.</source>
        <translation>In Klammern: innerhalb von 3 Standardfehlern, nach der Streuung der Iterationen (mediane absolute Abweichung). Wie sehr ein Programm von Lauf zu Lauf schwankt, ist aus je einem Lauf nicht bekannt.</translation>
    </message>
    <message>
        <source>In the whole run {fitting} fit: choose Run.</source>
        <translation>Im ganzen Lauf passen {fitting}: Lauf wählen.</translation>
    </message>
    <message>
        <source>Incomplete</source>
        <translation>Unvollständig</translation>
    </message>
    <message>
        <source>Increase spacing</source>
        <translation>Abstand vergrößern</translation>
    </message>
    <message>
        <source>Invert selection</source>
        <translation>Auswahl umkehren</translation>
    </message>
    <message>
        <source>It ended by a fault of its own ({signal}).</source>
        <translation>Er endete durch einen eigenen Fehler ({signal}).</translation>
    </message>
    <message>
        <source>It ended while it drew the 3D scene ({signal}). {no_3d}</source>
        <translation>Er endete beim Zeichnen der 3D-Szene ({signal}). {no_3d}</translation>
    </message>
    <message>
        <source>It is not planar: some of its lines cross wherever ranks stand.</source>
        <translation>Er ist nicht planar: wo die Ränge auch stehen, kreuzen sich Linien.</translation>
    </message>
    <message>
        <source>It is planar: it can be drawn without crossings.</source>
        <translation>Er ist planar: er lässt sich ohne Kreuzungen zeichnen.</translation>
    </message>
    <message>
        <source>It lasts {long}, by the calls of rank {rank}; {frames} frames, rendered in the background.</source>
        <translation>Er dauert {long}, nach den Aufrufen von Rang {rank}; {frames} Bilder, im Hintergrund gezeichnet.</translation>
    </message>
    <message>
        <source>It lost its connection to the display: the session or the network ended first.</source>
        <translation>Die Verbindung zum Bildschirm ging verloren: Die Sitzung oder das Netz endete zuerst.</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>Iteration of the longest loop</source>
        <translation>Iteration der längsten Schleife</translation>
    </message>
    <message>
        <source>Iteration of the longest loop, from 1</source>
        <translation>Iteration der längsten Schleife, ab 1</translation>
    </message>
    <message>
        <source>Iteration of the loop, from 1</source>
        <translation>Iteration der Schleife, ab 1</translation>
    </message>
    <message>
        <source>Iteration of the program's main loop, from 1</source>
        <translation>Iteration der Hauptschleife des Programms, ab 1</translation>
    </message>
    <message>
        <source>Iteration of the selected loop</source>
        <translation>Iteration der ausgewählten Schleife</translation>
    </message>
    <message>
        <source>Iteration {first} of {end}.</source>
        <translation>Iteration {first} von {end}.</translation>
    </message>
    <message>
        <source>Iteration {longest}: {facts}</source>
        <translation>Iteration {longest}: {facts}</translation>
    </message>
    <message>
        <source>Iteration {most} has {share} of the waiting ({wait}), {times:.1f} times the mean of the {count} iterations.</source>
        <translation>Iteration {most} hat {share} der Wartezeit ({wait}), das {times:.1f}-fache des Mittels der {count} Iterationen.</translation>
    </message>
    <message>
        <source>Iteration {slowest} of rank {rank} took {length}, the longest of {iterations}; mean {mean}</source>
        <translation>Iteration {slowest} von Rang {rank} dauerte {length}, am längsten ({iterations}); Mittel {mean}</translation>
    </message>
    <message>
        <source>Iteration {text}</source>
        <translation>Iteration {text}</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>Iterations by rank</source>
        <translation>Iterationen nach Rang</translation>
    </message>
    <message>
        <source>Iterations of a rank that are {rule}</source>
        <translation>Iterationen eines Rangs {rule}</translation>
    </message>
    <message>
        <source>Iterations whose first call is in it, of the outermost loop with several</source>
        <translation>Iterationen, deren erster Aufruf darin liegt, der äußersten Schleife mit mehreren</translation>
    </message>
    <message>
        <source>Iterations {first} to {last} of {end}.</source>
        <translation>Iterationen {first} bis {last} von {end}.</translation>
    </message>
    <message>
        <source>Its call</source>
        <translation>Sein Aufruf</translation>
    </message>
    <message>
        <source>Its inclusive time</source>
        <translation>Seine inklusive Zeit</translation>
    </message>
    <message>
        <source>Its members in the words of the topology</source>
        <translation>Seine Mitglieder in den Worten der Topologie</translation>
    </message>
    <message>
        <source>Its name in other traces:</source>
        <translation>Sein Name in anderen Traces:</translation>
    </message>
    <message>
        <source>Its name, below the smallest one with all of its members</source>
        <translation>Sein Name, unter dem kleinsten, das alle seine Mitglieder hat</translation>
    </message>
    <message>
        <source>Its number</source>
        <translation>Seine Zahl</translation>
    </message>
    <message>
        <source>Its spectral dimension is {dimension:.1f}: a chain has about 1, a grid 2, a block 3, random pairs more.</source>
        <translation>Seine spektrale Dimension ist {dimension:.1f}: eine Kette hat etwa 1, ein Gitter 2, ein Block 3, zufällige Paare mehr.</translation>
    </message>
    <message>
        <source>Its tracer kept it for {took}, as tracers do to write their buffers: give it more memory (Score-P: SCOREP_TOTAL_MEMORY), or record less.</source>
        <translation>Der Tracer hielt ihn {took} auf, wie Tracer es tun, um ihre Puffer zu schreiben: Geben Sie ihm mehr Speicher (Score-P: SCOREP_TOTAL_MEMORY), oder zeichnen Sie weniger auf.</translation>
    </message>
    <message>
        <source>Keep cursor fixed</source>
        <translation>Cursor feststehen lassen</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>Tasten und Maus</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Beschriftung</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Late or unexpected</source>
        <translation>Spät oder unerwartet</translation>
    </message>
    <message>
        <source>Late sender</source>
        <translation>Verspäteter Sender</translation>
    </message>
    <message>
        <source>Late sender: the receiver waits since before the message was sent</source>
        <translation>Verspäteter Sender: Der Empfänger wartet, seit bevor die Nachricht gesendet wurde</translation>
    </message>
    <message>
        <source>Late sender: wait of the receiver</source>
        <translation>Verspäteter Sender: Wartezeit des Empfängers</translation>
    </message>
    <message>
        <source>Late-partner wait (current call)</source>
        <translation>Warten auf verspäteten Partner (aktueller Aufruf)</translation>
    </message>
    <message>
        <source>Late-partner wait, % of window</source>
        <translation>Warten auf verspätete Partner, % des Fensters</translation>
    </message>
    <message>
        <source>Late-partner wait, of all together</source>
        <translation>Warten auf verspätete Partner, aller zusammen</translation>
    </message>
    <message>
        <source>Late-partner wait: how long partners were late</source>
        <translation>Warten auf verspätete Partner: wie viel zu spät Partner kamen</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Layout</translation>
    </message>
    <message>
        <source>Layout of the second view</source>
        <translation>Layout der zweiten Ansicht</translation>
    </message>
    <message>
        <source>Least</source>
        <translation>Kleinster Wert</translation>
    </message>
    <message>
        <source>Legend of colours and lines</source>
        <translation>Legende der Farben und Linien</translation>
    </message>
    <message>
        <source>Level {level}: {what}</source>
        <translation>Stufe {level}: {what}</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>Linie</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Lines that hold all words; &gt; 5 %: those that take more of the run;
rank 0-3: those that one of these ranks runs</source>
        <translation>Zeilen mit allen Wörtern; &gt; 5 %: die mehr vom Lauf brauchen;
rank 0-3: die einer dieser Ränge ausführt</translation>
    </message>
    <message>
        <source>Links</source>
        <translation>Links</translation>
    </message>
    <message>
        <source>Links by load</source>
        <translation>Links nach Last</translation>
    </message>
    <message>
        <source>Links with less of the hottest one's load are hairs</source>
        <translation>Links mit weniger Last als so viel der des heißesten sind Haarlinien</translation>
    </message>
    <message>
        <source>List all calls: clear the field of Find</source>
        <translation>Alle Aufrufe zeigen: das Feld in Suchen leeren</translation>
    </message>
    <message>
        <source>List all delays</source>
        <translation>Alle Verzögerungen auflisten</translation>
    </message>
    <message>
        <source>List the calls that never return</source>
        <translation>Die Aufrufe auflisten, die nie zurückkehren</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Load balance</source>
        <translation>Lastverteilung</translation>
    </message>
    <message>
        <source>Load balance: mean of the ranks by the one with most</source>
        <translation>Lastverteilung: Mittel der Ränge durch den mit am meisten</translation>
    </message>
    <message>
        <source>Logarithmic</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>Logical trace</source>
        <translation>Logischer Trace</translation>
    </message>
    <message>
        <source>Logical trace not verified</source>
        <translation>Logischer Trace nicht geprüft</translation>
    </message>
    <message>
        <source>Logical trace reproduces {ranks} exactly</source>
        <translation>Logischer Trace genau für {ranks}</translation>
    </message>
    <message>
        <source>Logical traces</source>
        <translation>Logische Traces</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>Längster</translation>
    </message>
    <message>
        <source>Longest call</source>
        <translation>Längster Aufruf</translation>
    </message>
    <message>
        <source>Looking for delays…</source>
        <translation>Verzögerungen werden gesucht…</translation>
    </message>
    <message>
        <source>Loop</source>
        <translation>Schleife</translation>
    </message>
    <message>
        <source>Loop the selected time</source>
        <translation>Ausgewählte Zeit wiederholen</translation>
    </message>
    <message>
        <source>MP4, a film</source>
        <translation>MP4, ein Film</translation>
    </message>
    <message>
        <source>MPI calls a second</source>
        <translation>MPI-Aufrufe pro Sekunde</translation>
    </message>
    <message>
        <source>MPI calls of the run</source>
        <translation>MPI-Aufrufe des Laufs</translation>
    </message>
    <message>
        <source>MPI function</source>
        <translation>MPI-Funktion</translation>
    </message>
    <message>
        <source>MPI function, or state</source>
        <translation>MPI-Funktion oder Zustand</translation>
    </message>
    <message>
        <source>MPI setup/teardown</source>
        <translation>MPI-Auf- und Abbau</translation>
    </message>
    <message>
        <source>MPI share: change from compared window</source>
        <translation>MPI-Anteil: Änderung zum verglichenen Fenster</translation>
    </message>
    <message>
        <source>MPI takes {share} ({span}).</source>
        <translation>MPI braucht {share} ({span}).</translation>
    </message>
    <message>
        <source>MPI, % of window</source>
        <translation>MPI, % des Fensters</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>Maschine</translation>
    </message>
    <message>
        <source>Machine…</source>
        <translation>Maschine…</translation>
    </message>
    <message>
        <source>Make it again?</source>
        <translation>Noch einmal erzeugen?</translation>
    </message>
    <message>
        <source>Mappings</source>
        <translation>Mappings</translation>
    </message>
    <message>
        <source>Marks and bookmarks</source>
        <translation>Marken und Lesezeichen</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Matching call</source>
        <translation>Passender Aufruf</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>Max</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Mean size</source>
        <translation>Mittlere Größe</translation>
    </message>
    <message>
        <source>Mean time of a call; of a rank for a state</source>
        <translation>Mittlere Zeit eines Aufrufs; bei einem Zustand: eines Rangs</translation>
    </message>
    <message>
        <source>Mean time of the ranks of a plane; how a rank's time is correlated with its coordinate</source>
        <translation>Mittlere Zeit der Ränge einer Ebene; wie die Zeit eines Rangs mit seiner Koordinate korreliert</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>Member of</source>
        <translation>Mitglied von</translation>
    </message>
    <message>
        <source>Members</source>
        <translation>Mitglieder</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>Message, rank {sender} to rank {receiver}</source>
        <translation>Nachricht, Rang {sender} an Rang {receiver}</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>Messages by axis</source>
        <translation>Nachrichten je Achse</translation>
    </message>
    <message>
        <source>Messages in flight</source>
        <translation>Nachrichten unterwegs</translation>
    </message>
    <message>
        <source>Messages of the selected mark</source>
        <translation>Nachrichten der ausgewählten Markierung</translation>
    </message>
    <message>
        <source>Messages of the window</source>
        <translation>Nachrichten des Fensters</translation>
    </message>
    <message>
        <source>Messages of this phase alone count; mappings are for it, too</source>
        <translation>Nur Nachrichten dieser Phase zählen; auch Mappings gelten für sie</translation>
    </message>
    <message>
        <source>Messages on this communicator</source>
        <translation>Nachrichten auf diesem Kommunikator</translation>
    </message>
    <message>
        <source>Messages sent in this phase</source>
        <translation>Nachrichten, die in dieser Phase gesendet wurden</translation>
    </message>
    <message>
        <source>Messages sent point-to-point</source>
        <translation>Punkt-zu-Punkt gesendete Nachrichten</translation>
    </message>
    <message>
        <source>Messages that have been sent and not yet received; of too many to be told apart those of selected ranks, and a random sample of the others</source>
        <translation>Gesendete, noch nicht empfangene Nachrichten; sind es zu viele, um sie zu unterscheiden, die der ausgewählten Ränge und eine zufällige Auswahl der anderen</translation>
    </message>
    <message>
        <source>Messages under way</source>
        <translation>Nachrichten unterwegs</translation>
    </message>
    <message>
        <source>Middle</source>
        <translation>Mitte</translation>
    </message>
    <message>
        <source>Missing data is reported: messages to other ranks, for instance.</source>
        <translation>Fehlendes wird gemeldet: zum Beispiel Nachrichten an andere Ränge.</translation>
    </message>
    <message>
        <source>Modelled / measured</source>
        <translation>Modelliert / gemessen</translation>
    </message>
    <message>
        <source>More than {most} are not sorted</source>
        <translation>Mehr als {most} werden nicht sortiert</translation>
    </message>
    <message>
        <source>Most waiting</source>
        <translation>Meistes Warten</translation>
    </message>
    <message>
        <source>Mouse</source>
        <translation>Maus</translation>
    </message>
    <message>
        <source>Mouse as in Vampir</source>
        <translation>Maus wie in Vampir</translation>
    </message>
    <message>
        <source>Mouse as in topoview</source>
        <translation>Maus wie in topoview</translation>
    </message>
    <message>
        <source>Mouse in {place}</source>
        <translation>Maus: {place}</translation>
    </message>
    <message>
        <source>Move to the top</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Moves the slice that is shown; of all, shows one</source>
        <translation>Verschiebt den gezeigten Schnitt; wenn alle gezeigt sind, wird es einer</translation>
    </message>
    <message>
        <source>Name of the {selected_ranks}:</source>
        <translation>Name für die Auswahl ({selected_ranks}):</translation>
    </message>
    <message>
        <source>Name of this time and selection:</source>
        <translation>Name für diese Zeit und Auswahl:</translation>
    </message>
    <message>
        <source>Name selection</source>
        <translation>Auswahl benennen</translation>
    </message>
    <message>
        <source>Name selection…</source>
        <translation>Auswahl benennen…</translation>
    </message>
    <message>
        <source>Name:</source>
        <translation>Name:</translation>
    </message>
    <message>
        <source>Named selections</source>
        <translation>Benannte Auswahlen</translation>
    </message>
    <message>
        <source>Nearest is {name}, but {changes}.</source>
        <translation>Am nächsten ist {name}, aber {changes}.</translation>
    </message>
    <message>
        <source>Needs the events</source>
        <translation>Braucht die Ereignisse</translation>
    </message>
    <message>
        <source>Nested</source>
        <translation>Verschachtelt</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Netz</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächste</translation>
    </message>
    <message>
        <source>Next MPI call</source>
        <translation>Nächster MPI-Aufruf</translation>
    </message>
    <message>
        <source>Next bookmark</source>
        <translation>Nächstes Lesezeichen</translation>
    </message>
    <message>
        <source>Next colouring</source>
        <translation>Nächste Färbung</translation>
    </message>
    <message>
        <source>Next delay</source>
        <translation>Nächste Verzögerung</translation>
    </message>
    <message>
        <source>Next difference</source>
        <translation>Nächster Unterschied</translation>
    </message>
    <message>
        <source>Next event</source>
        <translation>Nächstes Ereignis</translation>
    </message>
    <message>
        <source>Next iteration</source>
        <translation>Nächste Iteration</translation>
    </message>
    <message>
        <source>Next layout</source>
        <translation>Nächstes Layout</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>Nächster Treffer</translation>
    </message>
    <message>
        <source>Next occurrence</source>
        <translation>Nächstes Vorkommen</translation>
    </message>
    <message>
        <source>Next occurrence (I)</source>
        <translation>Nächstes Vorkommen (I)</translation>
    </message>
    <message>
        <source>Next phase</source>
        <translation>Nächste Phase</translation>
    </message>
    <message>
        <source>Next plane</source>
        <translation>Nächste Ebene</translation>
    </message>
    <message>
        <source>Next rank along x</source>
        <translation>Nächster Rang entlang x</translation>
    </message>
    <message>
        <source>Next rank along y</source>
        <translation>Nächster Rang entlang y</translation>
    </message>
    <message>
        <source>No 3D scene</source>
        <translation>Keine 3D-Szene</translation>
    </message>
    <message>
        <source>No MPI calls</source>
        <translation>Keine MPI-Aufrufe</translation>
    </message>
    <message>
        <source>No bookmarks, no notes</source>
        <translation>Keine Lesezeichen, keine Notizen</translation>
    </message>
    <message>
        <source>No call fits into one program of all ranks.</source>
        <translation>Kein Aufruf passt in ein gemeinsames Programm aller Ränge.</translation>
    </message>
    <message>
        <source>No calls</source>
        <translation>Keine Aufrufe</translation>
    </message>
    <message>
        <source>No communicators</source>
        <translation>Keine Kommunikatoren</translation>
    </message>
    <message>
        <source>No delays</source>
        <translation>Keine Verzögerungen</translation>
    </message>
    <message>
        <source>No grouping</source>
        <translation>Keine Gruppierung</translation>
    </message>
    <message>
        <source>No labels</source>
        <translation>Keine Beschriftung</translation>
    </message>
    <message>
        <source>No logical trace</source>
        <translation>Kein logischer Trace</translation>
    </message>
    <message>
        <source>No loop</source>
        <translation>Keine Schleife</translation>
    </message>
    <message>
        <source>No message under way now; the ones before and after:</source>
        <translation>Gerade keine Nachricht unterwegs; die davor und danach:</translation>
    </message>
    <message>
        <source>No messages</source>
        <translation>Keine Nachrichten</translation>
    </message>
    <message>
        <source>No moment stands out.</source>
        <translation>Kein Zeitpunkt sticht hervor.</translation>
    </message>
    <message>
        <source>No outlines</source>
        <translation>Keine Umrisse</translation>
    </message>
    <message>
        <source>No parameters: the program records none.</source>
        <translation>Keine Parameter: Das Programm zeichnet keine auf.</translation>
    </message>
    <message>
        <source>No phases: the topology does not change during the run.</source>
        <translation>Keine Phasen: Die Topologie ändert sich während des Laufs nicht.</translation>
    </message>
    <message>
        <source>No point-to-point messages</source>
        <translation>Keine Punkt-zu-Punkt-Nachrichten</translation>
    </message>
    <message>
        <source>No profile</source>
        <translation>Kein Profil</translation>
    </message>
    <message>
        <source>No rank is ever in {name} itself</source>
        <translation>Kein Rang ist je in {name} selbst</translation>
    </message>
    <message>
        <source>No rank runs it</source>
        <translation>Kein Rang führt es aus</translation>
    </message>
    <message>
        <source>No rank waited for another, as far as the trace shows.</source>
        <translation>Kein Rang wartete auf einen anderen, soweit der Trace zeigt.</translation>
    </message>
    <message>
        <source>No regions: the trace holds MPI calls only.</source>
        <translation>Keine Regionen: Der Trace enthält nur MPI-Aufrufe.</translation>
    </message>
    <message>
        <source>No such calls</source>
        <translation>Keine solchen Aufrufe</translation>
    </message>
    <message>
        <source>No such messages</source>
        <translation>Keine solchen Nachrichten</translation>
    </message>
    <message>
        <source>No trace</source>
        <translation>Kein Trace</translation>
    </message>
    <message>
        <source>No wrap-around edges</source>
        <translation>Keine periodischen Kanten</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>None is left to be compared.</source>
        <translation>Keine bleibt zu vergleichen.</translation>
    </message>
    <message>
        <source>None of {delays} that are listed.</source>
        <translation>Keine von {delays} in der Liste.</translation>
    </message>
    <message>
        <source>None yet</source>
        <translation>Noch keine</translation>
    </message>
    <message>
        <source>Not identified</source>
        <translation>Nicht erkannt</translation>
    </message>
    <message>
        <source>Not in the digest</source>
        <translation>Nicht im Digest</translation>
    </message>
    <message>
        <source>Not known:</source>
        <translation>Nicht bekannt:</translation>
    </message>
    <message>
        <source>Not looked for</source>
        <translation>Nicht gesucht</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Note on rank {rank} at {when}:</source>
        <translation>Notiz zu Rang {rank} bei {when}:</translation>
    </message>
    <message>
        <source>Note, rank {rank}</source>
        <translation>Notiz, Rang {rank}</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>Nothing hangs</source>
        <translation>Nichts hängt</translation>
    </message>
    <message>
        <source>Nothing in common</source>
        <translation>Nichts gemeinsam</translation>
    </message>
    <message>
        <source>Nothing is gained: no mapping has fewer hop-bytes than that of the run.</source>
        <translation>Nichts ist zu gewinnen: Kein Mapping hat weniger Hop-Bytes als das des Laufs.</translation>
    </message>
    <message>
        <source>Nothing selected</source>
        <translation>Nichts ausgewählt</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Numbers that the histogram counts</source>
        <translation>Zahlen, die das Histogramm zählt</translation>
    </message>
    <message>
        <source>Numbers that the histogram counts; drag to narrow</source>
        <translation>Zahlen, die das Histogramm zählt; ziehen, um einzugrenzen</translation>
    </message>
    <message>
        <source>OTF2 traces and digests (*.otf2 *.otf2.tar.* *.tar.xz *.tar.gz *.tar.zst *.tgz *.zip *.topoview);;All files (*)</source>
        <translation>OTF2-Traces und Digests (*.otf2 *.otf2.tar.* *.tar.xz *.tar.gz *.tar.zst *.tgz *.zip *.topoview);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Of topologies of {vertices} ranks {some} were tried</source>
        <translation>Von den Topologien mit {vertices} Rängen wurden versucht: {some}</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>Auslagerung</translation>
    </message>
    <message>
        <source>On critical path, % of window</source>
        <translation>Auf dem kritischen Pfad, % des Fensters</translation>
    </message>
    <message>
        <source>One plane alone</source>
        <translation>Eine Ebene allein</translation>
    </message>
    <message>
        <source>One rank</source>
        <translation>Ein Rang</translation>
    </message>
    <message>
        <source>One-sided</source>
        <translation>Einseitig</translation>
    </message>
    <message>
        <source>Only differences</source>
        <translation>Nur Unterschiede</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open MPI rank file</source>
        <translation>Rank-Datei für Open MPI</translation>
    </message>
    <message>
        <source>Open a demo</source>
        <translation>Demo öffnen</translation>
    </message>
    <message>
        <source>Open an OTF2 trace: topoview identifies its communication topology, shows the ranks in that shape over time, and writes the program down once for all ranks.</source>
        <translation>Einen OTF2-Trace öffnen: topoview erkennt seine Kommunikationstopologie, zeigt die Ränge in dieser Form über die Zeit und schreibt das Programm einmal für alle Ränge auf.</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>Anderen öffnen…</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation>Ordner öffnen…</translation>
    </message>
    <message>
        <source>Open it as it is</source>
        <translation>So öffnen, wie er ist</translation>
    </message>
    <message>
        <source>Open on cluster</source>
        <translation>Auf Cluster öffnen</translation>
    </message>
    <message>
        <source>Open on cluster…</source>
        <translation>Auf Cluster öffnen…</translation>
    </message>
    <message>
        <source>Open one to see its logical trace.</source>
        <translation>Einen öffnen, um seinen logischen Trace zu sehen.</translation>
    </message>
    <message>
        <source>Open one to see its profile.</source>
        <translation>Einen öffnen, um sein Profil zu sehen.</translation>
    </message>
    <message>
        <source>Open one to see its topology.</source>
        <translation>Einen öffnen, um seine Topologie zu sehen.</translation>
    </message>
    <message>
        <source>Open one to see its traffic on the machine.</source>
        <translation>Einen öffnen, um seinen Verkehr auf der Maschine zu sehen.</translation>
    </message>
    <message>
        <source>Open one to see this.</source>
        <translation>Einen öffnen, um dies zu sehen.</translation>
    </message>
    <message>
        <source>Open one to see who was late.</source>
        <translation>Einen öffnen, um zu sehen, wer zu spät kam.</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Open session</source>
        <translation>Sitzung öffnen</translation>
    </message>
    <message>
        <source>Open session…</source>
        <translation>Sitzung öffnen…</translation>
    </message>
    <message>
        <source>Open subset</source>
        <translation>Ausschnitt öffnen</translation>
    </message>
    <message>
        <source>Open subset…</source>
        <translation>Ausschnitt öffnen…</translation>
    </message>
    <message>
        <source>Open the menu bar</source>
        <translation>Menüleiste öffnen</translation>
    </message>
    <message>
        <source>Open trace</source>
        <translation>Trace öffnen</translation>
    </message>
    <message>
        <source>Open trace…</source>
        <translation>Trace öffnen…</translation>
    </message>
    <message>
        <source>Opening {path}</source>
        <translation>{path} wird geöffnet</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>Or drop a trace here: its anchor file (.otf2), its folder, or an archive.</source>
        <translation>Oder einen Trace hier ablegen: seine Ankerdatei (.otf2), seinen Ordner oder ein Archiv.</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Ordnung</translation>
    </message>
    <message>
        <source>Order of the ranks</source>
        <translation>Reihenfolge der Ränge</translation>
    </message>
    <message>
        <source>Order of the ranks along both sides</source>
        <translation>Reihenfolge der Ränge an beiden Seiten</translation>
    </message>
    <message>
        <source>Order ranks by topology</source>
        <translation>Ränge nach Topologie ordnen</translation>
    </message>
    <message>
        <source>Order rows</source>
        <translation>Zeilen ordnen</translation>
    </message>
    <message>
        <source>Orthographic projection</source>
        <translation>Orthografische Projektion</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Sonstiges</translation>
    </message>
    <message>
        <source>Other speed…</source>
        <translation>Andere Geschwindigkeit…</translation>
    </message>
    <message>
        <source>Other topologies</source>
        <translation>Andere Topologien</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>Andere</translation>
    </message>
    <message>
        <source>Outliers</source>
        <translation>Ausreißer</translation>
    </message>
    <message>
        <source>Outliers are {rule}</source>
        <translation>Ausreißer sind {rule}</translation>
    </message>
    <message>
        <source>Outline by</source>
        <translation>Umriss nach</translation>
    </message>
    <message>
        <source>Outline: previous state (fading)</source>
        <translation>Umriss: voriger Zustand (verblassend)</translation>
    </message>
    <message>
        <source>Outline: {text}</source>
        <translation>Umriss: {text}</translation>
    </message>
    <message>
        <source>PDF (vector)</source>
        <translation>PDF (Vektor)</translation>
    </message>
    <message>
        <source>PNG (raster)</source>
        <translation>PNG (Pixel)</translation>
    </message>
    <message>
        <source>Pace</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Pair</source>
        <translation>Paar</translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation>Paare</translation>
    </message>
    <message>
        <source>Pan left</source>
        <translation>Nach links</translation>
    </message>
    <message>
        <source>Pan right</source>
        <translation>Nach rechts</translation>
    </message>
    <message>
        <source>Panel</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Panels</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>Parallel</source>
        <translation>Parallel</translation>
    </message>
    <message>
        <source>Parallel efficiency is {parallel} in the exchange: the product of {text}. {worst} costs most{most}.</source>
        <translation>Die parallele Effizienz im Austausch ist {parallel}: das Produkt aus {text}. {worst} kostet am meisten{most}.</translation>
    </message>
    <message>
        <source>Parallel, by iteration</source>
        <translation>Parallel, nach Iteration</translation>
    </message>
    <message>
        <source>Parallel, over time</source>
        <translation>Parallel, über die Zeit</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Partners</source>
        <translation>Partner</translation>
    </message>
    <message>
        <source>Partners late</source>
        <translation>Partner zu spät</translation>
    </message>
    <message>
        <source>Partners not recorded</source>
        <translation>Partner nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>Periodic images</source>
        <translation>Periodische Bilder</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Phase {name}</source>
        <translation>Phase {name}</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>Phasen</translation>
    </message>
    <message>
        <source>Phases and regions</source>
        <translation>Phasen und Regionen</translation>
    </message>
    <message>
        <source>Picture saved: {chosen}</source>
        <translation>Bild gespeichert: {chosen}</translation>
    </message>
    <message>
        <source>Picture saved: {path}</source>
        <translation>Bild gespeichert: {path}</translation>
    </message>
    <message>
        <source>Pin distance to selected rank</source>
        <translation>Abstand zum ausgewählten Rang festhalten</translation>
    </message>
    <message>
        <source>Placement</source>
        <translation>Platzierung</translation>
    </message>
    <message>
        <source>Placement file</source>
        <translation>Platzierungsdatei</translation>
    </message>
    <message>
        <source>Placement files (*.csv *.tsv *.txt);;All files (*)</source>
        <translation>Platzierungsdateien (*.csv *.tsv *.txt);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Placement file…</source>
        <translation>Platzierungsdatei…</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Plane</source>
        <translation>Ebene</translation>
    </message>
    <message>
        <source>Plane across {axis}</source>
        <translation>Ebene quer zu {axis}</translation>
    </message>
    <message>
        <source>Plane across {name}</source>
        <translation>Ebene quer zu {name}</translation>
    </message>
    <message>
        <source>Planes</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>Planes across {axis}</source>
        <translation>Ebenen quer zu {axis}</translation>
    </message>
    <message>
        <source>Planes of a lattice</source>
        <translation>Ebenen eines Gitters</translation>
    </message>
    <message>
        <source>Plans</source>
        <translation>Pläne</translation>
    </message>
    <message>
        <source>Play or pause</source>
        <translation>Abspielen oder anhalten</translation>
    </message>
    <message>
        <source>Play the visits of a region</source>
        <translation>Die Besuche einer Region abspielen</translation>
    </message>
    <message>
        <source>Playback range</source>
        <translation>Abspielbereich</translation>
    </message>
    <message>
        <source>Preferences</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Preferences…</source>
        <translation>Einstellungen…</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Vorige</translation>
    </message>
    <message>
        <source>Previous MPI call</source>
        <translation>Voriger MPI-Aufruf</translation>
    </message>
    <message>
        <source>Previous bookmark</source>
        <translation>Voriges Lesezeichen</translation>
    </message>
    <message>
        <source>Previous delay</source>
        <translation>Vorige Verzögerung</translation>
    </message>
    <message>
        <source>Previous difference</source>
        <translation>Voriger Unterschied</translation>
    </message>
    <message>
        <source>Previous event</source>
        <translation>Voriges Ereignis</translation>
    </message>
    <message>
        <source>Previous iteration</source>
        <translation>Vorige Iteration</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>Voriger Treffer</translation>
    </message>
    <message>
        <source>Previous occurrence</source>
        <translation>Voriges Vorkommen</translation>
    </message>
    <message>
        <source>Previous occurrence (Shift+I)</source>
        <translation>Voriges Vorkommen (Umschalt+I)</translation>
    </message>
    <message>
        <source>Previous phase</source>
        <translation>Vorige Phase</translation>
    </message>
    <message>
        <source>Previous plane</source>
        <translation>Vorige Ebene</translation>
    </message>
    <message>
        <source>Previous rank along x</source>
        <translation>Voriger Rang entlang x</translation>
    </message>
    <message>
        <source>Previous rank along y</source>
        <translation>Voriger Rang entlang y</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>Profil</translation>
    </message>
    <message>
        <source>Profiling…</source>
        <translation>Profil entsteht…</translation>
    </message>
    <message>
        <source>Progress in the MPI call</source>
        <translation>Fortschritt im MPI-Aufruf</translation>
    </message>
    <message>
        <source>Progress in the logical trace</source>
        <translation>Fortschritt im logischen Trace</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>Rank numbers</source>
        <translation>Rangnummern</translation>
    </message>
    <message>
        <source>Rank order</source>
        <translation>Rangfolge</translation>
    </message>
    <message>
        <source>Rank that makes the call</source>
        <translation>Rang, der den Aufruf macht</translation>
    </message>
    <message>
        <source>Rank that uses it</source>
        <translation>Rang, der es benutzt</translation>
    </message>
    <message>
        <source>Rank that was late</source>
        <translation>Rang, der zu spät kam</translation>
    </message>
    <message>
        <source>Rank waited for</source>
        <translation>Rang, auf den gewartet wird</translation>
    </message>
    <message>
        <source>Rank with most time</source>
        <translation>Rang mit der meisten Zeit</translation>
    </message>
    <message>
        <source>Rank with the greatest number</source>
        <translation>Rang mit der größten Zahl</translation>
    </message>
    <message>
        <source>Rank {one} to itself</source>
        <translation>Rang {one} an sich selbst</translation>
    </message>
    <message>
        <source>Rank {rank}</source>
        <translation>Rang {rank}</translation>
    </message>
    <message>
        <source>Rank {rank} does not run it</source>
        <translation>Rang {rank} führt es nicht aus</translation>
    </message>
    <message>
        <source>Rank {rank} waits for rank {whom}. Evidence: {why}.</source>
        <translation>Rang {rank} wartet auf Rang {whom}. Beleg: {why}.</translation>
    </message>
    <message>
        <source>Rank {rank} {instead} {when}: that caused {caused} of waiting{bounds}, {share} of all; {wave}.{further}</source>
        <translation>Rang {rank} {instead} {when}: Das verursachte {caused} Wartezeit{bounds}, {share} der gesamten; {wave}.{further}</translation>
    </message>
    <message>
        <source>Rank {rank} {what}{inside}{when}</source>
        <translation>Rang {rank} {what}{inside}{when}</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>Ranks by state</source>
        <translation>Ränge nach Zustand</translation>
    </message>
    <message>
        <source>Ranks fall into {count} groups of {sizes} with most pairs within: a modularity of {modularity:.2f}, by chance {by_lot:.2f}.</source>
        <translation>Die Ränge zerfallen in {count} Gruppen von {sizes}, in denen die meisten Paare liegen: Modularität {modularity:.2f}, durch Zufall {by_lot:.2f}.</translation>
    </message>
    <message>
        <source>Ranks have {several} partners, {mean:.1f} on average; {hubs}.</source>
        <translation>Ränge haben {several} Partner, im Mittel {mean:.1f}; {hubs}.</translation>
    </message>
    <message>
        <source>Ranks in the same communicator</source>
        <translation>Ränge im selben Kommunikator</translation>
    </message>
    <message>
        <source>Ranks in the same state</source>
        <translation>Ränge im selben Zustand</translation>
    </message>
    <message>
        <source>Ranks on a node</source>
        <translation>Ränge je Knoten</translation>
    </message>
    <message>
        <source>Ranks on the same host</source>
        <translation>Ränge auf demselben Host</translation>
    </message>
    <message>
        <source>Ranks that communicate without an edge of the topology between them</source>
        <translation>Ränge, die kommunizieren, ohne dass eine Kante der Topologie zwischen ihnen liegt</translation>
    </message>
    <message>
        <source>Ranks that it receives from</source>
        <translation>Ränge, von denen er empfängt</translation>
    </message>
    <message>
        <source>Ranks that it sends to, or the root of a collective operation</source>
        <translation>Ränge, an die er sendet, oder Root einer kollektiven Operation</translation>
    </message>
    <message>
        <source>Ranks that waited mainly for it, directly or through others</source>
        <translation>Ränge, die vor allem darauf warteten, direkt oder über andere</translation>
    </message>
    <message>
        <source>Ranks they communicate with</source>
        <translation>Ränge, mit denen sie kommunizieren</translation>
    </message>
    <message>
        <source>Ranks waited for</source>
        <translation>Ränge, auf die gewartet wird</translation>
    </message>
    <message>
        <source>Ranks with the selected one's x and y, in other planes</source>
        <translation>Ränge mit x und y des ausgewählten, in anderen Ebenen</translation>
    </message>
    <message>
        <source>Ranks {one} and {other}</source>
        <translation>Ränge {one} und {other}</translation>
    </message>
    <message>
        <source>Ranks {ranks} wait for each other.</source>
        <translation>Die Ränge {ranks} warten aufeinander.</translation>
    </message>
    <message>
        <source>Ranks {rule}</source>
        <translation>Ränge {rule}</translation>
    </message>
    <message>
        <source>Read all</source>
        <translation>Alles lesen</translation>
    </message>
    <message>
        <source>Read this subset</source>
        <translation>Diesen Ausschnitt lesen</translation>
    </message>
    <message>
        <source>Reading takes about {seconds}.</source>
        <translation>Das Lesen dauert etwa {seconds}.</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>Received by</source>
        <translation>Empfangen von</translation>
    </message>
    <message>
        <source>Receives</source>
        <translation>Empfängt</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt</translation>
    </message>
    <message>
        <source>Red-green</source>
        <translation>Rot-Grün</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Region</source>
        <translation>Region</translation>
    </message>
    <message>
        <source>Region of its GPU streams</source>
        <translation>Region der GPU-Streams</translation>
    </message>
    <message>
        <source>Region of its threads</source>
        <translation>Region der Threads</translation>
    </message>
    <message>
        <source>Regions</source>
        <translation>Regionen</translation>
    </message>
    <message>
        <source>Remaining traffic</source>
        <translation>Übriger Verkehr</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove the placement file</source>
        <translation>Platzierungsdatei entfernen</translation>
    </message>
    <message>
        <source>Remove the ruler</source>
        <translation>Lineal entfernen</translation>
    </message>
    <message>
        <source>Rename bookmark</source>
        <translation>Lesezeichen umbenennen</translation>
    </message>
    <message>
        <source>Repaired</source>
        <translation>Repariert</translation>
    </message>
    <message>
        <source>Repeat playback range</source>
        <translation>Abspielbereich wiederholen</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>Layout zurücksetzen</translation>
    </message>
    <message>
        <source>Reset panel layout</source>
        <translation>Anordnung der Bereiche zurücksetzen</translation>
    </message>
    <message>
        <source>Resolution</source>
        <translation>Auflösung</translation>
    </message>
    <message>
        <source>Restored your last view; Undo shows the first view</source>
        <translation>Ihre letzte Ansicht ist wiederhergestellt; Rückgängig zeigt die erste</translation>
    </message>
    <message>
        <source>Root</source>
        <translation>Root</translation>
    </message>
    <message>
        <source>Root cause</source>
        <translation>Ursache</translation>
    </message>
    <message>
        <source>Row</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>Row along {name}</source>
        <translation>Zeile entlang {name}</translation>
    </message>
    <message>
        <source>Row of</source>
        <translation>Zeile zu</translation>
    </message>
    <message>
        <source>Row or column</source>
        <translation>Zeile oder Spalte</translation>
    </message>
    <message>
        <source>Rows are in the order of their distance from here, whatever is selected; a click counts from the selected ranks</source>
        <translation>Zeilen stehen in der Reihenfolge ihres Abstands von hier, was auch ausgewählt ist; ein Klick zählt von den ausgewählten Rängen</translation>
    </message>
    <message>
        <source>Rows by a number</source>
        <translation>Zeilen nach einer Zahl</translation>
    </message>
    <message>
        <source>Rows by a number of the profile…</source>
        <translation>Zeilen nach einer Zahl des Profils…</translation>
    </message>
    <message>
        <source>Rows by hop distance</source>
        <translation>Zeilen nach Hop-Abstand</translation>
    </message>
    <message>
        <source>Rows by rank</source>
        <translation>Zeilen nach Rang</translation>
    </message>
    <message>
        <source>Rows by similarity</source>
        <translation>Zeilen nach Ähnlichkeit</translation>
    </message>
    <message>
        <source>Rows by topology</source>
        <translation>Zeilen nach Topologie</translation>
    </message>
    <message>
        <source>Rows in colours as the scene</source>
        <translation>Zeilen in Farben der Szene</translation>
    </message>
    <message>
        <source>Rows in colours of functions</source>
        <translation>Zeilen in Farben der Funktionen</translation>
    </message>
    <message>
        <source>Rows in colours of states</source>
        <translation>Zeilen in Farben der Zustände</translation>
    </message>
    <message>
        <source>Rows in colours of user regions</source>
        <translation>Zeilen in Farben der Benutzerregionen</translation>
    </message>
    <message>
        <source>Rows of all ranks</source>
        <translation>Zeilen aller Ränge</translation>
    </message>
    <message>
        <source>Rows of selected ranks only</source>
        <translation>Nur Zeilen ausgewählter Ränge</translation>
    </message>
    <message>
        <source>Rows without groups</source>
        <translation>Keine Gruppen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>SVG (vector)</source>
        <translation>SVG (Vektor)</translation>
    </message>
    <message>
        <source>Save as named pattern</source>
        <translation>Als benanntes Muster speichern</translation>
    </message>
    <message>
        <source>Save as named pattern…</source>
        <translation>Als benanntes Muster speichern…</translation>
    </message>
    <message>
        <source>Save mapping: {method}</source>
        <translation>Mapping speichern: {method}</translation>
    </message>
    <message>
        <source>Save mapping…</source>
        <translation>Mapping speichern…</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Save picture…</source>
        <translation>Bild speichern…</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>Save report…</source>
        <translation>Bericht speichern…</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>Sitzung speichern</translation>
    </message>
    <message>
        <source>Save session…</source>
        <translation>Sitzung speichern…</translation>
    </message>
    <message>
        <source>Save table as CSV</source>
        <translation>Tabelle als CSV speichern</translation>
    </message>
    <message>
        <source>Save table as CSV…</source>
        <translation>Tabelle als CSV speichern…</translation>
    </message>
    <message>
        <source>Saved as {name}, in {path}</source>
        <translation>Gespeichert als {name}, in {path}</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern…</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>Maßstab</translation>
    </message>
    <message>
        <source>Scene</source>
        <translation>Szene</translation>
    </message>
    <message>
        <source>Scene and timeline</source>
        <translation>Szene und Zeitleiste</translation>
    </message>
    <message>
        <source>Scene only</source>
        <translation>Nur Szene</translation>
    </message>
    <message>
        <source>Scope: the exchange, from the first call that communicates to the last; the whole run; the iterations of the loop with most time; the time window of the timeline; or the selection (ranks, a time range, a statement, a loop, an operation)</source>
        <translation>Umfang: der Austausch, vom ersten kommunizierenden Aufruf bis zum letzten; der ganze Lauf; die Iterationen der Schleife mit der meisten Zeit; das Zeitfenster der Zeitleiste; oder die Auswahl (Ränge, ein Zeitbereich, eine Anweisung, eine Schleife, eine Operation)</translation>
    </message>
    <message>
        <source>Scroll rows down</source>
        <translation>Zeilen nach unten rollen</translation>
    </message>
    <message>
        <source>Scroll rows up</source>
        <translation>Zeilen nach oben rollen</translation>
    </message>
    <message>
        <source>Search the documentation</source>
        <translation>Dokumentation durchsuchen</translation>
    </message>
    <message>
        <source>Search the list</source>
        <translation>Liste durchsuchen</translation>
    </message>
    <message>
        <source>Second view</source>
        <translation>Zweite Ansicht</translation>
    </message>
    <message>
        <source>Second view: {layout}</source>
        <translation>Zweite Ansicht: {layout}</translation>
    </message>
    <message>
        <source>Seconds and bytes of the mean rank. {rule}</source>
        <translation>Sekunden und Bytes des mittleren Rangs. {rule}</translation>
    </message>
    <message>
        <source>Seconds of the mean rank, in all of each run</source>
        <translation>Sekunden des mittleren Rangs im ganzen Lauf</translation>
    </message>
    <message>
        <source>See the topology of an MPI program</source>
        <translation>Die Topologie eines MPI-Programms sehen</translation>
    </message>
    <message>
        <source>Select a rank in an MPI call, or a call</source>
        <translation>Einen Rang in einem MPI-Aufruf oder einen Aufruf auswählen</translation>
    </message>
    <message>
        <source>Select a statement, a loop or an operation first</source>
        <translation>Zuerst eine Anweisung, eine Schleife oder eine Operation auswählen</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alle auswählen</translation>
    </message>
    <message>
        <source>Select all ranks</source>
        <translation>Alle Ränge auswählen</translation>
    </message>
    <message>
        <source>Select the rank that the note is about first</source>
        <translation>Zuerst den Rang auswählen, um den es in der Notiz geht</translation>
    </message>
    <message>
        <source>Select these calls and their ranks in all panels</source>
        <translation>Diese Aufrufe und ihre Ränge in allen Bereichen auswählen</translation>
    </message>
    <message>
        <source>Select with the selected ranks</source>
        <translation>Mit den ausgewählten Rängen auswählen</translation>
    </message>
    <message>
        <source>Select {thing} {number}</source>
        <translation>{thing} {number} auswählen</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>Auswahl</translation>
    </message>
    <message>
        <source>Selected calls</source>
        <translation>Ausgewählte Aufrufe</translation>
    </message>
    <message>
        <source>Selected calls {second}</source>
        <translation>Gewählte Aufrufe {second}</translation>
    </message>
    <message>
        <source>Selected rank</source>
        <translation>Gewählter Rang</translation>
    </message>
    <message>
        <source>Selected ranks</source>
        <translation>Ausgewählte Ränge</translation>
    </message>
    <message>
        <source>Selected: edge {first}–{second}</source>
        <translation>Ausgewählt: Kante {first}–{second}</translation>
    </message>
    <message>
        <source>Selected: rank {rank}{place}</source>
        <translation>Ausgewählt: Rang {rank}{place}</translation>
    </message>
    <message>
        <source>Selected: {calls}{ranks}</source>
        <translation>Ausgewählt: {calls}{ranks}</translation>
    </message>
    <message>
        <source>Selected: {ranks}</source>
        <translation>Ausgewählt: {ranks}</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>Auswahl</translation>
    </message>
    <message>
        <source>Sends</source>
        <translation>Sendet</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>Gesendet</translation>
    </message>
    <message>
        <source>Sent by</source>
        <translation>Gesendet von</translation>
    </message>
    <message>
        <source>Serialisation</source>
        <translation>Serialisierung</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>Sitzung</translation>
    </message>
    <message>
        <source>Sessions (*.session.json *.json);;All files (*)</source>
        <translation>Sitzungen (*.session.json *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Set time zero at cursor (mark)</source>
        <translation>Zeitnullpunkt am Cursor setzen (Marke)</translation>
    </message>
    <message>
        <source>Settings are stored in the file: topoview render --like reproduces it.</source>
        <translation>Die Einstellungen stehen in der Datei: topoview render --like zeichnet sie wieder.</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Share of all waiting</source>
        <translation>Anteil an allem Warten</translation>
    </message>
    <message>
        <source>Share of the bytes that the topology carries</source>
        <translation>Anteil der Bytes, den die Topologie trägt</translation>
    </message>
    <message>
        <source>Share of the communicating pairs that the topology explains</source>
        <translation>Anteil der kommunizierenden Paare, den die Topologie erklärt</translation>
    </message>
    <message>
        <source>Share of the time of all hosts, or devices</source>
        <translation>Anteil an der Zeit aller Hosts oder Geräte</translation>
    </message>
    <message>
        <source>Share of the time of all ranks</source>
        <translation>Anteil an der Zeit aller Ränge</translation>
    </message>
    <message>
        <source>Share of the time of the ranks</source>
        <translation>Anteil an der Zeit der Ränge</translation>
    </message>
    <message>
        <source>Share of the time of the ranks in it</source>
        <translation>Anteil an der Zeit der Ränge darin</translation>
    </message>
    <message>
        <source>Shift drag</source>
        <translation>Umschalt + ziehen</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show a slice of the network</source>
        <translation>Einen Schnitt durch das Netz zeigen</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>Alle zeigen</translation>
    </message>
    <message>
        <source>Show all coordinates</source>
        <translation>Alle Koordinaten zeigen</translation>
    </message>
    <message>
        <source>Show sub-frame events while playing</source>
        <translation>Beim Abspielen auch kürzeste Ereignisse zeigen</translation>
    </message>
    <message>
        <source>Show the delay again that was shown last</source>
        <translation>Die zuletzt gezeigte Verzögerung wieder zeigen</translation>
    </message>
    <message>
        <source>Show the demo</source>
        <translation>Demo zeigen</translation>
    </message>
    <message>
        <source>Show the efficiencies of hosts and GPUs</source>
        <translation>Die Effizienzen von Hosts und GPUs zeigen</translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation>Protokoll zeigen</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Size by</source>
        <translation>Größe nach</translation>
    </message>
    <message>
        <source>Size class</source>
        <translation>Größenklasse</translation>
    </message>
    <message>
        <source>Size in pixels</source>
        <translation>Größe in Pixeln</translation>
    </message>
    <message>
        <source>Size of ranks that compute</source>
        <translation>Größe von Rängen, die rechnen</translation>
    </message>
    <message>
        <source>Size of the message</source>
        <translation>Größe der Nachricht</translation>
    </message>
    <message>
        <source>Size: {text}</source>
        <translation>Größe: {text}</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>Skip idle periods</source>
        <translation>Ereignislose Zeiten überspringen</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>Schnitt</translation>
    </message>
    <message>
        <source>Slowest</source>
        <translation>Langsamste</translation>
    </message>
    <message>
        <source>Slowest iteration</source>
        <translation>Langsamste Iteration</translation>
    </message>
    <message>
        <source>Slowest iterations</source>
        <translation>Langsamste Iterationen</translation>
    </message>
    <message>
        <source>Slowest operation</source>
        <translation>Langsamste Operation</translation>
    </message>
    <message>
        <source>Snake</source>
        <translation>Schlange</translation>
    </message>
    <message>
        <source>So the answer is unknown: no topology of the library describes the traffic in less than a list of the pairs.</source>
        <translation>Die Antwort ist also unbekannt: Keine Topologie der Bibliothek beschreibt den Verkehr kürzer als eine Liste der Paare.</translation>
    </message>
    <message>
        <source>So the answer is {name}.</source>
        <translation>Die Antwort ist also {name}.</translation>
    </message>
    <message>
        <source>So the answer is {name}: {finest} exactly that, and nothing else that was found describes the traffic in less.</source>
        <translation>Die Antwort ist also {name}: {finest} genau das, und nichts sonst, was gefunden wurde, beschreibt den Verkehr kürzer.</translation>
    </message>
    <message>
        <source>Something went wrong in topoview</source>
        <translation>In topoview ist etwas schiefgegangen</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Spacing</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>Span: {span}</source>
        <translation>Zeitspanne: {span}</translation>
    </message>
    <message>
        <source>Spectral</source>
        <translation>Spektral</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>Speed of playing: type 10 ms/s, 20 calls/s or all in 10 s</source>
        <translation>Abspielgeschwindigkeit: 10 ms/s, 20 calls/s oder all in 10 s eingeben</translation>
    </message>
    <message>
        <source>Sphere</source>
        <translation>Kugel</translation>
    </message>
    <message>
        <source>Spread of arrivals</source>
        <translation>Spanne der Ankünfte</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>Start it with topoview --no-3d to work without the 3D scene, or with LIBGL_ALWAYS_SOFTWARE=1 to draw without the graphics card.</source>
        <translation>Mit topoview --no-3d starten, um ohne die 3D-Szene zu arbeiten, oder mit LIBGL_ALWAYS_SOFTWARE=1, um ohne die Grafikkarte zu zeichnen.</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Statement</source>
        <translation>Anweisung</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Statistics by</source>
        <translation>Statistik nach</translation>
    </message>
    <message>
        <source>Stragglers of {operations}</source>
        <translation>Nachzügler bei {operations}</translation>
    </message>
    <message>
        <source>Strength of diagonal edges</source>
        <translation>Stärke diagonaler Kanten</translation>
    </message>
    <message>
        <source>Stubs</source>
        <translation>Stummel</translation>
    </message>
    <message>
        <source>Sum of the outliers</source>
        <translation>Summe der Ausreißer</translation>
    </message>
    <message>
        <source>Sum over all ranks</source>
        <translation>Summe über alle Ränge</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Table saved: {chosen}</source>
        <translation>Tabelle gespeichert: {chosen}</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>Tag of its messages</source>
        <translation>Tag seiner Nachrichten</translation>
    </message>
    <message>
        <source>Tag of the message</source>
        <translation>Tag der Nachricht</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Tear {title} off, or put it back</source>
        <translation>{title} abreißen oder zurücksetzen</translation>
    </message>
    <message>
        <source>Text and controls</source>
        <translation>Text und Bedienelemente</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source>That did not work</source>
        <translation>Das ging nicht</translation>
    </message>
    <message>
        <source>That is a digest already: open it with File &gt; Open trace.</source>
        <translation>Das ist schon ein Digest: mit Datei &gt; Trace öffnen öffnen.</translation>
    </message>
    <message>
        <source>That lasts longer than {most}: take a shorter time.</source>
        <translation>Das dauert länger als {most}: eine kürzere Zeit wählen.</translation>
    </message>
    <message>
        <source>The analysis could not go on</source>
        <translation>Die Analyse konnte nicht weitergehen</translation>
    </message>
    <message>
        <source>The analysis was stopped; open the trace again to have it done.</source>
        <translation>Die Analyse wurde angehalten; den Trace wieder öffnen, um sie fortzusetzen.</translation>
    </message>
    <message>
        <source>The answer is the topology of the library that describes the traffic in least: {name}, with {edits}.</source>
        <translation>Die Antwort ist die Topologie der Bibliothek, die den Verkehr am kürzesten beschreibt: {name}, mit {edits}.</translation>
    </message>
    <message>
        <source>The cache takes at most {limit}.</source>
        <translation>Der Cache nimmt höchstens {limit}.</translation>
    </message>
    <message>
        <source>The call waits for nobody, or for whom is not recorded</source>
        <translation>Der Aufruf wartet auf niemanden, oder auf wen, ist nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>The calls of all ranks are being put into one program.</source>
        <translation>Die Aufrufe aller Ränge werden zu einem Programm zusammengefasst.</translation>
    </message>
    <message>
        <source>The communication of all ranks is being compared.</source>
        <translation>Die Kommunikation aller Ränge wird verglichen.</translation>
    </message>
    <message>
        <source>The costliest delay caused {share} of all waiting; {whose}.</source>
        <translation>Die teuerste Verzögerung verursachte {share} der gesamten Wartezeit; {whose}.</translation>
    </message>
    <message>
        <source>The costliest of them, from 0</source>
        <translation>Die teuerste von ihnen, ab 0</translation>
    </message>
    <message>
        <source>The digest is made there, written beside the trace unless another place is given, and opened here.</source>
        <translation>Der Digest wird dort erzeugt, neben den Trace geschrieben, wenn kein anderer Ort angegeben ist, und hier geöffnet.</translation>
    </message>
    <message>
        <source>The greatest number</source>
        <translation>Die größte Zahl</translation>
    </message>
    <message>
        <source>The hosts wait {share} of the time for their GPUs.</source>
        <translation>Die Hosts warten {share} der Zeit auf ihre GPUs.</translation>
    </message>
    <message>
        <source>The language changes at the next start.</source>
        <translation>Die Sprache ändert sich beim nächsten Start.</translation>
    </message>
    <message>
        <source>The largest first:</source>
        <translation>Die größte zuerst:</translation>
    </message>
    <message>
        <source>The last run of topoview ended unexpectedly</source>
        <translation>Der letzte Lauf von topoview endete unerwartet</translation>
    </message>
    <message>
        <source>The library has {count} topologies of {vertices} ranks</source>
        <translation>Die Bibliothek hat {count} Topologien mit {vertices} Rängen</translation>
    </message>
    <message>
        <source>The limit of the cache stays: {error}.</source>
        <translation>Die Cache-Grenze bleibt: {error}.</translation>
    </message>
    <message>
        <source>The listing is the same on {ranks} ranks, apart from {numbers}.</source>
        <translation>Das Listing ist auf {ranks} Rängen dasselbe, bis auf {numbers}.</translation>
    </message>
    <message>
        <source>The listing is the same on {ranks} ranks.</source>
        <translation>Das Listing ist auf {ranks} Rängen dasselbe.</translation>
    </message>
    <message>
        <source>The listings on {ranks} ranks differ in {some} of {lines}.</source>
        <translation>Die Listings auf {ranks} Rängen unterscheiden sich in {some} von {lines}.</translation>
    </message>
    <message>
        <source>The log is {path}</source>
        <translation>Das Protokoll ist {path}</translation>
    </message>
    <message>
        <source>The logical trace consists of MPI calls, and this trace has none.</source>
        <translation>Der logische Trace besteht aus MPI-Aufrufen, und dieser Trace hat keine.</translation>
    </message>
    <message>
        <source>The logical trace has no loop</source>
        <translation>Der logische Trace hat keine Schleife</translation>
    </message>
    <message>
        <source>The logical trace has no loop that rank {rank} is in</source>
        <translation>Der logische Trace hat keine Schleife, an der Rang {rank} teilnimmt</translation>
    </message>
    <message>
        <source>The logical trace has no loop whose iterations could be compared.</source>
        <translation>Der logische Trace hat keine Schleife, deren Iterationen zu vergleichen wären.</translation>
    </message>
    <message>
        <source>The logical trace is on the clipboard</source>
        <translation>Der logische Trace ist in der Zwischenablage</translation>
    </message>
    <message>
        <source>The logical traces are the same: {lines}.</source>
        <translation>Die logischen Traces sind gleich: {lines}.</translation>
    </message>
    <message>
        <source>The machine's network</source>
        <translation>Das Netz der Maschine</translation>
    </message>
    <message>
        <source>The mapping was not saved</source>
        <translation>Das Mapping wurde nicht gespeichert</translation>
    </message>
    <message>
        <source>The network is not known</source>
        <translation>Das Netz ist nicht bekannt</translation>
    </message>
    <message>
        <source>The pattern could not be saved</source>
        <translation>Das Muster konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>The picture could not be saved</source>
        <translation>Das Bild konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>The picture of the scene is on the clipboard</source>
        <translation>Das Bild der Szene ist in der Zwischenablage</translation>
    </message>
    <message>
        <source>The placement cannot be followed</source>
        <translation>Der Platzierung kann nicht gefolgt werden</translation>
    </message>
    <message>
        <source>The program communicates through collective operations only{details}. They are in the logical trace and in the timeline.</source>
        <translation>Das Programm kommuniziert nur durch kollektive Operationen{details}. Sie sind im logischen Trace und in der Zeitleiste.</translation>
    </message>
    <message>
        <source>The query of Find fits none of them.</source>
        <translation>Die Anfrage in Suchen passt auf keinen davon.</translation>
    </message>
    <message>
        <source>The ranks do not communicate</source>
        <translation>Die Ränge kommunizieren nicht</translation>
    </message>
    <message>
        <source>The reasons are on the clipboard</source>
        <translation>Die Gründe sind in der Zwischenablage</translation>
    </message>
    <message>
        <source>The selected call has no message</source>
        <translation>Der ausgewählte Aufruf hat keine Nachricht</translation>
    </message>
    <message>
        <source>The selection is on the clipboard</source>
        <translation>Die Auswahl ist in der Zwischenablage</translation>
    </message>
    <message>
        <source>The session is in {path}</source>
        <translation>Die Sitzung liegt in {path}</translation>
    </message>
    <message>
        <source>The session of {name}; Undo goes back</source>
        <translation>Die Sitzung von {name}; Rückgängig führt zurück</translation>
    </message>
    <message>
        <source>The session was not opened</source>
        <translation>Die Sitzung wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>The session was not saved</source>
        <translation>Die Sitzung wurde nicht gespeichert</translation>
    </message>
    <message>
        <source>The share of threads and I/O</source>
        <translation>Der Anteil von Threads und E/A</translation>
    </message>
    <message>
        <source>The size of text and controls changes at the next start.</source>
        <translation>Die Größe von Text und Bedienelementen ändert sich beim nächsten Start.</translation>
    </message>
    <message>
        <source>The states of the ranks differ most at {when}.</source>
        <translation>Ränge unterscheiden sich am meisten bei {when}.</translation>
    </message>
    <message>
        <source>The table could not be saved</source>
        <translation>Die Tabelle konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>The table is on the clipboard: {rows}</source>
        <translation>Die Tabelle ist in der Zwischenablage: {rows}</translation>
    </message>
    <message>
        <source>The trace does not record the partners of {calls}.</source>
        <translation>Der Trace hält die Partner von {calls} nicht fest.</translation>
    </message>
    <message>
        <source>The trace has no values of its counters</source>
        <translation>Der Trace hat keine Werte seiner Zähler</translation>
    </message>
    <message>
        <source>The trace holds no MPI call. If the program uses MPI, record it with MPI instrumentation.</source>
        <translation>Der Trace enthält keinen MPI-Aufruf. Wenn das Programm MPI benutzt, mit MPI-Instrumentierung aufzeichnen.</translation>
    </message>
    <message>
        <source>The trace holds no point-to-point message.</source>
        <translation>Der Trace enthält keine Punkt-zu-Punkt-Nachricht.</translation>
    </message>
    <message>
        <source>The trace names none that has members.</source>
        <translation>Der Trace nennt keine mit Mitgliedern.</translation>
    </message>
    <message>
        <source>The traces could not be compared</source>
        <translation>Die Traces konnten nicht verglichen werden</translation>
    </message>
    <message>
        <source>The visits of a region…</source>
        <translation>Die Besuche einer Region…</translation>
    </message>
    <message>
        <source>The {ranks} ranks with {name} compute {ratio:.2f} times as long as the others: at least half of them {computation} or more, the others {usual} on average. The difference is {share} of the run.</source>
        <translation>Die {ranks} Ränge mit {name} rechnen das {ratio:.2f}-fache der anderen: mindestens die Hälfte von ihnen {computation} oder mehr, die anderen im Mittel {usual}. Der Unterschied ist {share} des Laufs.</translation>
    </message>
    <message>
        <source>The {thing} could not be saved</source>
        <translation>{thing}: konnte nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>There are no such ranks</source>
        <translation>Solche Ränge gibt es nicht</translation>
    </message>
    <message>
        <source>There is no logical trace</source>
        <translation>Es gibt keinen logischen Trace</translation>
    </message>
    <message>
        <source>There is no next occurrence</source>
        <translation>Es gibt kein nächstes Vorkommen</translation>
    </message>
    <message>
        <source>There is no previous occurrence</source>
        <translation>Es gibt kein voriges Vorkommen</translation>
    </message>
    <message>
        <source>They are put on the links after that.</source>
        <translation>Danach kommen sie auf die Links.</translation>
    </message>
    <message>
        <source>They follow from the logical trace.</source>
        <translation>Sie ergeben sich aus dem logischen Trace.</translation>
    </message>
    <message>
        <source>This panel has no table: click one that has, such as Profile or Matrix</source>
        <translation>Dieser Bereich hat keine Tabelle: einen anklicken, der eine hat, etwa Profil oder Matrix</translation>
    </message>
    <message>
        <source>This rank makes no MPI calls.</source>
        <translation>Dieser Rang macht keine MPI-Aufrufe.</translation>
    </message>
    <message>
        <source>This trace could not be opened</source>
        <translation>Dieser Trace konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>This window</source>
        <translation>Dieses Fenster</translation>
    </message>
    <message>
        <source>Thread that makes the call</source>
        <translation>Thread, der aufruft</translation>
    </message>
    <message>
        <source>Threads at work</source>
        <translation>Arbeitende Threads</translation>
    </message>
    <message>
        <source>Threads at work, % of window</source>
        <translation>Arbeitende Threads, % des Fensters</translation>
    </message>
    <message>
        <source>Threshold of tubes</source>
        <translation>Schwelle für Röhren</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Time in current call</source>
        <translation>Zeit im aktuellen Aufruf</translation>
    </message>
    <message>
        <source>Time in state</source>
        <translation>Zeit im Zustand</translation>
    </message>
    <message>
        <source>Time in the selected calls</source>
        <translation>Zeit in den ausgewählten Aufrufen</translation>
    </message>
    <message>
        <source>Time in which a kernel runs</source>
        <translation>Zeit, in der ein Kernel läuft</translation>
    </message>
    <message>
        <source>Time in which it does nothing</source>
        <translation>Zeit, in der es nichts tut</translation>
    </message>
    <message>
        <source>Time in which it only copies</source>
        <translation>Zeit, in der es nur kopiert</translation>
    </message>
    <message>
        <source>Time of all members in its collective operations</source>
        <translation>Zeit aller Mitglieder in seinen kollektiven Operationen</translation>
    </message>
    <message>
        <source>Time of all ranks together</source>
        <translation>Zeit aller Ränge zusammen</translation>
    </message>
    <message>
        <source>Time of all ranks together in that part</source>
        <translation>Zeit aller Ränge zusammen in diesem Abschnitt</translation>
    </message>
    <message>
        <source>Time of all ranks together, as far as it lies in the time that counts</source>
        <translation>Zeit aller Ränge zusammen, soweit sie in der Zeit liegt, die zählt</translation>
    </message>
    <message>
        <source>Time of all ranks, with what is called within</source>
        <translation>Zeit aller Ränge, mit dem, was darin aufgerufen wird</translation>
    </message>
    <message>
        <source>Time of all ranks, without what is called within</source>
        <translation>Zeit aller Ränge, ohne das, was darin aufgerufen wird</translation>
    </message>
    <message>
        <source>Time of all together, also of calls that end behind the time that counts; of a message from send to receive</source>
        <translation>Zeit von allen zusammen, auch von Aufrufen, die nach der Zeit enden, die zählt; einer Nachricht vom Senden bis zum Empfang</translation>
    </message>
    <message>
        <source>Time of all together, with what is called within</source>
        <translation>Zeit aller zusammen, mit dem, was darin aufgerufen wird</translation>
    </message>
    <message>
        <source>Time of each rank</source>
        <translation>Zeit jedes Rangs</translation>
    </message>
    <message>
        <source>Time of ranks</source>
        <translation>Zeit der Ränge</translation>
    </message>
    <message>
        <source>Time of the cursor from the mark (M at the mark takes it away)</source>
        <translation>Zeit des Cursors ab der Marke (M an der Marke entfernt sie)</translation>
    </message>
    <message>
        <source>Time of the cursor: type 1.5 s, 20 ms, or +300 us for so much later (Ctrl+G)</source>
        <translation>Zeit des Cursors: 1.5 s, 20 ms oder +300 us für so viel später eingeben (Strg+G)</translation>
    </message>
    <message>
        <source>Time of the rank that spends least in it</source>
        <translation>Zeit des Rangs, der am wenigsten darin verbringt</translation>
    </message>
    <message>
        <source>Time of the rank that spends most in it</source>
        <translation>Zeit des Rangs, der am meisten darin verbringt</translation>
    </message>
    <message>
        <source>Time that it took to identify the topology</source>
        <translation>Zeit, die das Erkennen der Topologie dauerte</translation>
    </message>
    <message>
        <source>Time that the call took</source>
        <translation>Zeit, die der Aufruf dauerte</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>Timeline below the scene</source>
        <translation>Zeitleiste unter der Szene</translation>
    </message>
    <message>
        <source>Timeline only</source>
        <translation>Nur Zeitleiste</translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation>Zeitleisten</translation>
    </message>
    <message>
        <source>Times</source>
        <translation>Zeiten</translation>
    </message>
    <message>
        <source>Times in {unit}</source>
        <translation>Zeiten in {unit}</translation>
    </message>
    <message>
        <source>Times of both runs</source>
        <translation>Zeiten beider Läufe</translation>
    </message>
    <message>
        <source>To</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>Zusammen</translation>
    </message>
    <message>
        <source>Took</source>
        <translation>Dauerte</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Topologies of the library, the best match first</source>
        <translation>Topologien der Bibliothek, der beste Treffer zuerst</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>Topologie</translation>
    </message>
    <message>
        <source>Topology order</source>
        <translation>Nach Topologie</translation>
    </message>
    <message>
        <source>Torus</source>
        <translation>Torus</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>Trace</translation>
    </message>
    <message>
        <source>Trace quality</source>
        <translation>Trace-Qualität</translation>
    </message>
    <message>
        <source>Trace quality: {verdict}</source>
        <translation>Trace-Qualität: {verdict}</translation>
    </message>
    <message>
        <source>Track of a counter</source>
        <translation>Spur eines Zählers</translation>
    </message>
    <message>
        <source>Tracks</source>
        <translation>Spuren</translation>
    </message>
    <message>
        <source>Transfer</source>
        <translation>Transfer</translation>
    </message>
    <message>
        <source>Transfers</source>
        <translation>Transfers</translation>
    </message>
    <message>
        <source>Transparent background</source>
        <translation>Durchsichtiger Hintergrund</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>Baum</translation>
    </message>
    <message>
        <source>Tube</source>
        <translation>Röhre</translation>
    </message>
    <message>
        <source>Type a function, a duration, a size, a direction: Waitall &gt; 10 ms, to EAST &gt; 1 MiB, waited &gt; 1 ms iteration 5-20, isend tag 7 rank 0-15.</source>
        <translation>Eine Funktion, Dauer, Größe, Richtung eingeben: Waitall &gt; 10 ms, to EAST &gt; 1 MiB, waited &gt; 1 ms iteration 5-20, isend tag 7 rank 0-15.</translation>
    </message>
    <message>
        <source>Type to search</source>
        <translation>Zum Suchen tippen</translation>
    </message>
    <message>
        <source>Under way</source>
        <translation>Unterwegs</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Unexpected</source>
        <translation>Unerwartet</translation>
    </message>
    <message>
        <source>Unexpected message: sent before its receive was posted</source>
        <translation>Unerwartete Nachricht: gesendet, bevor ihr Empfang bereit war</translation>
    </message>
    <message>
        <source>Unfold all below</source>
        <translation>Alles darunter aufklappen</translation>
    </message>
    <message>
        <source>Unfold all groups</source>
        <translation>Alle Gruppen aufklappen</translation>
    </message>
    <message>
        <source>Unfold all loops</source>
        <translation>Alle Schleifen aufklappen</translation>
    </message>
    <message>
        <source>Unfold or fold threads and GPU streams</source>
        <translation>Threads und GPU-Streams auf- oder zuklappen</translation>
    </message>
    <message>
        <source>Unfold this card</source>
        <translation>Diese Karte aufklappen</translation>
    </message>
    <message>
        <source>Uniform size</source>
        <translation>Einheitliche Größe</translation>
    </message>
    <message>
        <source>Unit of times</source>
        <translation>Zeiteinheit</translation>
    </message>
    <message>
        <source>Useful</source>
        <translation>Nützlich</translation>
    </message>
    <message>
        <source>User region</source>
        <translation>Benutzerregion</translation>
    </message>
    <message>
        <source>Values of the window</source>
        <translation>Werte des Fensters</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Ansicht</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>Ansichten</translation>
    </message>
    <message>
        <source>Visible window</source>
        <translation>Sichtbares Fenster</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>Wartezeit</translation>
    </message>
    <message>
        <source>Wait by direction</source>
        <translation>Wartezeit nach Richtung</translation>
    </message>
    <message>
        <source>Wait by hops from rank {rank}, {unit}</source>
        <translation>Wartezeit nach Hops von Rang {rank}, {unit}</translation>
    </message>
    <message>
        <source>Wait caused</source>
        <translation>Verursachte Wartezeit</translation>
    </message>
    <message>
        <source>Wait chains</source>
        <translation>Warteketten</translation>
    </message>
    <message>
        <source>Wait for it</source>
        <translation>Warten darauf</translation>
    </message>
    <message>
        <source>Wait of the selection by what came last</source>
        <translation>Wartezeit der Auswahl danach, was zuletzt kam</translation>
    </message>
    <message>
        <source>Wait states</source>
        <translation>Wartezustände</translation>
    </message>
    <message>
        <source>Wait suffered</source>
        <translation>Erlittene Wartezeit</translation>
    </message>
    <message>
        <source>Wait time minus neighbours' mean</source>
        <translation>Wartezeit minus Mittel der Nachbarn</translation>
    </message>
    <message>
        <source>Wait time, % of window</source>
        <translation>Wartezeit, % des Fensters</translation>
    </message>
    <message>
        <source>Waitall &gt; 10 ms</source>
        <translation>Waitall &gt; 10 ms</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>Wartete</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Waiting by axis</source>
        <translation>Warten je Achse</translation>
    </message>
    <message>
        <source>Waiting caused</source>
        <translation>Verursachtes Warten</translation>
    </message>
    <message>
        <source>Waiting of all ranks that is attributed to it</source>
        <translation>Wartezeit aller Ränge, die darauf zurückgeht</translation>
    </message>
    <message>
        <source>Waiting of the mean rank: {a} → {b}</source>
        <translation>Wartezeit des mittleren Rangs: {a} → {b}</translation>
    </message>
    <message>
        <source>Waits for</source>
        <translation>Wartet auf</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>What a pixel of several cells shows</source>
        <translation>Was ein Pixel mit mehreren Zellen zeigt</translation>
    </message>
    <message>
        <source>What a rank waits by noise while a wave travels one hop: about what it makes waits shorter by</source>
        <translation>Wie lange ein Rang durch Rauschen wartet, während eine Welle einen Hop wandert: etwa um so viel macht es Wartezeiten kürzer</translation>
    </message>
    <message>
        <source>What a row of the table is</source>
        <translation>Was eine Zeile der Tabelle ist</translation>
    </message>
    <message>
        <source>What cables and nodes are coloured by</source>
        <translation>Wonach Kabel und Knoten gefärbt sind</translation>
    </message>
    <message>
        <source>What counters counted</source>
        <translation>Was Zähler gezählt haben</translation>
    </message>
    <message>
        <source>What do you want to do?</source>
        <translation>Was möchten Sie tun?</translation>
    </message>
    <message>
        <source>What is computed before “{statement_text}” takes {before} of the critical path, {ticks} more than ranks compute there on average: balanced, the run of {run} would be up to {ratio} shorter. Rank {rank} is on the path for longest.</source>
        <translation>Was vor „{statement_text}“ gerechnet wird, nimmt {before} des kritischen Pfads ein, {ticks} mehr, als Ränge dort im Mittel rechnen: Ausgeglichen wäre der Lauf von {run} bis zu {ratio} kürzer. Am längsten ist Rang {rank} auf dem Pfad.</translation>
    </message>
    <message>
        <source>What is counted</source>
        <translation>Was gezählt wird</translation>
    </message>
    <message>
        <source>What is known of the machine; assume a network</source>
        <translation>Was über die Maschine bekannt ist; ein Netz annehmen</translation>
    </message>
    <message>
        <source>What is listed</source>
        <translation>Was aufgelistet ist</translation>
    </message>
    <message>
        <source>What is shown of iterations</source>
        <translation>Was von Iterationen gezeigt wird</translation>
    </message>
    <message>
        <source>What it is like</source>
        <translation>Wie er beschaffen ist</translation>
    </message>
    <message>
        <source>What its calls waited for late partners</source>
        <translation>Was die Aufrufe auf verspätete Partner warteten</translation>
    </message>
    <message>
        <source>What loads links</source>
        <translation>Was Links belastet</translation>
    </message>
    <message>
        <source>What makes groups of rows; folded ones are a row each</source>
        <translation>Was Gruppen von Zeilen bildet; zugeklappte sind je eine Zeile</translation>
    </message>
    <message>
        <source>What others waited because of these calls and what was computed before them</source>
        <translation>Was andere wegen dieser Aufrufe und des Rechnens davor warteten</translation>
    </message>
    <message>
        <source>What rows are coloured by</source>
        <translation>Wonach Zeilen gefärbt sind</translation>
    </message>
    <message>
        <source>What the class belongs to</source>
        <translation>Wozu die Klasse gehört</translation>
    </message>
    <message>
        <source>What the colours show</source>
        <translation>Was die Farben zeigen</translation>
    </message>
    <message>
        <source>What the device does meanwhile; of a device that waits, what its host does</source>
        <translation>Was das Gerät unterdessen tut; bei einem Gerät, das wartet, was sein Host tut</translation>
    </message>
    <message>
        <source>What the rank with most time has above the mean of all ranks</source>
        <translation>Was der Rang mit der meisten Zeit über dem Mittel aller Ränge hat</translation>
    </message>
    <message>
        <source>What the ranks' colours mean (C for the next one)</source>
        <translation>Was die Farben der Ränge bedeuten (C für die nächste)</translation>
    </message>
    <message>
        <source>What the time is spent on</source>
        <translation>Womit die Zeit vergeht</translation>
    </message>
    <message>
        <source>What time depends on most stands first</source>
        <translation>Wovon die Zeit am meisten abhängt, steht zuerst</translation>
    </message>
    <message>
        <source>What was read, and what was repaired</source>
        <translation>Was gelesen und was repariert wurde</translation>
    </message>
    <message>
        <source>What was understood</source>
        <translation>Was verstanden wurde</translation>
    </message>
    <message>
        <source>What you should know about this trace</source>
        <translation>Was Sie über diesen Trace wissen sollten</translation>
    </message>
    <message>
        <source>When the call was entered, from the mark if there is one</source>
        <translation>Wann der Aufruf begann, ab der Marke, wenn es eine gibt</translation>
    </message>
    <message>
        <source>When the message was received is not recorded</source>
        <translation>Wann die Nachricht empfangen wurde, ist nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>When the message was sent is not recorded</source>
        <translation>Wann die Nachricht gesendet wurde, ist nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Where a host waits; what a device does after the gap</source>
        <translation>Wo ein Host wartet; was ein Gerät nach der Lücke tut</translation>
    </message>
    <message>
        <source>Where calls are looked for</source>
        <translation>Wo gesucht wird</translation>
    </message>
    <message>
        <source>Where its messages go, or come from</source>
        <translation>Wohin seine Nachrichten gehen oder woher sie kommen</translation>
    </message>
    <message>
        <source>Where messages are looked for</source>
        <translation>Wo Nachrichten gesucht werden</translation>
    </message>
    <message>
        <source>Where ranks ran, and how nodes are connected.</source>
        <translation>Wo Ränge liefen und wie Knoten verbunden sind.</translation>
    </message>
    <message>
        <source>Which</source>
        <translation>Welcher</translation>
    </message>
    <message>
        <source>While computing, all ranks together
{counted}</source>
        <translation>Beim Rechnen, alle Ränge zusammen
{counted}</translation>
    </message>
    <message>
        <source>Who waits: a host, or a device</source>
        <translation>Wer wartet: ein Host oder ein Gerät</translation>
    </message>
    <message>
        <source>Whole window</source>
        <translation>Ganzes Fenster</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Why this moment is shown</source>
        <translation>Warum dieser Moment gezeigt wird</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>With a single rank there is no topology to identify.</source>
        <translation>Mit einem einzigen Rang gibt es keine Topologie zu erkennen.</translation>
    </message>
    <message>
        <source>Without it the exchange would be {saved} shorter.</source>
        <translation>Ohne sie wäre der Austausch {saved} kürzer.</translation>
    </message>
    <message>
        <source>Words, &gt; 5 %, rank 0-3</source>
        <translation>Wörter, &gt; 5 %, rank 0-3</translation>
    </message>
    <message>
        <source>Working it out…</source>
        <translation>Wird ermittelt…</translation>
    </message>
    <message>
        <source>Wrap-around</source>
        <translation>Periodisch</translation>
    </message>
    <message>
        <source>Wrap-around edges</source>
        <translation>Periodische Kanten</translation>
    </message>
    <message>
        <source>Wrap-around edges as arcs</source>
        <translation>Periodische Kanten als Bögen</translation>
    </message>
    <message>
        <source>Wrap-around edges as stubs</source>
        <translation>Periodische Kanten als Stummel</translation>
    </message>
    <message>
        <source>Write for instance rank 0-7 iteration 9 &gt; 1 ms</source>
        <translation>Schreiben Sie etwa rank 0-7 iteration 9 &gt; 1 ms</translation>
    </message>
    <message>
        <source>Write the chosen mapping, else the best, for a launcher</source>
        <translation>Das gewählte Mapping, sonst das beste, für einen Launcher schreiben</translation>
    </message>
    <message>
        <source>Writing {name}</source>
        <translation>{name} wird geschrieben</translation>
    </message>
    <message>
        <source>Yin-Yang grid</source>
        <translation>Yin-Yang-Gitter</translation>
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
        <source>Zoom rows</source>
        <translation>Zeilen zoomen</translation>
    </message>
    <message>
        <source>Zoom rows in</source>
        <translation>Zeilen vergrößern</translation>
    </message>
    <message>
        <source>Zoom rows out</source>
        <translation>Zeilen verkleinern</translation>
    </message>
    <message>
        <source>Zoom rows to fit</source>
        <translation>Alle Zeilen einpassen</translation>
    </message>
    <message>
        <source>Zoom the overview to the window</source>
        <translation>Übersicht auf das Fenster vergrößern</translation>
    </message>
    <message>
        <source>Zoom to fit</source>
        <translation>Ganzen Lauf zeigen</translation>
    </message>
    <message>
        <source>Zoom to the selected time</source>
        <translation>Auf die ausgewählte Zeit zoomen</translation>
    </message>
    <message>
        <source>a Cartesian topology</source>
        <translation>eine kartesische Topologie</translation>
    </message>
    <message>
        <source>a communicator's name</source>
        <translation>der Name eines Kommunikators</translation>
    </message>
    <message>
        <source>a digest</source>
        <translation>ein Digest</translation>
    </message>
    <message>
        <source>a direction or a rank</source>
        <translation>eine Richtung oder ein Rang</translation>
    </message>
    <message>
        <source>a fault in topoview ({kind})</source>
        <translation>ein Fehler in topoview ({kind})</translation>
    </message>
    <message>
        <source>a graph like it is used, but at other ranks</source>
        <translation>ein solcher Graph wird benutzt, aber auf anderen Rängen</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>a number of {column}</source>
        <translation>eine Zahl für {column}</translation>
    </message>
    <message>
        <source>a picture of {width}x{height} pixels cannot be made: a side has at most {max_picture_side}; choose a smaller size or scale</source>
        <translation>ein Bild von {width}x{height} Pixeln ist nicht möglich: Eine Seite hat höchstens {max_picture_side}; kleinere Größe oder kleineren Maßstab wählen</translation>
    </message>
    <message>
        <source>a picture of {width}x{height} pixels would take about {needed} of memory, and {memory_budget} may be taken: choose a smaller size or scale, or allow more (TOPOVIEW_MEMORY, --memory)</source>
        <translation>ein Bild von {width}x{height} Pixeln bräuchte etwa {needed} Speicher, und {memory_budget} dürfen genommen werden: kleinere Größe oder kleineren Maßstab wählen, oder mehr erlauben (TOPOVIEW_MEMORY, --memory)</translation>
    </message>
    <message>
        <source>a pixel is {side}×{side} ranks</source>
        <translation>ein Pixel sind {side}×{side} Ränge</translation>
    </message>
    <message>
        <source>a rank</source>
        <translation>ein Rang</translation>
    </message>
    <message>
        <source>a region's name</source>
        <translation>der Name einer Region</translation>
    </message>
    <message>
        <source>about</source>
        <translation>worüber</translation>
    </message>
    <message>
        <source>above {outlier_ratio:g} times the median of the rank's own iterations</source>
        <translation>über dem {outlier_ratio:g}-fachen Median der eigenen Iterationen des Rangs</translation>
    </message>
    <message>
        <source>accounting for time</source>
        <translation>Zeiten werden zugeordnet</translation>
    </message>
    <message>
        <source>actions on what is there</source>
        <translation>was man hier tun kann</translation>
    </message>
    <message>
        <source>adding up parts</source>
        <translation>Teile summieren</translation>
    </message>
    <message>
        <source>adding up states</source>
        <translation>Zustände summieren</translation>
    </message>
    <message>
        <source>after {until}</source>
        <translation>nach {until}</translation>
    </message>
    <message>
        <source>aligning clocks</source>
        <translation>Uhren abgleichen</translation>
    </message>
    <message>
        <source>all communicating pairs</source>
        <translation>alle kommunizierenden Paare</translation>
    </message>
    <message>
        <source>all in {speed:g} s</source>
        <translation>all in {speed:g} s</translation>
    </message>
    <message>
        <source>all links carry {most}</source>
        <translation>alle Links tragen {most}</translation>
    </message>
    <message>
        <source>all of {total}</source>
        <translation>alles von {total}</translation>
    </message>
    <message>
        <source>all pairs are</source>
        <translation>alle Paare sind</translation>
    </message>
    <message>
        <source>all ranks</source>
        <translation>alle Ränge</translation>
    </message>
    <message>
        <source>all ranks have equally many partners</source>
        <translation>alle Ränge haben gleich viele Partner</translation>
    </message>
    <message>
        <source>all ranks look alike: any can change places with any other</source>
        <translation>alle Ränge sehen gleich aus: jeder kann mit jedem den Platz tauschen</translation>
    </message>
    <message>
        <source>all ranks may have equally many partners in {name}</source>
        <translation>alle Ränge haben vielleicht gleich viele Partner in {name}</translation>
    </message>
    <message>
        <source>all ranks taken together</source>
        <translation>alle Ränge zusammen</translation>
    </message>
    <message>
        <source>all {pairs}</source>
        <translation>alle {pairs}</translation>
    </message>
    <message>
        <source>all-to-all</source>
        <translation>alle mit allen</translation>
    </message>
    <message>
        <source>all: 0-{ranks}</source>
        <translation>alle: 0-{ranks}</translation>
    </message>
    <message>
        <source>along</source>
        <translation>entlang</translation>
    </message>
    <message>
        <source>also: {plans}</source>
        <translation>auch: {plans}</translation>
    </message>
    <message>
        <source>among the pairs that the answer leaves</source>
        <translation>unter den Paaren, die die Antwort übrig lässt</translation>
    </message>
    <message>
        <source>an iteration</source>
        <translation>eine Iteration</translation>
    </message>
    <message>
        <source>and</source>
        <translation>und</translation>
    </message>
    <message>
        <source>and {found} more markers</source>
        <translation>und {found} weitere Marken</translation>
    </message>
    <message>
        <source>and {more} more</source>
        <translation>und {more} weitere</translation>
    </message>
    <message>
        <source>and {some} more</source>
        <translation>und {some} weitere</translation>
    </message>
    <message>
        <source>another number of edges</source>
        <translation>eine andere Anzahl von Kanten</translation>
    </message>
    <message>
        <source>any panel</source>
        <translation>jeder Bereich</translation>
    </message>
    <message>
        <source>as in its earlier calls from there</source>
        <translation>wie in früheren Aufrufen von dort</translation>
    </message>
    <message>
        <source>as in the window</source>
        <translation>wie im Fenster</translation>
    </message>
    <message>
        <source>as much as the cluster gives a worker</source>
        <translation>so viel, wie der Cluster einem Worker gibt</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>angenommen</translation>
    </message>
    <message>
        <source>at cursor</source>
        <translation>am Cursor</translation>
    </message>
    <message>
        <source>at {begin}</source>
        <translation>bei {begin}</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>axis</source>
        <translation>Achse</translation>
    </message>
    <message>
        <source>balance</source>
        <translation>Balance</translation>
    </message>
    <message>
        <source>barrier</source>
        <translation>Barriere</translation>
    </message>
    <message>
        <source>before the call</source>
        <translation>vor dem Aufruf</translation>
    </message>
    <message>
        <source>begin</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>between</source>
        <translation>zwischen</translation>
    </message>
    <message>
        <source>between nodes</source>
        <translation>zwischen Knoten</translation>
    </message>
    <message>
        <source>between {one} and {other}</source>
        <translation>zwischen {one} und {other}</translation>
    </message>
    <message>
        <source>binary tree</source>
        <translation>Binärbaum</translation>
    </message>
    <message>
        <source>binomial tree</source>
        <translation>Binomialbaum</translation>
    </message>
    <message>
        <source>bring out, select</source>
        <translation>hervorheben, auswählen</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>butterfly</source>
        <translation>Butterfly</translation>
    </message>
    <message>
        <source>by</source>
        <translation>×</translation>
    </message>
    <message>
        <source>by doubling</source>
        <translation>durch Verdoppeln</translation>
    </message>
    <message>
        <source>by their slowest collective operation</source>
        <translation>nach ihrer langsamsten kollektiven Operation</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Bytes</translation>
    </message>
    <message>
        <source>bytes sent</source>
        <translation>gesendete Bytes</translation>
    </message>
    <message>
        <source>call</source>
        <translation>Aufruf</translation>
    </message>
    <message>
        <source>call path</source>
        <translation>Aufrufpfad</translation>
    </message>
    <message>
        <source>call stack</source>
        <translation>Aufrufstapel</translation>
    </message>
    <message>
        <source>called in {places}</source>
        <translation>aufgerufen in {places}</translation>
    </message>
    <message>
        <source>calls</source>
        <translation>Aufrufe</translation>
    </message>
    <message>
        <source>came at</source>
        <translation>kam bei</translation>
    </message>
    <message>
        <source>caused</source>
        <translation>bewirkt</translation>
    </message>
    <message>
        <source>caused by</source>
        <translation>verursacht von</translation>
    </message>
    <message>
        <source>caused others to wait: {caused}</source>
        <translation>ließ andere warten: {caused}</translation>
    </message>
    <message>
        <source>cells</source>
        <translation>Zellen</translation>
    </message>
    <message>
        <source>centre a rank</source>
        <translation>Rang in die Mitte holen</translation>
    </message>
    <message>
        <source>chain</source>
        <translation>Kette</translation>
    </message>
    <message>
        <source>choose Compare with this window first</source>
        <translation>erst „Mit diesem Fenster vergleichen“ wählen</translation>
    </message>
    <message>
        <source>class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>class {i}</source>
        <translation>Klasse {i}</translation>
    </message>
    <message>
        <source>click</source>
        <translation>Klick</translation>
    </message>
    <message>
        <source>click in the key</source>
        <translation>Klick in die Legende</translation>
    </message>
    <message>
        <source>click, drag</source>
        <translation>Klick, ziehen</translation>
    </message>
    <message>
        <source>click, drag the axis</source>
        <translation>Klick, Achse ziehen</translation>
    </message>
    <message>
        <source>clock correction error &lt; {error}</source>
        <translation>Fehler der Uhrenkorrektur &lt; {error}</translation>
    </message>
    <message>
        <source>clocks not aligned between ranks</source>
        <translation>Uhren der Ränge nicht abgeglichen</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>Kollektiv</translation>
    </message>
    <message>
        <source>collective operations</source>
        <translation>kollektive Operationen</translation>
    </message>
    <message>
        <source>colours repeat after {distinct_categories}</source>
        <translation>Farben wiederholen sich nach {distinct_categories}</translation>
    </message>
    <message>
        <source>column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>column waited for row</source>
        <translation>Spalte wartete auf Zeile</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>communicator</source>
        <translation>Kommunikator</translation>
    </message>
    <message>
        <source>communicator {communicator}</source>
        <translation>Kommunikator {communicator}</translation>
    </message>
    <message>
        <source>communicator {number}</source>
        <translation>Kommunikator {number}</translation>
    </message>
    <message>
        <source>communicators of</source>
        <translation>Kommunikatoren zu</translation>
    </message>
    <message>
        <source>compare with another trace first</source>
        <translation>erst mit einem anderen Trace vergleichen</translation>
    </message>
    <message>
        <source>comparing ranks</source>
        <translation>Ränge vergleichen</translation>
    </message>
    <message>
        <source>computation before</source>
        <translation>Rechnen davor</translation>
    </message>
    <message>
        <source>computation before {before}</source>
        <translation>Rechnen davor {before}</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>computed {took} (median {usual}){where}</source>
        <translation>rechnete {took} (Median {usual}){where}</translation>
    </message>
    <message>
        <source>constant speed, total length</source>
        <translation>gleichmäßig, Gesamtlänge</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>Kopie</translation>
    </message>
    <message>
        <source>copy from the host</source>
        <translation>Kopie vom Host</translation>
    </message>
    <message>
        <source>copy to the host</source>
        <translation>Kopie zum Host</translation>
    </message>
    <message>
        <source>copy {number}</source>
        <translation>Kopie {number}</translation>
    </message>
    <message>
        <source>count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>counter</source>
        <translation>Zähler</translation>
    </message>
    <message>
        <source>counting messages</source>
        <translation>Nachrichten zählen</translation>
    </message>
    <message>
        <source>critical path in the window: goes on between {count} of ranks</source>
        <translation>kritischer Pfad im Fenster: wechselt den Rang {count}-mal</translation>
    </message>
    <message>
        <source>cube-connected cycles</source>
        <translation>würfelverbundene Zyklen</translation>
    </message>
    <message>
        <source>cubed sphere</source>
        <translation>Würfelkugel</translation>
    </message>
    <message>
        <source>custom</source>
        <translation>eigene</translation>
    </message>
    <message>
        <source>cycles a second</source>
        <translation>Takte pro Sekunde</translation>
    </message>
    <message>
        <source>decay</source>
        <translation>Abn.</translation>
    </message>
    <message>
        <source>declared {name}, {dims}, a {topology}: {verdict}, </source>
        <translation>deklariert: {name}, {dims}, {topology}: {verdict}, </translation>
    </message>
    <message>
        <source>delay</source>
        <translation>Verzögerung</translation>
    </message>
    <message>
        <source>delays</source>
        <translation>Verzögerungen</translation>
    </message>
    <message>
        <source>depth</source>
        <translation>Tiefe</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>diagonal</source>
        <translation>Diagonale</translation>
    </message>
    <message>
        <source>different</source>
        <translation>anders</translation>
    </message>
    <message>
        <source>direction</source>
        <translation>Richtung</translation>
    </message>
    <message>
        <source>dominant state since the last frame ({span}): waiting, MPI, computing</source>
        <translation>vorherrschender Zustand seit dem letzten Bild ({span}): Warten, MPI, Rechnen</translation>
    </message>
    <message>
        <source>double binary tree</source>
        <translation>doppelter Binärbaum</translation>
    </message>
    <message>
        <source>double-click</source>
        <translation>Doppelklick</translation>
    </message>
    <message>
        <source>drag</source>
        <translation>ziehen</translation>
    </message>
    <message>
        <source>dragonfly</source>
        <translation>Dragonfly</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>each rank has {count}</source>
        <translation>jeder Rang hat {count}</translation>
    </message>
    <message>
        <source>early reduce</source>
        <translation>verfrühtes Reduce</translation>
    </message>
    <message>
        <source>early scan</source>
        <translation>verfrühter Scan</translation>
    </message>
    <message>
        <source>early wait</source>
        <translation>verfrühtes Warten</translation>
    </message>
    <message>
        <source>edge {first} – {second}</source>
        <translation>Kante {first} – {second}</translation>
    </message>
    <message>
        <source>edge {first}–{second}</source>
        <translation>Kante {first}–{second}</translation>
    </message>
    <message>
        <source>edges</source>
        <translation>Kanten</translation>
    </message>
    <message>
        <source>edit distance {differing}</source>
        <translation>Editierabstand {differing}</translation>
    </message>
    <message>
        <source>end</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>end of the wait</source>
        <translation>Ende des Wartens</translation>
    </message>
    <message>
        <source>error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>every iteration</source>
        <translation>jede Iteration</translation>
    </message>
    <message>
        <source>evidence</source>
        <translation>Beleg</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>genau</translation>
    </message>
    <message>
        <source>exactly these pairs communicate</source>
        <translation>genau diese Paare kommunizieren</translation>
    </message>
    <message>
        <source>exchange</source>
        <translation>Austausch</translation>
    </message>
    <message>
        <source>exclusive</source>
        <translation>exklusiv</translation>
    </message>
    <message>
        <source>fat tree</source>
        <translation>Fat Tree</translation>
    </message>
    <message>
        <source>fewer bytes, not in the topology  {faint}</source>
        <translation>weniger Bytes, nicht in der Topologie  {faint}</translation>
    </message>
    <message>
        <source>films as MP4 need the program ffmpeg, which is not installed here: sudo apt-get install ffmpeg, or save a GIF</source>
        <translation>Filme im Format MP4 brauchen das Programm ffmpeg, das hier nicht installiert ist: sudo apt-get install ffmpeg, oder ein GIF speichern</translation>
    </message>
    <message>
        <source>finding loops</source>
        <translation>Schleifen finden</translation>
    </message>
    <message>
        <source>finding loops that vary</source>
        <translation>Veränderliche Schleifen finden</translation>
    </message>
    <message>
        <source>first</source>
        <translation>zuerst</translation>
    </message>
    <message>
        <source>fits: all edges agree</source>
        <translation>passt: alle Kanten stimmen überein</translation>
    </message>
    <message>
        <source>fold {axis}</source>
        <translation>{axis} falten</translation>
    </message>
    <message>
        <source>folded north</source>
        <translation>im Norden gefaltet</translation>
    </message>
    <message>
        <source>for messages while others that are received later had been sent already</source>
        <translation>Nachrichten, während andere, die später empfangen werden, schon gesendet waren</translation>
    </message>
    <message>
        <source>for paper</source>
        <translation>für Papier</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>from </source>
        <translation>von </translation>
    </message>
    <message>
        <source>from rank</source>
        <translation>von Rang</translation>
    </message>
    <message>
        <source>from the trace or the file</source>
        <translation>aus Trace oder Datei</translation>
    </message>
    <message>
        <source>from {ranks}</source>
        <translation>von {ranks}</translation>
    </message>
    <message>
        <source>from {ranks}, pinned</source>
        <translation>von {ranks}, fest</translation>
    </message>
    <message>
        <source>front of the delay</source>
        <translation>Front der Verzögerung</translation>
    </message>
    <message>
        <source>front of the delay  {count}</source>
        <translation>Front der Verzögerung  {count}</translation>
    </message>
    <message>
        <source>front: {words}</source>
        <translation>Front: {words}</translation>
    </message>
    <message>
        <source>function</source>
        <translation>Funktion</translation>
    </message>
    <message>
        <source>geodesic sphere</source>
        <translation>geodätische Kugel</translation>
    </message>
    <message>
        <source>go to its next time</source>
        <translation>zum nächsten Mal gehen</translation>
    </message>
    <message>
        <source>group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>groups</source>
        <translation>Gruppen</translation>
    </message>
    <message>
        <source>groups of</source>
        <translation>Gruppen zu</translation>
    </message>
    <message>
        <source>grown: in a collective, by the share that has come  {inside}</source>
        <translation>vergrößert: in kollektiver Operation, nach dem Anteil, der da ist  {inside}</translation>
    </message>
    <message>
        <source>high-volume pairs only</source>
        <translation>nur Paare mit viel Volumen</translation>
    </message>
    <message>
        <source>hop-bytes</source>
        <translation>Hop-Bytes</translation>
    </message>
    <message>
        <source>hops</source>
        <translation>Hops</translation>
    </message>
    <message>
        <source>hops a byte</source>
        <translation>Hops je Byte</translation>
    </message>
    <message>
        <source>hops/it.</source>
        <translation>Hops/It.</translation>
    </message>
    <message>
        <source>hops/s</source>
        <translation>Hops/s</translation>
    </message>
    <message>
        <source>host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>host list for Slurm's --distribution=arbitrary</source>
        <translation>Hostliste für Slurms --distribution=arbitrary</translation>
    </message>
    <message>
        <source>hottest link</source>
        <translation>heißester Link</translation>
    </message>
    <message>
        <source>hottest link {link_name}: {most}, {ratio:.2f} times the mean of {mean_bytes}</source>
        <translation>heißester Link {link_name}: {most}, das {ratio:.2f}-Fache des Mittels von {mean_bytes}</translation>
    </message>
    <message>
        <source>hypercube</source>
        <translation>Hyperwürfel</translation>
    </message>
    <message>
        <source>identified in {short}</source>
        <translation>in {short} erkannt</translation>
    </message>
    <message>
        <source>identifying</source>
        <translation>Topologie erkennen</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>ungenutzt</translation>
    </message>
    <message>
        <source>imbalance</source>
        <translation>Ungleichgewicht</translation>
    </message>
    <message>
        <source>imbalance {imbalance}</source>
        <translation>Ungleichgewicht {imbalance}</translation>
    </message>
    <message>
        <source>in a cycle of waits</source>
        <translation>in einem Wartezyklus</translation>
    </message>
    <message>
        <source>in all</source>
        <translation>insgesamt</translation>
    </message>
    <message>
        <source>in both, with another size, count or condition</source>
        <translation>in beiden, mit anderer Größe, Anzahl oder Bedingung</translation>
    </message>
    <message>
        <source>in it</source>
        <translation>darin</translation>
    </message>
    <message>
        <source>in iteration {iteration}</source>
        <translation>in Iteration {iteration}</translation>
    </message>
    <message>
        <source>in no MPI call</source>
        <translation>in keinem MPI-Aufruf</translation>
    </message>
    <message>
        <source>in no phase</source>
        <translation>in keiner Phase</translation>
    </message>
    <message>
        <source>in no region</source>
        <translation>in keiner Region</translation>
    </message>
    <message>
        <source>in none</source>
        <translation>in keiner</translation>
    </message>
    <message>
        <source>in none of the program's regions</source>
        <translation>in keiner Region des Programms</translation>
    </message>
    <message>
        <source>in the loop</source>
        <translation>in der Schleife</translation>
    </message>
    <message>
        <source>in {inner}</source>
        <translation>in {inner}</translation>
    </message>
    <message>
        <source>in {name}</source>
        <translation>in {name}</translation>
    </message>
    <message>
        <source>inclusive</source>
        <translation>inklusiv</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>unvollständig</translation>
    </message>
    <message>
        <source>instructions a cycle</source>
        <translation>Instruktionen je Takt</translation>
    </message>
    <message>
        <source>is not in this operation</source>
        <translation>ist nicht in dieser Operation</translation>
    </message>
    <message>
        <source>it began at {begin}, on rank {rank}</source>
        <translation>sie begann bei {begin}, auf Rang {rank}</translation>
    </message>
    <message>
        <source>it caused {bounds}, {as_clocks_are}</source>
        <translation>sie verursachte {bounds}, {as_clocks_are}</translation>
    </message>
    <message>
        <source>it ends before it begins</source>
        <translation>er endet, bevor er beginnt</translation>
    </message>
    <message>
        <source>it {ending}</source>
        <translation>sie {ending}</translation>
    </message>
    <message>
        <source>iter.</source>
        <translation>It.</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>Iteration</translation>
    </message>
    <message>
        <source>iteration {iteration}</source>
        <translation>Iteration {iteration}</translation>
    </message>
    <message>
        <source>iteration {place}</source>
        <translation>Iteration {place}</translation>
    </message>
    <message>
        <source>iterations</source>
        <translation>Iterationen</translation>
    </message>
    <message>
        <source>its neighbours'</source>
        <translation>Mittel der Nachbarn</translation>
    </message>
    <message>
        <source>its wave reached {ranks}</source>
        <translation>seine Welle erreichte {ranks}</translation>
    </message>
    <message>
        <source>joining parts</source>
        <translation>Teile zusammenfügen</translation>
    </message>
    <message>
        <source>kept no rank waiting for long</source>
        <translation>hielt keinen Rang lange auf</translation>
    </message>
    <message>
        <source>kept others waiting</source>
        <translation>hielt andere auf</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>Kernel</translation>
    </message>
    <message>
        <source>keys 1 2 3</source>
        <translation>Tasten 1 2 3</translation>
    </message>
    <message>
        <source>last</source>
        <translation>zuletzt</translation>
    </message>
    <message>
        <source>late broadcast</source>
        <translation>verspäteter Broadcast</translation>
    </message>
    <message>
        <source>late by</source>
        <translation>zu spät</translation>
    </message>
    <message>
        <source>late partner</source>
        <translation>später Partner</translation>
    </message>
    <message>
        <source>late post</source>
        <translation>verspätetes Post</translation>
    </message>
    <message>
        <source>late receiver</source>
        <translation>verspäteter Empfänger</translation>
    </message>
    <message>
        <source>late sender</source>
        <translation>verspäteter Sender</translation>
    </message>
    <message>
        <source>late sender  000</source>
        <translation>verspäteter Sender  000</translation>
    </message>
    <message>
        <source>late sender  {late}</source>
        <translation>verspäteter Sender  {late}</translation>
    </message>
    <message>
        <source>late sender: receiver has waited {waits}</source>
        <translation>verspäteter Sender: Empfänger wartet seit {waits}</translation>
    </message>
    <message>
        <source>late-partner wait  {count}</source>
        <translation>Warten auf verspätete Partner  {count}</translation>
    </message>
    <message>
        <source>late: the receiver waits</source>
        <translation>verspätet: der Empfänger wartet</translation>
    </message>
    <message>
        <source>laying parts side by side</source>
        <translation>Teile nebeneinanderlegen</translation>
    </message>
    <message>
        <source>leaders</source>
        <translation>Leiter</translation>
    </message>
    <message>
        <source>least</source>
        <translation>min</translation>
    </message>
    <message>
        <source>least on</source>
        <translation>min auf</translation>
    </message>
    <message>
        <source>least on rank {least_rank}: {least}</source>
        <translation>am wenigsten auf Rang {least_rank}: {least}</translation>
    </message>
    <message>
        <source>level {c}</source>
        <translation>Ebene {c}</translation>
    </message>
    <message>
        <source>level {first}, {second}</source>
        <translation>Ebene {first}, {second}</translation>
    </message>
    <message>
        <source>level {level} is</source>
        <translation>Stufe {level} ist</translation>
    </message>
    <message>
        <source>level {number}</source>
        <translation>Ebene {number}</translation>
    </message>
    <message>
        <source>levels</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>link load</source>
        <translation>Last der Links</translation>
    </message>
    <message>
        <source>link, its busier way</source>
        <translation>Link, Richtung mit mehr Last</translation>
    </message>
    <message>
        <source>linked pairwise</source>
        <translation>paarweise verbunden</translation>
    </message>
    <message>
        <source>location</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>lock contention</source>
        <translation>Sperrkonflikt</translation>
    </message>
    <message>
        <source>longest</source>
        <translation>längster</translation>
    </message>
    <message>
        <source>longest under way</source>
        <translation>am längsten unterwegs</translation>
    </message>
    <message>
        <source>longest wait chain: {hops}, root rank {root}, delays {ranks}</source>
        <translation>längste Wartekette: {hops}, Ursache Rang {root}, hält auf: {ranks}</translation>
    </message>
    <message>
        <source>longest {longest}: {rank}</source>
        <translation>längster {longest}: {rank}</translation>
    </message>
    <message>
        <source>looking for delays</source>
        <translation>Verzögerungen suchen</translation>
    </message>
    <message>
        <source>looking for phases</source>
        <translation>Phasen suchen</translation>
    </message>
    <message>
        <source>looking for who waits</source>
        <translation>Wartende suchen</translation>
    </message>
    <message>
        <source>looking through messages</source>
        <translation>Nachrichten durchsehen</translation>
    </message>
    <message>
        <source>looking through one-sided transfers</source>
        <translation>Einseitige Transfers durchsehen</translation>
    </message>
    <message>
        <source>loop</source>
        <translation>Schleife</translation>
    </message>
    <message>
        <source>making results</source>
        <translation>Ergebnisse berechnen</translation>
    </message>
    <message>
        <source>mapped: {method}</source>
        <translation>zugeordnet: {method}</translation>
    </message>
    <message>
        <source>mapping</source>
        <translation>Mapping</translation>
    </message>
    <message>
        <source>mapping calls to statements</source>
        <translation>Aufrufe den Anweisungen zuordnen</translation>
    </message>
    <message>
        <source>mark</source>
        <translation>Marke</translation>
    </message>
    <message>
        <source>marks</source>
        <translation>Marken</translation>
    </message>
    <message>
        <source>master</source>
        <translation>Master</translation>
    </message>
    <message>
        <source>masters</source>
        <translation>Master</translation>
    </message>
    <message>
        <source>matching call</source>
        <translation>passender Aufruf</translation>
    </message>
    <message>
        <source>matching messages</source>
        <translation>Nachrichten zuordnen</translation>
    </message>
    <message>
        <source>max</source>
        <translation>max</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>mean {mean} ± {deviation}</source>
        <translation>Mittel {mean} ± {deviation}</translation>
    </message>
    <message>
        <source>measure with a ruler</source>
        <translation>mit Lineal messen</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>measured by {name}</source>
        <translation>gemessen mit {name}</translation>
    </message>
    <message>
        <source>measurement</source>
        <translation>Messung</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>merging groups of ranks</source>
        <translation>Gruppen von Rängen vereinen</translation>
    </message>
    <message>
        <source>mesh</source>
        <translation>Gitter</translation>
    </message>
    <message>
        <source>message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>message in flight  000</source>
        <translation>Nachricht unterwegs  000</translation>
    </message>
    <message>
        <source>message in flight  {count}</source>
        <translation>Nachricht unterwegs  {count}</translation>
    </message>
    <message>
        <source>message in flight  {max_messages_many_ranks} of 00 000</source>
        <translation>Nachricht unterwegs  {max_messages_many_ranks} von 00 000</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>Nachrichten</translation>
    </message>
    <message>
        <source>messages of</source>
        <translation>Nachrichten von</translation>
    </message>
    <message>
        <source>messages on {name}</source>
        <translation>Nachrichten auf {name}</translation>
    </message>
    <message>
        <source>messages sent in</source>
        <translation>Nachrichten gesendet in</translation>
    </message>
    <message>
        <source>messages with tag</source>
        <translation>Nachrichten mit Tag</translation>
    </message>
    <message>
        <source>min</source>
        <translation>min</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlend</translation>
    </message>
    <message>
        <source>modelled / measured</source>
        <translation>modelliert / gemessen</translation>
    </message>
    <message>
        <source>more than {most} a rank are on their way</source>
        <translation>mehr als {most} je Rang sind unterwegs</translation>
    </message>
    <message>
        <source>most</source>
        <translation>max</translation>
    </message>
    <message>
        <source>most on</source>
        <translation>max auf</translation>
    </message>
    <message>
        <source>most on rank {most_rank}: {most}</source>
        <translation>am meisten auf Rang {most_rank}: {most}</translation>
    </message>
    <message>
        <source>most {top}, mean {mean}</source>
        <translation>max {top}, Mittel {mean}</translation>
    </message>
    <message>
        <source>move</source>
        <translation>verschieben</translation>
    </message>
    <message>
        <source>move the cursor</source>
        <translation>Cursor bewegen</translation>
    </message>
    <message>
        <source>name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>naming conditions</source>
        <translation>Bedingungen benennen</translation>
    </message>
    <message>
        <source>never completed</source>
        <translation>nie beendet</translation>
    </message>
    <message>
        <source>new rank of each process</source>
        <translation>neuer Rang jedes Prozesses</translation>
    </message>
    <message>
        <source>no GPU streams</source>
        <translation>keine GPU-Streams</translation>
    </message>
    <message>
        <source>no communicator with only some of the ranks is used</source>
        <translation>kein Kommunikator mit nur einem Teil der Ränge wird benutzt</translation>
    </message>
    <message>
        <source>no copies around more than {ranks}</source>
        <translation>keine Kopien um mehr als {ranks}</translation>
    </message>
    <message>
        <source>no counterpart</source>
        <translation>kein Gegenstück</translation>
    </message>
    <message>
        <source>no idle period to skip</source>
        <translation>nichts Ereignisloses zu überspringen</translation>
    </message>
    <message>
        <source>no line found</source>
        <translation>keine Zeile gefunden</translation>
    </message>
    <message>
        <source>no loop</source>
        <translation>keine Schleife</translation>
    </message>
    <message>
        <source>no neighbours</source>
        <translation>keine Nachbarn</translation>
    </message>
    <message>
        <source>no operation of the device</source>
        <translation>keine Operation des Geräts</translation>
    </message>
    <message>
        <source>no other threads</source>
        <translation>keine weiteren Threads</translation>
    </message>
    <message>
        <source>no point-to-point messages</source>
        <translation>keine Punkt-zu-Punkt-Nachrichten</translation>
    </message>
    <message>
        <source>no rank waits for a late partner now</source>
        <translation>kein Rang wartet gerade auf einen verspäteten Partner</translation>
    </message>
    <message>
        <source>no room for {others}</source>
        <translation>kein Platz für {others}</translation>
    </message>
    <message>
        <source>no times are known</source>
        <translation>keine Zeiten sind bekannt</translation>
    </message>
    <message>
        <source>no topology of the library fits{near}</source>
        <translation>keine Topologie der Bibliothek passt{near}</translation>
    </message>
    <message>
        <source>no trace is open</source>
        <translation>kein Trace ist geöffnet</translation>
    </message>
    <message>
        <source>no {nouns} between ranks</source>
        <translation>keine {nouns} zwischen Rängen</translation>
    </message>
    <message>
        <source>no: another spectrum</source>
        <translation>nein: ein anderes Spektrum</translation>
    </message>
    <message>
        <source>no: other distances between ranks</source>
        <translation>nein: andere Abstände zwischen Rängen</translation>
    </message>
    <message>
        <source>no: other numbers of triangles and of cycles of four</source>
        <translation>nein: andere Anzahlen von Dreiecken und Viererzyklen</translation>
    </message>
    <message>
        <source>no: under no numbering that was tried do all edges agree</source>
        <translation>nein: unter keiner versuchten Nummerierung stimmen alle Kanten überein</translation>
    </message>
    <message>
        <source>node</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>node {node}</source>
        <translation>Knoten {node}</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>noise</source>
        <translation>Rauschen</translation>
    </message>
    <message>
        <source>noise shortens it by {seconds} per hop</source>
        <translation>Rauschen verkürzt sie um {seconds} je Hop</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>none fits</source>
        <translation>keine passt</translation>
    </message>
    <message>
        <source>none has far more than others</source>
        <translation>keiner hat weit mehr als andere</translation>
    </message>
    <message>
        <source>none of its pairs communicate</source>
        <translation>keines ihrer Paare kommuniziert</translation>
    </message>
    <message>
        <source>none: partners were there</source>
        <translation>keine: die Partner waren da</translation>
    </message>
    <message>
        <source>not compared: too large</source>
        <translation>nicht verglichen: zu groß</translation>
    </message>
    <message>
        <source>not connected</source>
        <translation>nicht verbunden</translation>
    </message>
    <message>
        <source>not in the logical trace</source>
        <translation>nicht im logischen Trace</translation>
    </message>
    <message>
        <source>not in the loop</source>
        <translation>nicht in der Schleife</translation>
    </message>
    <message>
        <source>not in the topology</source>
        <translation>nicht in der Topologie</translation>
    </message>
    <message>
        <source>not in the topology  {extra}</source>
        <translation>nicht in der Topologie  {extra}</translation>
    </message>
    <message>
        <source>not in the trace</source>
        <translation>nicht im Trace</translation>
    </message>
    <message>
        <source>not in them</source>
        <translation>in keinem davon</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>not lit yet</source>
        <translation>noch nicht beleuchtet</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>not recorded on rank {rank}</source>
        <translation>auf Rang {rank} nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>not recorded, only an inference: {text}, since {remark}</source>
        <translation>nicht aufgezeichnet, nur erschlossen: {text}, weil {remark}</translation>
    </message>
    <message>
        <source>not seen  {missing}</source>
        <translation>nicht gesehen  {missing}</translation>
    </message>
    <message>
        <source>not waited for</source>
        <translation>niemand wartet darauf</translation>
    </message>
    <message>
        <source>not waiting</source>
        <translation>wartet nicht</translation>
    </message>
    <message>
        <source>note, rank {rank}</source>
        <translation>Notiz, Rang {rank}</translation>
    </message>
    <message>
        <source>nothing can be drawn in 3D, as OpenGL does not work here: topoview --doctor says what is missing, --no-3d does without</source>
        <translation>In 3D kann nichts gezeichnet werden, da OpenGL hier nicht geht: topoview --doctor sagt, was fehlt, --no-3d kommt ohne aus</translation>
    </message>
    <message>
        <source>nothing goes over any link</source>
        <translation>über keinen Link geht etwas</translation>
    </message>
    <message>
        <source>nothing is selected</source>
        <translation>nichts ist ausgewählt</translation>
    </message>
    <message>
        <source>nothing is sent here</source>
        <translation>hier wird nichts gesendet</translation>
    </message>
    <message>
        <source>nothing matches</source>
        <translation>nichts passt</translation>
    </message>
    <message>
        <source>of a Dask scheduler</source>
        <translation>mit Dask-Scheduler</translation>
    </message>
    <message>
        <source>of its own</source>
        <translation>eigener Art</translation>
    </message>
    <message>
        <source>of the collective operations of all ranks</source>
        <translation>der kollektiven Operationen aller Ränge</translation>
    </message>
    <message>
        <source>of the run, over {name}</source>
        <translation>des Laufs, über {name}</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>one bar for several ranks: mean, maximum faint</source>
        <translation>ein Balken für mehrere Ränge: Mittel, Maximum blass</translation>
    </message>
    <message>
        <source>one-sided</source>
        <translation>einseitig</translation>
    </message>
    <message>
        <source>only in the first</source>
        <translation>nur im ersten</translation>
    </message>
    <message>
        <source>only in the second</source>
        <translation>nur im zweiten</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>operations</source>
        <translation>Operationen</translation>
    </message>
    <message>
        <source>orange: the wave, {first} to {last}</source>
        <translation>orange: die Welle, {first} bis {last}</translation>
    </message>
    <message>
        <source>other spectrum</source>
        <translation>anderes Spektrum</translation>
    </message>
    <message>
        <source>other tags</source>
        <translation>andere Tags</translation>
    </message>
    <message>
        <source>others</source>
        <translation>andere</translation>
    </message>
    <message>
        <source>outliers</source>
        <translation>Ausreißer</translation>
    </message>
    <message>
        <source>outline: the state before, fading within {span}</source>
        <translation>Umriss: der Zustand davor, verblasst in {span}</translation>
    </message>
    <message>
        <source>outside of the recorded time</source>
        <translation>außerhalb der aufgezeichneten Zeit</translation>
    </message>
    <message>
        <source>over {name}</source>
        <translation>über {name}</translation>
    </message>
    <message>
        <source>pairs that exchange {least:,} bytes or more, {gap} times as much as the next</source>
        <translation>Paare, die {least:,} Bytes oder mehr austauschen, {gap}-mal so viel wie die nächsten</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>part of {amount}</source>
        <translation>Teil von {amount}</translation>
    </message>
    <message>
        <source>partner</source>
        <translation>Partner</translation>
    </message>
    <message>
        <source>partners late</source>
        <translation>Partner zu spät</translation>
    </message>
    <message>
        <source>partners not recorded: {calls}</source>
        <translation>Partner nicht aufgezeichnet: {calls}</translation>
    </message>
    <message>
        <source>partners not recorded: {unseen}</source>
        <translation>Partner nicht aufgezeichnet: {unseen}</translation>
    </message>
    <message>
        <source>partners {late} late</source>
        <translation>Partner {late} zu spät</translation>
    </message>
    <message>
        <source>parts of a mesh</source>
        <translation>Teile eines Netzes</translation>
    </message>
    <message>
        <source>parts of a planar mesh</source>
        <translation>Teile eines ebenen Netzes</translation>
    </message>
    <message>
        <source>path</source>
        <translation>Pfad</translation>
    </message>
    <message>
        <source>perhaps equally many partners for each rank</source>
        <translation>vielleicht gleich viele Partner für jeden Rang</translation>
    </message>
    <message>
        <source>perhaps {name}</source>
        <translation>vielleicht {name}</translation>
    </message>
    <message>
        <source>periodic in</source>
        <translation>periodisch in</translation>
    </message>
    <message>
        <source>permuted</source>
        <translation>umnummeriert</translation>
    </message>
    <message>
        <source>phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>phases</source>
        <translation>Phasen</translation>
    </message>
    <message>
        <source>place</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>places</source>
        <translation>Plätze</translation>
    </message>
    <message>
        <source>plan: {axes}</source>
        <translation>Plan: {axes}</translation>
    </message>
    <message>
        <source>plane</source>
        <translation>Ebene</translation>
    </message>
    <message>
        <source>planes</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>playback range</source>
        <translation>Abspielbereich</translation>
    </message>
    <message>
        <source>plays {first} to {second}{again}</source>
        <translation>spielt {first} bis {second}{again}</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>vorhergesagt</translation>
    </message>
    <message>
        <source>processes of this machine</source>
        <translation>Prozesse dieses Rechners</translation>
    </message>
    <message>
        <source>profiling calls</source>
        <translation>Aufrufe werden zusammengezählt</translation>
    </message>
    <message>
        <source>range {axis}</source>
        <translation>Bereich {axis}</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>Rang</translation>
    </message>
    <message>
        <source>rank {cause}</source>
        <translation>Rang {cause}</translation>
    </message>
    <message>
        <source>rank {chosen} at {when}</source>
        <translation>Rang {chosen} bei {when}</translation>
    </message>
    <message>
        <source>rank {first} → rank {second}</source>
        <translation>Rang {first} → Rang {second}</translation>
    </message>
    <message>
        <source>rank {one}</source>
        <translation>Rang {one}</translation>
    </message>
    <message>
        <source>rank {one} to {other}</source>
        <translation>Rang {one} an {other}</translation>
    </message>
    <message>
        <source>rank {origin}</source>
        <translation>Rang {origin}</translation>
    </message>
    <message>
        <source>rank {ranks} far more than others</source>
        <translation>Rang {ranks} weit mehr als andere</translation>
    </message>
    <message>
        <source>rank {rank}</source>
        <translation>Rang {rank}</translation>
    </message>
    <message>
        <source>rank {rank}  {place}</source>
        <translation>Rang {rank}  {place}</translation>
    </message>
    <message>
        <source>rank {rank} incomplete</source>
        <translation>Rang {rank} unvollständig</translation>
    </message>
    <message>
        <source>rank {rank}, {calls}{hint}</source>
        <translation>Rang {rank}, {calls}{hint}</translation>
    </message>
    <message>
        <source>rank {rank}, {name}</source>
        <translation>Rang {rank}, {name}</translation>
    </message>
    <message>
        <source>rank {rank}, {name}: {value}</source>
        <translation>Rang {rank}, {name}: {value}</translation>
    </message>
    <message>
        <source>rank {rank}: {text}</source>
        <translation>Rang {rank}: {text}</translation>
    </message>
    <message>
        <source>rank {rank}: {took}</source>
        <translation>Rang {rank}: {took}</translation>
    </message>
    <message>
        <source>rank {rank}{most}: {text}</source>
        <translation>Rang {rank}{most}: {text}</translation>
    </message>
    <message>
        <source>rank {sender} to rank {receiver}</source>
        <translation>Rang {sender} an Rang {receiver}</translation>
    </message>
    <message>
        <source>rank {sender} → rank {receiver}</source>
        <translation>Rang {sender} → Rang {receiver}</translation>
    </message>
    <message>
        <source>rank {slowest_rank}</source>
        <translation>Rang {slowest_rank}</translation>
    </message>
    <message>
        <source>rank {slowest_rank}, {ordinal}</source>
        <translation>Rang {slowest_rank}, {ordinal}</translation>
    </message>
    <message>
        <source>rank {source}</source>
        <translation>Rang {source}</translation>
    </message>
    <message>
        <source>rank {whom} was in {busy} for {busy_ticks} of it</source>
        <translation>Rang {whom} war davon {busy_ticks} im Zustand {busy}</translation>
    </message>
    <message>
        <source>rank, which call</source>
        <translation>Rang, welcher Aufruf</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>Ränge</translation>
    </message>
    <message>
        <source>ranks are 0 to {ranks}</source>
        <translation>Ränge sind 0 bis {ranks}</translation>
    </message>
    <message>
        <source>ranks are dots</source>
        <translation>Ränge sind Punkte</translation>
    </message>
    <message>
        <source>ranks are too small for their messages</source>
        <translation>Ränge sind für ihre Nachrichten zu klein</translation>
    </message>
    <message>
        <source>ranks by</source>
        <translation>Ränge nach</translation>
    </message>
    <message>
        <source>ranks fall into {count} classes that cannot change places ({sizes})</source>
        <translation>die Ränge bilden {count} Klassen, die nicht die Plätze tauschen können ({sizes})</translation>
    </message>
    <message>
        <source>ranks with other numbers of partners</source>
        <translation>Ränge mit anderen Anzahlen von Partnern</translation>
    </message>
    <message>
        <source>ranks {first} to {last}</source>
        <translation>Ränge {first} bis {last}</translation>
    </message>
    <message>
        <source>ranks {first}–{last}</source>
        <translation>Ränge {first}–{last}</translation>
    </message>
    <message>
        <source>ranks {low} and {high}</source>
        <translation>Ränge {low} und {high}</translation>
    </message>
    <message>
        <source>reached</source>
        <translation>erreicht</translation>
    </message>
    <message>
        <source>reached the boundary</source>
        <translation>erreichte den Rand</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>reading definitions</source>
        <translation>Definitionen lesen</translation>
    </message>
    <message>
        <source>reading the ranks' calls</source>
        <translation>Aufrufe der Ränge lesen</translation>
    </message>
    <message>
        <source>receive</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>receive call</source>
        <translation>Empfangsaufruf</translation>
    </message>
    <message>
        <source>received</source>
        <translation>empfangen</translation>
    </message>
    <message>
        <source>receiver</source>
        <translation>Empfänger</translation>
    </message>
    <message>
        <source>receiver →</source>
        <translation>Empfänger →</translation>
    </message>
    <message>
        <source>records</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>region</source>
        <translation>Region</translation>
    </message>
    <message>
        <source>remark</source>
        <translation>Bemerkung</translation>
    </message>
    <message>
        <source>repaired</source>
        <translation>repariert</translation>
    </message>
    <message>
        <source>right click</source>
        <translation>Rechtsklick</translation>
    </message>
    <message>
        <source>ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>rings at {most} of {chosen} selected ranks</source>
        <translation>Ringe um {most} von {chosen} ausgewählten Rängen</translation>
    </message>
    <message>
        <source>root {root}</source>
        <translation>Root {root}</translation>
    </message>
    <message>
        <source>row</source>
        <translation>Zeile</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>rows and columns</source>
        <translation>Zeilen und Spalten</translation>
    </message>
    <message>
        <source>rows of</source>
        <translation>Zeilen zu</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>runs on it</source>
        <translation>darauf läuft</translation>
    </message>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>same spectrum </source>
        <translation>gleiches Spektrum </translation>
    </message>
    <message>
        <source>same x, y</source>
        <translation>gleiches x, y</translation>
    </message>
    <message>
        <source>saves</source>
        <translation>spart</translation>
    </message>
    <message>
        <source>saving to the cache</source>
        <translation>Sichern im Cache</translation>
    </message>
    <message>
        <source>select a pair, ranks</source>
        <translation>Paar, Ränge auswählen</translation>
    </message>
    <message>
        <source>select a rank and its call</source>
        <translation>Rang und Aufruf auswählen</translation>
    </message>
    <message>
        <source>select a rank or an edge</source>
        <translation>Rang oder Kante auswählen</translation>
    </message>
    <message>
        <source>select a statement or a loop</source>
        <translation>Anweisung oder Schleife auswählen</translation>
    </message>
    <message>
        <source>select a time window</source>
        <translation>Zeitfenster auswählen</translation>
    </message>
    <message>
        <source>select calls in the logical trace or the profile</source>
        <translation>Aufrufe im logischen Trace oder im Profil auswählen</translation>
    </message>
    <message>
        <source>select in a box</source>
        <translation>mit Rahmen auswählen</translation>
    </message>
    <message>
        <source>select more</source>
        <translation>weitere auswählen</translation>
    </message>
    <message>
        <source>select with a lasso</source>
        <translation>mit Lasso auswählen</translation>
    </message>
    <message>
        <source>send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>send call</source>
        <translation>Sendeaufruf</translation>
    </message>
    <message>
        <source>sender</source>
        <translation>Sender</translation>
    </message>
    <message>
        <source>sent</source>
        <translation>gesendet</translation>
    </message>
    <message>
        <source>sent at</source>
        <translation>gesendet bei</translation>
    </message>
    <message>
        <source>sent in the window</source>
        <translation>im Fenster gesendet</translation>
    </message>
    <message>
        <source>sent {early} before its receive was posted</source>
        <translation>gesendet {early}, bevor ihr Empfang bereit war</translation>
    </message>
    <message>
        <source>sent {sent}, received {span} later</source>
        <translation>gesendet {sent}, {span} später empfangen</translation>
    </message>
    <message>
        <source>several</source>
        <translation>mehrere</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>single rank</source>
        <translation>einzelner Rang</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>skipped in playback</source>
        <translation>beim Abspielen übersprungen</translation>
    </message>
    <message>
        <source>skips {periods}, {took} in all</source>
        <translation>überspringt {periods}, zusammen {took}</translation>
    </message>
    <message>
        <source>slowest</source>
        <translation>langsamste</translation>
    </message>
    <message>
        <source>slowest operation</source>
        <translation>langsamste Operation</translation>
    </message>
    <message>
        <source>so far</source>
        <translation>bisher</translation>
    </message>
    <message>
        <source>something else is used</source>
        <translation>etwas anderes wird benutzt</translation>
    </message>
    <message>
        <source>spans</source>
        <translation>Ausdehnung</translation>
    </message>
    <message>
        <source>spent {took} (median {usual}) of its own in “{title}”</source>
        <translation>verbrachte {took} (Median {usual}) eigene Zeit in „{title}“</translation>
    </message>
    <message>
        <source>spread</source>
        <translation>Spanne</translation>
    </message>
    <message>
        <source>spread of arrivals</source>
        <translation>Spanne der Ankünfte</translation>
    </message>
    <message>
        <source>star</source>
        <translation>Stern</translation>
    </message>
    <message>
        <source>stars of</source>
        <translation>Sterne zu</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>state</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>statement</source>
        <translation>Anweisung</translation>
    </message>
    <message>
        <source>statement {number}</source>
        <translation>Anweisung {number}</translation>
    </message>
    <message>
        <source>statement {statement}</source>
        <translation>Anweisung {statement}</translation>
    </message>
    <message>
        <source>static model, no congestion</source>
        <translation>statisches Modell ohne Stau</translation>
    </message>
    <message>
        <source>stream {number}</source>
        <translation>Stream {number}</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>tag</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>tag {tag}</source>
        <translation>Tag {tag}</translation>
    </message>
    <message>
        <source>tags {tags}</source>
        <translation>Tags {tags}</translation>
    </message>
    <message>
        <source>the communication as it was seen</source>
        <translation>die Kommunikation, wie sie gesehen wurde</translation>
    </message>
    <message>
        <source>the first {count}</source>
        <translation>die ersten {count}</translation>
    </message>
    <message>
        <source>the hottest link carries {heat:.2f} times as much</source>
        <translation>der heißeste Link trägt das {heat:.2f}-fache</translation>
    </message>
    <message>
        <source>the load of the hottest link stays the same</source>
        <translation>die Last der heißesten Verbindung bleibt gleich</translation>
    </message>
    <message>
        <source>the logical trace</source>
        <translation>logischer Trace</translation>
    </message>
    <message>
        <source>the logical trace has no loop</source>
        <translation>der logische Trace hat keine Schleife</translation>
    </message>
    <message>
        <source>the matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>the mean of the others</source>
        <translation>Mittel der anderen</translation>
    </message>
    <message>
        <source>the network has no links</source>
        <translation>das Netz hat keine Links</translation>
    </message>
    <message>
        <source>the process that draws it ended early</source>
        <translation>der Prozess, der zeichnet, endete vorzeitig</translation>
    </message>
    <message>
        <source>the product of {factors}; {line}</source>
        <translation>das Produkt aus {factors}; {line}</translation>
    </message>
    <message>
        <source>the program is</source>
        <translation>das Programm ist</translation>
    </message>
    <message>
        <source>the same in both</source>
        <translation>gleich in beiden</translation>
    </message>
    <message>
        <source>the same in both, but what is around it differs</source>
        <translation>gleich in beiden, aber die Umgebung unterscheidet sich</translation>
    </message>
    <message>
        <source>the scene</source>
        <translation>Szene</translation>
    </message>
    <message>
        <source>the selected rank</source>
        <translation>ausgewählter Rang</translation>
    </message>
    <message>
        <source>the selected time</source>
        <translation>die ausgewählte Zeit</translation>
    </message>
    <message>
        <source>the send is recorded</source>
        <translation>das Senden ist aufgezeichnet</translation>
    </message>
    <message>
        <source>the time goes</source>
        <translation>die Zeit bleibt</translation>
    </message>
    <message>
        <source>the timeline</source>
        <translation>Zeitleiste</translation>
    </message>
    <message>
        <source>the whole run</source>
        <translation>der ganze Lauf</translation>
    </message>
    <message>
        <source>there is no panel yet: open a trace</source>
        <translation>es gibt noch keinen Bereich: einen Trace öffnen</translation>
    </message>
    <message>
        <source>there is no picture yet: the topology is not known so far</source>
        <translation>es gibt noch kein Bild: Die Topologie ist bisher nicht bekannt</translation>
    </message>
    <message>
        <source>this stretch</source>
        <translation>dieser Abschnitt</translation>
    </message>
    <message>
        <source>those of nodes, by their names</source>
        <translation>die der Knoten, nach ihren Namen</translation>
    </message>
    <message>
        <source>three cut planes, {ranks} are drawn</source>
        <translation>drei Schnittebenen, {ranks} gezeichnet</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>time (sum)</source>
        <translation>Zeit (Summe)</translation>
    </message>
    <message>
        <source>time in MPI_{name}</source>
        <translation>Zeit in MPI_{name}</translation>
    </message>
    <message>
        <source>time in {label}</source>
        <translation>Zeit in: {label}</translation>
    </message>
    <message>
        <source>times</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>timing loops</source>
        <translation>Schleifen messen</translation>
    </message>
    <message>
        <source>to</source>
        <translation>an</translation>
    </message>
    <message>
        <source>to </source>
        <translation>an </translation>
    </message>
    <message>
        <source>to rank</source>
        <translation>an Rang</translation>
    </message>
    <message>
        <source>to {ranks}</source>
        <translation>an {ranks}</translation>
    </message>
    <message>
        <source>to →</source>
        <translation>an →</translation>
    </message>
    <message>
        <source>too many calls in this window: zoom in</source>
        <translation>zu viele Aufrufe in diesem Fenster: hineinzoomen</translation>
    </message>
    <message>
        <source>took</source>
        <translation>dauerte</translation>
    </message>
    <message>
        <source>took {took} (median {usual})</source>
        <translation>dauerte {took} (Median {usual})</translation>
    </message>
    <message>
        <source>topology</source>
        <translation>Topologie</translation>
    </message>
    <message>
        <source>topoview documentation</source>
        <translation>topoview-Dokumentation</translation>
    </message>
    <message>
        <source>topoview was started with --no-3d.</source>
        <translation>topoview wurde mit --no-3d gestartet.</translation>
    </message>
    <message>
        <source>topoview {version}</source>
        <translation>topoview {version}</translation>
    </message>
    <message>
        <source>topoview {version}, Python {python_version}, Qt {qversion}, {uname}</source>
        <translation>topoview {version}, Python {python_version}, Qt {qversion}, {uname}</translation>
    </message>
    <message>
        <source>torus</source>
        <translation>Torus</translation>
    </message>
    <message>
        <source>towards</source>
        <translation>Richtung</translation>
    </message>
    <message>
        <source>tracer unknown</source>
        <translation>Tracer unbekannt</translation>
    </message>
    <message>
        <source>transpose</source>
        <translation>Transposition</translation>
    </message>
    <message>
        <source>turn</source>
        <translation>drehen</translation>
    </message>
    <message>
        <source>twisted</source>
        <translation>verdreht</translation>
    </message>
    <message>
        <source>under way</source>
        <translation>unterwegs</translation>
    </message>
    <message>
        <source>under way for {took}, from {sent}</source>
        <translation>{took} unterwegs, ab {sent}</translation>
    </message>
    <message>
        <source>unexpected message  000</source>
        <translation>unerwartete Nachricht  000</translation>
    </message>
    <message>
        <source>unexpected message  {early}</source>
        <translation>unerwartete Nachricht  {early}</translation>
    </message>
    <message>
        <source>unexpected: no receive posted</source>
        <translation>unerwartet: kein Empfang bereit</translation>
    </message>
    <message>
        <source>unexpected: no receive posted yet</source>
        <translation>unerwartet: noch kein Empfang bereit</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>unknown function</source>
        <translation>unbekannte Funktion</translation>
    </message>
    <message>
        <source>unpacking</source>
        <translation>Auspacken</translation>
    </message>
    <message>
        <source>unrecorded</source>
        <translation>nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>unused</source>
        <translation>unbenutzt</translation>
    </message>
    <message>
        <source>up to {max}</source>
        <translation>bis zu {max}</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>verifying</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>visits</source>
        <translation>Besuche</translation>
    </message>
    <message>
        <source>wait</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>wait at I/O</source>
        <translation>Warten bei E/A</translation>
    </message>
    <message>
        <source>wait at N x N</source>
        <translation>Warten bei N x N</translation>
    </message>
    <message>
        <source>wait at a new communicator</source>
        <translation>Warten an einem neuen Kommunikator</translation>
    </message>
    <message>
        <source>wait at barrier</source>
        <translation>Warten an der Barriere</translation>
    </message>
    <message>
        <source>wait at collective</source>
        <translation>Warten bei kollektiver Operation</translation>
    </message>
    <message>
        <source>wait at collective I/O</source>
        <translation>Warten an kollektiver E/A</translation>
    </message>
    <message>
        <source>wait at create of a window</source>
        <translation>Warten beim Anlegen eines Fensters</translation>
    </message>
    <message>
        <source>wait at fence</source>
        <translation>Warten am Fence</translation>
    </message>
    <message>
        <source>wait at free of a window</source>
        <translation>Warten beim Freigeben eines Fensters</translation>
    </message>
    <message>
        <source>wait for GPU</source>
        <translation>Warten auf GPU</translation>
    </message>
    <message>
        <source>wait for threads</source>
        <translation>Warten auf Threads</translation>
    </message>
    <message>
        <source>wait in MPI setup/teardown</source>
        <translation>Warten in MPI-Auf- und Abbau</translation>
    </message>
    <message>
        <source>wait in one-sided</source>
        <translation>Warten bei einseitiger Operation</translation>
    </message>
    <message>
        <source>waited</source>
        <translation>gewartet</translation>
    </message>
    <message>
        <source>waited for</source>
        <translation>gewartet auf</translation>
    </message>
    <message>
        <source>waited for late partners: {wait}</source>
        <translation>wartete auf verspätete Partner: {wait}</translation>
    </message>
    <message>
        <source>waited {waited} for it</source>
        <translation>wartete {waited} darauf</translation>
    </message>
    <message>
        <source>waited {waited} for them</source>
        <translation>warteten {waited} darauf</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>waiting: up to {share} of the ranks</source>
        <translation>Warten: bis zu {share} der Ränge</translation>
    </message>
    <message>
        <source>waits </source>
        <translation>Warten </translation>
    </message>
    <message>
        <source>waits for</source>
        <translation>wartet auf</translation>
    </message>
    <message>
        <source>waits for rank {whom}</source>
        <translation>wartet auf Rang {whom}</translation>
    </message>
    <message>
        <source>was absorbed</source>
        <translation>lief sich tot</translation>
    </message>
    <message>
        <source>was annihilated by that of rank {rank}</source>
        <translation>wurde von der von Rang {rank} ausgelöscht</translation>
    </message>
    <message>
        <source>was late by {excess}</source>
        <translation>kam {excess} zu spät</translation>
    </message>
    <message>
        <source>wave to </source>
        <translation>Welle zu </translation>
    </message>
    <message>
        <source>what is played</source>
        <translation>was abgespielt wird</translation>
    </message>
    <message>
        <source>what the timeline shows</source>
        <translation>was die Zeitleiste zeigt</translation>
    </message>
    <message>
        <source>wheel</source>
        <translation>Mausrad</translation>
    </message>
    <message>
        <source>wheel, Shift drag</source>
        <translation>Mausrad, Umschalt + ziehen</translation>
    </message>
    <message>
        <source>where</source>
        <translation>wo</translation>
    </message>
    <message>
        <source>whether its pairs communicate is not recorded</source>
        <translation>ob ihre Paare kommunizieren, ist nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>while it moves, {rougher}</source>
        <translation>solange es sich bewegt, {rougher}</translation>
    </message>
    <message>
        <source>window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>with {pairs}</source>
        <translation>mit {pairs}</translation>
    </message>
    <message>
        <source>within clock error</source>
        <translation>innerhalb des Uhrenfehlers</translation>
    </message>
    <message>
        <source>without</source>
        <translation>ohne</translation>
    </message>
    <message>
        <source>without {calls_excluded} of calls, {bytes_excluded} of bytes</source>
        <translation>ohne {calls_excluded} der Aufrufe, {bytes_excluded} der Bytes</translation>
    </message>
    <message>
        <source>without {missing}</source>
        <translation>ohne {missing}</translation>
    </message>
    <message>
        <source>without {pairs}</source>
        <translation>ohne {pairs}</translation>
    </message>
    <message>
        <source>worker {place}</source>
        <translation>Worker {place}</translation>
    </message>
    <message>
        <source>wrap, to the opposite side</source>
        <translation>periodisch, zur gegenüberliegenden Seite</translation>
    </message>
    <message>
        <source>writing columns</source>
        <translation>Spalten schreiben</translation>
    </message>
    <message>
        <source>writing the digest</source>
        <translation>Digest schreiben</translation>
    </message>
    <message>
        <source>x mean</source>
        <translation>x Mittel</translation>
    </message>
    <message>
        <source>zoom</source>
        <translation>zoomen</translation>
    </message>
    <message>
        <source>zoom at the pointer</source>
        <translation>am Zeiger zoomen</translation>
    </message>
    <message>
        <source>zoom the rows</source>
        <translation>Zeilen zoomen</translation>
    </message>
    <message>
        <source>zoom to it</source>
        <translation>darauf zoomen</translation>
    </message>
    <message>
        <source>zoom to time and rows</source>
        <translation>auf Zeit und Zeilen zoomen</translation>
    </message>
    <message>
        <source>zoom, move</source>
        <translation>zoomen, verschieben</translation>
    </message>
    <message>
        <source>{:g} MPI calls a second</source>
        <translation>{:g} MPI-Aufrufe pro Sekunde</translation>
    </message>
    <message>
        <source>{above}; {below} of {most} or less</source>
        <translation>{above}; {below} mit {most} oder weniger</translation>
    </message>
    <message>
        <source>{aligned_iterations} of {iterations}</source>
        <translation>{aligned_iterations}/{iterations}</translation>
    </message>
    <message>
        <source>{alike} links tie for the maximum</source>
        <translation>{alike} Links teilen sich das Maximum</translation>
    </message>
    <message>
        <source>{alike} of the lines are the same: {counts}.</source>
        <translation>{alike} der Zeilen sind gleich: {counts}.</translation>
    </message>
    <message>
        <source>{amounts}: time of ranks</source>
        <translation>{amounts}: Zeit der Ränge</translation>
    </message>
    <message>
        <source>{amount} in all</source>
        <translation>{amount} insgesamt</translation>
    </message>
    <message>
        <source>{amount} over the run</source>
        <translation>{amount} über den ganzen Lauf</translation>
    </message>
    <message>
        <source>{arrow} Geometry</source>
        <translation>{arrow} Geometrie</translation>
    </message>
    <message>
        <source>{begin} to {end}</source>
        <translation>{begin} bis {end}</translation>
    </message>
    <message>
        <source>{begin}–{end} of {total}</source>
        <translation>{begin}–{end} von {total}</translation>
    </message>
    <message>
        <source>{b} against {a} {where}</source>
        <translation>{b} gegen {a} {where}</translation>
    </message>
    <message>
        <source>{calls} copied as CSV</source>
        <translation>{calls} als CSV kopiert</translation>
    </message>
    <message>
        <source>{calls} of MPI_{operation}</source>
        <translation>{calls} von MPI_{operation}</translation>
    </message>
    <message>
        <source>{calls} of {low} to {high} on {ranks}</source>
        <translation>{calls} von {low} bis {high} auf {ranks}</translation>
    </message>
    <message>
        <source>{calls} of {ranks}</source>
        <translation>{calls} ({ranks})</translation>
    </message>
    <message>
        <source>{calls} on {ranks} never returned.</source>
        <translation>{calls} auf {ranks} kehrten nie zurück.</translation>
    </message>
    <message>
        <source>{calls}, {mean} on average</source>
        <translation>{calls}, im Mittel {mean}</translation>
    </message>
    <message>
        <source>{collective_operations} drawn</source>
        <translation>{collective_operations} gezeichnet</translation>
    </message>
    <message>
        <source>{collective_operations} on {name}</source>
        <translation>{collective_operations} auf {name}</translation>
    </message>
    <message>
        <source>{communicators}, which share no rank</source>
        <translation>{communicators}, die keinen Rang gemeinsam haben</translation>
    </message>
    <message>
        <source>{communicators}, {used} used</source>
        <translation>{communicators}, {used} benutzt</translation>
    </message>
    <message>
        <source>{count} are left</source>
        <translation>{count} bleiben</translation>
    </message>
    <message>
        <source>{count} besides</source>
        <translation>{count} darüber hinaus</translation>
    </message>
    <message>
        <source>{count} by other ways</source>
        <translation>{count} auf anderen Wegen</translation>
    </message>
    <message>
        <source>{count} of it not seen</source>
        <translation>{count} davon nicht gesehen</translation>
    </message>
    <message>
        <source>{count} of {delays}</source>
        <translation>{count} von {delays}</translation>
    </message>
    <message>
        <source>{count} tags</source>
        <translation>{count} Tags</translation>
    </message>
    <message>
        <source>{count}, counted apart from messages</source>
        <translation>{count}, getrennt von Nachrichten gezählt</translation>
    </message>
    <message>
        <source>{decay} less a hop</source>
        <translation>{decay} weniger je Hop</translation>
    </message>
    <message>
        <source>{delay} of {count} by cost</source>
        <translation>{delay} von {count} nach Kosten</translation>
    </message>
    <message>
        <source>{drawn} of {count}, drawn at random</source>
        <translation>{drawn} von {count}, zufällig ausgewählt</translation>
    </message>
    <message>
        <source>{drawn} of {total} collective operations drawn: those that ranks came to most apart</source>
        <translation>{drawn} von {total} kollektiven Operationen gezeichnet: die, zu denen Ränge am weitesten auseinander kamen</translation>
    </message>
    <message>
        <source>{edges} not in the topology</source>
        <translation>{edges} nicht in der Topologie</translation>
    </message>
    <message>
        <source>{empty} of {places} places empty</source>
        <translation>{empty} von {places} Plätzen leer</translation>
    </message>
    <message>
        <source>{error}: install topoview again.</source>
        <translation>{error}: Installieren Sie topoview neu.</translation>
    </message>
    <message>
        <source>{extra} not in it</source>
        <translation>{extra} nicht darin</translation>
    </message>
    <message>
        <source>{fault}: please report the details</source>
        <translation>{fault}: bitte die Einzelheiten melden</translation>
    </message>
    <message>
        <source>{first} and {second} - topoview</source>
        <translation>{first} und {second} - topoview</translation>
    </message>
    <message>
        <source>{frequency:.2f} GHz</source>
        <translation>{frequency:.2f} GHz</translation>
    </message>
    <message>
        <source>{function}: durations by rank, up to {calls} a cell</source>
        <translation>{function}: Dauern nach Rang, bis zu {calls} je Zelle</translation>
    </message>
    <message>
        <source>{given!r} is no unit of these numbers: use {units}</source>
        <translation>{given!r} ist keine Einheit dieser Zahlen: {units} benutzen</translation>
    </message>
    <message>
        <source>{given!r} is no unit of time: use s, ms, us, ns or ps</source>
        <translation>{given!r} ist keine Zeiteinheit: s, ms, us, ns oder ps benutzen</translation>
    </message>
    <message>
        <source>{group} {share}, most on rank {rank}</source>
        <translation>{group} {share}, am meisten auf Rang {rank}</translation>
    </message>
    <message>
        <source>{here} of {members} members; the rest was not recorded</source>
        <translation>{here} von {members} Mitgliedern; der Rest wurde nicht aufgezeichnet</translation>
    </message>
    <message>
        <source>{hops} hops</source>
        <translation>{hops} Hops</translation>
    </message>
    <message>
        <source>{indented} only indented differently</source>
        <translation>{indented} nur anders eingerückt</translation>
    </message>
    <message>
        <source>{iterations} × {ranks}</source>
        <translation>{iterations} × {ranks}</translation>
    </message>
    <message>
        <source>{iterations}, mean {mean} ± {deviation}, longest {longest}: number {slowest} of rank {slowest_rank}</source>
        <translation>{iterations}, Mittel {mean} ± {deviation}, längste {longest}: Nummer {slowest} von Rang {slowest_rank}</translation>
    </message>
    <message>
        <source>{iteration} it.</source>
        <translation>{iteration} It.</translation>
    </message>
    <message>
        <source>{iteration} of {iterations}</source>
        <translation>{iteration} von {iterations}</translation>
    </message>
    <message>
        <source>{kind}, assumed</source>
        <translation>{kind}, angenommen</translation>
    </message>
    <message>
        <source>{kind}: {error}. What you see may be incomplete; your trace is untouched. Please report the details.</source>
        <translation>{kind}: {error}. Was Sie sehen, ist vielleicht unvollständig; Ihr Trace ist unberührt. Bitte die Einzelheiten melden.</translation>
    </message>
    <message>
        <source>{label} since {since}</source>
        <translation>{label} seit {since}</translation>
    </message>
    <message>
        <source>{label}, just entered</source>
        <translation>{label}, gerade begonnen</translation>
    </message>
    <message>
        <source>{label}, {so_far} so far, since {at}</source>
        <translation>{label}, bisher {so_far}, seit {at}</translation>
    </message>
    <message>
        <source>{late} in {calls}</source>
        <translation>{late} ({calls})</translation>
    </message>
    <message>
        <source>{late} that the receiver waited</source>
        <translation>{late}, die der Empfänger wartete</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>{least} bis {most}</translation>
    </message>
    <message>
        <source>{least} to {most}, the fastest and the slowest</source>
        <translation>{least} bis {most}, die schnellste und die langsamste</translation>
    </message>
    <message>
        <source>{left_out} caused {caused} together: too little, or less late than the clocks tell</source>
        <translation>{left_out} haben zusammen {caused} verursacht: zu wenig, oder kürzer, als die Uhren es zeigen</translation>
    </message>
    <message>
        <source>{lines} left out</source>
        <translation>{lines} weggelassen</translation>
    </message>
    <message>
        <source>{lines} the same</source>
        <translation>{lines} gleich</translation>
    </message>
    <message>
        <source>{link} measured</source>
        <translation>{link} gemessen</translation>
    </message>
    <message>
        <source>{listed} over all {ranks}</source>
        <translation>{listed} über alle {ranks}</translation>
    </message>
    <message>
        <source>{long} from its first rank to its last; median {usual}.</source>
        <translation>{long} vom ersten Rang bis zum letzten; Median {usual}.</translation>
    </message>
    <message>
        <source>{low} each</source>
        <translation>je {low}</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low} bis {high}</translation>
    </message>
    <message>
        <source>{low} to {high} each, in the whole run</source>
        <translation>je {low} bis {high}, im ganzen Lauf</translation>
    </message>
    <message>
        <source>{low} to {text}</source>
        <translation>{low} bis {text}</translation>
    </message>
    <message>
        <source>{matched} of {communicating_pairs} are edges</source>
        <translation>{matched} von {communicating_pairs} sind Kanten</translation>
    </message>
    <message>
        <source>{mean_hops:.2f} hops a byte</source>
        <translation>{mean_hops:.2f} Hops je Byte</translation>
    </message>
    <message>
        <source>{measured:.0f} hops/s, {predicted:.0f} ± {error:.0f} predicted</source>
        <translation>{measured:.0f} Hops/s, vorhergesagt {predicted:.0f} ± {error:.0f}</translation>
    </message>
    <message>
        <source>{messages} drawn</source>
        <translation>{messages} gezeichnet</translation>
    </message>
    <message>
        <source>{messages} under way, {size}</source>
        <translation>{messages} unterwegs, {size}</translation>
    </message>
    <message>
        <source>{method}: {ratio:.2f} times the hop-bytes of the run; {hottest}{machine}.</source>
        <translation>{method}: das {ratio:.2f}-Fache der Hop-Bytes des Laufs; {hottest}{machine}.</translation>
    </message>
    <message>
        <source>{met} of {places}</source>
        <translation>{met}/{places}</translation>
    </message>
    <message>
        <source>{milliseconds:.0f} ms</source>
        <translation>{milliseconds:.0f} ms</translation>
    </message>
    <message>
        <source>{missing} of its {edges} carry no message</source>
        <translation>ihrer Kanten ohne Nachricht: {missing} ({edges})</translation>
    </message>
    <message>
        <source>{more} more ranks are selected</source>
        <translation>{more} weitere Ränge sind ausgewählt</translation>
    </message>
    <message>
        <source>{name} ({missing} missing, {extra} extra)</source>
        <translation>{name} ({missing} fehlend, {extra} zusätzlich)</translation>
    </message>
    <message>
        <source>{name} before {text}</source>
        <translation>{name} vor {text}</translation>
    </message>
    <message>
        <source>{name} could not be opened because of a fault in topoview ({kind}): please report the details</source>
        <translation>{name} konnte wegen eines Fehlers in topoview ({kind}) nicht geöffnet werden: bitte die Einzelheiten melden</translation>
    </message>
    <message>
        <source>{name} holds {events} events of {ranks} ranks{lasts}: {size} of files. The cache takes about {room} for it, and opens it at once the next time.</source>
        <translation>{name} enthält {events} Ereignisse von {ranks} Rängen{lasts}: {size} in Dateien. Der Cache braucht etwa {room} dafür und öffnet es beim nächsten Mal sofort.</translation>
    </message>
    <message>
        <source>{name} is in Edit, Bookmarks</source>
        <translation>{name} steht in Bearbeiten, Lesezeichen</translation>
    </message>
    <message>
        <source>{name}, like {mesh}</source>
        <translation>{name}, wie {mesh}</translation>
    </message>
    <message>
        <source>{name}, partners close in rank</source>
        <translation>{name}, Partner mit nahen Nummern</translation>
    </message>
    <message>
        <source>{name}, {begin} to {end} s</source>
        <translation>{name}, {begin} bis {end} s</translation>
    </message>
    <message>
        <source>{name}: slowest &lt;a href='{slow}'&gt;{slow}&lt;/a&gt; ({most}), fastest &lt;a href='{fast}'&gt;{fast}&lt;/a&gt; ({least}){text}</source>
        <translation>{name}: langsamste &lt;a href='{slow}'&gt;{slow}&lt;/a&gt; ({most}), schnellste &lt;a href='{fast}'&gt;{fast}&lt;/a&gt; ({least}){text}</translation>
    </message>
    <message>
        <source>{name}: {ranks} ranks, {length:.4g} s.</source>
        <translation>{name}: {ranks} Ränge, {length:.4g} s.</translation>
    </message>
    <message>
        <source>{name}: {time}, {share} of the time of all ranks</source>
        <translation>{name}: {time}, {share} der Zeit aller Ränge</translation>
    </message>
    <message>
        <source>{name}; partners not recorded: {unrecorded}</source>
        <translation>{name}; Partner nicht aufgezeichnet: {unrecorded}</translation>
    </message>
    <message>
        <source>{nodes} for {ranks}: is that meant?</source>
        <translation>{nodes} für {ranks}: ist das gemeint?</translation>
    </message>
    <message>
        <source>{nodes} without ranks</source>
        <translation>{nodes} ohne Ränge</translation>
    </message>
    <message>
        <source>{nodes}, {cables}</source>
        <translation>{nodes}, {cables}</translation>
    </message>
    <message>
        <source>{number} hops per iteration</source>
        <translation>{number} Hops pro Iteration</translation>
    </message>
    <message>
        <source>{number} of {count} on rank {rank}{around}</source>
        <translation>{number} von {count} auf Rang {rank}{around}</translation>
    </message>
    <message>
        <source>{one} to {other}</source>
        <translation>{one} nach {other}</translation>
    </message>
    <message>
        <source>{origin} ranks</source>
        <translation>{origin} Ränge</translation>
    </message>
    <message>
        <source>{others} others</source>
        <translation>{others} weitere</translation>
    </message>
    <message>
        <source>{own} without what it calls</source>
        <translation>{own} ohne das, was sie aufruft</translation>
    </message>
    <message>
        <source>{pairs} communicate without an edge</source>
        <translation>{pairs} kommunizieren ohne Kante</translation>
    </message>
    <message>
        <source>{pairs} of {least} or more</source>
        <translation>{pairs} mit {least} oder mehr</translation>
    </message>
    <message>
        <source>{panel} cannot be shown</source>
        <translation>{panel} kann nicht gezeigt werden</translation>
    </message>
    <message>
        <source>{part!r} is no number of {column}</source>
        <translation>{part!r} ist keine Zahl für {column}</translation>
    </message>
    <message>
        <source>{part} may go along the axes of a {topology}</source>
        <translation>{part} läuft vielleicht entlang der Achsen von {topology}</translation>
    </message>
    <message>
        <source>{path} cannot be written ({reason}): check that the folder may be written to and the disk is not full</source>
        <translation>{path} kann nicht geschrieben werden ({reason}): Schreibrechte im Ordner und freien Platz auf der Platte prüfen</translation>
    </message>
    <message>
        <source>{path} cannot be written: there is no folder {parent}</source>
        <translation>{path} kann nicht geschrieben werden: Es gibt keinen Ordner {parent}</translation>
    </message>
    <message>
        <source>{path} cannot be written: {what} are {kinds} files; name it {name}</source>
        <translation>{path} kann nicht geschrieben werden: {what} sind {kinds}-Dateien; nennen Sie sie {name}</translation>
    </message>
    <message>
        <source>{path} is a folder: name a file in it</source>
        <translation>{path} ist ein Ordner: eine Datei darin nennen</translation>
    </message>
    <message>
        <source>{path} is there already, and would be replaced.</source>
        <translation>{path} gibt es schon und würde ersetzt.</translation>
    </message>
    <message>
        <source>{planes} across {axis} of {across}×{along}</source>
        <translation>{planes} quer zu {axis} mit {across}×{along}</translation>
    </message>
    <message>
        <source>{producer}, drawn by topoview {version}</source>
        <translation>{producer}, gezeichnet von topoview {version}</translation>
    </message>
    <message>
        <source>{ranks_verified} of {ranks}</source>
        <translation>{ranks_verified}/{ranks}</translation>
    </message>
    <message>
        <source>{ranks} besides</source>
        <translation>{ranks} außerdem</translation>
    </message>
    <message>
        <source>{ranks} can be selected again as {name}</source>
        <translation>{ranks} können als {name} wieder ausgewählt werden</translation>
    </message>
    <message>
        <source>{ranks} from {first} to {last}</source>
        <translation>{ranks} von {first} bis {last}</translation>
    </message>
    <message>
        <source>{ranks} in it now</source>
        <translation>{ranks} gerade darin</translation>
    </message>
    <message>
        <source>{ranks} past it, computing</source>
        <translation>{ranks} schon danach, rechnend</translation>
    </message>
    <message>
        <source>{ranks} ranks</source>
        <translation>{ranks} Ränge</translation>
    </message>
    <message>
        <source>{ranks} ranks with {partners}</source>
        <translation>{ranks} Ränge mit {partners}</translation>
    </message>
    <message>
        <source>{ranks} waited for it</source>
        <translation>{ranks} warteten darauf</translation>
    </message>
    <message>
        <source>{ranks} waited, {caused} in all</source>
        <translation>{ranks} warteten, {caused} insgesamt</translation>
    </message>
    <message>
        <source>{ranks} with {partners}</source>
        <translation>{ranks} mit {partners}</translation>
    </message>
    <message>
        <source>{ranks}, by distance from {start}</source>
        <translation>{ranks}, nach Abstand von {start}</translation>
    </message>
    <message>
        <source>{ranks}, by rank</source>
        <translation>{ranks}, nach Rang</translation>
    </message>
    <message>
        <source>{ranks}, by {what}</source>
        <translation>{ranks}, nach {what}</translation>
    </message>
    <message>
        <source>{ranks}, in the order of {cross}</source>
        <translation>{ranks}, in der Reihenfolge von {cross}</translation>
    </message>
    <message>
        <source>{ranks}, last rank {last}</source>
        <translation>{ranks}, zuletzt Rang {last}</translation>
    </message>
    <message>
        <source>{ranks}, similar ones together</source>
        <translation>{ranks}, ähnliche beieinander</translation>
    </message>
    <message>
        <source>{rank} incomplete</source>
        <translation>{rank} unvollständig</translation>
    </message>
    <message>
        <source>{rate} a second</source>
        <translation>{rate} pro Sekunde</translation>
    </message>
    <message>
        <source>{rate} {calls}/s</source>
        <translation>{rate} {calls}/s</translation>
    </message>
    <message>
        <source>{ratio} per hop</source>
        <translation>{ratio} pro Hop</translation>
    </message>
    <message>
        <source>{remark} of {whose}</source>
        <translation>{remark} ({whose})</translation>
    </message>
    <message>
        <source>{rest} more</source>
        <translation>{rest} weitere</translation>
    </message>
    <message>
        <source>{rowcount} of {calls}</source>
        <translation>{rowcount} von {calls}</translation>
    </message>
    <message>
        <source>{rows} of {calls}</source>
        <translation>{rows}/{calls}</translation>
    </message>
    <message>
        <source>{seconds:.0f} min</source>
        <translation>{seconds:.0f} min</translation>
    </message>
    <message>
        <source>{sent} sent, {received} received</source>
        <translation>{sent} gesendet, {received} empfangen</translation>
    </message>
    <message>
        <source>{share} of the bytes on a {name}</source>
        <translation>{share} der Bytes auf {name}</translation>
    </message>
    <message>
        <source>{share} of the bytes on an {name}</source>
        <translation>{share} der Bytes auf {name}</translation>
    </message>
    <message>
        <source>{share} of the bytes on {name}</source>
        <translation>{share} der Bytes auf {name}</translation>
    </message>
    <message>
        <source>{share} of the waiting ({ticks}) is </source>
        <translation>{share} der Wartezeit ({ticks}) gilt </translation>
    </message>
    <message>
        <source>{share} of the waiting ({ticks}) is due to {delays} inside MPI calls, {call} of it in {title}, most on rank {rank} ({one}): all that the call needs was there, and it returned late. That is typical of ranks that share a core.</source>
        <translation>{share} der Wartezeit ({ticks}) kommt durch {delays} in MPI-Aufrufen, {call} davon in {title}, am meisten auf Rang {rank} ({one}): Alles, was der Aufruf braucht, war da, und er kehrte spät zurück. Das ist typisch für Ränge, die sich einen Kern teilen.</translation>
    </message>
    <message>
        <source>{share} of the waiting ({ticks}) is in “{statement}”{where}</source>
        <translation>{share} der Wartezeit ({ticks}) liegt in „{statement}“{where}</translation>
    </message>
    <message>
        <source>{share} of the waiting ({ticks}) is “{kind_texts}”</source>
        <translation>{share} der Wartezeit ({ticks}) ist „{kind_texts}“</translation>
    </message>
    <message>
        <source>{share} of the waiting is caused by rank {rank}</source>
        <translation>{share} der Wartezeit verursacht Rang {rank}</translation>
    </message>
    <message>
        <source>{share} of the waiting is rank {rank}'s for rank {whom}: {ticks} in {calls}.</source>
        <translation>{share} der Wartezeit wartet Rang {rank} auf Rang {whom}: {ticks} ({calls}).</translation>
    </message>
    <message>
        <source>{shown} of {total} messages drawn: the longest under way</source>
        <translation>{shown} von {total} Nachrichten gezeichnet: die am längsten unterwegs sind</translation>
    </message>
    <message>
        <source>{sign}{total} in all</source>
        <translation>{sign}{total} insgesamt</translation>
    </message>
    <message>
        <source>{sizes} = {ranks}: each rank has one place</source>
        <translation>{sizes} = {ranks}: jeder Rang hat einen Platz</translation>
    </message>
    <message>
        <source>{sizes} smaller classes</source>
        <translation>{sizes} kleinere Klassen</translation>
    </message>
    <message>
        <source>{size} a message</source>
        <translation>{size} je Nachricht</translation>
    </message>
    <message>
        <source>{size} a one-sided transfer</source>
        <translation>{size} je einseitigem Transfer</translation>
    </message>
    <message>
        <source>{size} of one-sided transfers</source>
        <translation>{size} einseitiger Transfers</translation>
    </message>
    <message>
        <source>{size} received</source>
        <translation>{size} empfangen</translation>
    </message>
    <message>
        <source>{size} sent</source>
        <translation>{size} gesendet</translation>
    </message>
    <message>
        <source>{size}, tag {tag}</source>
        <translation>{size}, Tag {tag}</translation>
    </message>
    <message>
        <source>{size}, {times:.2f} times the mean</source>
        <translation>{size}, das {times:.2f}-fache des Mittels</translation>
    </message>
    <message>
        <source>{speed:g} calls/s</source>
        <translation>{speed:g} calls/s</translation>
    </message>
    <message>
        <source>{statements}, all calls covered</source>
        <translation>{statements}, alle Aufrufe abgedeckt</translation>
    </message>
    <message>
        <source>{state}, % of window</source>
        <translation>{state}, % des Fensters</translation>
    </message>
    <message>
        <source>{sum} in {rows}</source>
        <translation>{sum} ({rows})</translation>
    </message>
    <message>
        <source>{sum} of {lines} with calls</source>
        <translation>{sum}/{lines} mit Aufrufen</translation>
    </message>
    <message>
        <source>{sum} of {words}</source>
        <translation>{sum} von {words}</translation>
    </message>
    <message>
        <source>{text!r} is a time beyond the end of any trace</source>
        <translation>{text!r} ist eine Zeit nach dem Ende jedes Traces</translation>
    </message>
    <message>
        <source>{text!r} is no range: the first number must be lower</source>
        <translation>{text!r} ist kein Bereich: Die erste Zahl muss kleiner sein</translation>
    </message>
    <message>
        <source>{text!r} is no range: write it as 0 - 20 ms or 10 - 50 %</source>
        <translation>{text!r} ist kein Bereich: als 0 - 20 ms oder 10 - 50 % schreiben</translation>
    </message>
    <message>
        <source>{text!r} is no speed that can be played: choose one nearer to 10 ms/s</source>
        <translation>{text!r} ist keine Geschwindigkeit, die abgespielt werden kann: eine näher an 10 ms/s wählen</translation>
    </message>
    <message>
        <source>{text!r} is no speed: write 10 ms/s, 20 calls/s or all in 10 s</source>
        <translation>{text!r} ist keine Geschwindigkeit: 10 ms/s, 20 calls/s oder all in 10 s schreiben</translation>
    </message>
    <message>
        <source>{text!r} is no time: write 1.5 s, 20 ms or 300 us</source>
        <translation>{text!r} ist keine Zeit: 1.5 s, 20 ms oder 300 us schreiben</translation>
    </message>
    <message>
        <source>{text!r} is not understood: {why}. Write for instance Waitall &gt; 10 ms, to EAST &gt; 1 MiB, or isend tag 7 rank 0-15</source>
        <translation>{text!r} ist unverständlich: {why}. Zum Beispiel: Waitall &gt; 10 ms, to EAST &gt; 1 MiB oder isend tag 7 rank 0-15</translation>
    </message>
    <message>
        <source>{text!r} names no ranks: write them as 0-7,12</source>
        <translation>{text!r} nennt keine Ränge: Schreibweise 0-7,12</translation>
    </message>
    <message>
        <source>{text} and {rest} more</source>
        <translation>{text} und {rest} weitere</translation>
    </message>
    <message>
        <source>{text} before</source>
        <translation>{text} davor</translation>
    </message>
    <message>
        <source>{text} but for the indentation</source>
        <translation>{text} bis auf die Einrückung</translation>
    </message>
    <message>
        <source>{text}, mostly in {iterations}.</source>
        <translation>{text}, vor allem in {iterations}.</translation>
    </message>
    <message>
        <source>{text}, within the spread of iterations.</source>
        <translation>{text}, innerhalb der Streuung der Iterationen.</translation>
    </message>
    <message>
        <source>{text}, {indented} of them indented differently</source>
        <translation>{text}, {indented} davon anders eingerückt</translation>
    </message>
    <message>
        <source>{text}: all {values}</source>
        <translation>{text}: alle {values}</translation>
    </message>
    <message>
        <source>{text}&lt;br&gt;no rank changes state</source>
        <translation>{text}&lt;br&gt;kein Rang ändert seinen Zustand</translation>
    </message>
    <message>
        <source>{thing} saved: {path}</source>
        <translation>{thing} gespeichert: {path}</translation>
    </message>
    <message>
        <source>{title} of the selection</source>
        <translation>{title} der Auswahl</translation>
    </message>
    <message>
        <source>{title} of {nouns}</source>
        <translation>{title}, {nouns}</translation>
    </message>
    <message>
        <source>{title}: F6, {letter}, Enter; Ctrl+click opens it beside</source>
        <translation>{title}: F6, {letter}, Enter; Strg+Klick öffnet es daneben</translation>
    </message>
    <message>
        <source>{trace} is not on this machine. A worker of the cluster reads a part of it ({words}), which is opened here.</source>
        <translation>{trace} ist nicht auf diesem Rechner. Ein Worker des Clusters liest einen Teil davon ({words}), der hier geöffnet wird.</translation>
    </message>
    <message>
        <source>{track} (hide)</source>
        <translation>{track} (ausblenden)</translation>
    </message>
    <message>
        <source>{turns}: of what they repeat, B ÷ A is that of an iteration. {alike_rule}</source>
        <translation>{turns}: Von dem, was sie wiederholen, ist B ÷ A das einer Iteration. {alike_rule}</translation>
    </message>
    <message>
        <source>{unit!r} is no unit of {column}</source>
        <translation>{unit!r} ist keine Einheit für {column}</translation>
    </message>
    <message>
        <source>{unrecorded} left no record in the trace: which ranks communicate is not known.</source>
        <translation>{unrecorded}: keine Spur davon im Trace. Welche Ränge kommunizieren, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>{vertices} ranks, {pairs}{apart}; {partners}.</source>
        <translation>{vertices} Ränge, {pairs}{apart}; {partners}.</translation>
    </message>
    <message>
        <source>{waited}, all ranks</source>
        <translation>{waited}, alle Ränge</translation>
    </message>
    <message>
        <source>{wait} for the row’s rank</source>
        <translation>{wait} für den Rang der Zeile</translation>
    </message>
    <message>
        <source>{what} in each of {times} families of {called}{ending}</source>
        <translation>{what} in jeder von {times} Familien von {called}{ending}</translation>
    </message>
    <message>
        <source>{what} in {called}{of}{ending}</source>
        <translation>{what} in {called}{of}{ending}</translation>
    </message>
    <message>
        <source>{what} in {group} {by}s of {size}{ending}{names}</source>
        <translation>{what} in {group} {by}s von {size}{ending}{names}</translation>
    </message>
    <message>
        <source>{what} in {word} {listed}</source>
        <translation>{what} in {word} {listed}</translation>
    </message>
    <message>
        <source>{what} is missing at the end</source>
        <translation>am Ende fehlt: {what}</translation>
    </message>
    <message>
        <source>{what} {number} of {count}</source>
        <translation>{what} {number} von {count}</translation>
    </message>
    <message>
        <source>{why}: the exchange is counted</source>
        <translation>{why}: gezählt wird der Austausch</translation>
    </message>
    <message>
        <source>{word!r} is no number</source>
        <translation>{word!r} ist keine Zahl</translation>
    </message>
    <message>
        <source>{word} has no unit, such as ms or KiB</source>
        <translation>{word} hat keine Einheit, etwa ms oder KiB</translation>
    </message>
    <message>
        <source>≥ {high} on an edge</source>
        <translation>≥ {high} auf einer Kante</translation>
    </message>
</context>
</TS>
