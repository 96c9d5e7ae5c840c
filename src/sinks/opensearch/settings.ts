import type { SinkDeps } from '#src/ports/sink.ts';
import { createSettingError } from '#src/sinks/external/store-http.ts';

export interface OpenSearchSettings {
  url: string;
  index_name: string;
  username?: string | null | undefined;
  password?: string | null | undefined;
  api_key?: string | null | undefined;
  max_retries: number | null;
  native_search?: boolean | null | undefined;
}

export const MAX_RETRIES = 10;
export const DEFAULT_RETRIES = 3;
/** Product name in errors while it is unknown which product the cluster runs. */
export const PRODUCT = 'OpenSearch or Elasticsearch';

/**
 * Names of a single index. Other names, such as `_all`, `a,b` and `logs-*`, would reach several indexes. The cluster
 * allows 255 bytes, some of which the alias for writing needs.
 */
const INDEX_NAME = /^[a-z\d][a-z\d._-]{0,199}$/;
/** Characters of an API key. Others, such as line breaks, cannot be sent in a header. */
const API_KEY = /^[\x21-\x7e]+$/;

/** Returns the name of the index. Throws Invalid if the name could mean several indexes. */
export function getIndexName({ index_name: name }: Pick<OpenSearchSettings, 'index_name'>): string {
  if (INDEX_NAME.test(name)) return name;
  throw createSettingError(
    'index_name',
    'index_name must have at most 200 lowercase letters, digits, dots, dashes and underscores, and start with a letter or digit.',
  );
}

/**
 * Returns the alias that writes go through. The cluster creates a missing index by itself when a document is written
 * to it, but it never creates a missing alias. Writes to a deleted index therefore fail.
 */
export const getWriteAlias = (settings: Pick<OpenSearchSettings, 'index_name'>): string =>
  `${getIndexName(settings)}-sluice`;

/** Returns the URL of the cluster without a trailing slash. Throws Invalid if the URL cannot be used. */
export function parseClusterUrl({ url: given }: Pick<OpenSearchSettings, 'url'>, deps: SinkDeps): string {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw createSettingError('url', 'url must be an https URL, such as https://search.example.com:9200.');
  }
  if (url.protocol === 'http:' && !deps.settings.ALLOW_PRIVATE_ADDRESSES) {
    throw createSettingError('url', 'url must use https, because http sends the credentials unencrypted.');
  }
  if (url.username !== '' || url.password !== '') {
    throw createSettingError(
      'url',
      'url must not contain credentials. Set username and password, or api_key.',
    );
  }
  const steps = url.pathname.split('/').filter((step) => step !== '');
  return [url.origin, ...steps].join('/');
}

export interface Credentials {
  /** Value of the Authorization header. It is `undefined` for a cluster without authentication. */
  header: string | undefined;
  /** Values that are removed from error messages. */
  secrets: string[];
  /** Name of the setting that errors blame if the cluster rejects the credentials. */
  blamed: 'api_key' | 'password';
}

/** Returns the credentials of requests. Throws Invalid if settings are missing or contradict each other. */
export function getCredentials(settings: OpenSearchSettings): Credentials {
  const { username, password, api_key: apiKey } = settings;
  if (apiKey) {
    if (username || password) {
      throw createSettingError('api_key', 'Set either api_key, or username and password, but not both.');
    }
    if (!API_KEY.test(apiKey)) {
      throw createSettingError(
        'api_key',
        'api_key must consist of printable ASCII characters without spaces.',
      );
    }
    const encoded = apiKey.includes(':') ? btoa(apiKey) : apiKey;
    return { header: `ApiKey ${encoded}`, secrets: [apiKey, encoded], blamed: 'api_key' };
  }
  if (!username && !password) return { header: undefined, secrets: [], blamed: 'password' };
  if (!username) throw createSettingError('username', 'Set username too, because password is set.');
  if (!password) throw createSettingError('password', 'Set password too, because username is set.');
  if (username.includes(':')) throw createSettingError('username', 'username must not contain a colon.');
  const encoded = encodeBase64(`${username}:${password}`);
  return { header: `Basic ${encoded}`, secrets: [password, encoded], blamed: 'password' };
}

const encodeBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
