import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { SourceError } from '#src/ports/source.ts';
import { findMechanism } from '#src/sources/shared/mechanism.ts';

export const confluenceFields = {
  authentication_mechanism: z
    .string()
    .describe(
      '`basic` sends user_name and api_token. `token` and `oauth` (or `oauth2`) send api_token as a bearer token.',
    ),
  server_url: z.string().describe('URL of the site, with or without /wiki.'),
  api_token: secret().nullish(),
  cql: field.text().describe('CQL query. Only pages and blog posts that match it are read.'),
  failure_handling: z
    .looseObject({
      skip_list_failures: field
        .flag()
        .describe('Skips lists that cannot be read, instead of failing the sync.'),
    })
    .nullish(),
  index_restricted_pages: field
    .flagOr(false)
    .describe('Also reads pages that only some readers of their space may see.'),
  keep_markdown_format: field.flag().describe('If false, pages are read as plain text.'),
  label: field.text().describe('Labels, separated by commas. A page must have one of them.'),
  page_ids: field.text().describe('Ids of pages, separated by commas.'),
  space_key: field.text().describe('Keys of spaces, separated by commas. A page must be in one of them.'),
  user_name: field.text(),
  sync_permissions: field.flag().describe('Set it to false if permissions cannot be read.'),
};

export type ConfluenceSettings = z.infer<z.ZodObject<typeof confluenceFields>>;

const MECHANISMS = ['basic', 'token', 'oauth'] as const;

export const listCredentialFields = ({ authentication_mechanism }: ConfluenceSettings): string =>
  findMechanism(MECHANISMS, authentication_mechanism) === 'basic' ? 'user_name and api_token' : 'api_token';

/**
 * Returns the Authorization header for Confluence. Throws a SourceError if the authentication mechanism is
 * unknown or a required field is missing.
 */
export function buildAuthorization(settings: ConfluenceSettings): string {
  const { authentication_mechanism: given, user_name, api_token } = settings;
  const mechanism = findMechanism(MECHANISMS, given);
  if (!mechanism)
    throw createPermanentError(`authentication_mechanism must be one of ${MECHANISMS.join(', ')}.`);
  const missing = [
    ...(mechanism === 'basic' && !user_name ? ['user_name'] : []),
    ...(api_token ? [] : ['api_token']),
  ];
  if (missing.length > 0) {
    throw createPermanentError(
      `With authentication_mechanism ${mechanism}, Confluence requires ${missing.join(', ')}.`,
    );
  }
  if (mechanism !== 'basic') return `Bearer ${api_token}`;
  const bytes = new TextEncoder().encode(`${user_name}:${api_token}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/**
 * Returns the base URL of the Confluence site, which ends in /wiki. Throws a SourceError if `server_url` is
 * not an http or https URL.
 */
export function parseSiteUrl({ server_url }: ConfluenceSettings): string {
  const url = URL.parse(server_url);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw createPermanentError('server_url must be a URL such as https://example.atlassian.net/wiki.');
  }
  const path = baseUrl(url.pathname);
  return `${url.origin}${path.endsWith('/wiki') ? path : `${path}/wiki`}`;
}

export const splitList = (text: string | null | undefined): string[] => [
  ...new Set(
    (text ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  ),
];

export const createPermanentError = (message: string): SourceError =>
  new SourceError(message, { retryable: false });
