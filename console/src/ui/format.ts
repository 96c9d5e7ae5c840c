const counting = new Intl.NumberFormat('en');
const dating = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export const count = (value: number | null | undefined): string =>
  value == null ? '–' : counting.format(value);

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${counting.format(value)} ${value === 1 ? one : many}`;

export function bytes(value: number | null | undefined): string {
  if (value == null) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  // The next larger unit begins at 1,023.5 instead of 1,024, so that a rounded size never reads "1024 KiB".
  const power = units.findIndex((_, at) => Math.abs(value) < 1023.5 * 1024 ** at);
  const unit = power < 0 ? units.length - 1 : power;
  const amount = value / 1024 ** unit;
  return `${amount < 9.95 && unit > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

/**
 * Formats a number of seconds, such as "0.4 s", "1 min 20 s" or "2 h 5 min". Rounds before splitting into
 * units, so that no part reaches 60.
 */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return '–';
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const moment = (time: string | null | undefined): string =>
  time ? dating.format(new Date(time)) : '–';

/**
 * Formats the time since a date, such as "just now", "3 min ago" or "2 days ago". Returns the date itself
 * after two weeks.
 */
export function ago(time: string | null | undefined, now = Date.now()): string {
  if (!time) return '–';
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  if (seconds < 45) return 'just now';
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(seconds / 3600);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.round(seconds / 86_400);
  return days < 14 ? `${plural(days, 'day')} ago` : moment(time);
}
