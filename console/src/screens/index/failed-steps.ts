import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';

type Step = NonNullable<
  Answer<'GET /api/v1/pipelines/{pipeline_id}/files/failures'>['reasons'][number]['step']
>;

/** Describes the steps of processing a file at which an error can occur. */
export const getStepLabels = (): Readonly<Record<Step, string>> => ({
  DATA_SOURCE: t('Reading the source'),
  FILE_UPDATER: t('Updating the file'),
  INGESTION: t('Indexing the file'),
  MANAGED_INGESTION: t('Indexing the file'),
  METADATA_UPDATE: t('Updating the metadata'),
  PARSE: t('Reading the file'),
  TRANSFORM: t('Splitting the file into chunks'),
});
