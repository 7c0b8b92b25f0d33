// Formats times, durations and numbers.

const THIN = " ";
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number) => String(value).padStart(2, "0");

/** `07:42`; `Tue 07:42` within a week; `14 Oct` beyond that. */
export function clockTime(iso: string, now: number): string {
  const then = new Date(iso);
  const today = new Date(now);
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`;
  if (then.toDateString() === today.toDateString()) return time;
  if (Math.abs(now - then.getTime()) < 6 * 86_400_000) return `${DAYS[then.getDay()]} ${time}`;
  return `${then.getDate()} ${MONTHS[then.getMonth()]}`;
}

/** `Wed 14 Oct, 07:42` */
export function longTime(now: number): string {
  const date = new Date(now);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]}, ${time}`;
}

/** Return a duration such as `38 min`, `1 h 44 min` or `3 d 4 h`; in seconds if it is below a minute. */
export function span(seconds: number, { short = false } = {}): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) {
    const rest = minutes % 60;
    if (rest === 0 || hours >= 24) return `${hours} h`;
    return short ? `${hours} h ${two(rest)}` : `${hours} h ${two(rest)} min`;
  }
  const days = Math.floor(hours / 24);
  return days >= 10 || hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** Return `1 min 34 s`; the same as `span` from one hour on. */
export function exactSpan(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return whole < 60 || whole >= 3_600 ? span(whole) : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `3 s ago` */
export function ago(iso: string, now: number): string {
  const seconds = (now - Date.parse(iso)) / 1_000;
  return seconds < 1 ? "just now" : `${span(seconds)} ago`;
}

/** `1:58` */
export function countdown(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

/** Return a number with thin spaces between thousands: `48 291`. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
}

/** `412k`, `31.6M` */
export function amount(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 1_000_000) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** `3.4 MB` */
export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3));
  const shown = value / 1_000 ** step;
  return `${step === 0 || shown >= 100 ? Math.round(shown) : shown.toFixed(1)} ${units[step]}`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Return `3 Move callers`, or `Phase 3` for a phase without a name. */
export function phaseName(phase: { number: number; name: string }): string {
  return phase.name === `Phase ${phase.number}` ? phase.name : `${phase.number} ${phase.name}`;
}

/** Return `2 failed attempts`, or an empty string if none failed. */
export function describeFailedAttempts(attempts: number): string {
  return attempts > 0 ? plural(attempts, "failed attempt") : "";
}

/** `$4.20`, with thin spaces between thousands. */
export function money(usd: number): string {
  const [whole, cents] = usd.toFixed(2).split(".");
  return `$${count(Number(whole))}.${cents}`;
}

/** Return `$4.20`, `at least $4.20` (in short, `≥ $4.20`) if some prices are missing, or `unknown`. */
export function describeCost(
  { usd, unknown }: { usd: number | null; unknown: number },
  { short = false } = {},
): string {
  if (usd === null) return unknown > 0 ? "unknown" : money(0);
  return unknown > 0 ? `${short ? "≥" : "at least"} ${money(usd)}` : money(usd);
}
