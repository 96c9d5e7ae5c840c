import { wrongSetting } from '#src/sinks/external/store-http.ts';
import type { ClientCredentials } from './token.ts';

export const KIND = 'VENDOR_B_SEARCH';

export interface AzureSearchSettings {
  search_service_api_key: string;
  search_service_endpoint: string;
  client_id?: string | null | undefined;
  client_secret?: string | null | undefined;
  tenant_id?: string | null | undefined;
  embedding_dimension?: number | null | undefined;
  filterable_metadata_field_keys?: Record<string, unknown> | null | undefined;
  index_name?: string | null | undefined;
  search_service_api_version?: string | null | undefined;
}

const USUAL_INDEX = 'sluice';
const USUAL_VERSION = '2025-09-01';

export const indexNameOf = ({ index_name }: AzureSearchSettings): string => index_name || USUAL_INDEX;
export const versionOf = ({ search_service_api_version: version }: AzureSearchSettings): string =>
  version || USUAL_VERSION;

const SIGN_IN = ['tenant_id', 'client_id', 'client_secret'] as const;

/** Whether requests are signed by an application's token, and not by the key. */
export const signsIn = (settings: Partial<AzureSearchSettings>): boolean =>
  SIGN_IN.every((name) => Boolean(settings[name]));

/** Undefined where the key is used. Throws Invalid when a part is missing. */
export function credentialsOf(settings: AzureSearchSettings): ClientCredentials | undefined {
  const { tenant_id: tenantId, client_id: clientId, client_secret: clientSecret } = settings;
  if (tenantId && clientId && clientSecret) return { tenantId, clientId, clientSecret };
  const given = SIGN_IN.filter((name) => Boolean(settings[name]));
  const missing = SIGN_IN.find((name) => !settings[name]);
  if (given.length === 0 || !missing) return undefined;
  throw wrongSetting(missing, `To sign in ${SIGN_IN.join(', ')} are needed, all three.`);
}

/** The address of the service. Undefined when the setting gives none. */
export function serviceUrl({ search_service_endpoint }: AzureSearchSettings): string | undefined {
  const url = URL.parse(search_service_endpoint);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const steps = url.pathname.split('/').filter((step) => step !== '');
  return [url.origin, ...steps].join('/');
}
