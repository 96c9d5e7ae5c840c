import { createSettingError } from '#src/sinks/external/store-http.ts';
import type { ClientCredentials } from './token.ts';

export const PRODUCT = 'Azure AI Search';

export interface AzureSearchSettings {
  search_service_api_key: string;
  search_service_endpoint: string;
  client_id?: string | null | undefined;
  client_secret?: string | null | undefined;
  tenant_id?: string | null | undefined;
  embedding_dimension?: number | null | undefined;
  filterable_metadata_field_keys?: Record<string, unknown> | null | undefined;
  index_name?: string | null | undefined;
  native_search?: boolean | null | undefined;
  search_service_api_version?: string | null | undefined;
}

const DEFAULT_INDEX = 'sluice';
const DEFAULT_VERSION = '2025-09-01';

export const getIndexName = ({ index_name }: AzureSearchSettings): string => index_name || DEFAULT_INDEX;
export const getApiVersion = ({ search_service_api_version: version }: AzureSearchSettings): string =>
  version || DEFAULT_VERSION;

const CLIENT_CREDENTIAL_FIELDS = ['tenant_id', 'client_id', 'client_secret'] as const;

/** Returns whether requests use an access token of a Microsoft Entra application, and no API key. */
export const usesClientCredentials = (settings: Partial<AzureSearchSettings>): boolean =>
  CLIENT_CREDENTIAL_FIELDS.every((name) => Boolean(settings[name]));

/**
 * Returns the credentials of the Microsoft Entra application. Returns `undefined` if the API key is used.
 * Throws Invalid if a part is missing.
 */
export function getClientCredentials(settings: AzureSearchSettings): ClientCredentials | undefined {
  const { tenant_id: tenantId, client_id: clientId, client_secret: clientSecret } = settings;
  if (tenantId && clientId && clientSecret) return { tenantId, clientId, clientSecret };
  const given = CLIENT_CREDENTIAL_FIELDS.filter((name) => Boolean(settings[name]));
  const missing = CLIENT_CREDENTIAL_FIELDS.find((name) => !settings[name]);
  if (given.length === 0 || !missing) return undefined;
  throw createSettingError(missing, `Set all of ${CLIENT_CREDENTIAL_FIELDS.join(', ')}, or none of them.`);
}

/** Returns the URL of the search service, or `undefined` if the setting is not an http or https URL. */
export function parseServiceUrl({ search_service_endpoint }: AzureSearchSettings): string | undefined {
  const url = URL.parse(search_service_endpoint);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const steps = url.pathname.split('/').filter((step) => step !== '');
  return [url.origin, ...steps].join('/');
}
