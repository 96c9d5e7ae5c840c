import { expect, it } from 'vitest';
import { hasUrlSecrets, isCredential, looksSecret, replaceUrlSecrets } from '../../src/lib/secret-names.ts';

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
])('%s is the name of a secret', (name) => expect(looksSecret(name)).toBe(true));

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
])('%s is not', (name) => expect(looksSecret(name)).toBe(false));

it.each([
  ['https://u:p@h.example/a', 'https://X@h.example/a'],
  ['postgres://u:p@w@h:5432/d', 'postgres://X@h:5432/d'],
  ['postgres://u:p/w@h:5432/d', 'postgres://X@h:5432/d'],
  ['https://token@h.example', 'https://X@h.example'],
  ['https://h.example/?sv=1&sig=abc%3D&x=1', 'https://h.example/?sv=1&sig=X&x=1'],
  ['https://h.example/?api_key=abc#a', 'https://h.example/?api_key=X#a'],
])('%s has credentials', (url, replaced) => {
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
])('%s has none', (text) => expect(hasUrlSecrets(text)).toBe(false));

it.each([
  ...[
    '-----BEGIN PRIVATE KEY-----\nabc',
    '-----BEGIN RSA PRIVATE KEY-----',
    'Bearer abcdefgh',
    'Basic dXNlcjpw',
  ],
  ...['DefaultEndpointsProtocol=https;AccountKey=abc', 'Server=a;Password=b'],
])('%s is a credential', (text) => expect(isCredential(text)).toBe(true));

it.each(['a bearer of news', 'Basic', 'password', 'the AccountKey'])('%s is none', (text) =>
  expect(isCredential(text)).toBe(false),
);
