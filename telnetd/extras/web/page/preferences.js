// What a reader has chosen for this browser: colours, size of the text, the bell, notices, the whole screen on a phone.

const NAME = "yawc.preferences";
const USUAL = { theme: "auto", size: 0, sound: false, whole: false, notices: false };

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = [];

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME)) ?? {};
    return Object.fromEntries(
      Object.entries(USUAL).map(([key, usual]) => [key, typeof kept[key] === typeof usual ? kept[key] : usual]),
    );
  } catch {
    return { ...USUAL }; // storage is forbidden, or something else lies there
  }
}

let chosen = load();

export function preferences() {
  return chosen;
}

// Return "light" or "dark", whichever is shown.
export function shownTheme() {
  if (chosen.theme === "light" || chosen.theme === "dark") {
    return chosen.theme;
  }
  return dark.matches ? "dark" : "light";
}

// Change some of what was chosen, keep it, and tell all who want to know.
export function prefer(change) {
  chosen = { ...chosen, ...change };
  try {
    localStorage.setItem(NAME, JSON.stringify(chosen));
  } catch {
    // then it lasts as long as the page
  }
  tell();
}

// Call a function at every change, also at one of the device's colours.
export function onPreference(listener) {
  listeners.push(listener);
}

function tell() {
  for (const listener of listeners) {
    listener();
  }
}

dark.addEventListener("change", tell);
