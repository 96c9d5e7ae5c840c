const counting = new Intl.NumberFormat('en');
const dating = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export const count = (value: number | null | undefined): string =>
  value == null ? '–' : counting.format(value);

/** "1 file", "3 files". */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${counting.format(value)} ${value === 1 ? one : many}`;

export function bytes(value: number | null | undefined): string {
  if (value == null) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const amount = value / 1024 ** power;
  return `${amount < 10 && power > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[power]}`;
}

/** "1 min 20 s", "0.4 s". */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return '–';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const moment = (time: string | null | undefined): string =>
  time ? dating.format(new Date(time)) : '–';

/** "3 min ago". */
export function ago(time: string | null | undefined, now = Date.now()): string {
  if (!time) return '–';
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return seconds < 14 * 86_400 ? plural(Math.round(seconds / 86_400), 'day').concat(' ago') : moment(time);
}
