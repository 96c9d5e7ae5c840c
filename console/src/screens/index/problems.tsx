import type { Answer } from '../../api/types.ts';
import { Notice } from '../../ui/notice.tsx';
import { progressOf } from './use-status.ts';

type Status = Answer<'GET /api/v1/pipelines/{pipeline_id}/status'>;

/** What keeps syncs from succeeding, why the newest failed as a whole, and that an index is built beside the live one. */
export function Problems({ status }: { status: Status }) {
  const { problems, error } = status;
  return (
    <>
      {problems && problems.length > 0 && (
        <Notice tone="bad" icon="failed" title="No sync can succeed with these settings">
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
        <Notice tone="bad" icon="failed" title="The newest sync failed">
          <ul>
            {[...new Set(error.map(({ message }) => message))].map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </Notice>
      )}
      {progressOf(status).builds_index && (
        <Notice tone="info" icon="running" title="A new index is being built beside the one that answers">
          Its settings have changed. Questions are answered from the old one until the new one is complete.
        </Notice>
      )}
    </>
  );
}
