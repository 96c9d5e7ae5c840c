import { baseUrl } from '#src/lib/base-url.ts';
import { SourceError } from '#src/ports/source.ts';
import { findMechanism } from '#src/sources/shared/mechanism.ts';

export interface JiraSettings {
  authentication_mechanism: string;
  query: string;
  api_token?: string | null;
  cloud_id?: string | null;
  email?: string | null;
  server_url?: string | null;
  /** Version of Jira's API. `null` selects the newest version that the server supports. */
  apiVersion: ApiVersion | null;
  /** Names of the Jira fields to read. `null` means all fields. */
  fields: string[] | null;
  withChangelog: boolean;
  withPermissions: boolean;
  requestsPerMinute: number | null;
}
export type ApiVersion = '2' | '3';

export interface Connection {
  base: string;
  /** Base URL of links to Jira for users' browsers. `null` if the settings do not contain the URL. */
  site: string | null;
  authorization: string;
  credentials: string;
  /** Name of the setting that contains the Jira server's address. */
  addressField: 'server_url' | 'cloud_id';
}

const GATEWAY = 'https://api.atlassian.com/ex/jira';
const MECHANISMS = ['basic', 'PAT', 'OAuth2'];

/** Builds the connection to Jira from the settings. Throws a SourceError if a required field is missing. */
export function buildConnection(settings: JiraSettings): Connection {
  const { authentication_mechanism: given, api_token, cloud_id, email } = settings;
  const mechanism = findMechanism(MECHANISMS, given);
  if (!mechanism)
    throw createSettingError(`authentication_mechanism must be one of ${MECHANISMS.join(', ')}`);
  const missing = [
    ...(mechanism === 'basic' && !email ? ['email'] : []),
    ...(api_token ? [] : ['api_token']),
    ...(mechanism === 'OAuth2' && !cloud_id ? ['cloud_id'] : []),
    ...(mechanism !== 'OAuth2' && !cloud_id && !settings.server_url ? ['server_url'] : []),
  ];
  if (missing.length > 0) {
    throw createSettingError(
      `With authentication_mechanism ${mechanism}, Jira requires ${missing.join(', ')}`,
    );
  }
  if (settings.query.trim() === '')
    throw createSettingError('query must not be empty. Enter JQL such as "project = ABC"');
  const site = settings.server_url ? parseSiteUrl(settings.server_url) : null;
  return {
    base: cloud_id ? `${GATEWAY}/${encodeURIComponent(cloud_id)}` : site!,
    site,
    authorization:
      mechanism === 'basic' ? `Basic ${encodeBase64(`${email}:${api_token}`)}` : `Bearer ${api_token}`,
    credentials: mechanism === 'basic' ? 'email and api_token' : 'api_token',
    addressField: cloud_id ? 'cloud_id' : 'server_url',
  };
}

function parseSiteUrl(address: string): string {
  const text = address.trim();
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw createSettingError('server_url must be a URL such as https://example.atlassian.net');
  }
  if (url.username || url.password)
    throw createSettingError(
      'server_url must not contain a user name or password. Use email and api_token instead',
    );
  return baseUrl(`${url.origin}${url.pathname}`);
}

function encodeBase64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const createSettingError = (message: string) => new SourceError(`${message}.`, { retryable: false });

/** Splits the setting `expand` into a flag for the changelog and a list of names that have no effect. */
export function parseExpansions(given: string): { withChangelog: boolean; others: string[] } {
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    withChangelog: names.includes('changelog'),
    others: names.filter((name) => name !== 'changelog' && name !== 'names'),
  };
}
