import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { Notice } from '../../ui/notice.tsx';
import { getProgress } from './use-status.ts';

type Status = Answer<'GET /api/v1/pipelines/{pipeline_id}/status'>;

/**
 * Shows settings that prevent syncs, the error of the last sync, and whether a new version of the index is
 * being built.
 */
export function Problems({ status }: { status: Status }) {
  const { problems, error } = status;
  return (
    <>
      {problems && problems.length > 0 && (
        <Notice tone="bad" icon="failed" title={t('Syncs fail with the current settings')}>
          <ul>
            {problems.map(({ field, message }) => (
              <li key={field}>
                <code>{field}</code>: {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {error && error.length > 0 && status.status === 'ERROR' && (
        <Notice tone="bad" icon="failed" title={t('The last sync failed')}>
          <ul>
            {[...new Set(error.map(({ message }) => message))].map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </Notice>
      )}
      {getProgress(status).builds_index && (
        <Notice tone="info" icon="running" title={t('A new version of the index is being built')}>
          {t('The settings have changed. Queries use the old version until the new one is complete.')}
        </Notice>
      )}
    </>
  );
}
