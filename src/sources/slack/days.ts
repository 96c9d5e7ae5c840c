import { sha256 } from '#src/lib/secrets/hash.ts';
import type { Message } from './api.ts';

/** The messages of one day of a channel, as far as they have been listed. */
export interface Day {
  /** 2026-03-04, UTC. */
  date: string;
  /** Differs when a message of the day, or how many reply to it, does. */
  version: string;
  count: number;
  /** The oldest so far: listings begin with the newest. */
  firstTs: string;
  /** Seconds since 1970; null where a message's own time makes no sense. */
  modified: number | null;
}

/** What people wrote, and programs in their place; not that somebody came or went. */
const SAID = new Set(['bot_message', 'file_share', 'me_message']);

/** Whether a message is part of its day. A reply that is shown in the channel too is in its thread. */
export const isSaid = ({ subtype }: Message): boolean => !subtype || SAID.has(subtype);

export const dayOf = (ts: string): string => new Date(Number(ts) * 1000).toISOString().slice(0, 10);

/** The day with one message more. */
export async function withMessage(day: Day | null, message: Message): Promise<Day> {
  const { ts, text, edited, reply_count, latest_reply, user, files } = message;
  const ids = files?.map(({ id }) => id) ?? [];
  const facts = [day?.version ?? '', ts, text, edited?.ts, reply_count, latest_reply, user, ids];
  const times = [ts, edited?.ts, latest_reply].filter((each) => each != null).map(Number);
  const latest = times.every((each) => each > 0) ? Math.max(day?.modified ?? 0, ...times) : null;
  return {
    date: dayOf(ts),
    version: (await sha256(JSON.stringify(facts))).slice(0, 32),
    count: (day?.count ?? 0) + 1,
    firstTs: ts,
    modified: day?.modified === null ? null : latest,
  };
}
