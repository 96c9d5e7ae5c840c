import { z } from 'zod';
import { type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';
import { type Channel, isGone, type SlackApi, type SlackFile } from './api.ts';
import { addMessage, type Day, getDate, hasContent } from './days.ts';
import type { ChannelSelection } from './settings.ts';

const named = z.object({ id: z.string(), name: z.string().nullish(), is_private: z.boolean().nullish() });
const day = z.object({
  date: z.string(),
  version: z.string(),
  count: z.number(),
  firstTs: z.string(),
  modified: z.number().nullable(),
});
/** Position in a listing of Slack channels. It is stored as the cursor of the listing. */
const position = z.object({
  /**
   * Cursor in Slack's list of channels. `null` means the first page, and `undefined` means that the list has
   * ended.
   */
  channels: z.string().nullable().optional(),
  waiting: z.array(named),
  open: z.object({ channel: named, cursor: z.string().nullable(), day: day.nullable() }).nullable(),
});
type Position = z.infer<typeof position>;

const ENOUGH_ENTRIES = 500;
const MAX_CALLS = 20;

export const getChannelName = ({ id, name }: Pick<Channel, 'id' | 'name'>): string => name || id;

export async function listingPage(
  api: SlackApi,
  selection: ChannelSelection,
  workspace: string,
  cursor: string | null,
): Promise<SourcePage> {
  const at = cursor === null ? createStartPosition(selection) : parsePosition(cursor);
  const entries: SourceEntry[] = [];
  let leftOut = 0;
  for (let calls = 0; calls < MAX_CALLS && entries.length < ENOUGH_ENTRIES; calls++) {
    if (at.open) leftOut += await readNextPage(api, selection, workspace, at, entries);
    else if (at.waiting.length > 0) await openNextChannel(api, selection, at);
    else if (at.channels !== undefined) await findChannels(api, selection, at);
    else return { entries, cursor: null, leftOut };
  }
  return { entries, cursor: JSON.stringify(at), leftOut };
}

function createStartPosition({ ids, patterns }: ChannelSelection): Position {
  const waiting = ids.map((id) => ({ id })).reverse();
  return { waiting, open: null, ...((ids.length === 0 || patterns.length > 0) && { channels: null }) };
}

function parsePosition(cursor: string): Position {
  try {
    return position.parse(JSON.parse(cursor));
  } catch {
    throw new SourceError(
      'The listing cannot continue because its stored position is invalid. Start a new sync.',
      { retryable: false },
    );
  }
}

async function findChannels(api: SlackApi, { ids, patterns }: ChannelSelection, at: Position): Promise<void> {
  const page = await api.channels(at.channels ?? null);
  const found = page.channels.filter(
    ({ id, name }) =>
      !ids.includes(id) && (patterns.length === 0 || patterns.some((each) => each.test(name ?? ''))),
  );
  at.waiting = found.map(({ id, name, is_private }) => ({ id, name, is_private })).reverse();
  if (page.next === null) delete at.channels;
  else at.channels = page.next;
}

/**
 * Opens the next waiting Slack channel. If the settings name the channel by id, its name is requested.
 * Rejects if such a channel does not exist.
 */
async function openNextChannel(api: SlackApi, { ids }: ChannelSelection, at: Position): Promise<void> {
  const next = at.waiting.pop()!;
  const channel = ids.includes(next.id) ? await api.channel(next.id) : next;
  at.open = { channel, cursor: null, day: null };
}

/**
 * Reads a page of messages from the current channel. Resolves with the number of messages that could not be
 * parsed.
 */
async function readNextPage(
  api: SlackApi,
  { ids, range }: ChannelSelection,
  workspace: string,
  at: Position,
  entries: SourceEntry[],
): Promise<number> {
  const { channel, cursor } = at.open!;
  let open: Day | null = at.open!.day;
  const close = () => {
    if (open) entries.push(toDayEntry(channel, open, workspace));
    open = null;
  };
  const bounds = {
    ...(range.oldest > 0 && { oldest: range.oldest.toFixed(6) }),
    ...(Number.isFinite(range.latest) && { latest: range.latest.toFixed(6) }),
  };
  // Skips a channel that the owner of the token has not joined, unless the settings name the channel by id.
  const page = await api.history(channel.id, cursor, bounds).catch((error: unknown) => {
    if (ids.includes(channel.id) || !isGone(error)) throw error;
    return { messages: [], next: null, leftOut: 0 };
  });
  for (const message of page.messages.filter(hasContent)) {
    if (open && (open as Day).date !== getDate(message.ts)) close();
    open = await addMessage(open, message);
    for (const file of message.files ?? []) {
      if (file.url_private_download) entries.push(toFileEntry(channel, file, getDate(message.ts)));
    }
  }
  if (page.next === null) close();
  at.open = page.next === null ? null : { channel, cursor: page.next, day: open };
  return page.leftOut;
}

function toDayEntry(
  channel: Channel,
  { date, version, count, firstTs, modified }: Day,
  workspace: string,
): SourceEntry {
  const name = getChannelName(channel);
  return {
    id: `${channel.id}/${date}`,
    name: `${name} ${date}.md`,
    path: `${name}/${name} ${date}.md`,
    size: null,
    version,
    modifiedAt: modified === null ? null : new Date(modified * 1000),
    webUrl: `${workspace}archives/${channel.id}/p${firstTs.replace('.', '')}`,
    permissions: null,
    metadata: {
      ...{ channel_id: channel.id, channel_name: name, date, message_count: count },
      is_private: channel.is_private ?? false,
    },
  };
}

function toFileEntry(channel: Channel, file: SlackFile, date: string): SourceEntry {
  const { id, size, timestamp, mimetype, permalink } = file;
  const name = file.name || file.title || id;
  return {
    id: `file/${id}`,
    name,
    path: `${getChannelName(channel)}/${date}/${id}/${name}`,
    size: typeof size === 'number' ? size : null,
    // Slack never changes the content of a file. A new version is a new file.
    version: `${id} ${timestamp ?? ''}`,
    modifiedAt: timestamp ? new Date(timestamp * 1000) : null,
    webUrl: permalink ?? null,
    permissions: null,
    metadata: {
      ...{ channel_id: channel.id, channel_name: getChannelName(channel), date },
      ...(mimetype && { mimetype }),
      is_private: channel.is_private ?? false,
    },
  };
}
