// The terminal emulator as the page sets it up: its colours, its size, what a link in it may do.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Emulator } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";

import { openWithoutInlineStyles } from "../emulator-styles";

export type { Emulator };

const COLOURS = {
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

/** An emulator in the box; `drop` ends it. */
export function makeEmulator(box: HTMLElement) {
  const emulator = new Emulator({
    fontFamily: getComputedStyle(box).getPropertyValue("--mono"),
    fontSize: 12,
    lineHeight: 1.25,
    scrollback: 10_000,
    convertEol: true,
    screenReaderMode: true,
    theme: { ...COLOURS, background: resolved(box, "--term-bg") },
    linkHandler: { activate: (_event, address) => openAddress(address) },
  });
  const fitting = new FitAddon();
  emulator.loadAddon(fitting);
  const dropStyles = openWithoutInlineStyles(emulator, box);
  const fit = () => {
    if (box.clientWidth > 0 && box.clientHeight > 0) fitting.fit();
  };
  fit();
  const watch = new ResizeObserver(fit);
  watch.observe(box);
  const drop = () => {
    watch.disconnect();
    emulator.dispose();
    dropStyles();
  };
  return { emulator, drop };
}

/** A link's words are the agent's: where it leads is shown before it is followed, and only the web is. */
function openAddress(text: string): void {
  const address = webAddress(text);
  if (address === null) return;
  if (confirm(`An agent wrote this link. It leads to\n\n${address}\n\nOpen it?`)) window.open(address, "_blank", "noopener,noreferrer");
}

/** An address as the browser reads it; nothing for one that would run or open something else. */
export function webAddress(text: string): string | null {
  const address = URL.parse(text);
  return address !== null && ["http:", "https:"].includes(address.protocol) ? address.href : null;
}

/** A colour as the browser computes it: the emulator cannot read light-dark(). */
function resolved(box: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  box.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/\d+/g) ?? ["18", "22", "26"]).map(Number);
  probe.remove();
  return `#${[red, green, blue].map((part) => (part ?? 0).toString(16).padStart(2, "0")).join("")}`;
}
