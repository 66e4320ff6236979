// The sixteen colours of the terminal, in the dark and in the light: for xterm.js, and as custom properties for CSS.

const NAMES = [
  "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  "brightBlack", "brightRed", "brightGreen", "brightYellow", "brightBlue", "brightMagenta", "brightCyan", "brightWhite",
];

// Red is that of the cards, on white; xterm.js lightens it where it stands on the dark (`minimumContrastRatio`).
const COLOURS = {
  dark: {
    foreground: "#d4d7dd",
    background: "#12161c",
    dim: "#a3abb8",
    cursor: "#f2cc60",
    selectionBackground: "#3d4f6b",
    sixteen: [
      "#12161c", "#b3261e", "#5fb878", "#d0a945", "#2f5f9f", "#c08ad6", "#5bbcc8", "#d9dce2",
      "#8b93a1", "#ff8076", "#86d897", "#f2cc60", "#7fb0f0", "#dba9ec", "#8ad8e2", "#ffffff",
    ],
  },
  light: {
    foreground: "#1d232b",
    background: "#f3f1ea",
    dim: "#59616c",
    cursor: "#8a5a00",
    selectionBackground: "#b9cdea",
    sixteen: [
      "#12161c", "#a8231a", "#1d6b3a", "#7a5600", "#1f4f8f", "#7a3a94", "#0d646f", "#ffffff",
      "#5c6470", "#a8231a", "#1d6b3a", "#7a5600", "#1f4f8f", "#7a3a94", "#0d646f", "#ffffff",
    ],
  },
};

// Return a theme for xterm.js.
export function theme(shown) {
  const { sixteen, dim, ...rest } = COLOURS[shown];
  return { ...rest, ...Object.fromEntries(NAMES.map((name, at) => [name, sixteen[at]])) };
}

// Give the colours to the style sheet.
export function dress(element, shown) {
  const { sixteen, foreground, background, dim } = COLOURS[shown];
  element.style.setProperty("--ink", foreground);
  element.style.setProperty("--paper", background);
  element.style.setProperty("--dim", dim);
  sixteen.forEach((colour, at) => element.style.setProperty(`--c${at}`, colour));
}
