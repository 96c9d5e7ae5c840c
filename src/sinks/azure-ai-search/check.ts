import { Upstream } from '#src/lib/errors.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { attributeRefusals, checkDimension, createSettingError } from '#src/sinks/external/store-http.ts';
import { createAzureSearchClient } from './client.ts';
import { parseFilterableKeys } from './filterable.ts';
import { describeMismatch, findIndex } from './search-index.ts';
import {
  type AzureSearchSettings,
  getApiVersion,
  getClientCredentials,
  getIndexName,
  parseServiceUrl,
} from './settings.ts';
import { createClientToken } from './token.ts';

const NAME = /^[a-z\d][a-z\d-]{1,127}$/;
const VERSION = /^\d{4}-\d{2}-\d{2}(-preview)?$/;
/** First stable version whose hybrid searches return the scores of both arms. */
const FIRST_WITH_SCORES = '2025-09-01';
const DIMENSIONS = { least: 2, most: 4_096 };

/**
 * Validates the settings and the connection. The index may be missing. Errors name the wrong setting where
 * the response reveals it.
 */
export async function checkAzureSearch(
  settings: AzureSearchSettings,
  deps: SinkDeps,
  known?: number,
): Promise<void> {
  const dimension = settings.embedding_dimension ?? known;
  checkDimension('embedding_dimension', settings.embedding_dimension, known);
  const name = getIndexName(settings);
  if (!parseServiceUrl(settings))
    throw createSettingError(
      'search_service_endpoint',
      'search_service_endpoint must be an http or https URL.',
    );
  if (!NAME.test(name) || name.endsWith('-') || name.includes('--')) {
    throw createSettingError(
      'index_name',
      'Index names consist of 2 to 128 lowercase letters, digits and single dashes.',
    );
  }
  if (!VERSION.test(getApiVersion(settings))) {
    throw createSettingError('search_service_api_version', 'The version must be a date such as 2025-09-01.');
  }
  if (settings.native_search === true && getApiVersion(settings) < FIRST_WITH_SCORES) {
    throw createSettingError(
      'search_service_api_version',
      `native_search needs version ${FIRST_WITH_SCORES} or newer.`,
    );
  }
  if (typeof dimension === 'number' && (dimension < DIMENSIONS.least || dimension > DIMENSIONS.most)) {
    const message = `embedding_dimension must be between ${DIMENSIONS.least} and ${DIMENSIONS.most}.`;
    throw createSettingError('embedding_dimension', message);
  }
  const credentials = getClientCredentials(settings);
  if (credentials) await signIn(() => createClientToken(credentials, deps).get());
  const blamed = credentials ? 'client_id' : 'search_service_api_key';
  const existing = await attributeRefusals({ credentials: blamed, address: 'search_service_endpoint' }, () =>
    findIndex(createAzureSearchClient(settings, deps)),
  );
  const keys = parseFilterableKeys(settings.filterable_metadata_field_keys);
  const native = settings.native_search === true;
  const problem = existing && describeMismatch(name, existing, { keys, dimension, native });
  if (problem) throw createSettingError('index_name', problem);
}

/**
 * Error codes of Microsoft Entra ID for an unknown tenant and an unknown application. Other sign-in errors
 * mean a wrong client secret.
 */
const NO_TENANT = /AADSTS(90002|900023|900021)\b/;
const NO_CLIENT = /AADSTS700016\b/;

async function signIn(ask: () => Promise<string>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    const isRefused = error instanceof Upstream && error.status !== undefined && error.status < 500;
    if (!isRefused || error.retryable) throw error;
    const { message } = error;
    const name = NO_TENANT.test(message)
      ? 'tenant_id'
      : NO_CLIENT.test(message)
        ? 'client_id'
        : 'client_secret';
    throw createSettingError(name, message);
  }
}
