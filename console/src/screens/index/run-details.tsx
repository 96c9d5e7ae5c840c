import { useState } from 'react';
import { Link } from 'wouter';
import { useApiQuery } from '../../api/hooks.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { count } from '../../ui/format.ts';
import { Loaded } from '../../ui/states.tsx';
import { Facts } from './facts.tsx';
import styles from './index.module.css';

const PAGE = 20;

/** Shows the items that failed in a sync run, and counters that the table of runs leaves out. */
export function RunDetails({ indexId, runId }: { indexId: string; runId: string }) {
  const pathTo = useProjectPath();
  const [offset, setOffset] = useState(0);
  const read = useApiQuery('GET /api/v1/pipelines/{pipeline_id}/jobs/{job_id}', {
    params: { pipeline_id: indexId, job_id: runId },
    query: { limit: PAGE, offset },
  });
  return (
    <Loaded read={read} what={t('The sync could not be read')} rows={2}>
      {({ id, counters, error, failed }) => (
        <div className={styles.details}>
          <Facts
            facts={[
              ...listOtherCounters(counters),
              [
                'ID',
                <span key="id" className={styles.id}>
                  <code>{id}</code> <CopyButton text={id} label={t('Copy sync ID')} />
                </span>,
              ],
            ]}
          />
          {failed.total_count === 0 &&
            [...new Set(error?.map(({ message }) => message))].map((message) => (
              <p key={message} className={styles.reason}>
                {message}
              </p>
            ))}
          {failed.total_count > 0 ? (
            <>
              <h2>
                {t('{count, plural, one {# item} other {# items}} failed and not retried since', {
                  count: failed.total_count,
                })}
              </h2>
              <ul className={styles.reasons}>
                {failed.items.map(({ kind, document_id, name, reason }) => (
                  <li key={`${kind} ${document_id}`}>
                    {kind === 'file' ? (
                      <Link to={pathTo(`/indexes/${indexId}/files/${document_id}`)}>
                        {name ?? document_id}
                      </Link>
                    ) : (
                      <span>{name ?? document_id}</span>
                    )}
                    <span className={styles.reason}>{reason}</span>
                  </li>
                ))}
              </ul>
            </>
          ) : (
            <p className={styles.words}>{t('No failed item is left from this sync.')}</p>
          )}
          {failed.total_count > PAGE && (
            <div className={styles.pages}>
              <Button small disabled={offset === 0} onClick={() => setOffset(offset - PAGE)}>
                {t('Previous')}
              </Button>
              <Button
                small
                disabled={offset + PAGE >= failed.total_count}
                onClick={() => setOffset(offset + PAGE)}
              >
                {t('Next')}
              </Button>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

/** Labels of counters that have no column in the table of runs. */
const getOthers = (): Record<string, string> => ({
  removed: t('Removed'),
  described: t('Metadata updated only'),
  cached_parses: t('Parse results reused'),
  fetched: t('Fetched'),
  listed: t('Listed in sources'),
  changed: t('Changed in sources'),
  renamed: t('Renamed'),
});

const listOtherCounters = (counters: Record<string, number>): [string, string | undefined][] =>
  Object.entries(getOthers()).map(([key, word]) => [word, counters[key] ? count(counters[key]) : undefined]);
