import { channelName, slackText } from '#test/suites/slack-words.ts';
import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';
import { bearer } from './behaviour.ts';
import { decodeItemText, hashToId, heldIn } from './held-items.ts';

// Channels with messages, threads and files. Each item of the source suite is a channel named after its path,
// with one message that is edited when the item changes. Errors have status 200.

interface HeldMessage {
  ts: string;
  text: string;
  user?: string;
  edited?: { ts: string };
  thread?: HeldMessage[];
  [other: string]: unknown;
}
interface HeldChannel {
  id: string;
  name: string;
  /** Whether the token owner is a member. */
  isOpen?: boolean;
  messages: HeldMessage[];
}

const FIRST = Date.parse('2026-03-04T05:00:00Z') / 1000;
const SAMPLE_CHANNEL: HeldChannel = {
  ...{ id: 'C00000000', name: 'general' },
  messages: [{ ts: `${FIRST}.000100`, text: 'x', user: 'U00000000' }],
};

function channelsIn({ settings }: VendorRequest): HeldChannel[] {
  const ofItems = heldIn(settings).items.map((item, index): HeldChannel => {
    const seconds = Date.parse(item.modifiedAt) / 1000;
    const edited = { ts: Number.isNaN(seconds) ? '-1.000000' : `${seconds.toFixed(6)}` };
    const ts = `${FIRST}.${String(index).padStart(6, '0')}`;
    const text = slackText(decodeItemText(item));
    return {
      ...{ id: `C${hashToId(item.id)}`, name: channelName(item.path) },
      messages: [{ ts, text, edited, user: 'U00000000' }],
    };
  });
  const given = (settings.channels ?? []) as HeldChannel[];
  return [SAMPLE_CHANNEL, ...given, ...ofItems].filter(
    ({ id }) => id !== SAMPLE_CHANNEL.id || settings.sample,
  );
}

const no = (error: string): Answer => ({ body: { ok: false, error } });
const yes = (body: object): Answer => ({ body: { ok: true, ...body } });

/** Continues after the id in the cursor, so that deleted items do not shift pages. */
function page<T>(all: T[], key: (each: T) => string, { query, settings }: VendorRequest) {
  const sorted = [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const rest = query.cursor ? sorted.filter((each) => key(each) > atob(query.cursor!)) : sorted;
  const shown = rest.slice(0, Math.min(heldIn(settings).pageSize, Number(query.limit ?? 100)));
  const next_cursor = rest.length > shown.length ? btoa(key(shown.at(-1)!)) : '';
  return { shown, response_metadata: { next_cursor } };
}

const shownChannel = ({ id, name }: HeldChannel) => ({ id, name, is_channel: true, is_private: false });

function shownMessage({ thread, ...message }: HeldMessage) {
  const replied = thread && {
    ...{ thread_ts: message.ts, reply_count: thread.length },
    latest_reply: thread.at(-1)!.ts,
  };
  return { type: 'message', ...message, ...replied };
}

const inChannel =
  (answer: (channel: HeldChannel, request: VendorRequest) => Answer) => (request: VendorRequest) => {
    const found = channelsIn(request).find(({ id }) => id === request.query.channel);
    return found ? answer(found, request) : no('channel_not_found');
  };

/** Sorts newest first by the distance from a time in the far future. */
const fromEnd = ({ ts }: HeldMessage) => String(1e16 - Math.round(Number(ts) * 1e6));

const history = inChannel(({ messages, isOpen = true }, request) => {
  if (!isOpen) return no('not_in_channel');
  const { oldest = '0', latest = '9999999999' } = request.query;
  const within = messages.filter(({ ts }) => Number(ts) >= Number(oldest) && Number(ts) <= Number(latest));
  const { shown, response_metadata } = page(within, fromEnd, request);
  const has_more = response_metadata.next_cursor !== '';
  return yes({ messages: shown.map(shownMessage), has_more, response_metadata });
});

const replies = inChannel(({ messages }, request) => {
  const parent = messages.find(({ ts }) => ts === request.query.ts);
  if (!parent) return no('thread_not_found');
  const all = [parent, ...(parent.thread ?? [])];
  const { shown, response_metadata } = page(all, ({ ts }) => ts, request);
  const has_more = response_metadata.next_cursor !== '';
  return yes({ messages: shown.map(shownMessage), has_more, response_metadata });
});

const CHANNEL = { channel: SAMPLE_CHANNEL.id };

export const slack: Behaviour = {
  name: 'slack',
  ...bearer,
  error: (_, error) => ({ ok: false, error }),
  settings: { key: 'token-of-the-vendor', sample: true },
  operations: {
    'GET /auth.test': {
      sample: {},
      answer({ settings }) {
        if (settings.says) return no(String(settings.says));
        const ids = { team_id: 'T00000000', user_id: 'U00000000' };
        return yes({ url: 'https://suite.slack.com/', team: 'Suite', user: 'bot', ...ids });
      },
    },
    'GET /conversations.list': {
      sample: { query: { types: 'public_channel', limit: '999' } },
      answer(request) {
        const { shown, response_metadata } = page(channelsIn(request), ({ id }) => id, request);
        return yes({ channels: shown.map(shownChannel), response_metadata });
      },
    },
    'GET /conversations.info': {
      sample: { query: CHANNEL },
      answer: inChannel((channel) => yes({ channel: shownChannel(channel) })),
    },
    'GET /conversations.history': { sample: { query: { ...CHANNEL, limit: '999' } }, answer: history },
    'GET /conversations.replies': {
      sample: { query: { ...CHANNEL, ts: SAMPLE_CHANNEL.messages[0]!.ts } },
      answer: replies,
    },
    'GET /users.info': {
      sample: { query: { user: 'U00000000' } },
      answer({ query, settings }) {
        const names = { U00000000: 'Ann Lee', ...(settings.users as Record<string, string> | undefined) };
        const name = (names as Record<string, string>)[query.user ?? ''];
        return name === undefined
          ? no('user_not_found')
          : yes({ user: { id: query.user, name, real_name: name } });
      },
    },
    'GET /files.info': {
      sample: { query: { file: 'F00000000' } },
      answer({ query, settings }) {
        const files = (settings.files ?? {}) as Record<string, object>;
        const file = files[query.file ?? ''] ?? (settings.sample ? { id: 'F00000000' } : undefined);
        return file ? yes({ file, comments: [] }) : no('file_not_found');
      },
    },
  },
};

/** File hosts, which accept the same token. */
export const slackFiles: Behaviour = {
  name: 'slack-files',
  ...bearer,
  error: (_, error) => ({ error }),
  settings: { key: 'token-of-the-vendor' },
  operations: {
    'GET /files-pri/{file}/download/{name}': {
      sample: { params: { file: 'F00000000', name: 'x.txt' } },
      answer: ({ params }) => ({
        raw: { contentType: 'application/octet-stream', bytes: `bytes of ${params.file}` },
      }),
    },
  },
};
