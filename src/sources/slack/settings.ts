import type { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { compilePattern, type Pattern } from '#src/lib/text/pattern.ts';
import { SourceError } from '#src/ports/source.ts';

export const slackFields = {
  chat_token: secret().describe(
    'Token of a bot or a user. A bot only reads channels that it was invited to.',
  ),
  channel_ids: field.text().describe('Ids of channels, separated by commas.'),
  channel_patterns: field
    .text()
    .describe(
      'Regular expressions, separated by commas. A channel is read if one of them matches the beginning of its name. Channels in channel_ids are read too.',
    ),
  earliest_date: field.text().describe('First day (such as 2026-03-04, in UTC) or time to read, inclusive.'),
  earliest_date_timestamp: field
    .number()
    .describe('Seconds since 1970. Takes precedence over earliest_date.'),
  latest_date: field.text().describe('Last day (in UTC) or time to read, inclusive.'),
  latest_date_timestamp: field.number().describe('Seconds since 1970. Takes precedence over latest_date.'),
};

export type SlackSettings = z.infer<z.ZodObject<typeof slackFields>>;

/** Period of the messages to read, in seconds since 1970. Both ends are inclusive. */
export interface Range {
  oldest: number;
  latest: number;
}

export interface ChannelSelection {
  /** Ids of the Slack channels to read. If both `ids` and `patterns` are empty, all channels are read. */
  ids: string[];
  patterns: Pattern[];
  range: Range;
}

const DAY_SECONDS = 86_400;
const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/;
const MAX_CHANNELS = 1_000;

/** Parses the settings of the data source. Throws a SourceError that names the invalid setting. */
export function parseSelection(settings: SlackSettings): ChannelSelection {
  const ids = splitList(settings.channel_ids ?? '').map((id) => id.replace(/^#/, ''));
  const wrongId = ids.find((id) => !/^[A-Za-z0-9]{1,50}$/.test(id));
  if (wrongId !== undefined)
    throw createSettingError('channel_ids', 'must contain channel ids such as C0123456789');
  const patterns = splitList(settings.channel_patterns ?? '').map((source) => {
    try {
      return compilePattern(`^(?:${source})`);
    } catch (error) {
      throw createSettingError('channel_patterns', (error as Error).message);
    }
  });
  if (ids.length + patterns.length > MAX_CHANNELS) {
    throw createSettingError(
      'channel_ids',
      `and channel_patterns together contain more than ${MAX_CHANNELS} entries`,
    );
  }
  const range = {
    oldest: settings.earliest_date_timestamp ?? parseTime('earliest_date', settings.earliest_date, 0) ?? 0,
    latest:
      settings.latest_date_timestamp ??
      parseTime('latest_date', settings.latest_date, DAY_SECONDS - 1e-6) ??
      Number.POSITIVE_INFINITY,
  };
  if (range.oldest > range.latest) throw createSettingError('earliest_date', 'is after latest_date');
  return { ids, patterns, range };
}

/**
 * Splits a list at commas and newlines. Commas inside brackets do not split the list, because they may be
 * part of a regular expression.
 */
function splitList(list: string): string[] {
  const parts = [''];
  let depth = 0;
  let isEscaped = false;
  for (const character of list) {
    if (!isEscaped && '([{'.includes(character)) depth += 1;
    if (!isEscaped && ')]}'.includes(character)) depth -= 1;
    const isEnd = !isEscaped && depth <= 0 && (character === ',' || character === '\n');
    isEscaped = !isEscaped && character === '\\';
    if (isEnd) parts.push('');
    else parts.push((parts.pop() ?? '') + character);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function parseTime(name: string, text: string | null | undefined, ofDay: number): number | undefined {
  if (!text) return undefined;
  const seconds = Date.parse(text) / 1000;
  if (Number.isNaN(seconds)) throw createSettingError(name, 'must be a date such as 2026-03-04');
  return DAY_ALONE.test(text) ? seconds + ofDay : seconds;
}

const createSettingError = (name: string, what: string) =>
  new SourceError(`${name} ${what}.`, { retryable: false });
