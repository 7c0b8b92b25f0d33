// Opens the command palette from anywhere on the page.

export const OPEN_PALETTE = "mission:open-palette";

export function openPalette(): void {
  document.dispatchEvent(new Event(OPEN_PALETTE));
}
