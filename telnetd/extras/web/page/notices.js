// Notices of the device while nobody looks at the page. The browser is asked for leave only when a reader taps the button.

import { prefer, preferences } from "./preferences.js";

// Return whether this browser has notices at all.
export function exist() {
  return typeof Notification !== "undefined";
}

// Return whether a notice would be shown now.
export function areOn() {
  return exist() && preferences().notices && Notification.permission === "granted";
}

// Turn notices on, with leave of the browser, or off; return whether they are on now.
export async function toggle() {
  if (areOn()) {
    prefer({ notices: false });
  } else if (exist() && (await Notification.requestPermission()) === "granted") {
    prefer({ notices: true });
  }
  return areOn();
}

// Show a notice if nobody looks; the page comes to the front when it is tapped.
export function notify(title, body, icon) {
  if (!document.hidden || !areOn()) {
    return null;
  }
  try {
    const notice = new Notification(title, { body, icon, tag: "yawc" });
    notice.addEventListener("click", () => {
      window.focus();
      notice.close();
    });
    return notice;
  } catch {
    return null; // a browser that shows notices of installed workers only
  }
}
