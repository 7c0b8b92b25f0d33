// Sets up the terminal emulator: colors, size and links.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Emulator } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";

import { openWithoutInlineStyles } from "../emulator-styles";

export type { Emulator };

const COLORS = {
  foreground: "#d5dae0",
  black: "#3a424b",
  red: "#ff9183",
  green: "#5bd3a8",
  yellow: "#f5bd5c",
  blue: "#8ab4ff",
  magenta: "#d9a8ff",
  cyan: "#79d6e6",
  white: "#d5dae0",
  brightBlack: "#8f98a3",
  brightRed: "#ffb3a8",
  brightGreen: "#86e5c3",
  brightYellow: "#ffd58a",
  brightBlue: "#b3ceff",
  brightMagenta: "#e8c9ff",
  brightCyan: "#a5e6f1",
  brightWhite: "#ffffff",
};

/** Create an emulator in the box; `drop` removes it. */
export function makeEmulator(box: HTMLElement) {
  const emulator = new Emulator({
    fontFamily: getComputedStyle(box).getPropertyValue("--mono"),
    fontSize: 12,
    lineHeight: 1.25,
    scrollback: 10_000,
    convertEol: true,
    screenReaderMode: true,
    theme: { ...COLORS, background: resolved(box, "--term-bg") },
    linkHandler: { activate: (_event, address) => openAddress(address) },
  });
  const fitting = new FitAddon();
  emulator.loadAddon(fitting);
  const dropStyles = openWithoutInlineStyles(emulator, box);
  const refit = () => {
    if (box.clientWidth > 0 && box.clientHeight > 0) fitting.fit();
  };
  refit();
  const watch = new ResizeObserver(refit);
  watch.observe(box);
  const drop = () => {
    watch.disconnect();
    emulator.dispose();
    dropStyles();
  };
  return { emulator, drop };
}

/** Open a web link after showing its address, because an agent wrote the link's text. */
function openAddress(text: string): void {
  const address = webAddress(text);
  if (address === null) return;
  if (confirm(`An agent wrote this link. It opens\n\n${address}\n\nContinue?`))
    window.open(address, "_blank", "noopener,noreferrer");
}

/** Return the normalized address; null unless it is a web address. */
export function webAddress(text: string): string | null {
  const address = URL.parse(text);
  return address !== null && ["http:", "https:"].includes(address.protocol) ? address.href : null;
}

/** Return a color as the browser computes it, because the emulator does not understand light-dark(). */
function resolved(box: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  box.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/\d+/g) ?? ["18", "22", "26"]).map(Number);
  probe.remove();
  return `#${[red, green, blue].map((part) => (part ?? 0).toString(16).padStart(2, "0")).join("")}`;
}
