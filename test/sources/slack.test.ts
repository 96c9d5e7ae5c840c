import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { listEntries, type Source } from '#src/ports/source.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { slack } from '#src/sources/slack/slack.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { sourceSuite } from '#test/suites/source.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import { SLACK_TOKEN, slackFixture } from './fixtures/slack.ts';

sourceSuite(slackFixture);

const at = (time: string, micro = 100) => `${Date.parse(time) / 1000}.${String(micro).padStart(6, '0')}`;
const FILE = {
  ...{ id: 'F0123ABCD', name: 'plan.pdf', size: 9, timestamp: 1_772_600_000, mimetype: 'application/pdf' },
  permalink: 'https://suite.slack.com/files/U1/F0123ABCD/plan.pdf',
  url_private_download: 'https://files.slack.com/files-pri/F0123ABCD/download/plan.pdf',
};
const CHANNELS = [
  {
    ...{ id: 'C0GENERAL', name: 'general' },
    messages: [
      {
        ts: at('2026-03-01T09:15:00Z'),
        user: 'U0ANN',
        text: 'See &lt;this&gt; <https://a.test/x?a=1&amp;b=2|page>, <@U0BEN>!',
      },
      {
        ...{ ts: at('2026-03-01T10:00:00Z'), user: 'U0BEN', text: 'Who is in <#C0OTHER|other>?' },
        thread: [
          { ts: at('2026-03-01T10:05:00Z'), user: 'U0ANN', text: 'I am.\nAnd you?', thread_ts: 'x' },
          { ts: at('2026-03-02T07:00:00Z'), user: 'U0GONE', text: '<!here> me', thread_ts: 'x' },
        ],
      },
      { ts: at('2026-03-01T11:00:00Z'), user: 'U0BEN', text: 'joined', subtype: 'channel_join' },
      { ts: at('2026-03-03T23:59:59Z'), user: 'U0ANN', text: 'with <https://b.test>', files: [FILE] },
      {
        ...{ ts: at('2026-03-04T00:00:00Z'), text: '', username: 'Deploy', subtype: 'bot_message' },
        attachments: [{ id: 1, title: 'Release', text: 'went well', fallback: 'Release went well' }],
      },
    ],
  },
  {
    ...{ id: 'C0OTHER', name: 'other' },
    messages: [{ ts: at('2026-03-05T08:00:00Z'), user: 'U0ANN', text: 'hi' }],
  },
  { ...{ id: 'C0CLOSED', name: 'closed', isOpen: false }, messages: [] },
];
const HELD = { key: SLACK_TOKEN, sample: false, channels: CHANNELS, files: { [FILE.id]: FILE } };
const USERS = { U0ANN: 'Ann Lee', U0BEN: 'Ben' };
const deps = {
  tokens: createMemoryTokens(),
  log: createLogger(),
  limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
};
const buildSettings = (more: object = {}) => ({ chat_token: SLACK_TOKEN, ...more });
const open = (more: object = {}) => openWithDriver(slack, buildSettings(more), deps).source;
const all = (source: Source) => Array.fromAsync(listEntries(source));
const idsIn = async (more: object = {}) => (await all(open(more))).map(({ id }) => id).sort();
const readEntryText = async (source: Source, id: string) => {
  const pieces = await Array.fromAsync((await source.read(id))!.body);
  return new TextDecoder().decode(pieces[0]);
};

describe('Slack channels', () => {
  const vendors = useVendors(
    { vendor: 'slack', settings: { ...HELD, users: USERS } },
    { vendor: 'slack-files', settings: { key: SLACK_TOKEN } },
  );
  const DAYS = ['C0GENERAL/2026-03-01', 'C0GENERAL/2026-03-03', 'C0GENERAL/2026-03-04', 'C0OTHER/2026-03-05'];

  it('are listed by day with shared files, and unreadable channels are skipped', async () => {
    const entries = await all(open());
    expect(entries.map(({ id }) => id).sort()).toEqual([...DAYS, 'file/F0123ABCD']);
    expect(entries.find(({ id }) => id === DAYS[0])).toMatchObject({
      ...{ name: 'general 2026-03-01.md', path: 'general/general 2026-03-01.md' },
      webUrl: `https://suite.slack.com/archives/C0GENERAL/p${at('2026-03-01T09:15:00Z').replace('.', '')}`,
      modifiedAt: new Date(Number(at('2026-03-02T07:00:00Z')) * 1000),
      metadata: { channel_name: 'general', date: '2026-03-01', message_count: 2, is_private: false },
    });
  });

  it('are read as messages with author, time, threads, names and links', async () => {
    const source = open();
    expect(await readEntryText(source, DAYS[0]!)).toBe(
      [
        '# general, 2026-03-01',
        '**Ann Lee** 09:15: See <this> [page](https://a.test/x?a=1&b=2), @Ben!',
        '**Ben** 10:00: Who is in #other?',
        '> **Ann Lee** 10:05: I am.\n> And you?',
        '> **U0GONE** 07:00: @here me\n',
      ].join('\n\n'),
    );
    expect(await readEntryText(source, DAYS[1]!)).toContain('with https://b.test\n');
    expect(await readEntryText(source, DAYS[2]!)).toContain('**Deploy** 00:00: Release\nwent well\n');
    const { seen } = await vendors.current.state();
    const asked = seen.filter(({ operation }) => operation === 'GET /users.info').map(({ url }) => url);
    expect(asked).toHaveLength(new Set(asked).size);
  });

  it('return files from hosts of the vendor only', async () => {
    const source = open();
    expect(await readEntryText(source, 'file/F0123ABCD')).toBe('bytes of F0123ABCD');
    expect(await source.read('file/F0000GONE')).toBeUndefined();
    const away = { ...FILE, url_private_download: 'https://files.slack.com.evil.test/x' };
    await vendors.current.hold({ slack: { files: { [FILE.id]: away } } });
    await expect(source.read('file/F0123ABCD')).rejects.toMatchObject({ retryable: false });
    const { seen } = await vendors.current.state();
    expect(seen.some(({ url }) => url.includes('evil'))).toBe(false);
  });

  it.each<[object, string[]]>([
    [{ channel_ids: 'C0OTHER' }, [DAYS[3]!]],
    [{ channel_ids: ' #C0OTHER , C0GENERAL', latest_date: '2026-03-02' }, [DAYS[0]!]],
    [{ channel_patterns: 'oth' }, [DAYS[3]!]],
    [{ channel_patterns: 'ther, x{1,2}' }, []],
    [
      { channel_patterns: 'gen[a-z]{1,9}$', channel_ids: 'C0OTHER', earliest_date: '2026-03-04' },
      [DAYS[2]!, DAYS[3]!],
    ],
    [{ earliest_date: '2026-03-04', latest_date: '2026-03-04' }, [DAYS[2]!]],
    [{ earliest_date: '2026-03-03T23:59:59Z', latest_date: '2026-03-03' }, [DAYS[1]!, 'file/F0123ABCD']],
    [
      { earliest_date: '2020-01-01', earliest_date_timestamp: Number(at('2026-03-05T00:00:00Z')) },
      [DAYS[3]!],
    ],
    [{ latest_date: '2030-01-01', latest_date_timestamp: Number(at('2026-03-01T12:00:00Z')) }, [DAYS[0]!]],
  ])('are selected by the settings: %j', async (more, ids) => {
    expect(await idsIn(more)).toEqual(ids);
  });

  it('show only the part of a day within the dates', async () => {
    const text = await readEntryText(open({ earliest_date: '2026-03-01T09:30:00Z' }), DAYS[0]!);
    expect(text).not.toContain('09:15');
    expect(text).toContain('10:00');
  });

  it('change the version of one day when a reply arrives', async () => {
    const before = new Map((await all(open())).map(({ id, version }) => [id, version]));
    const late = { ts: at('2026-03-06T07:00:00Z'), user: 'U0BEN', text: 'late', thread_ts: 'x' };
    const channels = structuredClone(CHANNELS);
    (channels[0]!.messages[1] as { thread: object[] }).thread.push(late);
    await vendors.current.hold({ slack: { channels } });
    const after = await all(open());
    expect(after.filter(({ id, version }) => version !== before.get(id)).map(({ id }) => id)).toEqual([
      DAYS[0],
    ]);
  });

  it('are retried later if throttled, and fail if refused', async () => {
    const on = 'GET /conversations.history';
    const saying = (error: string) =>
      ({ kind: 'body', on, body: JSON.stringify({ ok: false, error }) }) as const;
    await vendors.current.fail(saying('ratelimited'));
    await expect(all(open())).rejects.toMatchObject({ retryable: true, retryAfter: 30 });
    await vendors.current.fail(saying('token_revoked'));
    const refused = { retryable: false, message: expect.stringContaining('chat_token') };
    await expect(all(open())).rejects.toMatchObject(refused);
    await expect(all(open({ channel_ids: 'C0CLOSED' }))).rejects.toMatchObject({
      message: expect.stringContaining('channel_ids'),
    });
  });

  it('fail if pages are incomplete or repeat', async () => {
    const on = 'GET /conversations.history';
    const answer = (more: object) =>
      ({ kind: 'body', on, body: JSON.stringify({ ok: true, messages: [], ...more }) }) as const;
    await vendors.current.fail(answer({ has_more: true, response_metadata: { next_cursor: '' } }));
    await expect(all(open({ channel_ids: 'C0OTHER' }))).rejects.toThrow('Slack');
    const again = answer({ response_metadata: { next_cursor: 'bmV4dA==' } });
    await vendors.current.fail(again, again);
    await expect(readEntryText(open(), DAYS[0]!)).rejects.toThrow(
      'Slack returned the same page of messages twice',
    );
  });

  it('name a rejected token', async () => {
    await vendors.current.hold({ slack: { says: 'account_inactive' } });
    await expect(checkWithDriver(slack, buildSettings(), deps)).rejects.toThrow(
      /account_inactive\. Check chat_token/,
    );
  });
});
