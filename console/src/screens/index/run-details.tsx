import { useState } from 'react';
import { Link } from 'wouter';
import { useAnswer } from '../../api/hooks.ts';
import { useAt } from '../../shell/link.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { count, plural } from '../../ui/format.ts';
import { Loaded } from '../../ui/states.tsx';
import { Facts } from './facts.tsx';
import styles from './index.module.css';

const PAGE = 20;

/** What else a run has counted, and what failed in it. */
export function RunDetails({ indexId, runId }: { indexId: string; runId: string }) {
  const at = useAt();
  const [offset, setOffset] = useState(0);
  const read = useAnswer('GET /api/v1/pipelines/{pipeline_id}/jobs/{job_id}', {
    params: { pipeline_id: indexId, job_id: runId },
    query: { limit: PAGE, offset },
  });
  return (
    <Loaded read={read} what="The sync could not be read" rows={2}>
      {({ id, counters, error, failed }) => (
        <div className={styles.details}>
          <Facts
            facts={[
              ...others(counters),
              [
                'Id',
                <span key="id" className={styles.id}>
                  <code>{id}</code> <CopyButton text={id} label="Copy the id of the sync" />
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
              <h2>{plural(failed.total_count, 'item')} failed and were not tried again since</h2>
              <ul className={styles.reasons}>
                {failed.items.map(({ kind, document_id, name, reason }) => (
                  <li key={`${kind} ${document_id}`}>
                    {kind === 'file' ? (
                      <Link to={at(`/indexes/${indexId}/files/${document_id}`)}>{name ?? document_id}</Link>
                    ) : (
                      <span>{name ?? document_id}</span>
                    )}
                    <span className={styles.reason}>{reason}</span>
                  </li>
                ))}
              </ul>
            </>
          ) : (
            <p className={styles.words}>Nothing that failed in it is left.</p>
          )}
          {failed.total_count > PAGE && (
            <div className={styles.pages}>
              <Button small disabled={offset === 0} onClick={() => setOffset(offset - PAGE)}>
                Previous
              </Button>
              <Button
                small
                disabled={offset + PAGE >= failed.total_count}
                onClick={() => setOffset(offset + PAGE)}
              >
                Next
              </Button>
            </div>
          )}
        </div>
      )}
    </Loaded>
  );
}

/** Counters that have no column of their own, in words. */
const OTHERS: Record<string, string> = {
  removed: 'Removed',
  described: 'New metadata only',
  cached_parses: 'Parsed before',
  fetched: 'Fetched',
  listed: 'Listed by sources',
  changed: 'Changed in sources',
  renamed: 'Renamed',
};

const others = (counters: Record<string, number>): [string, string | undefined][] =>
  Object.entries(OTHERS).map(([key, word]) => [word, counters[key] ? count(counters[key]) : undefined]);
