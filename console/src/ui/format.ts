import { formatDate, formatDaysAgo, formatNumber } from '../i18n/formatters.ts';
import { t } from '../i18n/messages.ts';

export const count = (value: number | null | undefined): string =>
  value == null ? '–' : formatNumber(value);

/** Formats a share between 0 and 1 as a percentage without decimals. */
export const percent = (share: number): string => formatNumber(share, { style: 'percent' });

/** Formats the score of a search result. */
export const formatScore = (score: number | null | undefined): string =>
  score == null ? '–' : formatNumber(score, { minimumFractionDigits: 3, maximumFractionDigits: 3 });

/** Formats a rate, which has a decimal only if it is small. */
export const formatRate = (rate: number): string =>
  rate < 10 ? formatNumber(rate, ONE_DECIMAL) : count(Math.round(rate));

const ONE_DECIMAL = { minimumFractionDigits: 1, maximumFractionDigits: 1 };

/** Formats a size as an amount and a binary unit. French, for example, writes "Kio" for "KiB". */
export function bytes(value: number | null | undefined): string {
  if (value == null) return '–';
  const units = [t('B'), t('KiB'), t('MiB'), t('GiB'), t('TiB')];
  // The next larger unit begins at 1,023.5 instead of 1,024, so that a rounded size never reads "1024 KiB".
  const power = units.findIndex((_, at) => Math.abs(value) < 1023.5 * 1024 ** at);
  const unit = power < 0 ? units.length - 1 : power;
  const amount = value / 1024 ** unit;
  const digits = amount < 9.95 && unit > 0 ? ONE_DECIMAL : { maximumFractionDigits: 0 };
  return `${formatNumber(amount, { ...digits, useGrouping: false })} ${units[unit]}`;
}

/**
 * Formats a number of seconds, such as "0.4 s", "1 min 20 s" or "2 h 5 min". Rounds before splitting into
 * units, so that no part reaches 60.
 */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return '–';
  if (seconds < 9.95) return t('{seconds} s', { seconds: formatNumber(seconds, ONE_DECIMAL) });
  const whole = Math.round(seconds);
  if (whole < 60) return t('{seconds} s', { seconds: whole });
  if (whole < 3600) {
    return t('{minutes} min {seconds} s', { minutes: Math.floor(whole / 60), seconds: whole % 60 });
  }
  const minutes = Math.round(seconds / 60);
  return t('{hours} h {minutes} min', { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

export const moment = (time: string | null | undefined): string =>
  time ? formatDate(new Date(time), { dateStyle: 'medium', timeStyle: 'short' }) : '–';

/**
 * Formats the time since a date, such as "just now", "3 min ago" or "2 days ago". Returns the date itself
 * after two weeks.
 */
export function ago(time: string | null | undefined, now = Date.now()): string {
  if (!time) return '–';
  const seconds = Math.round((now - Date.parse(time)) / 1000);
  if (seconds < 45) return t('just now');
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return t('{minutes} min ago', { minutes });
  const hours = Math.round(seconds / 3600);
  if (hours < 24) return t('{hours} h ago', { hours });
  const days = Math.round(seconds / 86_400);
  return days < 14 ? formatDaysAgo(days) : moment(time);
}
