// The event number that the first answer was read at: the socket goes on from there, so nothing falls in between.
let settle: (seq: number) => void;

export const firstNumber: Promise<number> = new Promise((resolve) => {
  settle = resolve;
});

export function noteNumber(header: string | null): void {
  if (header !== null && /^\d+$/.test(header)) settle(Number(header));
}
