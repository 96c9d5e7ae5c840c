import { describe, expect, it } from 'vitest';
import { getHostList, parseMongoUri } from '#src/sinks/mongodb/address.ts';
import { type Dns, findHosts } from '#src/sinks/mongodb/hosts.ts';
import { createResolver, resolvePublicAddresses } from '#src/upstream/address-guard.ts';

const SECRET = 'p%40ss%3Aw%2Frd%25';

describe('parseMongoUri', () => {
  it('returns hosts, credentials and options', () => {
    const address = parseMongoUri(
      `mongodb://the%20user:${SECRET}@A.test:7,[::1],10.0.0.1:27018/admin?replicaSet=set&TLS=true&w=majority&retryWrites=false`,
    );
    expect(address).toMatchObject({
      hosts: [
        { name: 'a.test', port: 7 },
        { name: '[::1]', port: 27_017 },
        { name: '10.0.0.1', port: 27_018 },
      ],
      credentials: { username: 'the user', password: 'p@ss:w/rd%' },
      database: 'admin',
      options: { replicaSet: 'set', tls: true, w: 'majority', retryWrites: false, isDirect: false },
    });
    expect(address.secrets).toEqual(expect.arrayContaining([SECRET, 'p@ss:w/rd%']));
  });

  it('enables TLS by default for SRV names only', () => {
    expect(parseMongoUri('mongodb+srv://u:p@c.example.test/')).toMatchObject({
      srv: 'c.example.test',
      options: { tls: true },
    });
    expect(parseMongoUri('mongodb://u:p@c.example.test').options.tls).toBe(false);
  });

  it('normalizes other notations of an IPv4 address', () => {
    const names = parseMongoUri('mongodb://0x7f.1,2130706433,017700000001/').hosts.map(({ name }) => name);
    expect(names).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  });

  it.each([
    ...['tlsCAFile=/etc/passwd', 'tlsCertificateKeyFile=/k', 'tlsInsecure=true', 'sslValidate=false'],
    ...['tlsAllowInvalidCertificates=true', 'tlsAllowInvalidHostnames=true', 'proxyHost=10.0.0.1'],
    ...['authMechanismProperties=ENVIRONMENT:azure', 'loadBalanced=true', 'readPreference=secondary'],
    ...[
      'compressors=zlib',
      'srvServiceName=x',
      'autoEncryption=1',
      'lookup=x',
      '__proto__=1',
      'constructor=1',
    ],
  ])('rejects %s and names the option', (option) => {
    const [name, value] = option.split('=');
    const parse = () => parseMongoUri(`mongodb://u:${SECRET}@a.test/?appName=x&${option}`);
    expect(parse).toThrow(`The option ${name} is not supported`);
    expect(parse).not.toThrow(value!.length > 1 ? value : SECRET);
  });

  it.each([
    ['authMechanism=MONGODB-OIDC', 'authMechanism'],
    ['authMechanism=MONGODB-AWS', 'authMechanism'],
    ['authMechanism=GSSAPI', 'authMechanism'],
    ['w=0', 'w'],
    ['connectTimeoutMS=-1', 'connectTimeoutMS'],
    ['socketTimeoutMS=0', 'socketTimeoutMS'],
    ['tls=maybe', 'tls'],
    ['tls=true&ssl=false', 'tls'],
    ['replicaSet=a&replicaset=b', 'replicaSet'],
  ])('names the wrong option in %s', (options, name) => {
    expect(() => parseMongoUri(`mongodb://a.test/?${options}`)).toThrow(name);
  });

  it.each([
    ...[
      '',
      'a.test',
      'http://a.test',
      'mongodb://',
      'mongodb://u:p@/x',
      'mongodb://a.test:0/',
      'mongodb://a:b:c/',
    ],
    ...[
      'mongodb://a.test:99999/',
      'mongodb://%2Ftmp%2Fmongodb-27017.sock/',
      'mongodb://a b/',
      'mongodb+srv://a,b/',
    ],
    ...['mongodb+srv://a.test:1/', 'mongodb://a,b/?directConnection=true', `mongodb://${'a,'.repeat(60)}a/`],
    ...[`mongodb://u:x@${SECRET}@a/`, 'mongodb://u:hidden%@a/', 'mongodb://u:hidden/part@a/'],
  ])('rejects %s without revealing a secret', (uri) => {
    expect(() => parseMongoUri(uri)).toThrow();
    expect(() => parseMongoUri(uri)).not.toThrow(/hidden|ss%3A/);
  });

  it('returns the same hosts for other passwords and options', () => {
    expect(getHostList('mongodb://u:one@a,b/db?w=1')).toBe('a,b');
    expect(getHostList('mongodb+srv://u:two@c.test')).toBe('c.test');
    expect(getHostList('nothing')).toBeUndefined();
  });
});

describe('MongoDB hosts', () => {
  const guarded = { ALLOW_PRIVATE_ADDRESSES: false, SILENCE_SECONDS: 5 };
  const PUBLIC = '93.184.216.34';
  const known: Record<string, string[]> = {
    'a.example.com': [PUBLIC],
    'inside.example.com': [PUBLIC, '10.0.0.8'],
    'a.example.org': [PUBLIC],
    'a.badexample.com': [PUBLIC],
  };
  const dns = (srv: string[] = [], txt: string[] = []): Dns => ({
    srv: async () => srv.map((name) => ({ name, port: 27_017 })),
    txt: async () => txt.map((text) => [text]),
    addresses: (name) => resolvePublicAddresses(name, createResolver([async (asked) => known[asked] ?? []])),
  });
  const found = (uri: string, by = dns()) => findHosts(parseMongoUri(uri), guarded, by);

  it('include the verified addresses', async () => {
    expect(await found(`mongodb://a.example.com:7,${PUBLIC}/`)).toEqual({
      hosts: [
        { name: 'a.example.com', port: 7, addresses: [PUBLIC] },
        { name: PUBLIC, port: 27_017, addresses: [PUBLIC] },
      ],
    });
  });

  it.each([
    ...['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254', 'localhost'],
    ...['db', 'db.internal', 'inside.example.com', 'unknown.example.com'],
  ])('are rejected if one is %s', async (host) => {
    await expect(found(`mongodb://a.example.com,${host}/`)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(
      findHosts(parseMongoUri(`mongodb://${host}/`), { ...guarded, ALLOW_PRIVATE_ADDRESSES: true }),
    ).resolves.toBeTruthy();
  });

  it('of an SRV name come from its DNS records', async () => {
    const by = dns(['a.example.com.'], ['authSource=admin&replicaSet=set']);
    expect(await found('mongodb+srv://cluster.example.com/', by)).toEqual({
      hosts: [{ name: 'a.example.com', port: 27_017, addresses: [PUBLIC] }],
      authSource: 'admin',
      replicaSet: 'set',
    });
  });

  it.each<[string, string[], string[]]>([
    ['lead to another domain', ['a.example.org'], []],
    ['lead to a domain that only ends alike', ['a.badexample.com'], []],
    ['lead inside', ['inside.example.com'], []],
    ['lead nowhere', [], []],
    ['say more than they may', ['a.example.com'], ['loadBalanced=true']],
    ['say things twice', ['a.example.com'], ['authSource=a', 'authSource=b']],
  ])('of an SRV name are rejected if its records %s', async (_, srv, txt) => {
    await expect(found('mongodb+srv://cluster.example.com/', dns(srv, txt))).rejects.toThrow();
  });
});
