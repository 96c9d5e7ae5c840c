import { sha256 } from '#src/lib/secrets/hash.ts';
import type { Message } from './api.ts';

/** Summary of one day's messages in a Slack channel, as far as the messages have been listed. */
export interface Day {
  /** Date of the messages in UTC, such as 2026-03-04. */
  date: string;
  /** Hash that changes whenever a message of the day or its number of replies changes. */
  version: string;
  count: number;
  /**
   * Timestamp of the oldest message of the day that has been listed so far. Slack lists the newest message
   * first.
   */
  firstTs: string;
  /** Time of the day's last change, in seconds since 1970. `null` if a message has an invalid timestamp. */
  modified: number | null;
}

/** Subtypes of Slack messages that have content. Other subtypes, such as joins and leaves, are ignored. */
const CONTENT_SUBTYPES = new Set(['bot_message', 'file_share', 'me_message']);

/**
 * Returns whether a Slack message is part of its day's text. A reply that is also shown in the channel
 * appears only with its thread.
 */
export const hasContent = ({ subtype }: Message): boolean => !subtype || CONTENT_SUBTYPES.has(subtype);

export const getDate = (ts: string): string => new Date(Number(ts) * 1000).toISOString().slice(0, 10);

export async function addMessage(day: Day | null, message: Message): Promise<Day> {
  const { ts, text, edited, reply_count, latest_reply, user, files } = message;
  const ids = files?.map(({ id }) => id) ?? [];
  const facts = [day?.version ?? '', ts, text, edited?.ts, reply_count, latest_reply, user, ids];
  const times = [ts, edited?.ts, latest_reply].filter((each) => each != null).map(Number);
  const latest = times.every((each) => each > 0) ? Math.max(day?.modified ?? 0, ...times) : null;
  return {
    date: getDate(ts),
    version: (await sha256(JSON.stringify(facts))).slice(0, 32),
    count: (day?.count ?? 0) + 1,
    firstTs: ts,
    modified: day?.modified === null ? null : latest,
  };
}
