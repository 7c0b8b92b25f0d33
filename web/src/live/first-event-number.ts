// The event number of the first response. The socket resumes from there, so no event is missed.
let settle: (seq: number) => void;

export const firstEventNumber: Promise<number> = new Promise((resolve) => {
  settle = resolve;
});

export function noteEventNumber(header: string | null): void {
  if (header !== null && /^\d+$/.test(header)) settle(Number(header));
}
