import { expect, it } from 'vitest';
import {
  hasUrlSecrets,
  isCredential,
  looksSecret,
  namesAddress,
  replaceUrlSecrets,
} from '#src/lib/secrets/secret-names.ts';

it.each([
  ...['key', 'api_key', 'apiKey', 'APIKEY', 'x-api-key', 'clientSecret', 'secret', 'password', 'db_password'],
  ...['token', 'access_token', 'Authorization', 'Cookie', 'X-Auth-Token', 'passphrase', 'credentials'],
  ...[
    'connection_string',
    'connectionString',
    'private_key',
    'accountkey',
    'mypassword',
    'aws_secret_access_key',
  ],
  ...['pass', 'user_pass', 'dbpass', 'creds', 'proxy-creds', 'headers', 'default_headers', 'extraHeaders'],
])('%s is a secret name', (name) => expect(looksSecret(name)).toBe(true));

it.each([
  ...[
    'name',
    'keyspace',
    'monkey',
    'token_uri',
    'private_key_id',
    'max_tokens',
    'partition_key',
    'auth_type',
  ],
  ...['collection_name', 'url', 'model_name', 'tokenizer', 'author', 'passage', 'primary_key', ''],
  ...['bypass', 'compass', 'passes', 'header_name', 'max_headers', 'credit'],
])('%s is not a secret name', (name) => expect(looksSecret(name)).toBe(false));

it.each([
  ['https://u:p@h.example/a', 'https://X@h.example/a'],
  ['postgres://u:p@w@h:5432/d', 'postgres://X@h:5432/d'],
  ['postgres://u:p/w@h:5432/d', 'postgres://X@h:5432/d'],
  ['https://token@h.example', 'https://X@h.example'],
  ['https://h.example/?sv=1&sig=abc%3D&x=1', 'https://h.example/?sv=1&sig=X&x=1'],
  ['https://h.example/?api_key=abc#a', 'https://h.example/?api_key=X#a'],
  [' https://u:p@h', ' https://X@h'],
  ['\n\tpostgres://u:p@h', '\n\tpostgres://X@h'],
  ['jdbc:postgresql://u:p@h/d?user=a&pass=b', 'jdbc:postgresql://X@h/d?user=a&pass=X'],
])('%s contains credentials', (url, replaced) => {
  expect(replaceUrlSecrets(url, () => 'X')).toBe(replaced);
  expect(hasUrlSecrets(url)).toBe(true);
});

it.each([
  ...[
    'https://h.example',
    'https://h.example:8080/a@b',
    'https://h.example/a@b?c=d',
    'a:b@c',
    'see https://u:p@h',
  ],
  ...['https://h.example/?page_token=1', ''],
])('%s contains no credentials', (text) => expect(hasUrlSecrets(text)).toBe(false));

it.each([
  ['u:p@host:19530', 'X@host:19530'],
  [' u:p/w@host', ' X@host'],
  ['token@host', 'X@host'],
  ['host:19530?token=abc', 'host:19530?token=X'],
  ['https://u:p@h', 'https://X@h'],
])('%s contains credentials if read as an address', (text, replaced) => {
  expect(replaceUrlSecrets(text, () => 'X', true)).toBe(replaced);
  expect(hasUrlSecrets(text, true)).toBe(true);
});

it.each(['host:19530', 'host:8080/a@b', 'h.example/a@b', '/a@b', 'C:\\a', '', ' '])(
  '%j contains no credentials if read as an address',
  (text) => expect(hasUrlSecrets(text, true)).toBe(false),
);

it.each(['uri', 'baseURL', 'api_base', 'http_proxy', 'hosts', 'proxies', 'server_url', 'cluster-endpoint'])(
  '%s is an address name',
  (name) => expect(namesAddress(name)).toBe(true),
);

it.each(['name', 'database', 'url_prefix', 'user', 'hosted', ''])('%j is not an address name', (name) =>
  expect(namesAddress(name)).toBe(false),
);

it.each([
  ...[
    '-----BEGIN PRIVATE KEY-----\nabc',
    '-----BEGIN RSA PRIVATE KEY-----',
    'Bearer abcdefgh',
    'Basic dXNlcjpw',
  ],
  ...['DefaultEndpointsProtocol=https;AccountKey=abc', 'Server=a;Password=b', 'host=a user=b password=c'],
  ...[' Bearer abcdefgh', 'Basic dXNlcjpw\n'],
])('%s is a credential', (text) => expect(isCredential(text)).toBe(true));

it.each(['a bearer of news', 'Basic', 'password', 'the AccountKey'])('%s is not a credential', (text) =>
  expect(isCredential(text)).toBe(false),
);
