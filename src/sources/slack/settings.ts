import type { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { compilePattern, type Pattern } from '#src/lib/text/pattern.ts';
import { SourceError } from '#src/ports/source.ts';

export const slackFields = {
  chat_token: secret().describe('Of a bot or a user; a bot reads the channels that it was invited to.'),
  channel_ids: field.text().describe('Several are separated by commas.'),
  channel_patterns: field
    .text()
    .describe(
      'Regular expressions, separated by commas, of which one must fit the beginning of a channel’s name. Channels by id are read besides.',
    ),
  earliest_date: field.text().describe('A day (2026-03-04, UTC) or a time, which is included.'),
  earliest_date_timestamp: field.number().describe('Seconds since 1970, instead of earliest_date.'),
  latest_date: field.text().describe('A day (UTC) with all of it, or a time.'),
  latest_date_timestamp: field.number().describe('Seconds since 1970, instead of latest_date.'),
};

export type SlackSettings = z.infer<z.ZodObject<typeof slackFields>>;

/** Time range in seconds since 1970. Both ends are inclusive. */
export interface Range {
  oldest: number;
  latest: number;
}

export interface Wanted {
  /** Channel ids to read. If both `ids` and `patterns` are empty, all channels are read. */
  ids: string[];
  patterns: Pattern[];
  range: Range;
}

const DAY_SECONDS = 86_400;
const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/;
const MOST_CHANNELS = 1_000;

/** Parses the settings. Throws a SourceError that names the invalid setting. */
export function wantedOf(settings: SlackSettings): Wanted {
  const ids = partsOf(settings.channel_ids ?? '').map((id) => id.replace(/^#/, ''));
  const wrongId = ids.find((id) => !/^[A-Za-z0-9]{1,50}$/.test(id));
  if (wrongId !== undefined) throw wrong('channel_ids', 'has something that is no id, as C0123456789 is one');
  const patterns = partsOf(settings.channel_patterns ?? '').map((source) => {
    try {
      return compilePattern(`^(?:${source})`);
    } catch (error) {
      throw wrong('channel_patterns', (error as Error).message);
    }
  });
  if (ids.length + patterns.length > MOST_CHANNELS) {
    throw wrong('channel_ids', `and channel_patterns name more than ${MOST_CHANNELS} channels`);
  }
  const range = {
    oldest: settings.earliest_date_timestamp ?? timeOf('earliest_date', settings.earliest_date, 0) ?? 0,
    latest:
      settings.latest_date_timestamp ??
      timeOf('latest_date', settings.latest_date, DAY_SECONDS - 1e-6) ??
      Number.POSITIVE_INFINITY,
  };
  if (range.oldest > range.latest) throw wrong('earliest_date', 'is after latest_date');
  return { ids, patterns, range };
}

/**
 * Splits a list at commas and newlines outside of brackets, because regular expressions may contain commas.
 */
function partsOf(list: string): string[] {
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

function timeOf(name: string, text: string | null | undefined, ofDay: number): number | undefined {
  if (!text) return undefined;
  const seconds = Date.parse(text) / 1000;
  if (Number.isNaN(seconds)) throw wrong(name, 'is no date, as 2026-03-04 is one');
  return DAY_ALONE.test(text) ? seconds + ofDay : seconds;
}

const wrong = (name: string, what: string) => new SourceError(`${name} ${what}.`, { retryable: false });
