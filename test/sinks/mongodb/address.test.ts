import { describe, expect, it } from 'vitest';
import { addressOf, placeOf } from '#src/sinks/mongodb/address.ts';
import { type Dns, hostsAt } from '#src/sinks/mongodb/hosts.ts';
import { lookUpWith, publicAddressesOf } from '#src/upstream/address-guard.ts';

const SECRET = 'p%40ss%3Aw%2Frd%25';

describe('an address', () => {
  it('gives hosts, credentials and options', () => {
    const address = addressOf(
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

  it('of a name speaks TLS, of hosts only when it says so', () => {
    expect(addressOf('mongodb+srv://u:p@c.example.test/')).toMatchObject({
      srv: 'c.example.test',
      options: { tls: true },
    });
    expect(addressOf('mongodb://u:p@c.example.test').options.tls).toBe(false);
  });

  it('reads other notations of an IPv4 address as that', () => {
    const names = addressOf('mongodb://0x7f.1,2130706433,017700000001/').hosts.map(({ name }) => name);
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
  ])('with %s is refused by the name of the option', (option) => {
    const [name, value] = option.split('=');
    const parse = () => addressOf(`mongodb://u:${SECRET}@a.test/?appName=x&${option}`);
    expect(parse).toThrow(`The option ${name} is not taken`);
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
  ])('with %s says which option is wrong', (options, name) => {
    expect(() => addressOf(`mongodb://a.test/?${options}`)).toThrow(name);
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
  ])('%s is none, in words without a secret', (uri) => {
    expect(() => addressOf(uri)).toThrow();
    expect(() => addressOf(uri)).not.toThrow(/hidden|ss%3A/);
  });

  it('is the same place with another password and other options', () => {
    expect(placeOf('mongodb://u:one@a,b/db?w=1')).toBe('a,b');
    expect(placeOf('mongodb+srv://u:two@c.test')).toBe('c.test');
    expect(placeOf('nothing')).toBeUndefined();
  });
});

describe('its hosts', () => {
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
    addresses: (name) => publicAddressesOf(name, lookUpWith([async (asked) => known[asked] ?? []])),
  });
  const found = (uri: string, by = dns()) => hostsAt(addressOf(uri), guarded, by);

  it('come with the addresses that were checked', async () => {
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
  ])('are refused when one is %s', async (host) => {
    await expect(found(`mongodb://a.example.com,${host}/`)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(
      hostsAt(addressOf(`mongodb://${host}/`), { ...guarded, ALLOW_PRIVATE_ADDRESSES: true }),
    ).resolves.toBeTruthy();
  });

  it('of a name are those of its records, with what its text says', async () => {
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
  ])('of a name are refused when its records %s', async (_, srv, txt) => {
    await expect(found('mongodb+srv://cluster.example.com/', dns(srv, txt))).rejects.toThrow();
  });
});
