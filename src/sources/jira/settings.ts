import { baseUrl } from '#src/lib/base-url.ts';
import { SourceError } from '#src/ports/source.ts';
import { findMechanism } from '#src/sources/shared/mechanism.ts';

/** What either kind of component comes down to. */
export interface JiraSettings {
  authentication_mechanism: string;
  query: string;
  api_token?: string | null;
  cloud_id?: string | null;
  email?: string | null;
  server_url?: string | null;
  /** null: the newest that the server has. */
  apiVersion: ApiVersion | null;
  /** Fields of issues as Jira names them; null: all. */
  fields: string[] | null;
  withChangelog: boolean;
  withPermissions: boolean;
  requestsPerMinute: number | null;
}
export type ApiVersion = '2' | '3';

export interface Connection {
  /** What paths of the API follow. */
  base: string;
  /** What paths for browsers follow, where the settings say. */
  site: string | null;
  authorization: string;
  /** The settings that say who asks. */
  credentials: string;
  /** The setting that says where. */
  place: 'server_url' | 'cloud_id';
}

const GATEWAY = 'https://api.atlassian.com/ex/jira';
const MECHANISMS = ['basic', 'PAT', 'OAuth2'];

/** Throws the SourceError of settings that lack what their mechanism needs. */
export function connectionOf(settings: JiraSettings): Connection {
  const { authentication_mechanism: given, api_token, cloud_id, email } = settings;
  const mechanism = findMechanism(MECHANISMS, given);
  if (!mechanism) throw wrong(`authentication_mechanism is to be one of ${MECHANISMS.join(', ')}`);
  const missing = [
    ...(mechanism === 'basic' && !email ? ['email'] : []),
    ...(api_token ? [] : ['api_token']),
    ...(mechanism === 'OAuth2' && !cloud_id ? ['cloud_id'] : []),
    ...(mechanism !== 'OAuth2' && !cloud_id && !settings.server_url ? ['server_url'] : []),
  ];
  if (missing.length > 0) {
    throw wrong(`With the authentication_mechanism ${mechanism} Jira needs ${missing.join(', ')}`);
  }
  if (settings.query.trim() === '') throw wrong('query is empty; JQL such as "project = ABC" is wanted');
  const site = settings.server_url ? siteOf(settings.server_url) : null;
  return {
    base: cloud_id ? `${GATEWAY}/${encodeURIComponent(cloud_id)}` : site!,
    site,
    authorization:
      mechanism === 'basic' ? `Basic ${base64Of(`${email}:${api_token}`)}` : `Bearer ${api_token}`,
    credentials: mechanism === 'basic' ? 'email and api_token' : 'api_token',
    place: cloud_id ? 'cloud_id' : 'server_url',
  };
}

function siteOf(address: string): string {
  const text = address.trim();
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw wrong('server_url is no address, as https://example.atlassian.net is one');
  }
  if (url.username || url.password)
    throw wrong('server_url is to be without a user; see email and api_token');
  return baseUrl(`${url.origin}${url.pathname}`);
}

function base64Of(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

const wrong = (message: string) => new SourceError(`${message}.`, { retryable: false });

/** Which of the names in a component's `expand` become text, and which do not. */
export function effectiveExpansions(given: string): { withChangelog: boolean; others: string[] } {
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return {
    withChangelog: names.includes('changelog'),
    others: names.filter((name) => name !== 'changelog' && name !== 'names'),
  };
}
