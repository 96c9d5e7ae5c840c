import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';
import { findMechanism } from '#src/sources/shared/mechanism.ts';

export const confluenceFields = {
  authentication_mechanism: z
    .string()
    .describe('basic: user_name and api_token; token and oauth (or oauth2): api_token as a bearer token.'),
  server_url: z.string().describe('Of the site, with or without /wiki.'),
  api_token: secret().nullish(),
  cql: field.text().describe('Pages and blog posts that it finds are read.'),
  failure_handling: z
    .looseObject({
      skip_list_failures: field.flag().describe('Passes over lists that cannot be read.'),
    })
    .nullish(),
  index_restricted_pages: field.flagOr(false).describe('Also pages that not all readers of their space see.'),
  keep_markdown_format: field.flag().describe('false: pages are read as plain text.'),
  label: field.text().describe('One of these, separated by commas.'),
  page_ids: field.text().describe('Separated by commas.'),
  space_key: field.text().describe('One of these, separated by commas.'),
  user_name: field.text(),
  sync_permissions: field.flag().describe('Disable where the permission interfaces are unavailable.'),
};

export type ConfluenceSettings = z.infer<z.ZodObject<typeof confluenceFields>>;

const MECHANISMS = ['basic', 'token', 'oauth'] as const;

/** Names the settings fields that hold the credentials, for use in error messages. */
export const credentialFields = ({ authentication_mechanism }: ConfluenceSettings): string =>
  findMechanism(MECHANISMS, authentication_mechanism) === 'basic' ? 'user_name and api_token' : 'api_token';

/**
 * Returns the Authorization header. Throws a SourceError if the authentication mechanism is unknown or lacks
 * a required field.
 */
export function authorizationOf(settings: ConfluenceSettings): string {
  const { authentication_mechanism: given, user_name, api_token } = settings;
  const mechanism = findMechanism(MECHANISMS, given);
  if (!mechanism) throw wrong(`authentication_mechanism must be one of ${MECHANISMS.join(', ')}.`);
  const missing = [
    ...(mechanism === 'basic' && !user_name ? ['user_name'] : []),
    ...(api_token ? [] : ['api_token']),
  ];
  if (missing.length > 0) {
    throw wrong(`With the authentication_mechanism ${mechanism} Confluence needs ${missing.join(', ')}.`);
  }
  if (mechanism !== 'basic') return `Bearer ${api_token}`;
  const bytes = new TextEncoder().encode(`${user_name}:${api_token}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/**
 * Returns the site's base URL, which ends in /wiki. Throws a SourceError if `server_url` is not an http or
 * https URL.
 */
export function siteOf({ server_url }: ConfluenceSettings): string {
  const url = URL.parse(server_url);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw wrong('server_url must be an address such as https://example.atlassian.net/wiki.');
  }
  const path = baseUrl(url.pathname);
  return `${url.origin}${path.endsWith('/wiki') ? path : `${path}/wiki`}`;
}

export const listOf = (text: string | null | undefined): string[] => [
  ...new Set(
    (text ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  ),
];

export const wrong = (message: string): SourceError => new SourceError(message, { retryable: false });
