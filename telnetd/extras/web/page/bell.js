// The bell: a short tone, and on a phone a short buzz. Browsers allow both once somebody has touched the page.

const PITCH = 880;
const SECONDS = 0.25;
const LOUDNESS = 0.15;
const APART = 1000;
// Milliseconds between two tones: the server's own bell and the page's may mean the same.

let context = null;
let rang = -APART;

function wakeUp() {
  if (context === null && typeof AudioContext !== "undefined" && navigator.userActivation?.isActive !== false) {
    context = new AudioContext();
  }
}

for (const event of ["click", "keydown"]) {
  window.addEventListener(event, wakeUp);
}

export function ring() {
  const now = performance.now();
  if (now - rang < APART) {
    return;
  }
  rang = now;
  if (navigator.userActivation?.hasBeenActive) {
    navigator.vibrate?.(200);
  }
  if (context === null || context.state !== "running") {
    return;
  }
  const tone = context.createOscillator();
  const volume = context.createGain();
  const start = context.currentTime;
  tone.frequency.value = PITCH;
  volume.gain.setValueAtTime(LOUDNESS, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + SECONDS);
  tone.connect(volume).connect(context.destination);
  tone.start(start);
  tone.stop(start + SECONDS);
}
