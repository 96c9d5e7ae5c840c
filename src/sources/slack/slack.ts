import { type SourceContent, SourceError } from '#src/ports/source.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';
import { isGone, type Message, type SlackApi, slackApi } from './api.ts';
import { isSaid } from './days.ts';
import { listingPage, nameOf } from './listing.ts';
import { type SlackSettings, slackFields, wantedOf } from './settings.ts';

interface Said {
  message: Message;
  replies: Message[];
}

interface Names {
  user(id: string): Promise<string>;
}

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

const decoded = (text: string): string => text.replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity]!);

const MOST_NAMES = 10_000;
const DAY_SECONDS = 86_400;
/**
 * Maximum number of messages read per day or thread, because they are all kept in memory. Further messages
 * are cut off.
 */
const MOST_MESSAGES = 20_000;
/**
 * Maximum number of pages per day or thread. Slack returns up to 999 messages per page, and may return fewer.
 */
const MOST_PAGES = 1_000;

/**
 * Source for Slack channels. Each day of a channel becomes a file, and each shared file is listed separately.
 */
export const slack = defineSource({
  kind: 'SOURCE_10_CHAT',
  title: 'Chat workspace',
  client: { word: 'SLACK', className: 'CloudSlackDataSource', fields: { chat_token: 'slack_token' } },
  fields: slackFields,
  capabilities: { versionNamesContent: false, permissions: false, webUrls: true },
  open(settings, deps) {
    const api = slackApi(settings, deps);
    const reader = dayReader(api, settings);
    let workspace: string | undefined;
    return {
      async list(cursor) {
        const wanted = wantedOf(settings);
        workspace ??= await api.workspace();
        return listingPage(api, wanted, workspace, cursor);
      },
      async read(id) {
        const [first = '', second = ''] = id.split('/');
        try {
          return first === 'file' ? await fileContent(api, second) : await reader(first, second);
        } catch (error) {
          if (isGone(error)) return undefined;
          throw error;
        }
      },
    };
  },
  async check(settings: SlackSettings, deps: SourceDeps) {
    const { ids } = wantedOf(settings);
    const api = slackApi(settings, deps);
    await api.workspace();
    if (ids.length === 0) await api.channels(null);
    for (const id of ids.slice(0, 20)) {
      await api.channel(id);
      await api.history(id, null, {});
    }
  },
});

function dayReader(api: SlackApi, settings: SlackSettings) {
  const names = new Map<string, string>();
  const user = async (id: string) => {
    const known = names.get(id);
    if (known !== undefined) return known;
    // Use the id if the token may not read the user's name.
    const name = await api.userName(id).catch((error: unknown) => {
      if (error instanceof SourceError && !error.retryable) return id;
      throw error;
    });
    if (names.size < MOST_NAMES) names.set(id, name);
    return name;
  };

  return async (channelId: string, date: string): Promise<SourceContent | undefined> => {
    const start = Date.parse(date) / 1000;
    if (Number.isNaN(start)) return undefined;
    const { range } = wantedOf(settings);
    const bounds = {
      oldest: Math.max(range.oldest, start).toFixed(6),
      latest: Math.min(range.latest, start + DAY_SECONDS - 1e-6).toFixed(6),
    };
    const messages = await whole((cursor) => api.history(channelId, cursor, bounds));
    const said: Said[] = [];
    for (const message of messages.filter(isSaid).reverse()) {
      const { ts, reply_count } = message;
      const thread = reply_count ? await whole((cursor) => api.replies(channelId, ts, cursor)) : [];
      said.push({ message, replies: thread.filter((reply) => reply.ts !== ts) });
    }
    if (said.length === 0) return undefined;
    const title = `${nameOf(await api.channel(channelId))}, ${date}`;
    const text = await transcriptOf(title, said, { user });
    return { body: bodyOf(text), version: null, contentType: 'text/markdown' };
  };
}

/**
 * Reads all messages of a day or thread. Rejects if Slack repeats a page or the pages never end, because an
 * incomplete text must not be stored as complete.
 */
async function whole(
  ask: (cursor: string | null) => Promise<{ messages: Message[]; next: string | null }>,
): Promise<Message[]> {
  const all: Message[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page: { messages: Message[]; next: string | null } = await ask(cursor);
    all.push(...page.messages);
    if (page.next === null || all.length >= MOST_MESSAGES) return all;
    if (page.next === cursor) break;
    cursor = page.next;
  }
  throw new SourceError('Slack’s list of messages does not end.', { retryable: false });
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

async function fileContent(api: SlackApi, id: string): Promise<SourceContent | undefined> {
  const { url_private_download: address } = await api.file(id);
  if (!address) return undefined;
  const response = await api.download(address);
  if (response.status === 404) {
    await response.body?.cancel();
    return undefined;
  }
  if (!response.ok) throw await api.http.failure(response, `file ${id}`);
  return { body: api.http.body(response), version: null, contentType: null };
}

/**
 * Renders a channel day as Markdown, with the author and time of each message. Replies follow their parent as
 * quotes.
 */
async function transcriptOf(title: string, said: Said[], names: Names): Promise<string> {
  const parts = [`# ${title}`];
  for (const { message, replies } of said) {
    parts.push(await spoken(message, names));
    for (const reply of replies) parts.push(quoted(await spoken(reply, names)));
  }
  return `${parts.join('\n\n')}\n`;
}

async function spoken(message: Message, names: Names): Promise<string> {
  const { ts, user, username, text, attachments } = message;
  const name = username || (user ? await names.user(user) : 'Somebody');
  const time = new Date(Number(ts) * 1000).toISOString().slice(11, 16);
  const words = [text, ...(attachments ?? []).flatMap(wordsOf)].filter((each) => each);
  return `**${name}** ${time}: ${await plain(words.join('\n'), names)}`;
}

/** Returns the text of a message attachment. `fallback` is used only without a title and text. */
function wordsOf({ title, text, fallback }: NonNullable<Message['attachments']>[number]) {
  return title || text ? [title, text] : [fallback];
}

/** Converts Slack's markup for people, channels and links to Markdown. */
async function plain(text: string, names: Names): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  // Slack escapes literal angle brackets, so every `<...>` is markup.
  for (const { 0: whole, 1: mark = '', index } of text.matchAll(/<([^<>]{1,4000})>/g)) {
    parts.push(decoded(text.slice(at, index)), await shown(mark, names));
    at = index + whole.length;
  }
  return [...parts, decoded(text.slice(at))].join('');
}

async function shown(mark: string, names: Names): Promise<string> {
  const split = mark.indexOf('|');
  const target = split < 0 ? mark : mark.slice(0, split);
  const label = split < 0 ? '' : decoded(mark.slice(split + 1));
  const kind = target[0];
  const rest = target.slice(1);
  if (kind === '@') return `@${label || (await names.user(rest))}`;
  if (kind === '#') return `#${label || rest}`;
  if (kind === '!') return label || `@${rest.split('^')[0]}`;
  const address = decoded(target);
  return label && label !== address ? `[${label}](${address})` : address;
}
