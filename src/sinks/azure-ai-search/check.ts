import { Upstream } from '#src/lib/errors.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { blaming, checkDimension, wrongSetting } from '#src/sinks/external/store-http.ts';
import { azureSearchClient } from './client.ts';
import { filterableOf } from './filterable.ts';
import { findIndex, unfit } from './search-index.ts';
import {
  type AzureSearchSettings,
  credentialsOf,
  indexNameOf,
  KIND,
  serviceUrl,
  versionOf,
} from './settings.ts';
import { clientToken } from './token.ts';

const NAME = /^[a-z\d][a-z\d-]{1,127}$/;
const VERSION = /^\d{4}-\d{2}-\d{2}(-preview)?$/;
const DIMENSIONS = { least: 2, most: 4_096 };

/** Asks for the index, which may be absent. Says which setting is wrong where the answer tells. */
export async function checkAzureSearch(
  settings: AzureSearchSettings,
  deps: SinkDeps,
  known?: number,
): Promise<void> {
  const dimension = settings.embedding_dimension ?? known;
  checkDimension('embedding_dimension', settings.embedding_dimension, known);
  const name = indexNameOf(settings);
  if (!serviceUrl(settings)) throw wrongSetting('search_service_endpoint', 'This is no http or https URL.');
  if (!NAME.test(name) || name.endsWith('-') || name.includes('--')) {
    throw wrongSetting(
      'index_name',
      'A name has 2 to 128 small letters, digits and single dashes between them.',
    );
  }
  if (!VERSION.test(versionOf(settings))) {
    throw wrongSetting('search_service_api_version', 'A version is a date, as 2025-09-01.');
  }
  if (typeof dimension === 'number' && (dimension < DIMENSIONS.least || dimension > DIMENSIONS.most)) {
    const message = `Vectors have ${DIMENSIONS.least} to ${DIMENSIONS.most} dimensions.`;
    throw wrongSetting('embedding_dimension', message);
  }
  const credentials = credentialsOf(settings);
  if (credentials) await signIn(() => clientToken(credentials, KIND, deps).get());
  const blamed = credentials ? 'client_id' : 'search_service_api_key';
  const there = await blaming({ credentials: blamed, address: 'search_service_endpoint' }, () =>
    findIndex(azureSearchClient(settings, deps)),
  );
  const keys = filterableOf(settings.filterable_metadata_field_keys);
  const problem = there && unfit(name, there, keys, dimension);
  if (problem) throw wrongSetting('index_name', problem);
}

/** The vendor's codes of what is wrong with a sign-in: no such directory, no such application; else the secret is. */
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
    throw wrongSetting(name, message);
  }
}
