import { describe, expect, it } from 'vitest';
import { BadRequest, Upstream } from '#src/lib/errors.ts';
import { createResolver, guardHost, guardUrl } from '#src/upstream/address-guard.ts';

const strict = { ALLOW_PRIVATE_ADDRESSES: false };
const nowhere = async () => [];

describe('guardUrl', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://192.0.0.192/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::a00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'http://[2001:db8::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://metadata.google.internal/',
    'http://printer.local/',
    'http://intranet/',
    'http://printer/',
    'http://user@93.184.215.14/',
    'http://:secret@93.184.215.14/',
    'http://１２７.０.０.１/',
    'http://user:secret@93.184.215.14/',
    'ftp://93.184.215.14/',
    'file:///etc/passwd',
    'not a url',
  ])('rejects %s', async (url) => {
    await expect(guardUrl(url, strict, async () => ['93.184.215.14'])).rejects.toBeInstanceOf(BadRequest);
  });

  it.each([
    'http://93.184.215.14/',
    'http://172.15.255.255/',
    'http://172.32.0.1/',
    'http://100.128.0.1/',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    'http://[::ffff:93.184.215.14]/',
    'http://[64:ff9b::5db8:d70e]/',
    'http://[2002:5db8:d70e::1]/',
  ])('accepts %s without a lookup', async (url) => {
    await expect(guardUrl(url, strict, nowhere)).resolves.toBeInstanceOf(URL);
  });

  it('checks every address of a name', async () => {
    const check = (addresses: string[]) =>
      guardUrl('https://files.example.com/a', strict, async () => addresses);
    await expect(check(['93.184.215.14', '2606:2800:21f::1'])).resolves.toBeInstanceOf(URL);
    await expect(check(['93.184.215.14', '10.0.0.1'])).rejects.toThrow(/not public/);
    await expect(check(['fd00::1'])).rejects.toThrow(/not public/);
    await expect(check(['::ffff:10.0.0.1'])).rejects.toThrow(/not public/);
    await expect(check([])).rejects.toThrow(/does not exist/);
  });

  it('fails if the lookup fails', async () => {
    const failing = () => Promise.reject(new Upstream('no resolver', { retryable: true }));
    await expect(guardUrl('https://files.example.com/', strict, failing)).rejects.toBeInstanceOf(Upstream);
  });

  it('allows private addresses if configured, but no other scheme', async () => {
    const lax = { ALLOW_PRIVATE_ADDRESSES: true };
    await expect(guardUrl('http://127.0.0.1:9000/x', lax, nowhere)).resolves.toBeInstanceOf(URL);
    await expect(guardUrl('http://localhost/x', lax, nowhere)).resolves.toBeInstanceOf(URL);
    await expect(guardUrl('file:///etc/passwd', lax, nowhere)).rejects.toBeInstanceOf(BadRequest);
  });
});

describe('name lookup', () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  it('combines addresses of both families and ignores a family without records', async () => {
    const four = async (name: string) => (name === 'files.example.com' ? ['93.184.215.14'] : []);
    const six = async () => ['2606:2800:21f::1'];
    expect(await createResolver([four, six])('files.example.com')).toEqual([
      '93.184.215.14',
      '2606:2800:21f::1',
    ]);
    expect(await createResolver([four, failing('ENODATA')])('files.example.com')).toEqual(['93.184.215.14']);
    expect(await createResolver([failing('ENOTFOUND'), six])('files.example.com')).toEqual([
      '2606:2800:21f::1',
    ]);
    expect(await createResolver([failing('ENOTFOUND'), failing('ENODATA')])('files.example.com')).toEqual([]);
  });

  it('fails if one family cannot be looked up', async () => {
    const known = async () => ['93.184.215.14'];
    await expect(createResolver([known, failing('ECONNREFUSED')])('files.example.com')).rejects.toMatchObject(
      {
        retryable: true,
        message: 'The address of files.example.com could not be looked up.',
      },
    );
  });
});

describe('guardHost', () => {
  const PUBLIC = ['93.184.215.14', '2606:2800:21f:cb07::1'];

  it('returns the verified addresses', async () => {
    expect(await guardHost('DB.example', strict, async () => PUBLIC)).toEqual({
      name: 'db.example',
      addresses: PUBLIC,
      isPublic: true,
    });
    expect((await guardHost('2606:2800:21f:cb07::1', strict, nowhere)).addresses).toEqual([PUBLIC[1]]);
    expect((await guardHost('93.184.215.14', strict, nowhere)).addresses).toEqual([PUBLIC[0]]);
  });

  it.each(['127.0.0.1', '2130706433', '::1', '::ffff:10.0.0.1', 'localhost', 'db', 'db.internal'])(
    'rejects %s',
    async (host) => {
      await expect(guardHost(host, strict, async () => PUBLIC)).rejects.toBeInstanceOf(BadRequest);
    },
  );

  it('rejects a name with a private address or none', async () => {
    const mixed = guardHost('db.example', strict, async () => [...PUBLIC, '10.0.0.1']);
    await expect(mixed).rejects.toThrow('not public');
    await expect(guardHost('db.example', strict, nowhere)).rejects.toThrow('does not exist');
  });

  it.each(['', 'http://h', 'h:1', 'h/p', 'u@h', 'h?', 'h#', 'a b', '[::1]', 'h\\p'])(
    'rejects %j as host',
    async (host) => {
      await expect(guardHost(host, { ALLOW_PRIVATE_ADDRESSES: true })).rejects.toThrow('must be a name');
    },
  );

  it('skips the lookup if private addresses are allowed', async () => {
    expect(await guardHost('db', { ALLOW_PRIVATE_ADDRESSES: true })).toEqual({
      name: 'db',
      addresses: ['db'],
      isPublic: false,
    });
  });
});
