// The words of the page in each language. The BBS's own words come from the server, in the same language.

const TEXTS = {
  en: {
    notices: "Notice when you are called and look elsewhere",
    noticesForbidden: "Your browser forbids this page to show notices; you can allow them in its own settings.",
    share: "Invite",
    shareTitle: "An invitation to this table",
    shareHelp:
      "Whoever opens this link within 12 hours comes to this table, also without a name of their own. A "
      + "phone's camera reads the picture.",
    shareCode: "QR code of the link",
    shareLink: "Link",
    copy: "Copy",
    sendLink: "Send on",
    copied: "The link was copied.",
    settings: "Settings",
    smaller: "Smaller text",
    larger: "Larger text",
    fitting: "Text that fits",
    themeAuto: "Colours: as the device",
    themeLight: "Colours: light",
    themeDark: "Colours: dark",
    sound: "Bell when it is your turn",
    whole: "Whole screen, however small",
    asText: "Screen as text",
    screen: "Screen",
    keys: "Keys",
    missing:
      "The terminal of this page is not installed on the server. Its sysop installs it by this command; until then the "
      + "keys, the text line and the messages below work.",
    chat: "Chat",
    answer: "Your answer",
    secret: "Your password",
    command: "A key, or a command that begins with /",
    send: "Send",
    back: "Back",
    enter: "Enter",
    notNow: "There is nobody to chat with here. Press one of the keys, or type a command that begins with /.",
    notConnected: "Not sent: there is no connection.",
    tooLong: "Not sent: too long.",
    happened: "What happened",
    yourTurn: "Your turn",
    connecting: "Connecting ...",
    connected: "Connected",
    lost: "The line is broken. Calling again in {seconds} s; your seat is kept for a while.",
    gone: "The former session has ended. Please log in again.",
    ended: "The session has ended.",
    closing: "The BBS closes down.",
    refused: "The BBS refuses this call.",
    taken: "This session goes on in another tab, or at another place.",
    broken: "The BBS did not understand this page. Load it again.",
    again: "Call again",
    close: "Close",
    sealTitle: "Check a game's seal",
    sealHelp:
      "Read the game's page to its end (in the casino: G), then take it from the screen, or paste its text. Your own "
      + "browser computes; nothing is sent.",
    noted: "The seal that you noted before the game: its first 40 digits",
    page: "The text of the game's page",
    take: "Take it from the screen",
    check: "Check",
    noPage: "This is not the page of a game: it has no seal.",
    right: "Right",
    wrong: "WRONG",
    sealNoted: "The seal is the one that was noted",
    sealRow: "The row gives the seal",
    sealSealed: "The words are those that were sealed",
    sealNone: "No words were sealed: an older game",
    sealOrder: "The words ({words}) give the order dealt",
    sealCard: "{card} at position {position}, dealt as card {number}",
  },
  de: {
    notices: "Hinweis, wenn du gerufen wirst und woanders bist",
    noticesForbidden: "Dein Browser verbietet dieser Seite Hinweise; du kannst sie in seinen Einstellungen erlauben.",
    share: "Einladen",
    shareTitle: "Eine Einladung an diesen Tisch",
    shareHelp:
      "Wer diesen Link binnen 12 Stunden öffnet, kommt an diesen Tisch, auch ohne eigenen Namen. Die "
      + "Kamera eines Telefons liest das Bild.",
    shareCode: "QR-Code des Links",
    shareLink: "Link",
    copy: "Kopieren",
    sendLink: "Weitergeben",
    copied: "Der Link wurde kopiert.",
    settings: "Einstellungen",
    smaller: "Kleinere Schrift",
    larger: "Größere Schrift",
    fitting: "Passende Schrift",
    themeAuto: "Farben: wie das Gerät",
    themeLight: "Farben: hell",
    themeDark: "Farben: dunkel",
    sound: "Klingel, wenn du am Zug bist",
    whole: "Ganzer Bildschirm, auch wenn er klein ist",
    asText: "Bildschirm als Text",
    screen: "Bildschirm",
    keys: "Tasten",
    missing:
      "Das Terminal dieser Seite ist auf dem Server nicht installiert. Mit diesem Befehl installiert es der Sysop; bis "
      + "dahin gehen die Tasten, die Textzeile und die Meldungen unten.",
    chat: "Chat",
    answer: "Deine Antwort",
    secret: "Dein Passwort",
    command: "Eine Taste oder ein Befehl, der mit / beginnt",
    send: "Senden",
    back: "Zurück",
    enter: "Eingabe",
    notNow: "Hier ist niemand, mit dem du reden kannst. Drück eine der Tasten oder gib einen Befehl mit / ein.",
    notConnected: "Nicht gesendet: Es besteht keine Verbindung.",
    tooLong: "Nicht gesendet: zu lang.",
    happened: "Was geschehen ist",
    yourTurn: "Du bist am Zug",
    connecting: "Verbindung wird aufgebaut ...",
    connected: "Verbunden",
    lost: "Die Leitung ist unterbrochen. Neuer Anruf in {seconds} s; dein Platz wird eine Weile freigehalten.",
    gone: "Die frühere Sitzung ist zu Ende. Melde dich bitte neu an.",
    ended: "Die Sitzung ist zu Ende.",
    closing: "Das BBS schließt.",
    refused: "Das BBS lehnt diesen Anruf ab.",
    taken: "Diese Sitzung geht in einem anderen Tab weiter, oder an einem anderen Ort.",
    broken: "Das BBS hat diese Seite nicht verstanden. Lade sie neu.",
    again: "Neu anrufen",
    close: "Schließen",
    sealTitle: "Siegel eines Spiels prüfen",
    sealHelp:
      "Lies die Seite des Spiels bis zum Ende (im Casino: G), übernimm sie dann vom Bildschirm oder füge ihren Text "
      + "ein. Dein eigener Browser rechnet; gesendet wird nichts.",
    noted: "Das Siegel, das du dir vor dem Spiel notiert hast: die ersten 40 Stellen",
    page: "Der Text der Seite des Spiels",
    take: "Vom Bildschirm übernehmen",
    check: "Prüfen",
    noPage: "Das ist nicht die Seite eines Spiels: Sie hat kein Siegel.",
    right: "Richtig",
    wrong: "FALSCH",
    sealNoted: "Das Siegel ist das notierte",
    sealRow: "Die Reihe ergibt das Siegel",
    sealSealed: "Die Wörter sind die versiegelten",
    sealNone: "Es wurden keine Wörter versiegelt: ein älteres Spiel",
    sealOrder: "Die Wörter ({words}) ergeben die Reihenfolge, in der gegeben wurde",
    sealCard: "{card} an Position {position}, gegeben als Karte {number}",
  },
  nl: {
    notices: "Melding als je geroepen wordt en elders kijkt",
    noticesForbidden: "Je browser verbiedt meldingen van deze pagina; je kunt ze in zijn instellingen toestaan.",
    share: "Uitnodigen",
    shareTitle: "Een uitnodiging voor deze tafel",
    shareHelp:
      "Wie deze link binnen 12 uur opent, komt aan deze tafel, ook zonder eigen naam. De camera van "
      + "een telefoon leest het plaatje.",
    shareCode: "QR-code van de link",
    shareLink: "Link",
    copy: "Kopiëren",
    sendLink: "Doorsturen",
    copied: "De link is gekopieerd.",
    settings: "Instellingen",
    smaller: "Kleinere letters",
    larger: "Grotere letters",
    fitting: "Passende letters",
    themeAuto: "Kleuren: zoals het apparaat",
    themeLight: "Kleuren: licht",
    themeDark: "Kleuren: donker",
    sound: "Bel als je aan de beurt bent",
    whole: "Hele scherm, ook als het klein is",
    asText: "Scherm als tekst",
    screen: "Scherm",
    keys: "Toetsen",
    missing:
      "De terminal van deze pagina is niet op de server geïnstalleerd. Met deze opdracht installeert de sysop hem; tot "
      + "dan werken de toetsen, de tekstregel en de berichten hieronder.",
    chat: "Chat",
    answer: "Je antwoord",
    secret: "Je wachtwoord",
    command: "Een toets, of een opdracht die met / begint",
    send: "Versturen",
    back: "Terug",
    enter: "Enter",
    notNow: "Er is hier niemand om mee te praten. Druk op een van de toetsen of typ een opdracht met /.",
    notConnected: "Niet verstuurd: er is geen verbinding.",
    tooLong: "Niet verstuurd: te lang.",
    happened: "Wat er gebeurde",
    yourTurn: "Jij bent aan de beurt",
    connecting: "Verbinden ...",
    connected: "Verbonden",
    lost: "De lijn is verbroken. Over {seconds} s wordt opnieuw gebeld; je plaats blijft een tijdje vrij.",
    gone: "De vorige sessie is afgelopen. Meld je opnieuw aan.",
    ended: "De sessie is afgelopen.",
    closing: "Het BBS sluit.",
    refused: "Het BBS weigert deze oproep.",
    taken: "Deze sessie gaat verder in een ander tabblad, of op een andere plek.",
    broken: "Het BBS begreep deze pagina niet. Laad haar opnieuw.",
    again: "Opnieuw bellen",
    close: "Sluiten",
    sealTitle: "Zegel van een spel controleren",
    sealHelp:
      "Lees de pagina van het spel tot het eind (in het casino: G) en neem haar dan over van het scherm, of plak de "
      + "tekst. Je eigen browser rekent; er wordt niets verstuurd.",
    noted: "Het zegel dat je voor het spel hebt genoteerd: de eerste 40 cijfers",
    page: "De tekst van de pagina van het spel",
    take: "Van het scherm overnemen",
    check: "Controleren",
    noPage: "Dit is niet de pagina van een spel: er staat geen zegel op.",
    right: "Juist",
    wrong: "FOUT",
    sealNoted: "Het zegel is het genoteerde",
    sealRow: "De rij geeft het zegel",
    sealSealed: "De woorden zijn de verzegelde",
    sealNone: "Er zijn geen woorden verzegeld: een ouder spel",
    sealOrder: "De woorden ({words}) geven de volgorde waarin is gedeeld",
    sealCard: "{card} op positie {position}, gedeeld als kaart {number}",
  },
};

let language = "en";

// Return the first of these languages ("de-AT" counts as "de") that the page speaks.
export function spoken(wanted) {
  return wanted.map((code) => code.slice(0, 2).toLowerCase()).find((code) => code in TEXTS) ?? "en";
}

// Speak a language from now on, also in what stands on the page already.
export function speak(code) {
  language = spoken([code]);
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-words]")) {
    element.textContent = text(element.dataset.words);
  }
  for (const element of document.querySelectorAll("[data-words-label]")) {
    element.setAttribute("aria-label", text(element.dataset.wordsLabel));
  }
}

export function currentLanguage() {
  return language;
}

// Return a text in the language that is spoken, with its {fields} filled in.
export function text(key, fields = {}) {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name) => String(fields[name]));
}
