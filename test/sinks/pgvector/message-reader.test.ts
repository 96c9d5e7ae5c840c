import { connect } from 'cloudflare:sockets';
import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { negotiateTls } from '#src/sinks/pgvector/channel.ts';
import { MessageReader } from '#src/sinks/pgvector/message-reader.ts';
import { toDirection } from '#test/suites/sink/content.ts';
import { component, open } from './pgvector.ts';

const message = (type: string, body: Uint8Array | string) => {
  const bytes = Buffer.from(body as string);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
};
const kind = (number: number, rest = '') => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(number);
  return Buffer.concat([head, Buffer.from(rest)]);
};
const take = (bytes: Uint8Array, isSecure = false) => [...new MessageReader(isSecure).messages(bytes)];

describe('PostgreSQL messages', () => {
  it('are reassembled from any chunks', () => {
    const column = Buffer.concat([Buffer.from('a\0'), Buffer.alloc(18)]);
    const sent = [
      message('R', kind(0)),
      message('T', Buffer.concat([Buffer.from([0, 2]), column, column])),
      message('D', 'x'.repeat(300)),
      message('Z', 'I'),
    ];
    const bytes = Buffer.concat(sent);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const frames = new MessageReader(false);
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
        let at = 0;
        const got: Buffer[] = [];
        for (const end of ends) {
          got.push(...frames.messages(bytes.subarray(at, end)));
          at = end;
        }
        expect(got.map((each) => each.toString('hex'))).toEqual(sent.map((each) => each.toString('hex')));
      }),
    );
  });

  it.each<[string, Uint8Array]>([
    ['of HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n')],
    ['without a length', message('Z', '').fill(0, 1)],
    ['of unknown type', message('q', '')],
    ['of copies', message('G', '\0\0\0')],
    ['of rows whose columns have no end', message('T', Buffer.from([0, 1, 65, 65]))],
    ['of rows with fewer columns than said', message('T', Buffer.from([0xff, 0xff, 65, 0]))],
    ['of rows without a count', message('T', '')],
    ['that ask for the password in clear', message('R', kind(3))],
    ['that ask to log in another way', message('R', kind(7))],
    ['that ask for nothing', message('R', '')],
    ['of another mechanism', message('R', kind(10, 'SCRAM-SHA-1\0\0'))],
    ['of a challenge without a salt', message('R', kind(11, 'r=abc,i=4096'))],
    ['of a challenge that takes for ever', message('R', kind(11, 'r=abc,s=c2FsdA==,i=9999999'))],
  ])('%s are rejected', async (_, bytes) => {
    expect(() => take(bytes)).toThrow(/^(sent|requires|does not)/);
    const asked = open(component({ user: `bytes ${Buffer.from(bytes).toString('hex')}` }), { silence: 2 });
    await expect(asked.query(toDirection('x'), 5)).rejects.toMatchObject({ name: 'SinkError' });
    const later = open(component({ user: `later ${Buffer.from(bytes).toString('hex')}` }), { silence: 2 });
    await expect(later.query(toDirection('x'), 5)).rejects.toMatchObject({ name: 'SinkError' });
  });

  it('can request a clear-text password over TLS', () => {
    expect(take(message('R', kind(3)), true)).toHaveLength(1);
  });

  it('are rejected if too many or too large', () => {
    const rows = Buffer.concat(Array.from({ length: 60_000 }, () => message('D', '\0\0')));
    expect(() => take(rows)).toThrow('rows');
    expect(() => take(Buffer.from([68, 0x7f, 0xff, 0xff, 0xff]))).toThrow('protocol');
    const frames = new MessageReader(false);
    const large = message('D', Buffer.alloc(9_000_000));
    expect([...frames.messages(large)]).toHaveLength(1);
    expect(() => [...frames.messages(large)]).toThrow('bytes');
  });

  it('with any damage fail only the call', async () => {
    const types = fc.constantFrom(...'RSKZTDC12tnENAI');
    const drawn = fc.sample(
      fc.array(fc.tuple(types, fc.uint8Array({ maxLength: 40 })), { minLength: 1, maxLength: 5 }),
      12 * inject('fuzz').times,
    );
    for (const parts of drawn) {
      const hex = Buffer.concat(parts.map(([type, body]) => message(type, body))).toString('hex');
      for (const order of ['bytes', 'later']) {
        const asked = open(component({ user: `${order} ${hex}` }), { silence: 0.1 }).query(
          toDirection('x'),
          5,
        );
        await expect(asked).rejects.toMatchObject({ name: 'SinkError' });
      }
    }
  });
});

it('nothing is sent to a public address without TLS', async () => {
  const talk = (isPublic: boolean) => {
    const address = { hostname: '127.0.0.1', port: inject('relational') };
    const socket = connect(address, { secureTransport: 'starttls', allowHalfOpen: false });
    return negotiateTls(socket, { name: 'db.example', addresses: ['93.184.215.14'], isPublic });
  };
  await expect(talk(true)).rejects.toThrow('does not offer TLS');
  (await talk(false)).destroy();
});
