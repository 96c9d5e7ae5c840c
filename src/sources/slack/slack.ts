import { type SourceContent, SourceError } from '#src/ports/source.ts';
import { defineSource, type SourceDeps } from '#src/sources/shared/define.ts';
import { createSlackApi, isGone, type Message, type SlackApi } from './api.ts';
import { hasContent } from './days.ts';
import { getChannelName, listingPage } from './listing.ts';
import { parseSelection, type SlackSettings, slackFields } from './settings.ts';

interface MessageWithReplies {
  message: Message;
  replies: Message[];
}

interface Names {
  user(id: string): Promise<string>;
}

const quoteLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

const decodeEntities = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity]!);

const MAX_NAMES = 10_000;
const DAY_SECONDS = 86_400;
/**
 * Maximum number of messages that are read per day or thread. Further messages are cut off, because all
 * messages are kept in memory.
 */
const MAX_MESSAGES = 20_000;
/**
 * Maximum number of pages per day or thread. Slack returns up to 999 messages per page, but may return fewer.
 */
const MAX_PAGES = 1_000;

/**
 * Data source for Slack channels. Each day of a channel becomes a file, and each shared file is listed
 * separately.
 */
export const slack = defineSource({
  kind: 'SOURCE_10_CHAT',
  title: 'Chat workspace',
  client: { word: 'SLACK', className: 'CloudSlackDataSource', fields: { chat_token: 'slack_token' } },
  fields: slackFields,
  capabilities: { versionNamesContent: false, permissions: false, webUrls: true },
  open(settings, deps) {
    const api = createSlackApi(settings, deps);
    const reader = createDayReader(api, settings);
    let workspace: string | undefined;
    return {
      async list(cursor) {
        const selection = parseSelection(settings);
        workspace ??= await api.workspace();
        return listingPage(api, selection, workspace, cursor);
      },
      async read(id) {
        const [first = '', second = ''] = id.split('/');
        try {
          return first === 'file' ? await readFile(api, second) : await reader(first, second);
        } catch (error) {
          if (isGone(error)) return undefined;
          throw error;
        }
      },
    };
  },
  async check(settings: SlackSettings, deps: SourceDeps) {
    const { ids } = parseSelection(settings);
    const api = createSlackApi(settings, deps);
    await api.workspace();
    if (ids.length === 0) await api.channels(null);
    for (const id of ids.slice(0, 20)) {
      await api.channel(id);
      await api.history(id, null, {});
    }
  },
});

function createDayReader(api: SlackApi, settings: SlackSettings) {
  const names = new Map<string, string>();
  const user = async (id: string) => {
    const known = names.get(id);
    if (known !== undefined) return known;
    // The id of the user is shown if the token may not read the name.
    const name = await api.userName(id).catch((error: unknown) => {
      if (error instanceof SourceError && !error.retryable) return id;
      throw error;
    });
    if (names.size < MAX_NAMES) names.set(id, name);
    return name;
  };

  return async (channelId: string, date: string): Promise<SourceContent | undefined> => {
    const start = Date.parse(date) / 1000;
    if (Number.isNaN(start)) return undefined;
    const { range } = parseSelection(settings);
    const bounds = {
      oldest: Math.max(range.oldest, start).toFixed(6),
      latest: Math.min(range.latest, start + DAY_SECONDS - 1e-6).toFixed(6),
    };
    const messages = await readAllMessages((cursor) => api.history(channelId, cursor, bounds));
    const posts: MessageWithReplies[] = [];
    for (const message of messages.filter(hasContent).reverse()) {
      const { ts, reply_count } = message;
      const thread = reply_count ? await readAllMessages((cursor) => api.replies(channelId, ts, cursor)) : [];
      posts.push({ message, replies: thread.filter((reply) => reply.ts !== ts) });
    }
    if (posts.length === 0) return undefined;
    const title = `${getChannelName(await api.channel(channelId))}, ${date}`;
    const text = await renderTranscript(title, posts, { user });
    return { body: encodeBody(text), version: null, contentType: 'text/markdown' };
  };
}

/**
 * Reads all messages of a day or thread. Rejects if Slack repeats a page or the pages never end, because an
 * incomplete text must not be stored as complete.
 */
async function readAllMessages(
  ask: (cursor: string | null) => Promise<{ messages: Message[]; next: string | null }>,
): Promise<Message[]> {
  const all: Message[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page: { messages: Message[]; next: string | null } = await ask(cursor);
    all.push(...page.messages);
    if (page.next === null || all.length >= MAX_MESSAGES) return all;
    if (page.next === cursor) break;
    cursor = page.next;
  }
  throw new SourceError('Slack returned the same page of messages twice or too many pages.', {
    retryable: false,
  });
}

async function* encodeBody(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

async function readFile(api: SlackApi, id: string): Promise<SourceContent | undefined> {
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
 * Renders a day of a channel as Markdown, with the author and time of each message. Replies follow their
 * parent message as quotes.
 */
async function renderTranscript(title: string, posts: MessageWithReplies[], names: Names): Promise<string> {
  const parts = [`# ${title}`];
  for (const { message, replies } of posts) {
    parts.push(await renderMessage(message, names));
    for (const reply of replies) parts.push(quoteLines(await renderMessage(reply, names)));
  }
  return `${parts.join('\n\n')}\n`;
}

async function renderMessage(message: Message, names: Names): Promise<string> {
  const { ts, user, username, text, attachments } = message;
  const name = username || (user ? await names.user(user) : 'Somebody');
  const time = new Date(Number(ts) * 1000).toISOString().slice(11, 16);
  const words = [text, ...(attachments ?? []).flatMap(getAttachmentTexts)].filter((each) => each);
  return `**${name}** ${time}: ${await convertMarkup(words.join('\n'), names)}`;
}

/**
 * Returns the texts of an attachment to a Slack message. The field `fallback` is used only if there is
 * neither a title nor a text.
 */
function getAttachmentTexts({ title, text, fallback }: NonNullable<Message['attachments']>[number]) {
  return title || text ? [title, text] : [fallback];
}

/** Converts Slack's markup for people, channels and links to Markdown. */
async function convertMarkup(text: string, names: Names): Promise<string> {
  const parts: string[] = [];
  let at = 0;
  // Slack escapes literal angle brackets, so every `<...>` is markup.
  for (const { 0: whole, 1: mark = '', index } of text.matchAll(/<([^<>]{1,4000})>/g)) {
    parts.push(decodeEntities(text.slice(at, index)), await convertMention(mark, names));
    at = index + whole.length;
  }
  return [...parts, decodeEntities(text.slice(at))].join('');
}

async function convertMention(mark: string, names: Names): Promise<string> {
  const split = mark.indexOf('|');
  const target = split < 0 ? mark : mark.slice(0, split);
  const label = split < 0 ? '' : decodeEntities(mark.slice(split + 1));
  const kind = target[0];
  const rest = target.slice(1);
  if (kind === '@') return `@${label || (await names.user(rest))}`;
  if (kind === '#') return `#${label || rest}`;
  if (kind === '!') return label || `@${rest.split('^')[0]}`;
  const address = decodeEntities(target);
  return label && label !== address ? `[${label}](${address})` : address;
}
