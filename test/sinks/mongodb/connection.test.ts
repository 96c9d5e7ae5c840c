import { describe, expect, inject, it, vi } from 'vitest';
import { parseMongoUri } from '#src/sinks/mongodb/address.ts';
import { createMongoConnection } from '#src/sinks/mongodb/connection.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { MongoSession, PASSWORD } from '#test/vendors/mongodb/client.ts';
import { PASSWORD_IN_CLEAR } from '#test/vendors/mongodb/protocol.ts';

const at = inject('mongodb');
const settings = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 };
const open = (session: MongoSession, db_uri = session.uri(), silence = 5, ...found: string[]) => {
  const name = { db_uri, db_name: session.name, collection_name: 'c' };
  const deps = { settings: { ...settings, SILENCE_SECONDS: silence } };
  if (found.length === 0) return createMongoConnection(name, deps);
  return createMongoConnection(name, deps, async (address) => ({
    hosts: address.hosts.map((host) => ({ ...host, addresses: found })),
  }));
};
const make = (connection: ReturnType<typeof open>, name = 'made') =>
  connection.run('a test', (db) => db.createCollection(name));
const catchFailure = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as Error,
  );

describe('MongoDB connection', () => {
  it('connects to the primary in any list order', async () => {
    for (const hosts of [`${at.secondary},${at.primary}`, `${at.primary},${at.secondary}`]) {
      const session = new MongoSession();
      await make(open(session, session.uri('replicaSet=set', hosts)));
      const { seen } = await session.state();
      expect(seen.filter((command) => 'create' in command)).toMatchObject([{ isPrimary: true }]);
    }
  });

  it('does not connect to hosts that only a server names', async () => {
    const session = new MongoSession();
    const failure = await catchFailure(make(open(session, session.uri('', at.secondary))));
    expect(failure).toMatchObject({
      name: 'SinkError',
      retryable: true,
      message: expect.stringContaining('primary'),
    });
    const { seen } = await session.state();
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every(({ isPrimary }) => !isPrimary)).toBe(true);
  });

  it('uses only the given host with directConnection', async () => {
    const session = new MongoSession();
    const failure = await catchFailure(
      make(open(session, session.uri('directConnection=true', at.secondary))),
    );
    expect(failure).toMatchObject({ retryable: true, message: expect.stringContaining('not primary') });
  });

  it('uses the verified addresses even if the name now resolves elsewhere', async () => {
    const session = new MongoSession();
    const [, port] = at.primary.split(':');
    await make(open(session, session.uri('', `db.example.test:${port}`), 5, '127.0.0.1'));
    expect((await session.state()).seen.some((command) => 'create' in command)).toBe(true);
  });

  it('sends the host name in TLS', async () => {
    const session = new MongoSession();
    const secure = session.uri('tls=true', `localhost:${at.tls.split(':')[1]}`);
    const failure = await catchFailure(make(open(session, secure, 1, '127.0.0.1')));
    expect(failure).toMatchObject({ name: 'SinkError', retryable: true });
    const hellos = await (await fetch(`${at.control}/hellos`)).text();
    expect(hellos).toContain('localhost');
  });

  it('rejects a private address before sending anything', async () => {
    const session = new MongoSession();
    const deps = { settings: { ...settings, ALLOW_PRIVATE_ADDRESSES: false } };
    const one = { db_uri: session.uri(), db_name: session.name, collection_name: 'c' };
    const failure = await catchFailure(make(createMongoConnection(one, deps)));
    expect(failure).toMatchObject({
      retryable: false,
      message: expect.stringMatching(/127\.0\.0\.1.*db_uri/),
    });
    expect((await session.state()).seen).toEqual([]);
  });

  it('is shared by concurrent calls and closed afterwards', async () => {
    const session = new MongoSession();
    const connection = open(session);
    await Promise.all([make(connection, 'a'), make(connection, 'b')]);
    // The connection stays open during a call, however long the call takes.
    const { open: opened } = await connection.run('a test', async (db) => {
      await db.createCollection('c');
      return session.state();
    });
    expect(opened).toBe(2);
    await vi.waitFor(async () => expect((await session.state()).open).toBe(0), { timeout: PATIENCE_MS });
    await make(connection, 'd');
  });

  it('fails the call when lost, with a retryable error', async () => {
    const session = new MongoSession();
    const connection = open(session, session.uri('retryWrites=false'));
    await make(connection, 'a');
    await session.fail({ on: 'create', kind: 'cut' });
    expect(await catchFailure(make(connection, 'b'))).toMatchObject({ name: 'SinkError', retryable: true });
    await make(connection, 'b');
  });

  it('times out when the server is silent and leaves nothing open', async () => {
    const session = new MongoSession();
    await session.fail({ on: 'create', kind: 'silent' });
    expect(await catchFailure(make(open(session, session.uri(), 0.4)))).toMatchObject({ retryable: true });
    await vi.waitFor(async () => expect((await session.state()).open).toBe(0), { timeout: PATIENCE_MS });
  });

  it.each([
    ['is silent', at.silent],
    ['is not there', '127.0.0.1:1'],
  ])('to a host that %s is retryable', async (_, host) => {
    const session = new MongoSession();
    const failure = await catchFailure(make(open(session, session.uri('', host), 0.5)));
    expect(failure).toMatchObject({
      name: 'SinkError',
      retryable: true,
      message: expect.stringMatching(/^MongoDB Atlas did not answer a request for a test: /),
    });
    expect((await session.state()).seen).toEqual([]);
  });

  it('ignores an unreachable host if another one answers', async () => {
    const session = new MongoSession();
    await make(open(session, session.uri('', `127.0.0.1:1,${at.primary}`)), 'made');
    const { seen } = await session.state();
    expect(seen.filter((command) => 'create' in command)).toMatchObject([
      { create: 'made', isPrimary: true },
    ]);
  });
});

describe('MongoDB errors', () => {
  it.each([
    [18, 'AuthenticationFailed', { retryable: false, status: 401 }],
    [13, 'Unauthorized', { retryable: false, status: 403 }],
    [8000, 'AtlasError: bad auth', { retryable: false, status: 401 }],
    [10_107, 'NotWritablePrimary', { retryable: true }],
    [189, 'PrimarySteppedDown', { retryable: true }],
    [50, 'MaxTimeMSExpired', { retryable: true }],
    [26, 'NamespaceNotFound', { retryable: false }],
  ])('convert the code %i (%s)', async (code, codeName, expected) => {
    const session = new MongoSession();
    const answer = {
      ok: 0,
      errmsg: `${codeName} ${session.uri()} ${PASSWORD} ${PASSWORD_IN_CLEAR}`,
      code,
      codeName,
    };
    await session.fail({ on: 'create', kind: 'answer', answer });
    const failure = await catchFailure(make(open(session)));
    expect(failure).toMatchObject({
      name: 'SinkError',
      message: expect.stringContaining('MongoDB Atlas'),
      ...expected,
    });
    if ('status' in expected) expect(failure.message).toContain('db_uri');
    for (const secret of [PASSWORD, PASSWORD_IN_CLEAR]) expect(failure.message).not.toContain(secret);
  });

  it('do not reveal a wrong password', async () => {
    const session = new MongoSession();
    const failure = await catchFailure(make(open(session, session.uri().replace(PASSWORD, 'another%20one'))));
    expect(failure).toMatchObject({
      retryable: false,
      status: 401,
      message: expect.stringContaining('db_uri'),
    });
    expect(failure.message).not.toMatch(/another( |%20)one/);
  });

  it('explain an invalid address', async () => {
    const session = new MongoSession();
    const uri = session.uri('tlsCAFile=/x');
    expect(() => parseMongoUri(uri)).toThrow('tlsCAFile');
    const failure = await catchFailure(make(open(session, uri)));
    expect(failure).toMatchObject({ retryable: false, message: expect.stringMatching(/tlsCAFile.*db_uri/) });
  });
});
