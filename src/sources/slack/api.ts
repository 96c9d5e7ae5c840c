import { z } from 'zod';
import { SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { SlackSettings } from './settings.ts';

const API = 'https://slack.com/api';
/**
 * Matches the hosts that belong to Slack. Files are downloaded only from these hosts, because the request
 * contains the access token.
 */
const FILE_HOST = /^(?:[a-z0-9-]{1,63}\.){1,5}slack\.com$/;
/** Maximum number of results per page of a list, according to Slack's documentation. */
const PAGE = '999';
/** Slack error codes of temporary failures, which are retried. */
const RETRYABLE_CODES = new Set([
  ...['ratelimited', 'rate_limited', 'internal_error', 'fatal_error', 'service_unavailable'],
  ...['request_timeout', 'team_added_to_org', 'org_login_required'],
]);
const TOKEN_CODES = new Set([
  ...['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired', 'no_permission'],
  ...['missing_scope', 'not_allowed_token_type', 'ekm_access_denied', 'enterprise_is_restricted'],
]);

/**
 * Timestamp of a Slack message in seconds since 1970, with six decimals. The timestamp identifies the message
 * within its channel.
 */
const timestamp = z.string().regex(/^\d{1,12}(?:\.\d{1,9})?$/);

const file = z.object({
  id: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.unknown().optional(),
  timestamp: z.number().nullish(),
  user: z.string().nullish(),
  permalink: z.string().nullish(),
  url_private_download: z.string().nullish(),
  mode: z.string().nullish(),
});
export type SlackFile = z.infer<typeof file>;

const message = z.object({
  ts: timestamp,
  subtype: z.string().nullish(),
  text: z.string().nullish(),
  user: z.string().nullish(),
  username: z.string().nullish(),
  thread_ts: z.string().nullish(),
  reply_count: z.number().nullish(),
  latest_reply: z.string().nullish().catch(null),
  edited: z.object({ ts: z.string() }).nullish().catch(null),
  attachments: z
    .array(
      z.object({ title: z.string().nullish(), text: z.string().nullish(), fallback: z.string().nullish() }),
    )
    .nullish()
    .catch(null),
  files: z.array(file).nullish().catch(null),
});
export type Message = z.infer<typeof message>;

const channel = z.object({
  id: z.string(),
  name: z.string().nullish(),
  is_private: z.boolean().nullish(),
  is_member: z.boolean().nullish(),
});
export type Channel = z.infer<typeof channel>;

const more = { response_metadata: z.object({ next_cursor: z.string().nullish() }).nullish() };
/** Schema of one page of messages. Messages that cannot be parsed are left out and counted. */
const messages = z
  .object({ messages: z.array(z.unknown()), has_more: z.boolean().nullish().catch(null), ...more })
  .transform(({ messages: given, has_more, ...rest }, context) => {
    // Rejects a list that claims to have more messages but has no cursor. A sync would delete the messages
    // that are missing from such a list.
    if (has_more && !rest.response_metadata?.next_cursor) {
      context.addIssue({ code: 'custom', path: ['response_metadata', 'next_cursor'] });
    }
    const known = given.flatMap((each) => message.safeParse(each).data ?? []);
    return { ...rest, messages: known, leftOut: given.length - known.length };
  });
const channels = z.object({ channels: z.array(channel), ...more });
const refusal = z.object({ ok: z.literal(false), error: z.string(), needed: z.string().nullish() });
const profile = z.object({ display_name: z.string().nullish(), real_name: z.string().nullish() }).nullish();
const user = z.object({ name: z.string().nullish(), real_name: z.string().nullish(), profile });

export class SlackRefusal extends SourceError {
  readonly reason: string;
  constructor(code: string, message: string) {
    super(message, {
      retryable: RETRYABLE_CODES.has(code),
      retryAfter: RETRYABLE_CODES.has(code) ? 30 : undefined,
    });
    this.reason = code;
  }
}

export function createSlackApi({ chat_token }: SlackSettings, { http: httpFor }: SourceDeps) {
  const http = httpFor({ name: 'Slack' });
  const headers = { authorization: `Bearer ${chat_token}` };

  async function callMethod<T>(
    method: string,
    query: Record<string, string | null>,
    schema: z.ZodType<T>,
  ): Promise<T> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
    const url = `${API}/${method}?${new URLSearchParams(given)}`;
    const response = await http.fetch(url, { headers });
    if (response.status === 401) throw await http.failure(response, `${method} with this chat_token`);
    if (!response.ok) throw await http.failure(response, method);
    const answer = await http.json(response);
    const { data: no } = refusal.safeParse(answer);
    if (no) throw createRefusal(method, no);
    const { data, error } = z
      .object({ ok: z.literal(true) })
      .and(schema)
      .safeParse(answer);
    if (error)
      throw new SourceError(`Slack answered ${method} with JSON in an unexpected format.`, {
        retryable: false,
      });
    return data;
  }

  const toPage = <T extends z.output<z.ZodObject<typeof more>>>({ response_metadata, ...answer }: T) => ({
    ...answer,
    next: response_metadata?.next_cursor || null,
  });

  return {
    /** Returns the URL of the Slack workspace. All links to messages begin with this URL. */
    async workspace(): Promise<string> {
      return (await callMethod('auth.test', {}, z.object({ url: z.string() }))).url;
    },
    async channels(cursor: string | null) {
      const types = 'public_channel,private_channel';
      return toPage(await callMethod('conversations.list', { types, limit: PAGE, cursor }, channels));
    },
    async channel(id: string): Promise<Channel> {
      return (await callMethod('conversations.info', { channel: id }, z.object({ channel }))).channel;
    },
    /** Returns one page of a channel's messages, newest first, without thread replies. */
    async history(id: string, cursor: string | null, range: { oldest?: string; latest?: string }) {
      const { oldest = null, latest = null } = range;
      const inclusive = (oldest ?? latest) ? 'true' : null;
      const query = { channel: id, limit: PAGE, cursor, oldest, latest, inclusive };
      return toPage(await callMethod('conversations.history', query, messages));
    },
    /** Returns one page of a thread, oldest message first. All other messages reply to the first one. */
    async replies(id: string, ts: string, cursor: string | null) {
      return toPage(
        await callMethod('conversations.replies', { channel: id, ts, limit: PAGE, cursor }, messages),
      );
    },
    async userName(id: string): Promise<string> {
      const { user: found } = await callMethod('users.info', { user: id }, z.object({ user }));
      const { name, real_name, profile } = found;
      return profile?.display_name || profile?.real_name || real_name || name || id;
    },
    async file(id: string): Promise<SlackFile> {
      return (await callMethod('files.info', { file: id }, z.object({ file }))).file;
    },
    /** Downloads a file. Throws if the URL is not on one of Slack's own hosts. */
    async download(address: string): Promise<Response> {
      const url = URL.parse(address);
      if (url?.protocol !== 'https:' || !FILE_HOST.test(url.hostname)) {
        throw new SourceError('Slack returned a file URL that is not on one of its own hosts.', {
          retryable: false,
        });
      }
      return http.fetch(url, { headers });
    },
    http,
  };
}
export type SlackApi = ReturnType<typeof createSlackApi>;

function createRefusal(method: string, { error, needed }: z.infer<typeof refusal>): SlackRefusal {
  const code = error.slice(0, 100);
  const about = TOKEN_CODES.has(code)
    ? `. Check chat_token${needed ? `, which needs the scope ${needed.slice(0, 100)}` : ''}`
    : code === 'channel_not_found' || code === 'not_in_channel'
      ? '. Check channel_ids: the owner of chat_token must be a member of the channel'
      : '';
  return new SlackRefusal(code, `Slack refused ${method}: ${code}${about}.`);
}

/**
 * Returns whether the error means that the channel, thread or file does not exist or is not visible to the
 * token.
 */
export const isGone = (error: unknown): boolean =>
  error instanceof SlackRefusal &&
  ['channel_not_found', 'not_in_channel', 'thread_not_found', 'file_not_found', 'file_deleted'].includes(
    error.reason,
  );
