import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'wouter';
import { call } from '../../api/client.ts';
import { useAnswer } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';
import { useAt } from '../../shell/link.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { marksOf, PagePicture } from '../../ui/page-picture.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { csvOf, download, leavesOf } from '../jobs/download.ts';
import { JobHead } from '../jobs/job-head.tsx';
import styles from '../jobs/jobs.module.css';
import { PasswordRetry, parseWithPassword, waitForParse } from '../jobs/password-retry.tsx';
import { isUnderWay, pollWhile } from '../jobs/polling.ts';
import { useInput } from '../jobs/use-input.ts';
import { isEvidence, memberAt } from './evidence.ts';
import { EvidenceNote } from './evidence-note.tsx';
import { withMissingFields } from './missing-fields.ts';
import { ResultTree } from './result-tree.tsx';

type Job = Answer<'GET /api/v2/extract/{job_id}'>;

/** One job: how it stands, what it found and where. The chosen value is in the address. */
export function Extraction({ id }: { id: string }) {
  const read = useAnswer(
    'GET /api/v2/extract/{job_id}',
    { params: { job_id: id } },
    { refetchInterval: ({ state }) => (isUnderWay(state.data?.status) ? pollWhile(true) : false) },
  );
  return (
    <Loaded read={read} what="The job could not be read">
      {(job) => <Shown job={job} />}
    </Loaded>
  );
}

function Shown({ job }: { job: Job }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const at = useAt();
  const { name, fileId } = useInput(job.file_input);
  const params = { job_id: job.id };
  const again = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['GET /api/v2/extract'] }),
      client.invalidateQueries({ queryKey: ['GET /api/v2/extract/{job_id}'] }),
    ]);
  const cancel = () => call('POST /api/v2/extract/{job_id}/cancel', { params }).then(again);
  const remove = async () => {
    await call('DELETE /api/v2/extract/{job_id}', { params });
    await client.invalidateQueries({ queryKey: ['GET /api/v2/extract'] });
    navigate(at('/extract'));
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
            <Button icon="download" onClick={() => download(`${name}.csv`, 'text/csv', asCsv(completed))}>
              CSV
            </Button>
          </>
        )}
        <ButtonLink to={at('/extract', { from: job.id, file: fileId })} icon="retry">
          Use again
        </ButtonLink>
      </JobHead>
      {job.error_message && <Failure error={new Error(job.error_message)} what="The extraction failed" />}
      <PasswordRetry
        message={job.error_message}
        fileId={fileId}
        place="/extract"
        begin={async (file, password) => {
          // The new job reads what a parse job has read with the password.
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
        <Empty icon="running" title="The document is being read">
          The result appears here by itself.
        </Empty>
      )}
      {isDone && <Result job={job} values={completed} fileId={fileId} name={name} />}
    </>
  );
}

function asCsv(result: unknown): string {
  const rows = [result].flat().map((each) => leavesOf(each));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return csvOf(columns, rows);
}

/** The values, and the page on which the chosen one stands. */
function Result({
  job,
  values,
  fileId,
  name,
}: {
  job: Job;
  /** The result with `null` for each field of the schema that has no value. */
  values: unknown;
  fileId: string | undefined;
  name: string;
}) {
  const [search, setSearch] = useSearchParams();
  const fields = job.extract_metadata?.field_metadata;
  const metadata = fields?.document_metadata ?? fields?.page_metadata ?? fields?.row_metadata;
  const place = search.get('value') ?? undefined;
  const found = place === undefined ? undefined : memberAt(metadata, place);
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
      <Card title="Values">
        <ResultTree
          value={values}
          metadata={metadata}
          place=""
          chosen={place}
          onChoose={(value) => set({ value })}
        />
        {!fields && <p className={styles.note}>This job was not asked where the values stand.</p>}
        {job.extract_metadata?.model && <p className={styles.note}>Read by {job.extract_metadata.model}.</p>}
      </Card>
      <Card title="In the document">
        {evidence ? (
          <>
            <EvidenceNote
              evidence={evidence}
              shown={citation}
              onShow={(at) => place !== undefined && set({ value: place, citation: String(at) })}
            />
            {citation && fileId && (
              <PagePicture
                fileId={fileId}
                pageIndex={citation.page - 1}
                alt={`Page ${citation.page} of ${name}`}
                marks={marksOf(place!, [citation], citation.page - 1)}
              />
            )}
          </>
        ) : (
          <p className={styles.note}>Choose a value to see where it is printed.</p>
        )}
      </Card>
    </div>
  );
}
