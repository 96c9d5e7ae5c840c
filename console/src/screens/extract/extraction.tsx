import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'wouter';
import { call } from '../../api/client.ts';
import { deleteItem } from '../../api/deletions.ts';
import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { t } from '../../i18n/messages.ts';
import { useProjectPath } from '../../shell/project-path.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { buildMarks, PagePicture } from '../../ui/page-picture.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { download, flattenLeaves, toCsv } from '../jobs/download.ts';
import { JobHead } from '../jobs/job-head.tsx';
import styles from '../jobs/jobs.module.css';
import { PasswordRetry, parseWithPassword, waitForParse } from '../jobs/password-retry.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { useJobInput } from '../jobs/use-input.ts';
import { findAtPointer, isEvidence } from './evidence.ts';
import { EvidenceNote } from './evidence-note.tsx';
import { withMissingFields } from './missing-fields.ts';
import { ResultTree } from './result-tree.tsx';

type Job = Answer<'GET /api/v2/extract/{job_id}'>;

/** Extraction job with its values and their sources. The selected value is part of the page's address. */
export function Extraction({ id }: { id: string }) {
  const read = useApiQuery(
    'GET /api/v2/extract/{job_id}',
    { params: { job_id: id } },
    { refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false) },
  );
  return (
    <Loaded read={read} what={t('The job could not be read')}>
      {(job) => <JobDetails job={job} />}
    </Loaded>
  );
}

function JobDetails({ job }: { job: Job }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const pathTo = useProjectPath();
  const { name, fileId } = useJobInput(job.file_input);
  const params = { job_id: job.id };
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['GET /api/v2/extract'] }),
      client.invalidateQueries({ queryKey: ['GET /api/v2/extract/{job_id}'] }),
    ]);
  const cancel = () => call('POST /api/v2/extract/{job_id}/cancel', { params }).then(refresh);
  const remove = async () => {
    await deleteItem(client, {
      id: job.id,
      remove: () => call('DELETE /api/v2/extract/{job_id}', { params }),
      leave: () => navigate(pathTo('/extract')),
    });
    await client.invalidateQueries({ queryKey: ['GET /api/v2/extract'] });
  };
  const result = job.extract_result;
  const completed = withMissingFields(result, job.configuration?.data_schema);
  const isDone = job.status === 'COMPLETED' && result != null;
  return (
    <>
      <JobHead
        list="GET /api/v2/extract"
        name={name}
        status={job.status}
        createdAt={job.created_at}
        onCancel={cancel}
        onDelete={remove}
      >
        {isDone && (
          <>
            <Button
              icon="download"
              onClick={() => download(`${name}.json`, 'application/json', JSON.stringify(result, null, 2))}
            >
              JSON
            </Button>
            <Button
              icon="download"
              onClick={() => download(`${name}.csv`, 'text/csv', toResultCsv(completed))}
            >
              {t('CSV')}
            </Button>
          </>
        )}
        <ButtonLink to={pathTo('/extract', { from: job.id, file: fileId })} icon="retry">
          {t('Reuse settings')}
        </ButtonLink>
      </JobHead>
      {job.error_message && (
        <Failure error={new Error(job.error_message)} what={t('The extraction failed')} />
      )}
      <PasswordRetry
        message={job.error_message}
        fileId={fileId}
        path="/extract"
        begin={async (file, password) => {
          // A parse job reads the file with the password first. The new extraction job then uses the result
          // of the parse job.
          const file_input = await parseWithPassword(file, password);
          await waitForParse(file_input);
          const made = await call('POST /api/v2/extract', {
            body: { file_input, configuration: job.configuration },
          });
          await client.invalidateQueries({ queryKey: ['GET /api/v2/extract'] });
          return made.id;
        }}
      />
      {isUnderWay(job.status) && (
        <Empty icon="running" title={t('The document is being processed')}>
          {t('The result appears here automatically.')}
        </Empty>
      )}
      {isDone && <Result job={job} values={completed} fileId={fileId} name={name} />}
    </>
  );
}

function toResultCsv(result: unknown): string {
  const rows = [result].flat().map((each) => flattenLeaves(each));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return toCsv(columns, rows);
}

/** Shows the extracted values beside the document page that contains the selected value. */
function Result({
  job,
  values,
  fileId,
  name,
}: {
  job: Job;
  /** Extracted values, in which every schema field without a value is `null`. */
  values: unknown;
  fileId: string | undefined;
  name: string;
}) {
  const [search, setSearch] = useSearchParams();
  const fields = job.extract_metadata?.field_metadata;
  const metadata = fields?.document_metadata ?? fields?.page_metadata ?? fields?.row_metadata;
  const pointer = search.get('value') ?? undefined;
  const found = pointer === undefined ? undefined : findAtPointer(metadata, pointer);
  const evidence = isEvidence(found) ? found : undefined;
  const citation = evidence?.citation?.[Number(search.get('citation') ?? 0)] ?? evidence?.citation?.[0];
  const set = (changes: Record<string, string>) =>
    setSearch(
      (known) => {
        const next = new URLSearchParams(known);
        next.delete('citation');
        for (const [key, value] of Object.entries(changes)) next.set(key, value);
        return next;
      },
      { replace: true },
    );
  return (
    <div className={styles.split}>
      <Card title={t('Values')}>
        <ResultTree
          value={values}
          metadata={metadata}
          pointer=""
          chosen={pointer}
          onChoose={(value) => set({ value })}
        />
        {!fields && <p className={styles.note}>{t('This job did not request the sources of its values.')}</p>}
        {job.extract_metadata?.model && (
          <p className={styles.note}>{t('Extracted with {model}.', { model: job.extract_metadata.model })}</p>
        )}
      </Card>
      <Card title={t('Source')}>
        {evidence ? (
          <>
            <EvidenceNote
              evidence={evidence}
              shown={citation}
              onShow={(at) => pointer !== undefined && set({ value: pointer, citation: String(at) })}
            />
            {citation && fileId && (
              <PagePicture
                fileId={fileId}
                pageIndex={citation.page - 1}
                alt={t('Page {page} of {name}', { page: citation.page, name })}
                marks={buildMarks(pointer!, [citation], citation.page - 1)}
              />
            )}
          </>
        ) : (
          <p className={styles.note}>{t('Select a value to see where it is printed.')}</p>
        )}
      </Card>
    </div>
  );
}
